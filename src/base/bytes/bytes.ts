/**
 * Byte strings as values: order, equality, joining; and as text: hexadecimal (lower case out, either case in), strict
 * UTF-8 (RFC 3629: no surrogates, no overlong forms, nothing above U+10FFFF), and one character per byte. The latter are
 * keys of a Map: they compare natively, in the order of the bytes, and are smaller than a Uint8Array.
 * @module
 */
import { assertBytes, assertText } from '../argument.ts';
import { invalidArgument } from '../error.ts';
import { HOST } from '../host.ts';
import { shortLivedBytes } from './arena.ts';

/**
 * Lexicographic order of unsigned bytes: negative, zero or positive. A prefix sorts before anything it is a prefix of.
 */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index++) {
    const difference = left[index]! - right[index]!;
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

export function equalBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left === right || (left.length === right.length && compareBytes(left, right) === 0);
}

/** One new array holding all parts in order. For lists of any length, `joinBytes`. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return joinBytes(parts);
}

/** One new array holding all parts in order. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

const BYTE_TO_HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const HEX_TO_NIBBLE = new Uint8Array(256).fill(0xff);
for (let digit = 0; digit < 16; digit++) {
  const text = digit.toString(16);
  HEX_TO_NIBBLE[text.charCodeAt(0)] = digit;
  HEX_TO_NIBBLE[text.toUpperCase().charCodeAt(0)] = digit;
}

/** Lower-case hexadecimal digits without a prefix. */
export function toHex(bytes: Uint8Array): string {
  assertBytes(bytes, 'bytes');
  // Concatenation would keep all parts in memory until the text is read.
  if (HOST.Buffer !== undefined) return HOST.Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex');
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
  if (digits % 2 !== 0) throw invalidArgument(`expected an even number of hex digits, got ${digits}`);
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
  if (nibble === 0xff) throw invalidArgument(`expected hex digits, got ${JSON.stringify(text[at])} at position ${at}`);
  return nibble;
}

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();

/** Whether no byte is above 0x7f. */
export function isAscii(bytes: Uint8Array): boolean {
  for (let index = 0; index < bytes.length; index++) {
    if (bytes[index]! > 0x7f) return false;
  }
  return true;
}

export function isUtf8(bytes: Uint8Array): boolean {
  return isAscii(bytes) || decodeUtf8(bytes) !== undefined;
}

/** The text, or `undefined` for bytes that are not UTF-8. A byte order mark is a character like any other. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return strict.decode(bytes);
  } catch (error) {
    // A TypeError is the decoder's only way to say that bytes are malformed.
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** A lone surrogate has no UTF-8; an encoder would silently write U+FFFD instead. */
const LONE_SURROGATE = /\p{Surrogate}/u;

const ASCII = /^[\0-\x7f]*$/;

export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** Whether no character of a text is above U+007F. */
export function isAsciiText(text: string): boolean {
  return ASCII.test(text);
}

/** Text without lone surrogates as UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

interface Latin1 {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
}

/** Node's conversions work on any Uint8Array and are several times faster than a loop; other hosts take the loop. */
const latin1 = HOST.Buffer?.prototype as unknown as Latin1 | undefined;

/** The string of the bytes. */
export const textOfBytes: (bytes: Uint8Array) => string =
  latin1 === undefined
    ? (bytes) => {
        let text = '';
        for (let index = 0; index < bytes.length; index++) text += String.fromCharCode(bytes[index]!);
        return text;
      }
    : (bytes) => latin1.latin1Slice.call(bytes, 0, bytes.length);

/** The bytes of such a string, in a new array. */
export function bytesOfText(text: string): Uint8Array {
  return filled(new Uint8Array(text.length), text);
}

/** The bytes of such a string. Do not keep them (arena.ts). */
export function briefBytesOfText(text: string): Uint8Array {
  return filled(shortLivedBytes(text.length), text);
}

const filled: (bytes: Uint8Array, text: string) => Uint8Array =
  latin1 === undefined
    ? (bytes, text) => {
        for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
        return bytes;
      }
    : (bytes, text) => {
        latin1.latin1Write.call(bytes, text, 0, text.length);
        return bytes;
      };
