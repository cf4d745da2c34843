/**
 * Struct types known to natives: those with a special form in JSON and CBOR, `0x1::string::String { bytes }`, and
 * `0x1::option::Option`, a struct of one vector with at most one element.
 * @module
 */

import { decodeUtf8, encodeUtf8 } from '../../base/bytes/bytes.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import {
  canonicalStruct,
  type StructTag,
  structTag,
  structType,
  type TypeTag,
  vectorTag,
} from '../../move/type-tag.ts';
import { emptyVector, vectorOf } from '../../vm/value/generic-operations.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector, type VectorValue } from '../../vm/value/vector.ts';
import { misfit, type NodeWork } from './conversion.ts';

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
  return getOrInsert(known, type, () => {
    const tag = type.structTag;
    const name = canonicalStruct({ ...tag, typeArguments: [] });
    return NAMES.get(name) ?? WHOLE_TYPES.get(canonicalStruct(tag)) ?? 'other';
  });
}

/** The text, or undefined for bytes that are not UTF-8, which Move code cannot create but a caller can pass. */
export function readText(value: StructInstance): string | undefined {
  return decodeUtf8((value.f0 as ByteVector).view());
}

/** A value of `type`, which is `String`, or another struct with only a field of bytes. */
export function makeText(type: Type, text: string): StructInstance {
  return type.make(new ByteVector(encodeUtf8(text)));
}

/** As `makeText`, of the String of `0x1::ascii`. */
export function makeAscii(type: Type, text: string): StructInstance {
  return /^\p{ASCII}*$/u.test(text) ? makeText(type, text) : misfit('expected ASCII');
}

/** The text of a value to be written. */
export function writeText(work: NodeWork, value: StructInstance): string {
  work.node((value.f0 as ByteVector).length);
  return readText(value) ?? misfit('expected UTF-8');
}

/** The names and bytes of a `bytesMap` to be written. A parsed byte counts as several copied ones. */
export function* bytesMapEntries(
  work: NodeWork,
  map: StructInstance,
  copiedPerParsed: number,
): Generator<[name: string, bytes: Uint8Array]> {
  const elements = map.f0 as VectorValue;
  for (let index = 0; index < elements.length; index++) {
    const element = elements.get(index) as StructInstance;
    const bytes = (element.f1 as ByteVector).view();
    work.node(bytes.length * copiedPerParsed);
    yield [writeText(work, element.f0 as StructInstance), bytes];
  }
}

/** `Some(value)`. `option` is the type of the result. */
export function makeSome(option: Type, value: unknown): StructInstance {
  return option.make(vectorOf(option.fields[0]!.item, [value]));
}

export function makeNone(option: Type): StructInstance {
  return option.make(emptyVector(option.fields[0]!.item));
}

/** The value inside; `undefined` for none. */
export function optionValue(option: StructInstance): unknown {
  const values = option.f0 as VectorValue;
  return values.length === 0 ? undefined : values.get(0);
}
