/**
 * The resolution of the members of a module or script: friends, structs, constants and functions.
 * Source: the reference's `move-compiler/src/expansion/translate.rs` and `naming/translate.rs`.
 * @module
 */
import { ABILITY_COPY, ABILITY_DROP, ABILITY_KEY, ABILITY_STORE, type AbilityName } from '../../move/ability.ts';
import type {
  SyntaxAbility,
  SyntaxConstant,
  SyntaxFriend,
  SyntaxFunction,
  SyntaxModule,
  SyntaxPath,
  SyntaxScript,
  SyntaxSpec,
  SyntaxStruct,
  SyntaxTypeParameter,
} from '../syntax/tree.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Attributes, Declarations, duplicate } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { resolveAttributes } from './attribute-resolver.ts';
import { CodeResolver, useInSpecification } from './code-resolver.ts';
import type {
  ConstantDeclaration,
  FieldDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  ModuleIdentity,
  ParameterDeclaration,
  StructDeclaration,
} from './declaration.ts';
import { INSTRUCTION_NATIVES } from './known-attribute.ts';
import type { NameContext } from './name-context.ts';
import type { ResolvedConstant, ResolvedFunction, ResolvedModule, ResolvedScript } from './resolved-tree.ts';
import type { TypeParameter } from './type.ts';
import { checkLocalName, checkMemberName, checkModuleName } from './valid-name.ts';

const ABILITY_BITS: Readonly<Record<AbilityName, number>> = {
  copy: ABILITY_COPY,
  drop: ABILITY_DROP,
  store: ABILITY_STORE,
  key: ABILITY_KEY,
};

/** Abilities as a set. */
export function abilitySet(abilities: readonly SyntaxAbility[]): number {
  return abilities.reduce((set, { name }) => set | ABILITY_BITS[name], 0);
}

/** The type parameters of a struct or function. */
export function typeParametersOf(
  parameters: readonly SyntaxTypeParameter[],
  diagnostics: Diagnostics,
): TypeParameter[] {
  const seen = new Map<string, Span>();
  return parameters.map(({ name, constraints, isPhantom }, index) => {
    const before = seen.get(name.text);
    if (before !== undefined) {
      diagnostics.add(...duplicate(name.span, `the type parameter '${name.text}' is declared twice`, before));
    }
    seen.set(name.text, name.span);
    return { name, index, constraints: abilitySet(constraints), isPhantom };
  });
}

/** The declarations of a module that its members get their parts from. */
export interface DeclaredMembers {
  readonly structs: ReadonlyMap<SyntaxStruct, StructDeclaration>;
  readonly functions: ReadonlyMap<SyntaxFunction, FunctionDeclaration>;
  readonly constants: ReadonlyMap<SyntaxConstant, ConstantDeclaration>;
}

/** Resolves the members of one module, or of a script. */
export class ItemResolver {
  readonly #names: NameContext;
  readonly #diagnostics: Diagnostics;
  readonly #declared: DeclaredMembers;

  constructor(names: NameContext, declared: DeclaredMembers) {
    this.#names = names;
    this.#diagnostics = names.diagnostics;
    this.#declared = declared;
  }

  /** Aliases come from all members first, since any may use those of the others. */
  module(module: ModuleDeclaration, { members, attributes }: SyntaxModule): ResolvedModule {
    module.attributes = resolveAttributes(attributes, 'module', this.#names);
    this.#checkName(module);
    return this.#names.inScope(() => {
      this.#names.addSelf(module);
      for (const member of members) {
        if (member.kind === 'use') {
          resolveAttributes(member.attributes, 'use', this.#names);
          this.#names.use(member);
        } else if (member.kind === 'spec') {
          for (const { kind, name } of member.declared) this.#names.addOwnMember(module, kind, name);
        } else if (member.kind !== 'friend') this.#names.addOwnMember(module, member.kind, member.name);
      }
      module.friends = this.#friends(members.filter((member) => member.kind === 'friend'));
      const structs = members.filter((member) => member.kind === 'struct');
      for (const each of structs) this.#struct(each);
      const functions = members.filter((member) => member.kind === 'function').flatMap((each) => this.#function(each));
      const constants = members.filter((member) => member.kind === 'constant').flatMap((each) => this.#constant(each));
      for (const each of members.filter((member) => member.kind === 'spec')) this.#spec(each);
      return { declaration: module, functions, constants };
    });
  }

  #checkName({ identity: { name: text }, span }: ModuleDeclaration): void {
    checkModuleName({ text, span }, this.#diagnostics);
    if (!text.startsWith('_')) return;
    this.#diagnostics.add(Declarations.name, span, `modules have no name that begins with '_', such as '${text}'`);
  }

  script(syntax: SyntaxScript): ResolvedScript | undefined {
    const { attributes, uses, span } = syntax;
    resolveAttributes(attributes, 'script', this.#names);
    for (const use of uses) resolveAttributes(use.attributes, 'use', this.#names);
    return this.#names.withUses(uses, () => {
      for (const { name } of syntax.constants) checkMemberName('constant', name, this.#diagnostics);
      checkMemberName('function', syntax.function.name, this.#diagnostics);
      const own = new Map([...this.#declared.constants.values()].map((each) => [each.name.text, each]));
      const constants = syntax.constants.flatMap((each) => this.#constant(each, own));
      const [found] = this.#function(syntax.function, own);
      const { visibility, native } = syntax.function;
      if (visibility !== undefined) {
        const message = 'the function of a script is called by nobody else, so that it has no visibility';
        this.#diagnostics.add(Declarations.unnecessary, visibility.span, message);
      }
      if (native !== undefined) {
        this.#diagnostics.add(Declarations.script, native, 'the function of a script cannot be native');
      }
      return found === undefined ? undefined : { span, constants, function: found };
    });
  }

  #friends(friends: readonly SyntaxFriend[]): ModuleDeclaration['friends'] {
    const found = new Map<string, { identity: ModuleIdentity; span: Span }>();
    const seen = new Map<string, Span>();
    for (const { module: path, attributes, span } of friends) {
      const friend = this.#names.modulePath(path);
      if (friend === undefined) continue;
      resolveAttributes(attributes, 'friend', this.#names);
      const { module: identity } = friend;
      const before = seen.get(identity.key);
      seen.set(identity.key, before ?? span);
      if (before !== undefined) {
        this.#diagnostics.add(...duplicate(span, `'${identity.name}' is declared a friend twice`, before));
      } else if (this.#mayBeFriend(identity, span, friend.span)) found.set(identity.key, { identity, span });
    }
    return found;
  }

  #mayBeFriend(friend: ModuleIdentity, span: Span, nameSpan: Span): boolean {
    const own = this.#names.module!.identity;
    const addressOf = ({ key }: ModuleIdentity): string => key.slice(0, key.indexOf(':'));
    if (addressOf(friend) !== addressOf(own)) {
      const secondary = [{ span: nameSpan, message: 'this module has another address' }];
      this.#diagnostics.add(Declarations.friend, span, 'friends have the same address as the module', secondary);
      return false;
    }
    if (friend.key === own.key) {
      const secondary = [{ span: nameSpan, message: 'this is the module itself' }];
      this.#diagnostics.add(Declarations.friend, span, 'a module is no friend of its own', secondary);
      return false;
    }
    if (this.#names.isKnown(friend)) return true;
    this.#names.reportUnknownModule(nameSpan, friend);
    return false;
  }

  #struct(syntax: SyntaxStruct): void {
    const declaration = this.#declared.structs.get(syntax);
    const attributes = resolveAttributes(syntax.attributes, 'struct', this.#names);
    const typeParameters = declaration?.typeParameters ?? typeParametersOf(syntax.typeParameters, this.#diagnostics);
    this.#names.withTypeParameters(typeParameters, () => {
      const fields = this.#fields(syntax);
      if (declaration !== undefined) Object.assign(declaration, { attributes, fields });
    });
  }

  #fields({ name: { text: struct }, fields }: SyntaxStruct): StructDeclaration['fields'] {
    if (fields === undefined) return undefined;
    const found = new Map<string, FieldDeclaration>();
    for (const [index, { name, type: syntax }] of fields.entries()) {
      const type = this.#names.type(syntax);
      const before = found.get(name.text);
      if (before === undefined) found.set(name.text, { name, index, type });
      else {
        const message = `'${struct}' has the field '${name.text}' already`;
        this.#diagnostics.add(...duplicate(name.span, message, before.name.span));
      }
    }
    return found;
  }

  #constant(syntax: SyntaxConstant, scriptConstants?: ReadonlyMap<string, ConstantDeclaration>): ResolvedConstant[] {
    const declaration = this.#declared.constants.get(syntax);
    resolveAttributes(syntax.attributes, 'constant', this.#names);
    // As in the reference, what constants name does not order modules.
    this.#names.countsUses = false;
    const type = this.#names.type(syntax.type);
    const value = new CodeResolver(this.#names, [], scriptConstants).expression(syntax.value);
    this.#names.countsUses = true;
    if (declaration === undefined) return [];
    declaration.type = type;
    return [{ declaration, value }];
  }

  #function(syntax: SyntaxFunction, scriptConstants?: ReadonlyMap<string, ConstantDeclaration>): ResolvedFunction[] {
    const declaration = this.#declared.functions.get(syntax);
    const attributes = resolveAttributes(syntax.attributes, 'function', this.#names);
    const typeParameters = typeParametersOf(syntax.typeParameters, this.#diagnostics);
    return this.#names.withTypeParameters(typeParameters, () => {
      const parameters = this.#parameters(syntax);
      const result = this.#names.type(syntax.result);
      const acquires = this.#acquires(syntax.acquires);
      const locals = parameters.map(({ local }) => local);
      const isRead = syntax.body !== undefined && (this.#names.isTarget || syntax.isInline);
      const code = new CodeResolver(this.#names, locals, scriptConstants);
      const body = isRead ? code.block(syntax.body!) : undefined;
      if (declaration === undefined) return [];
      Object.assign(declaration, { attributes, typeParameters, parameters, result, acquires });
      this.#checkInstruction(declaration);
      return [{ declaration, body }];
    });
  }

  #parameters({ parameters }: SyntaxFunction): ParameterDeclaration[] {
    const found = parameters.map(({ name, type }) => {
      return { local: { name: name.text, span: name.span }, type: this.#names.type(type) };
    });
    const seen = new Map<string, Span>();
    for (const { name } of parameters) {
      checkLocalName(name, this.#diagnostics);
      const before = seen.get(name.text);
      if (before !== undefined) {
        this.#diagnostics.add(...duplicate(name.span, `the parameter '${name.text}' is declared twice`, before));
      }
      seen.set(name.text, before ?? name.span);
    }
    return found;
  }

  #acquires(paths: readonly SyntaxPath[]): ReadonlyMap<StructDeclaration, Span> {
    const found = new Map<StructDeclaration, Span>();
    for (const path of paths) {
      const struct = this.#acquired(path);
      if (struct === undefined) continue;
      const before = found.get(struct);
      if (before !== undefined) {
        const message = `'${struct.name.text}' is listed twice`;
        this.#diagnostics.add(...duplicate(path.span, message, before, 'it is here already'));
      }
      found.set(struct, path.span);
    }
    return found;
  }

  #acquired(path: SyntaxPath): StructDeclaration | undefined {
    const struct = this.#names.struct(path);
    if (struct === undefined) return undefined;
    const secondary = [{ span: struct.name.span, message: 'declared here' }];
    const hasKey = (struct.abilities & ABILITY_KEY) !== 0;
    if (!hasKey) {
      const message = `only structs with the ability 'key' are acquired, '${struct.name.text}' has none`;
      this.#diagnostics.add(Declarations.acquires, path.span, message, secondary);
    }
    const isOwn = struct.module === this.#names.module;
    if (!isOwn) {
      const message = `only structs of the module itself are acquired, '${struct.name.text}' is declared in another`;
      this.#diagnostics.add(Declarations.acquires, path.span, message, secondary);
    }
    return hasKey && isOwn ? struct : undefined;
  }

  /** `#[bytecode_instruction]` marks natives that are instructions. */
  #checkInstruction({ attributes, module, name, isNative }: FunctionDeclaration): void {
    const mark = attributes.find((each) => each.name.text === 'bytecode_instruction');
    if (mark === undefined) return;
    const secondary = [{ span: name.span, message: 'the function' }];
    if (module === undefined) {
      const message = 'functions of scripts are never instructions';
      this.#diagnostics.add(Attributes.bytecode, mark.span, message, secondary);
      return;
    }
    if (!isInstruction(module, name.text)) {
      const message = `no instruction stands for '${name.text}'`;
      this.#diagnostics.add(Attributes.bytecode, mark.span, message, secondary);
    }
    if (!isNative) {
      this.#diagnostics.add(Attributes.bytecode, mark.span, 'only native functions are instructions', secondary);
    }
  }

  #spec({ attributes, uses, paths }: SyntaxSpec): void {
    resolveAttributes(attributes, 'specification', this.#names);
    this.#names.withUses(uses, () => useInSpecification(this.#names, paths));
  }
}

function isInstruction({ identity }: ModuleDeclaration, name: string): boolean {
  const isStandard = identity.addressName === 'std' || /^0{63}1::/.test(identity.key);
  return isStandard && INSTRUCTION_NATIVES.has(`${identity.name}::${name}`);
}
