/**
 * Object ids in the public API.
 * @module
 */

import { argumentError, bytesOfLength, parseArgument } from '../../base/argument.ts';
import { assertParts, formatObjectId, type ObjectId, parseObjectId } from '../object/object-id.ts';
import { passAsBuiltIn, printAsText } from './byte-value.ts';

const PART_BYTES = 32;

/** The 32-byte parts of an object id, outermost first; the text is `0x` and the digits of all parts. */
export class ObjectIdValue extends Array<Uint8Array> {
  constructor(id: ObjectId) {
    assertParts(id, 'id');
    super(id.length);
    // Copies: parts of well-known objects are shared by all engines of the process.
    for (const [index, part] of id.entries()) this[index] = new Uint8Array(part);
  }

  override toString(): string {
    return formatObjectId(this);
  }

  toJSON(): string {
    return this.toString();
  }
}

passAsBuiltIn(ObjectIdValue);
printAsText(ObjectIdValue);

/** An object: its id as text, the struct type of a named object, 32 bytes (one part or an address), or its parts. */
export type ObjectIdInput = string | Uint8Array | ObjectId;

const EXPECTED = 'an object id (0x and hex digits, <address>::<module>::<name>, 32 bytes, or parts of 32 bytes)';

/**
 * The object id that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toObjectId(given: ObjectIdInput, name: string): ObjectId {
  if (typeof given === 'string') return parseArgument(name, EXPECTED, given, parseObjectId);
  const single = bytesOfLength(given, PART_BYTES);
  if (single !== undefined) return [single];
  if (!Array.isArray(given)) throw argumentError(name, EXPECTED, given);
  return Array.from(given, (part: unknown, index) => {
    const bytes = bytesOfLength(part, PART_BYTES);
    if (bytes === undefined) throw argumentError(`${name}[${index}]`, 'a part of 32 bytes', part);
    return bytes;
  });
}
