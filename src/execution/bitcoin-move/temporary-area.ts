/**
 * Temporary areas: values that Move code puts on an output, an inscription or a stake, and that stay until it is spent
 * or moved.
 *
 * The area is a field that lists the types of the values and holds a bag: an object with the values as its fields.
 * Dropping an area removes both.
 * Source: temp_state.move of the reference.
 * @module
 */
import type { Codec } from '../../base/bcs/codec.ts';
import { struct, vector } from '../../base/bcs/composite.ts';
import { bool, bytes32, string } from '../../base/bcs/primitive.ts';
import { assert } from '../../base/error.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import { BITCOIN_MOVE_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { structTag, structType } from '../../move/type-tag.ts';
import { FieldType, type ObjectType } from '../runtime/field-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { BYTES } from './object-type.ts';

/** `0x4::temp_state::TempState`. */
export interface TemporaryArea {
  /** The types of the values, in the order they were added. */
  readonly names: readonly string[];
  /** The bag's object. */
  readonly states: ObjectId;
}

const temporaryArea: Codec<TemporaryArea> = struct<TemporaryArea>({
  names: vector(string),
  states: vector(bytes32),
});

const AREA_KEY: Uint8Array = new TextEncoder().encode('temporary_area');
const AREA: FieldType<Uint8Array, TemporaryArea> = new FieldType(BYTES, {
  tag: structType(structTag(BITCOIN_MOVE_ADDRESS, 'temp_state', 'TempState')),
  codec: temporaryArea,
});
/** The value: whether the bag may be dropped while it holds values. */
const BAG: ObjectType<boolean> = { tag: structTag(MOVEOS_STD_ADDRESS, 'bag', 'BagInner'), codec: bool };

/** Drops the area of an object, if it has one, and returns the type names, last one first. */
export function dropTemporaryArea(runtime: ObjectRuntime, id: ObjectId): readonly string[] {
  // Hardly any object has fields, and looking one up costs a hash.
  if (runtime.meta(id)?.size === 0n || !runtime.hasField(id, AREA, AREA_KEY)) return [];
  const { names, states } = runtime.removeField(id, AREA, AREA_KEY);
  const isDroppable = runtime.remove(states, BAG);
  assert(isDroppable, 'the bag of a temporary area may be dropped');
  return [...names].reverse();
}
