/**
 * Checks that constants have a type allowed for constants, and that their bytes are exactly one value of it.
 * Source: the reference's `move-bytecode-verifier/src/constants.rs`.
 * @module
 */
import { bool } from '../../base/bcs.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError } from '../../base/error.ts';
import type { Binary } from '../binary/module.ts';
import { typeText } from '../binary/render.ts';
import { PRIMITIVE_KINDS, type SignatureToken, TokenTag } from '../binary/signature-token.ts';
import { StatusCode } from '../status.ts';
import { PACKED_BYTES } from '../value/short-encoding.ts';
import { rejectEntry } from '../verdict.ts';

export function checkConstants(binary: Binary): void {
  for (const [index, { type, data }] of binary.constants.entries()) {
    if (!isConstantType(type)) {
      const message = `expected a constant of primitives or vectors of them, got ${typeText(binary, type)}`;
      throw rejectEntry(StatusCode.INVALID_CONSTANT_TYPE, 'constant', index, message);
    }
    if (!isValueOf(type, data)) {
      const message = `expected the BCS bytes of one ${typeText(binary, type)}, got ${data.length} bytes`;
      throw rejectEntry(StatusCode.MALFORMED_CONSTANT_DATA, 'constant', index, message);
    }
  }
}

/** Primitives other than signer, and vectors of allowed types. */
export function isConstantType(type: SignatureToken): boolean {
  if (type.tag === TokenTag.Vector) return isConstantType(type.arguments[0]!);
  return type.tag !== TokenTag.Signer && PRIMITIVE_KINDS[type.tag] !== undefined;
}

/** Whether `data` is the BCS of one value of a type that a constant may have. */
export function isValueOf(type: SignatureToken, data: Uint8Array): boolean {
  const reader = new ByteReader(data);
  try {
    skipValue(type, reader);
  } catch (thrown) {
    if (thrown instanceof EngineError && thrown.code === 'malformed-bytes') return false;
    throw thrown;
  }
  return reader.remaining === 0;
}

function skipValue(type: SignatureToken, reader: ByteReader): void {
  if (type.tag === TokenTag.Bool) {
    bool.read(reader);
  } else if (type.tag === TokenTag.Vector) {
    const element = type.arguments[0]!;
    const count = reader.uleb128();
    // An element takes at least a byte, so the loop ends with the input.
    for (let index = 0; index < count; index++) skipValue(element, reader);
  } else {
    reader.skip(PACKED_BYTES[PRIMITIVE_KINDS[type.tag]!]!);
  }
}
