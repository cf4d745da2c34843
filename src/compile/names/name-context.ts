/**
 * What names stand for at a place of a module or script: paths, types, and `use` declarations that change it.
 * Source: the reference's `move-compiler/src/expansion/translate.rs` and `naming/translate.rs`.
 * @module
 */

import { didYouMean } from '../../base/nearest-name.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type { SyntaxPath, SyntaxType, SyntaxUse } from '../syntax/tree.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { duplicate, Names, Unused } from '../text/diagnostic-kind.ts';
import type { Name, Span } from '../text/source-text.ts';
import { type AddressNames, shownModule } from './address-names.ts';
import { type Alias, AliasScope } from './alias-scope.ts';
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  ModuleIdentity,
  StructDeclaration,
} from './declaration.ts';
import type { ResolvedType, TypeParameter } from './type.ts';
import { checkMemberName, checkModuleName, type MemberKind, PRIMITIVE_TYPES } from './valid-name.ts';

/** All modules of the compilation. */
export interface KnownModules {
  /** By key. */
  readonly declarations: ReadonlyMap<string, ModuleDeclaration>;
  /** By key: the kinds of the members, those for specifications too. */
  readonly members: ReadonlyMap<string, ReadonlyMap<string, MemberKind>>;
  /** The package that would have a module, if it were a dependency. */
  readonly absentPackageOf: (module: ModuleIdentity) => string | undefined;
}

/** What a path stands for: a member of a module that may not exist, or a single name that is no alias. */
export type ResolvedPath =
  | { readonly kind: 'member'; readonly module: ModuleIdentity; readonly moduleSpan: Span; readonly name: Name }
  | { readonly kind: 'name'; readonly name: Name };

/** Where a path stands: a single name of a value is a local, unless it begins with a capital. */
export type PathPlace = 'type' | 'value' | 'call';

/** Modules, or types, of one name that a note offers to use. */
const USES_NAMED_MAX = 3;

export class NameContext {
  readonly diagnostics: Diagnostics;
  readonly addresses: AddressNames;
  /** `undefined` in a script. */
  readonly module: ModuleDeclaration | undefined;
  readonly isTarget: boolean;
  /** By key: the modules that are used, with the first place. */
  readonly used: Map<string, Span> = new Map();
  /** Whether what is named now counts as use of its module; constants of modules do not. */
  countsUses = true;
  readonly #known: KnownModules;
  #aliases = new AliasScope();
  #typeParameters: ReadonlyMap<string, TypeParameter> = new Map();
  /** What was reported as unknown: names, keys of modules, packages. Further errors about them are follow-ups. */
  readonly #reported = new Set<string>();

  constructor(
    known: KnownModules,
    addresses: AddressNames,
    module: ModuleDeclaration | undefined,
    isTarget: boolean,
    diagnostics: Diagnostics,
  ) {
    this.#known = known;
    this.addresses = addresses;
    this.module = module;
    this.isTarget = isTarget;
    this.diagnostics = diagnostics;
  }

  /** Runs `body` with `uses` in scope, and warns of those that it does not use. */
  withUses<T>(uses: readonly SyntaxUse[], body: () => T): T {
    if (uses.length === 0) return body();
    return this.inScope(() => {
      for (const use of uses) this.use(use);
      return body();
    });
  }

  /** Runs `body` in a scope of aliases of its own. */
  inScope<T>(body: () => T): T {
    const outer = this.#aliases;
    this.#aliases = new AliasScope(outer);
    const result = body();
    this.#warnOfUnused();
    this.#aliases = outer;
    return result;
  }

  #warnOfUnused(): void {
    if (!this.isTarget) return;
    for (const { name } of this.#aliases.unused()) {
      this.diagnostics.add(Unused.alias, name.span, `nothing uses '${name.text}'; remove it`);
    }
  }

  /** Runs `body` with type parameters in scope. */
  withTypeParameters<T>(parameters: readonly TypeParameter[], body: () => T): T {
    const outer = this.#typeParameters;
    this.#typeParameters = new Map(parameters.map((each) => [each.name.text, each]));
    const result = this.inScope(() => {
      for (const { name } of parameters) this.#aliases.hideMember(name.text);
      return body();
    });
    this.#typeParameters = outer;
    return result;
  }

  /** `Self` stands for the module. */
  addSelf({ identity, span }: ModuleDeclaration): void {
    const name = { text: 'Self', span };
    const alias = { name, module: identity, moduleSpan: span, member: undefined, isImplicit: true, isUsed: false };
    this.#aliases.add(alias);
  }

  /** A member of the module itself stands for itself. */
  addOwnMember({ identity, span }: ModuleDeclaration, kind: MemberKind, name: Name): void {
    if (!checkMemberName(kind, name, this.diagnostics)) return;
    const alias = { name, module: identity, moduleSpan: span, member: name.text, isImplicit: true, isUsed: false };
    this.#addAlias(alias);
  }

  #addAlias(alias: Alias): void {
    const before = this.#aliases.add(alias);
    if (before === undefined) return;
    const what = alias.member === undefined ? 'a module' : 'a member';
    const message = `'${alias.name.text}' already stands for ${what} here`;
    this.diagnostics.add(...duplicate(alias.name.span, message, before.name.span));
  }

  use({ module: { span, address, name }, members, alias }: SyntaxUse): void {
    const module = this.addresses.module(address, name.text);
    const known = this.#known.members.get(module.key);
    if (known === undefined) {
      this.#reportModule(span, module);
      const names = members?.map((each) => each.alias ?? (each.name.text === 'Self' ? name : each.name));
      for (const { text } of names ?? [alias ?? name]) this.#reported.add(text);
      return;
    }
    if (members === undefined) {
      this.#useModule(module, span, alias ?? name);
      return;
    }
    for (const member of members) {
      const kind = known.get(member.name.text);
      if (member.name.text === 'Self') {
        if (!this.#useModule(module, span, member.alias ?? name)) return;
      } else if (kind === undefined) {
        this.#reportMember(member.name, member.name.span, module, 'member', known.keys());
        this.#reported.add((member.alias ?? member.name).text);
      } else if (checkMemberName(kind, member.alias ?? member.name, this.diagnostics)) {
        const target = { module, moduleSpan: span, member: member.name.text };
        this.#addAlias({ name: member.alias ?? member.name, ...target, isImplicit: false, isUsed: false });
      }
    }
  }

  #useModule(module: ModuleIdentity, moduleSpan: Span, name: Name): boolean {
    if (!checkModuleName(name, this.diagnostics)) return false;
    this.#addAlias({ name, module, moduleSpan, member: undefined, isImplicit: false, isUsed: false });
    return true;
  }

  /** The module that a single name stands for. */
  moduleAlias(name: string): Alias | undefined {
    return this.#aliases.module(name);
  }

  /** The member that a single name stands for. */
  memberAlias(name: string): Alias | undefined {
    return this.#aliases.member(name);
  }

  isKnown(module: ModuleIdentity): boolean {
    return this.#known.members.has(module.key);
  }

  /** What a path stands for; `undefined` with an error. */
  path(path: SyntaxPath, place: PathPlace): ResolvedPath | undefined {
    const { number, names, span } = path;
    const [first, second, third] = names;
    if (number !== undefined) {
      if (second === undefined) {
        const what = place === 'type' ? 'type' : 'value';
        this.diagnostics.add(Names.position, span, `this is a module, and a ${what} is expected`);
        return undefined;
      }
      const module = this.addresses.module({ kind: 'number', ...number }, first!.text);
      return this.#member(module, spanFrom(span, first!), second, span);
    }
    if (third !== undefined) {
      const module = this.addresses.module({ kind: 'name', ...first! }, second!.text);
      return this.#member(module, spanFrom(span, second!), third, span);
    }
    if (second !== undefined) {
      const alias = this.#aliases.module(first!.text);
      if (alias !== undefined) return this.#member(alias.module, first!.span, second, span);
      this.#reportUnusedModule(first!);
      return undefined;
    }
    return this.#single(first!, place, span);
  }

  #single(name: Name, place: PathPlace, span: Span): ResolvedPath {
    const isLocal = place === 'value' && !/^[A-Z]/.test(name.text);
    const alias = isLocal ? undefined : this.#aliases.member(name.text);
    if (alias === undefined) return { kind: 'name', name };
    return this.#member(alias.module, alias.moduleSpan, { text: alias.member!, span: name.span }, span);
  }

  #member(module: ModuleIdentity, moduleSpan: Span, name: Name, span: Span): ResolvedPath {
    this.countUse(module, span);
    return { kind: 'member', module, moduleSpan, name };
  }

  countUse({ key }: ModuleIdentity, span: Span): void {
    const isOther = key !== this.module?.identity.key && this.#known.declarations.has(key);
    if (this.countsUses && isOther && !this.used.has(key)) this.used.set(key, span);
  }

  /** The module that a path is, as `friend` has it; `undefined` with an error. */
  modulePath({ number, names, span }: SyntaxPath): { module: ModuleIdentity; span: Span } | undefined {
    const [first, second, third] = names;
    if (number === undefined && second === undefined) {
      const alias = this.#aliases.module(first!.text);
      if (alias !== undefined) return { module: alias.module, span };
      this.#reportUnusedModule(first!);
      return undefined;
    }
    const [name, member] = number === undefined ? [second!, third] : [first!, second];
    const address =
      number === undefined ? ({ kind: 'name', ...first! } as const) : ({ kind: 'number', ...number } as const);
    const module = this.addresses.module(address, name.text);
    if (member === undefined) return { module, span };
    this.diagnostics.add(Names.position, member.span, 'a module is expected, without a member');
    return undefined;
  }

  /** The struct of a path; `undefined` with an error. */
  struct(path: SyntaxPath): StructDeclaration | undefined {
    const found = this.path(path, 'type');
    if (found === undefined) return undefined;
    if (found.kind === 'member') return this.structMember(found, path.span);
    const { text, span } = found.name;
    const parameter = this.#typeParameters.get(text);
    if (parameter === undefined && !isBuiltinType(text)) this.reportType(found.name);
    else {
      const message = `a struct is expected, '${text}' is ${parameter === undefined ? 'built in' : 'a type parameter'}`;
      const secondary = parameter === undefined ? [] : [{ span: parameter.name.span, message: 'declared here' }];
      this.diagnostics.add(Names.position, span, message, secondary);
    }
    return undefined;
  }

  structMember(path: ResolvedPath & { kind: 'member' }, span: Span): StructDeclaration | undefined {
    return this.#lookUp(path, span, 'struct', (module) => module.structs);
  }

  functionMember(path: ResolvedPath & { kind: 'member' }, span: Span): FunctionDeclaration | undefined {
    return this.#lookUp(path, span, 'function', (module) => module.functions);
  }

  constantMember(path: ResolvedPath & { kind: 'member' }, span: Span): ConstantDeclaration | undefined {
    return this.#lookUp(path, span, 'constant', (module) => module.constants);
  }

  #lookUp<T>(
    { module, moduleSpan, name }: ResolvedPath & { kind: 'member' },
    span: Span,
    what: MemberKind,
    membersOf: (module: ModuleDeclaration) => ReadonlyMap<string, T>,
  ): T | undefined {
    const declaration = this.#known.declarations.get(module.key);
    if (declaration === undefined) {
      this.#reportModule(moduleSpan, module);
      return undefined;
    }
    const members = membersOf(declaration);
    const found = members.get(name.text);
    if (found === undefined) this.#reportMember(name, span, module, what, members.keys());
    return found;
  }

  /** @param meant notes on what was probably meant instead of a module */
  reportUnknownModule(span: Span, module: ModuleIdentity, meant: readonly string[] = []): void {
    this.#reportModule(span, module, meant);
  }

  /** Notes on how an attribute names a constant, by a module that has one of this name if there is one. */
  constantNotes(name: string): string[] {
    return constantNotes(name, this.#known.declarations.values());
  }

  #reportModule(span: Span, module: ModuleIdentity, meant: readonly string[] = []): void {
    const absent = this.#known.absentPackageOf(module);
    const known = [...this.#known.declarations.values()].map(({ identity }) => identity.name);
    const found = absent ? [`add \`${absent} = {}\` to [dependencies] of Move.toml`] : didYouMean(module.name, known);
    const notes = meant.length > 0 ? meant : found;
    const isFollowUp = this.isReported(absent ?? module.key);
    this.#reported.add(absent ?? module.key);
    this.diagnostics.add(Names.module, span, `there is no module ${shownModule(module)}`, [], notes, isFollowUp);
  }

  /** Whether an error has said already that this name stands for nothing. */
  isReported(name: string): boolean {
    return this.#reported.has(name);
  }

  /** A name that no `use` gives to a module. */
  #reportUnusedModule({ text, span }: Name): void {
    const uses = this.#usesOf(({ identity }) => (identity.name === text ? shownModule(identity) : undefined));
    const notes = uses.length > 0 ? uses : didYouMean(text, this.#aliases.moduleNames());
    this.diagnostics.add(Names.module, span, `no module is called '${text}' here`, [], notes, this.isReported(text));
    this.#reported.add(text);
  }

  /** A note that names the `use` that is missing, if there are not many. */
  #usesOf(pathOf: (module: ModuleDeclaration) => string | undefined): string[] {
    const paths = [...this.#known.declarations.values()].flatMap((module) => pathOf(module) ?? []).sort();
    if (paths.length === 0 || paths.length > USES_NAMED_MAX) return [];
    return [`add ${paths.map((path) => `\`use ${path};\``).join(' or ')}`];
  }

  #reportMember(name: Name, span: Span, module: ModuleIdentity, what: string, known: Iterable<string>): void {
    const declared = this.#known.declarations.get(module.key);
    const secondary = declared === undefined ? [] : [{ span: declared.span, message: 'the module is declared here' }];
    const message = `${shownModule(module)} has no ${what} '${name.text}'`;
    this.diagnostics.add(Names.member, span, message, secondary, didYouMean(name.text, known));
  }

  reportType({ text, span }: Name): void {
    const known = [...this.#typeParameters.keys(), ...this.#aliases.memberNames(), ...PRIMITIVE_TYPES, 'vector'];
    const uses = this.#usesOf(({ identity, structs }) =>
      structs.has(text) ? `${shownModule(identity)}::${text}` : undefined,
    );
    const notes = uses.length > 0 ? uses : didYouMean(text, known);
    this.diagnostics.add(Names.type, span, `no type is called '${text}' here`, [], notes, this.isReported(text));
    this.#reported.add(text);
  }

  types(types: readonly SyntaxType[]): ResolvedType[] {
    return types.map((each) => this.type(each));
  }

  optionalTypes(types: readonly SyntaxType[] | undefined): ResolvedType[] | undefined {
    return types === undefined ? undefined : this.types(types);
  }

  type(type: SyntaxType): ResolvedType {
    const { span } = type;
    switch (type.kind) {
      case 'reference':
        return { kind: 'reference', span, isMutable: type.isMutable, target: this.type(type.target) };
      case 'function':
        return { kind: 'function', span, parameters: this.types(type.parameters), result: this.type(type.result) };
      case 'tuple':
        return { kind: 'tuple', span, items: this.types(type.items) };
      default:
        return this.#pathType(type);
    }
  }

  #pathType({ path, arguments: syntax, span }: SyntaxType & { kind: 'path' }): ResolvedType {
    const found = this.path(path, 'type');
    if (found === undefined) {
      this.types(syntax);
      return { kind: 'error', span };
    }
    if (found.kind === 'name') return this.#namedType(found.name, syntax, span);
    const struct = this.structMember(found, path.span);
    const given = this.types(syntax);
    if (struct === undefined) return { kind: 'error', span };
    return { kind: 'struct', span, struct, arguments: this.typeArguments(struct, given, span) };
  }

  #namedType(name: Name, syntax: readonly SyntaxType[], span: Span): ResolvedType {
    const parameter = this.#typeParameters.get(name.text);
    if (parameter !== undefined) {
      if (syntax.length === 0) return { kind: 'parameter', span, parameter };
      this.types(syntax);
      this.diagnostics.add(Names.position, span, `'${name.text}' is a type parameter, which takes no type arguments`);
      return { kind: 'error', span };
    }
    const given = this.types(syntax);
    if (name.text === 'vector') {
      const [element] = this.fitTypeArguments(given, 1, span, () => `'vector'`);
      return { kind: 'vector', span, element: element! };
    }
    if (PRIMITIVE_TYPES.has(name.text)) {
      this.fitTypeArguments(given, 0, span, () => `'${name.text}'`);
      return { kind: 'primitive', span, name: name.text as PrimitiveKind };
    }
    this.reportType(name);
    return { kind: 'error', span };
  }

  /** The type arguments of a struct, as many as it takes. */
  typeArguments(struct: StructDeclaration, given: readonly ResolvedType[], span: Span): readonly ResolvedType[] {
    const what = (): string => `'${struct.name.text}'`;
    return this.fitTypeArguments(given, struct.typeParameters.length, span, what);
  }

  /** `count` types: the given ones, with errors for those that are missing or too many. */
  fitTypeArguments(
    given: readonly ResolvedType[],
    count: number,
    span: Span,
    what: () => string,
    at?: Span,
  ): readonly ResolvedType[] {
    if (given.length === count) return given;
    const kind = given.length > count ? Names.tooManyTypeArguments : Names.tooFewTypeArguments;
    const message = `${what()} takes ${counted(count)}, got ${given.length}`;
    this.diagnostics.add(kind, at ?? span, message);
    const missing = Array.from(
      { length: Math.max(0, count - given.length) },
      (): ResolvedType => ({ kind: 'error', span }),
    );
    return [...given.slice(0, count), ...missing];
  }
}

/** Notes on how an attribute names a constant, by a module that has one of this name if there is one. */
export function constantNotes(name: string, modules: Iterable<ModuleDeclaration>): string[] {
  const found = [...modules]
    .filter(({ constants }) => constants.has(name))
    .map(({ identity }) => shownModule(identity));
  const paths = found.sort().map((module) => `${module}::${name}`);
  if (paths.length > 0 && paths.length <= USES_NAMED_MAX) return [`write ${paths.join(' or ')}`];
  return [`a constant of another module is written ADDRESS::MODULE::NAME, such as me::auction::${name}`];
}

export function isBuiltinType(name: string): boolean {
  return name === 'vector' || PRIMITIVE_TYPES.has(name);
}

function counted(count: number): string {
  return count === 1 ? 'one type argument' : `${count === 0 ? 'no' : count} type arguments`;
}

/** From the start of a path to the end of one of its names. */
function spanFrom({ source, start }: Span, { span: { end } }: Name): Span {
  return { source, start, end };
}
