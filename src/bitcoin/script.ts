/**
 * Scripts: the opcodes the engine knows, whom an output pays, and writing pushes.
 *
 * Nothing here runs a script. Blocks are assumed to be valid: like the reference, this checks neither signatures nor
 * locktimes.
 * Source: BIP 141, BIP 342; script_buf.move of the reference.
 * @module
 */
import { concatBytes } from '../base/bytes/compare.ts';
import { EngineError } from '../base/error.ts';

export const OP_0 = 0x00;
export const OP_PUSHBYTES_75 = 0x4b;
export const OP_PUSHDATA1 = 0x4c;
export const OP_PUSHDATA2 = 0x4d;
export const OP_PUSHDATA4 = 0x4e;
export const OP_1NEGATE = 0x4f;
export const OP_1 = 0x51;
export const OP_16 = 0x60;
export const OP_IF = 0x63;
export const OP_ENDIF = 0x68;
export const OP_RETURN = 0x6a;
export const OP_DUP = 0x76;
export const OP_EQUAL = 0x87;
export const OP_EQUALVERIFY = 0x88;
export const OP_NUMEQUAL = 0x9c;
export const OP_GREATERTHANOREQUAL = 0xa2;
export const OP_HASH160 = 0xa9;
export const OP_CHECKSIG = 0xac;
export const OP_CHECKSIGVERIFY = 0xad;
export const OP_CHECKSEQUENCEVERIFY = 0xb2;
export const OP_CHECKSIGADD = 0xba;

/** Whether nobody can spend an output with this script: its first byte is OP_RETURN. */
export function isOpReturn(script: Uint8Array): boolean {
  return script[0] === OP_RETURN;
}

/** The bytes that push `data`, in the shortest form with a length: small numbers are not turned into opcodes. */
export function pushBytes(data: Uint8Array): Uint8Array {
  const length = data.length;
  if (length <= OP_PUSHBYTES_75) return concatBytes(Uint8Array.of(length), data);
  if (length <= 0xff) return concatBytes(Uint8Array.of(OP_PUSHDATA1, length), data);
  if (length <= 0xffff) return concatBytes(Uint8Array.of(OP_PUSHDATA2, length & 0xff, length >>> 8), data);
  const head = Uint8Array.of(OP_PUSHDATA4, 0, 0, 0, 0);
  new DataView(head.buffer).setUint32(1, length, true);
  return concatBytes(head, data);
}

/**
 * The bytes that push a number: one opcode up to 16, else little endian with a sign bit.
 * @throws {EngineError} `invalid-argument` unless it is a safe integer of 0 or more.
 */
export function pushNumber(value: number): Uint8Array {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new EngineError('invalid-argument', `expected a safe integer of 0 or more to push, got ${value}`);
  }
  if (value === 0) return Uint8Array.of(OP_0);
  if (value <= 16) return Uint8Array.of(OP_1 + value - 1);
  const digits: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) digits.push(rest % 256);
  if (digits.at(-1)! >= 0x80) digits.push(0);
  return pushBytes(Uint8Array.from(digits));
}
