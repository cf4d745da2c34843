/**
 * What modules declare, as seen by their users.
 *
 * A declaration is one object for the whole compilation, and trees refer to it instead of to a name. It is filled in
 * two steps: first all names exist, then signatures and fields, which may refer to each other, are set.
 * @module
 */
import type { AbilityName, AbilitySet } from '../../move/ability.ts';
import type { Name, Span } from '../text/source-text.ts';
import type { ResolvedAttribute } from './attribute.ts';
import type { ResolvedType, TypeParameter } from './type.ts';

/** The address and name of a module. Modules are compared by `key`. */
export interface ModuleIdentity {
  /** 32 bytes; zeros in place of a name without a value, for which there is an error. */
  readonly address: Uint8Array;
  /** The name by which the source gives the address, for diagnostics. */
  readonly addressName: string | undefined;
  readonly name: string;
  /** The address as 64 hex digits, `::` and the name. Keys sort as the reference orders modules. */
  readonly key: string;
}

export interface ModuleDeclaration {
  readonly identity: ModuleIdentity;
  /** Whether it is compiled, and not only used. */
  readonly isTarget: boolean;
  /** Greater than those of the modules that it needs; emission orders handles by rank, then by key. */
  rank: number;
  /** Of the name. */
  readonly span: Span;
  attributes: readonly ResolvedAttribute[];
  /** By name, in the order of the source. */
  readonly structs: ReadonlyMap<string, StructDeclaration>;
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly constants: ReadonlyMap<string, ConstantDeclaration>;
  /** By key: the friends, with the place of the declaration. */
  friends: ReadonlyMap<string, { readonly identity: ModuleIdentity; readonly span: Span }>;
}

export interface StructDeclaration {
  readonly module: ModuleDeclaration;
  readonly name: Name;
  attributes: readonly ResolvedAttribute[];
  readonly abilities: AbilitySet;
  /** Where each ability is written. */
  readonly abilitySpans: ReadonlyMap<AbilityName, Span>;
  typeParameters: readonly TypeParameter[];
  /** By name, in declaration order; `undefined` for a native struct. */
  fields: ReadonlyMap<string, FieldDeclaration> | undefined;
}

export interface FieldDeclaration {
  readonly name: Name;
  /** Position in the struct. */
  readonly index: number;
  readonly type: ResolvedType;
}

export interface VisibilityDeclaration {
  readonly kind: 'public' | 'friend' | 'private';
  /** Of the modifier, or of the function's name if there is none. */
  readonly span: Span;
}

export interface FunctionDeclaration {
  /** `undefined` for the function of a script. */
  readonly module: ModuleDeclaration | undefined;
  readonly name: Name;
  attributes: readonly ResolvedAttribute[];
  readonly visibility: VisibilityDeclaration;
  /** The place of `entry`; `undefined` if it is no entry function. */
  readonly entry: Span | undefined;
  readonly isInline: boolean;
  readonly isNative: boolean;
  typeParameters: readonly TypeParameter[];
  parameters: readonly ParameterDeclaration[];
  result: ResolvedType;
  /** The structs of this module that are listed, with the place of each. */
  acquires: ReadonlyMap<StructDeclaration, Span>;
}

export interface ParameterDeclaration {
  readonly local: Local;
  readonly type: ResolvedType;
}

export interface ConstantDeclaration {
  /** `undefined` for a constant of a script. */
  readonly module: ModuleDeclaration | undefined;
  readonly name: Name;
  type: ResolvedType;
}

/**
 * A parameter, or a variable of `let` or of a lambda; the object is its identity. Two locals of a function may have the
 * same name. After inlining, `name` may have a suffix `#3`, as in the reference; what users read ends before the `#`.
 */
export interface Local {
  readonly name: string;
  /** Of the declaration. */
  readonly span: Span;
}
