/**
 * Texts as Move values: `0x1::string::String { bytes: vector<u8> }`.
 * @module
 */
import type { StructValue } from '../vm/value/struct.ts';
import type { Type } from '../vm/value/type.ts';
import { ByteVector } from '../vm/value/vector.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** The text, or undefined for bytes that are not UTF-8, which Move code cannot make but a caller can bring. */
export function readText(value: StructValue): string | undefined {
  try {
    return decoder.decode((value.f0 as ByteVector).view());
  } catch {
    return undefined;
  }
}

/** A value of `type`, which is `String`. */
export function makeText(type: Type, text: string): StructValue {
  return type.make(new ByteVector(encoder.encode(text)));
}
