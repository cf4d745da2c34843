/**
 * Texts as Move values: `0x1::string::String { bytes: vector<u8> }`.
 * @module
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes/utf8.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector } from '../../vm/value/vector.ts';

/** The text, or undefined for bytes that are not UTF-8, which Move code cannot make but a caller can pass. */
export function readText(value: StructValue): string | undefined {
  return decodeUtf8((value.f0 as ByteVector).view());
}

/** A value of `type`, which is `String`, or another struct with only a field of bytes. */
export function makeText(type: Type, text: string): StructValue {
  return type.make(new ByteVector(encodeUtf8(text)));
}
