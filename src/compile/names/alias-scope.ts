/**
 * The names that stand for modules and their members at a place: from `use`, and those of the module itself.
 * @module
 */
import type { Name } from '../text/source-text.ts';
import type { ModuleIdentity } from './declaration.ts';

/** What an alias stands for. */
export interface Alias {
  /** As it is declared; diagnostics point to it. */
  readonly name: Name;
  readonly module: ModuleIdentity;
  /** Of the module's name where the alias is declared. */
  readonly moduleSpan: Name['span'];
  /** The member; `undefined` if the alias stands for the module. */
  readonly member: string | undefined;
  /** Whether no `use` declares it; then it may stay unused. */
  readonly isImplicit: boolean;
  isUsed: boolean;
}

/** The aliases of a block, a module, a script or a specification. Inner ones hide outer ones. */
export class AliasScope {
  readonly #outer: AliasScope | undefined;
  readonly #modules = new Map<string, Alias>();
  readonly #members = new Map<string, Alias>();
  /** Names of type parameters, which hide members. */
  readonly #hidden = new Set<string>();

  constructor(outer?: AliasScope) {
    this.#outer = outer;
  }

  /** Adds an alias; returns the one of the same name that it replaces in this scope. */
  add(alias: Alias): Alias | undefined {
    const aliases = alias.member === undefined ? this.#modules : this.#members;
    const before = aliases.get(alias.name.text);
    aliases.set(alias.name.text, alias);
    return before;
  }

  hideMember(name: string): void {
    this.#hidden.add(name);
  }

  /** The module that a name stands for here; it counts as used. */
  module(name: string): Alias | undefined {
    const found = this.#modules.get(name) ?? this.#outer?.module(name);
    if (found !== undefined) found.isUsed = true;
    return found;
  }

  /** The member that a name stands for here; it counts as used. */
  member(name: string): Alias | undefined {
    if (this.#hidden.has(name)) return undefined;
    const found = this.#members.get(name) ?? this.#outer?.member(name);
    if (found !== undefined) found.isUsed = true;
    return found;
  }

  /** All names of modules here, for suggestions. */
  moduleNames(): string[] {
    return [...this.#modules.keys(), ...(this.#outer?.moduleNames() ?? [])];
  }

  /** All names of members here, for suggestions. */
  memberNames(): string[] {
    return [...this.#members.keys(), ...(this.#outer?.memberNames() ?? [])];
  }

  /** The aliases of this scope that `use` declares and nothing has used. */
  unused(): Alias[] {
    return [...this.#modules.values(), ...this.#members.values()].filter((each) => !each.isImplicit && !each.isUsed);
  }
}
