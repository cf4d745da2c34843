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

export type ResolvedType = { readonly span: Span } & (
  | { readonly kind: 'primitive'; readonly name: PrimitiveKind }
  | { readonly kind: 'vector'; readonly element: ResolvedType }
  /** As many arguments as the struct has parameters. */
  | { readonly kind: 'struct'; readonly struct: StructDeclaration; readonly arguments: readonly ResolvedType[] }
  | { readonly kind: 'parameter'; readonly parameter: TypeParameter }
  | { readonly kind: 'reference'; readonly isMutable: boolean; readonly target: ResolvedType }
  /** The type of `()`, which has no items, and of `(a, b)`; never of one item. */
  | { readonly kind: 'tuple'; readonly items: readonly ResolvedType[] }
  /** Only parameters of inline functions have it. */
  | { readonly kind: 'function'; readonly parameters: readonly ResolvedType[]; readonly result: ResolvedType }
  /** A type yet to be inferred; none is left in the typed tree. */
  | { readonly kind: 'variable'; readonly id: number }
  /** The type of an expression that never has a value, such as `return`; it fits everywhere. */
  | { readonly kind: 'any' }
  /** The type of code with an error already reported; it fits everywhere, so that no further error follows. */
  | { readonly kind: 'error' }
);

export type VariableType = ResolvedType & { readonly kind: 'variable' };

/** A parameter of a function or struct; the object is its identity. */
export interface TypeParameter {
  readonly name: Name;
  /** Position in its list. */
  readonly index: number;
  readonly constraints: AbilitySet;
  readonly isPhantom: boolean;
}

/** The types directly inside of one. */
export function innerTypes(type: ResolvedType): readonly ResolvedType[] {
  switch (type.kind) {
    case 'vector':
      return [type.element];
    case 'reference':
      return [type.target];
    case 'struct':
      return type.arguments;
    case 'tuple':
      return type.items;
    case 'function':
      return [...type.parameters, type.result];
    default:
      return [];
  }
}
