/**
 * An object in a leaf of the state tree: its metadata and the BCS of its Move value.
 * Source: moveos/moveos-types/src/state.rs of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct } from '../../base/bcs/composite.ts';
import { bytes } from '../../base/bcs/primitive.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, type TypeTag } from '../../move/type-tag.ts';
import { type ObjectMeta, objectMeta } from './object-meta.ts';

/** An object in a leaf of the state tree. */
export interface ObjectState {
  readonly meta: ObjectMeta;
  /** BCS of the Move value. */
  readonly value: Uint8Array;
}

/** An object's state in BCS: the bytes of a leaf. */
export const objectState: Codec<ObjectState> = struct<ObjectState>({ meta: objectMeta, value: bytes });

/** `0x2::object::DynamicField<name, value>`: its value is bcs(name) || bcs(value). */
export function dynamicFieldType(name: TypeTag, value: TypeTag): StructTag {
  return structTag(MOVEOS_STD_ADDRESS, 'object', 'DynamicField', [name, value]);
}
