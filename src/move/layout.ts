/**
 * Layouts: the recursive shape of a value, needed to read its BCS.
 *
 * A layout is a concrete type with everything filled in that the bytes do not contain: the fields of each struct, by
 * name. Layouts of structs are made from module definitions (runtime/layout-source.ts).
 * @module
 */
import type { AbilitySet } from './ability.ts';
import type { PrimitiveKind, StructTag, TypeTag } from './type-tag.ts';

export interface FieldLayout {
  readonly name: string;
  readonly layout: Layout;
}

/** The shape of a struct: its fields by name, in order. */
export interface StructLayout {
  readonly kind: 'struct';
  readonly tag: StructTag;
  /** As declared, regardless of the type arguments. */
  readonly abilities: AbilitySet;
  /** In declaration order. */
  readonly fields: readonly FieldLayout[];
}

/** The shape of a type's values: what BCS needs to be read. */
export type Layout =
  | { readonly kind: PrimitiveKind }
  | { readonly kind: 'vector'; readonly item: Layout }
  | StructLayout;

/** Where layouts come from. */
export interface LayoutSource {
  /**
   * The layout of `type`.
   * @throws {EngineError} `not-found` if a module or struct is missing, `limit-exceeded` if it is too deep.
   */
  layout(type: TypeTag): Layout;
}
