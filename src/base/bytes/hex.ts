/**
 * Hexadecimal text: lower case out, either case in.
 * @module
 */
import { assertBytes, assertText } from '../argument.ts';
import { EngineError } from '../error.ts';

const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Undefined in a browser, where proofs are verified too. */
const BUFFER = (globalThis as { Buffer?: typeof Buffer }).Buffer;

const HEX_TO_NIBBLE = new Uint8Array(256).fill(0xff);
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16);
  HEX_TO_NIBBLE[text.charCodeAt(0)] = digit;
  HEX_TO_NIBBLE[text.toUpperCase().charCodeAt(0)] = digit;
}

/** Lower-case hexadecimal digits without a prefix. */
export function toHex(bytes: Uint8Array): string {
  assertBytes(bytes, 'bytes');
  // Concatenated text keeps all of its parts until it is read; Node makes it in one piece.
  if (BUFFER !== undefined) return BUFFER.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
  let text = '';
  for (let index = 0; index < bytes.length; index++) text += BYTE_TO_HEX[bytes[index]!]!;
  return text;
}

/** Lower-case hexadecimal digits with the prefix `0x`; empty bytes give `0x`. */
export function toHexPrefixed(bytes: Uint8Array): string {
  return `0x${toHex(bytes)}`;
}

/**
 * Reads hexadecimal text, with or without the prefix `0x`.
 * @throws {EngineError} `invalid-argument` for an odd number of digits or a character that is not a digit.
 */
export function fromHex(text: string): Uint8Array {
  assertText(text, 'text', 'hexadecimal digits as text');
  const start = text.startsWith('0x') || text.startsWith('0X') ? 2 : 0;
  const digits = text.length - start;
  if (digits % 2 !== 0) {
    throw new EngineError('invalid-argument', `expected an even number of hex digits, got ${digits}`);
  }
  const bytes = new Uint8Array(digits / 2);
  for (let index = 0; index < bytes.length; index++) {
    const at = start + index * 2;
    const high = nibbleAt(text, at);
    const low = nibbleAt(text, at + 1);
    bytes[index] = (high << 4) | low;
  }
  return bytes;
}

function nibbleAt(text: string, at: number): number {
  const code = text.charCodeAt(at);
  const nibble = code < 256 ? HEX_TO_NIBBLE[code]! : 0xff;
  if (nibble === 0xff) {
    throw new EngineError('invalid-argument', `expected hex digits, got ${JSON.stringify(text[at])} at position ${at}`);
  }
  return nibble;
}
