/**
 * The resolution of names: from the syntax trees of a compilation to the resolved tree.
 * @module
 */
import type { SyntaxConstant, SyntaxFunction, SyntaxModule, SyntaxStruct } from '../syntax/tree.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { duplicate } from '../text/diagnostic-kind.ts';
import type { Span } from '../text/source-text.ts';
import { shownModule } from './address-names.ts';
import type {
  ConstantDeclaration,
  FunctionDeclaration,
  ModuleDeclaration,
  ModuleIdentity,
  StructDeclaration,
} from './declaration.ts';
import { abilitySet, type DeclaredMembers, ItemResolver, typeParametersOf } from './item-resolver.ts';
import { type ModuleUses, rankModules } from './module-order.ts';
import {
  type CollectedModule,
  type CollectedScript,
  collectSources,
  type ParsedPackage,
  type SourceMode,
} from './module-source.ts';
import { type KnownModules, NameContext } from './name-context.ts';
import type { ResolvedModule, ResolvedProgram, ResolvedScript } from './resolved-tree.ts';
import type { ResolvedType } from './type.ts';
import type { MemberKind } from './valid-name.ts';

/** What is compiled. */
export interface ResolveInput {
  /** What is compiled. */
  readonly targets: readonly ParsedPackage[];
  /** What is only used; of its functions, inline ones alone keep their bodies. */
  readonly dependencies: readonly ParsedPackage[];
  /** Modules that were resolved before, none of which is given again; they are only used. */
  readonly library?: ResolvedProgram | undefined;
  readonly mode: SourceMode;
  /** The package that would have a module, if it were among the dependencies. */
  readonly absentPackageOf?: KnownModules['absentPackageOf'] | undefined;
}

/** Resolves all names. The diagnostics of all modules are collected, whether or not there are errors before. */
export function resolveNames(input: ResolveInput, diagnostics: Diagnostics): ResolvedProgram {
  return new ProgramResolver(input, diagnostics).resolve();
}

interface DeclaredModule {
  readonly source: CollectedModule;
  readonly declaration: ModuleDeclaration;
  readonly members: DeclaredMembers;
}

class ProgramResolver implements KnownModules {
  readonly declarations = new Map<string, ModuleDeclaration>();
  readonly members = new Map<string, Map<string, MemberKind>>();
  readonly absentPackageOf: KnownModules['absentPackageOf'];
  readonly #input: ResolveInput;
  readonly #diagnostics: Diagnostics;
  readonly #modules: DeclaredModule[] = [];
  readonly #uses: ModuleUses[] = [];

  constructor(input: ResolveInput, diagnostics: Diagnostics) {
    this.#input = input;
    this.absentPackageOf = input.absentPackageOf ?? (() => undefined);
    this.#diagnostics = diagnostics;
  }

  resolve(): ResolvedProgram {
    const { targets, dependencies, library, mode } = this.#input;
    const { modules, scripts } = collectSources(targets, dependencies, mode, this.#diagnostics);
    for (const source of modules) this.#declare(source);
    if (library !== undefined) this.#addLibrary(library);
    const resolved = this.#modules.map((each) => this.#resolveModule(each));
    const ranks = rankModules(this.#uses, this.#diagnostics);
    for (const module of this.declarations.values()) module.rank = ranks.get(module.identity.key) ?? 0;
    const byKey = ({ key: left }: ModuleIdentity, { key: right }: ModuleIdentity): number => (left < right ? -1 : 1);
    resolved.sort(({ declaration: left }, { declaration: right }) => {
      return left.rank - right.rank || byKey(left.identity, right.identity);
    });
    const { declarations, members } = this;
    return { modules: resolved, scripts: this.#scripts(scripts), declarations, members, uses: this.#uses };
  }

  #addLibrary({ declarations, members, uses }: ResolvedProgram): void {
    for (const [key, declaration] of declarations) this.declarations.set(key, declaration);
    for (const [key, kinds] of members) this.members.set(key, new Map([...kinds, ...(this.members.get(key) ?? [])]));
    for (const each of uses) this.#uses.push(each);
  }

  #declare(source: CollectedModule): void {
    const { syntax, identity, isTarget } = source;
    if (syntax.isSpec) return;
    this.#addMembers(syntax, identity);
    const before = this.declarations.get(identity.key);
    if (before !== undefined) {
      this.#reportDuplicate(identity, syntax.name.span, before.span);
      return;
    }
    const declaration: ModuleDeclaration = {
      ...{ identity, isTarget, rank: 0, span: syntax.name.span, attributes: [] },
      ...{ structs: new Map(), functions: new Map(), constants: new Map(), friends: new Map() },
    };
    this.declarations.set(identity.key, declaration);
    const members = declareMembers(syntax, declaration, this.#diagnostics);
    this.#modules.push({ source, declaration, members });
  }

  /** The kinds of all members, also of modules that are declared twice. */
  #addMembers({ members }: SyntaxModule, { key }: ModuleIdentity): void {
    const kinds = this.members.get(key) ?? new Map<string, MemberKind>();
    this.members.set(key, kinds);
    for (const member of members) {
      if (member.kind === 'spec') {
        for (const { kind, name } of member.declared) kinds.set(name.text, kind);
      } else if (member.kind !== 'use' && member.kind !== 'friend') kinds.set(member.name.text, member.kind);
    }
  }

  #reportDuplicate(identity: ModuleIdentity, span: Span, before: Span): void {
    this.#diagnostics.add(...duplicate(span, `${shownModule(identity)} is declared twice`, before));
  }

  #resolveModule({ source, declaration, members }: DeclaredModule): ResolvedModule {
    const { addresses, isTarget, syntax, uses } = source;
    const names = new NameContext(this, addresses, declaration, isTarget, this.#diagnostics);
    const resolved = new ItemResolver(names, members).module(declaration, syntax);
    const used = uses === undefined ? names.used : new Map(uses.map((key) => [key, declaration.span]));
    this.#uses.push({ module: declaration, used });
    return resolved;
  }

  /** Scripts in the order of the names of their functions. */
  #scripts(scripts: readonly CollectedScript[]): ResolvedScript[] {
    const resolved = scripts.flatMap(({ syntax, addresses }) => {
      const names = new NameContext(this, addresses, undefined, true, this.#diagnostics);
      const constants = new Map(syntax.constants.map((each) => [each, declareConstant(each, undefined)]));
      const declared = declareFunction(syntax.function, undefined);
      const members = { structs: new Map(), functions: new Map([[syntax.function, declared]]), constants };
      return new ItemResolver(names, members).script(syntax) ?? [];
    });
    const nameOf = (script: ResolvedScript): string => script.function.declaration.name.text;
    return resolved.sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : Number(nameOf(left) > nameOf(right))));
  }
}

/** Declares the members of a module; of members with the same name, the first. */
function declareMembers(
  { members }: SyntaxModule,
  module: ModuleDeclaration,
  diagnostics: Diagnostics,
): DeclaredMembers {
  const structs = new Map<SyntaxStruct, StructDeclaration>();
  const functions = new Map<SyntaxFunction, FunctionDeclaration>();
  const constants = new Map<SyntaxConstant, ConstantDeclaration>();
  for (const member of members) {
    if (member.kind === 'struct') addFirst(member, declareStruct(member, module, diagnostics), structs, module.structs);
    else if (member.kind === 'function') addFirst(member, declareFunction(member, module), functions, module.functions);
    else if (member.kind === 'constant') addFirst(member, declareConstant(member, module), constants, module.constants);
  }
  return { structs, functions, constants };
}

function addFirst<Syntax extends { readonly name: { readonly text: string } }, Declaration>(
  syntax: Syntax,
  declaration: Declaration,
  bySyntax: Map<Syntax, Declaration>,
  byName: ReadonlyMap<string, Declaration>,
): void {
  const { text } = syntax.name;
  if (byName.has(text)) return;
  // The map is read-only once the module is declared.
  (byName as Map<string, Declaration>).set(text, declaration);
  bySyntax.set(syntax, declaration);
}

function declareStruct(
  { name, abilities, typeParameters }: SyntaxStruct,
  module: ModuleDeclaration,
  diagnostics: Diagnostics,
): StructDeclaration {
  return {
    ...{ module, name, attributes: [], abilities: abilitySet(abilities), fields: undefined },
    abilitySpans: new Map(abilities.map((each) => [each.name, each.span])),
    typeParameters: typeParametersOf(typeParameters, diagnostics),
  };
}

function declareFunction(
  { name, visibility, entry, isInline, native }: SyntaxFunction,
  module: ModuleDeclaration | undefined,
): FunctionDeclaration {
  const kind = visibility === undefined ? 'private' : visibility.kind === 'friend' ? 'friend' : 'public';
  return {
    ...{ module, name, attributes: [], entry, isInline, isNative: native !== undefined },
    visibility: { kind, span: visibility?.span ?? name.span },
    ...{ typeParameters: [], parameters: [], result: unknownType(name.span), acquires: new Map() },
  };
}

function declareConstant({ name }: SyntaxConstant, module: ModuleDeclaration | undefined): ConstantDeclaration {
  return { module, name, type: unknownType(name.span) };
}

/** Of a declaration whose parts are not resolved yet. */
function unknownType(span: Span): ResolvedType {
  return { kind: 'error', span };
}
