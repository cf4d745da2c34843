/**
 * Bytes as strings with one character per byte: the form in which they are keys of a Map.
 *
 * Such strings compare natively, in the order of the bytes, and are smaller than a Uint8Array.
 * @module
 */
import { shortLivedBytes } from './arena.ts';

interface Latin1 {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
}

/** Node's conversions work on any Uint8Array and are several times faster than a loop; other hosts take the loop. */
const latin1: Latin1 | undefined = (globalThis as { Buffer?: { prototype: Latin1 } }).Buffer?.prototype;

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
