/**
 * Types, as all passes from the resolution of names to the lowering of code have them.
 *
 * A type keeps the place where it was written or inferred, for diagnostics; places play no part in equality. Structs and
 * type parameters are references to their declarations, so that nothing is looked up by name again.
 * @module
 */
import type { AbilitySet } from '../../move/ability.ts';
import type { PrimitiveKind } from '../../move/type-tag.ts';
import type { Name, Span } from '../text/source-text.ts';
import type { StructDeclaration } from './declaration.ts';

export type ResolvedType =
  | PrimitiveType
  | VectorType
  | ResolvedStruct
  | ParameterType
  | ReferenceType
  | TupleType
  | FunctionType
  | VariableType
  | AnyType
  | ErrorType;

export interface PrimitiveType {
  readonly kind: 'primitive';
  readonly span: Span;
  readonly name: PrimitiveKind;
}

export interface VectorType {
  readonly kind: 'vector';
  readonly span: Span;
  readonly element: ResolvedType;
}

export interface ResolvedStruct {
  readonly kind: 'struct';
  readonly span: Span;
  readonly struct: StructDeclaration;
  /** As many as the struct has parameters. */
  readonly arguments: readonly ResolvedType[];
}

export interface ParameterType {
  readonly kind: 'parameter';
  readonly span: Span;
  readonly parameter: TypeParameter;
}

export interface ReferenceType {
  readonly kind: 'reference';
  readonly span: Span;
  readonly isMutable: boolean;
  readonly target: ResolvedType;
}

/** The type of `()`, which has no items, and of `(a, b)`; never of one item. */
export interface TupleType {
  readonly kind: 'tuple';
  readonly span: Span;
  readonly items: readonly ResolvedType[];
}

/** Only parameters of inline functions have it. */
export interface FunctionType {
  readonly kind: 'function';
  readonly span: Span;
  readonly parameters: readonly ResolvedType[];
  readonly result: ResolvedType;
}

/** A type yet to be inferred; none is left in the typed tree. */
export interface VariableType {
  readonly kind: 'variable';
  readonly span: Span;
  readonly id: number;
}

/** The type of what never has a value, such as `return`; it fits everywhere. */
export interface AnyType {
  readonly kind: 'any';
  readonly span: Span;
}

/** The type of what has an error already; it fits everywhere, so that no further error follows. */
export interface ErrorType {
  readonly kind: 'error';
  readonly span: Span;
}

/** A parameter of a function or struct; the object is its identity. */
export interface TypeParameter {
  readonly name: Name;
  /** Position in its list. */
  readonly index: number;
  readonly constraints: AbilitySet;
  readonly isPhantom: boolean;
}
