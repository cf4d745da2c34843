/**
 * Struct types that have a special form in JSON and CBOR.
 * @module
 */
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import {
  canonicalStruct,
  type StructTag,
  structTag,
  structType,
  type TypeTag,
  vectorTag,
} from '../../move/type-tag.ts';
import type { Type } from '../../vm/value/type.ts';

/**
 * `textMap` is `SimpleMap<String, String>`, `bytesMap` is `SimpleMap<String, vector<u8>>`; the keys of both are
 * `0x1::string::String`. `string` is that type, `ascii` the one of `0x1::ascii`.
 */
type KnownStruct = 'string' | 'ascii' | 'option' | 'objectId' | 'decimalValue' | 'textMap' | 'bytesMap' | 'other';

const STRING_TAG = structTag(MOVE_STD_ADDRESS, 'string', 'String');

function simpleMap(value: TypeTag): StructTag {
  return structTag(MOVEOS_STD_ADDRESS, 'simple_map', 'SimpleMap', [structType(STRING_TAG), value]);
}

const WHOLE_TYPES: ReadonlyMap<string, KnownStruct> = new Map([
  [canonicalStruct(simpleMap(structType(STRING_TAG))), 'textMap'],
  [canonicalStruct(simpleMap(vectorTag({ kind: 'u8' }))), 'bytesMap'],
]);

/** By name, regardless of type arguments. */
const NAMES: ReadonlyMap<string, KnownStruct> = new Map([
  [canonicalStruct(STRING_TAG), 'string'],
  [canonicalStruct(structTag(MOVE_STD_ADDRESS, 'ascii', 'String')), 'ascii'],
  [canonicalStruct(structTag(MOVE_STD_ADDRESS, 'option', 'Option')), 'option'],
  [canonicalStruct(structTag(MOVEOS_STD_ADDRESS, 'object', 'ObjectID')), 'objectId'],
  [canonicalStruct(structTag(MOVEOS_STD_ADDRESS, 'decimal_value', 'DecimalValue')), 'decimalValue'],
]);

const known = new WeakMap<Type, KnownStruct>();

/** `type` is a struct type. */
export function knownStruct(type: Type): KnownStruct {
  let kind = known.get(type);
  if (kind === undefined) {
    const tag = type.structTag;
    const name = canonicalStruct({ ...tag, typeArguments: [] });
    kind = NAMES.get(name) ?? WHOLE_TYPES.get(canonicalStruct(tag)) ?? 'other';
    known.set(type, kind);
  }
  return kind;
}
