/**
 * Byte keys as strings of one character for each byte, whose native comparison is the order of the bytes.
 * @module
 */

interface Latin1 {
  latin1Slice(start: number, end: number): string;
  latin1Write(text: string, offset: number, length: number): number;
}

/** Node's own conversions work on any Uint8Array and are 3 times faster than a loop; other hosts take the loop. */
const latin1: Latin1 | undefined = (globalThis as { Buffer?: { prototype: Latin1 } }).Buffer?.prototype;

/** The string that orders as the bytes do. */
export const keyText: (bytes: Uint8Array) => string =
  latin1 === undefined
    ? (bytes) => {
        let text = '';
        for (let index = 0; index < bytes.length; index++) text += String.fromCharCode(bytes[index]!);
        return text;
      }
    : (bytes) => latin1.latin1Slice.call(bytes, 0, bytes.length);

/** The bytes of such a string, in a new array. */
export const keyBytes: (text: string) => Uint8Array =
  latin1 === undefined
    ? (text) => {
        const bytes = new Uint8Array(text.length);
        for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
        return bytes;
      }
    : (text) => {
        const bytes = new Uint8Array(text.length);
        latin1.latin1Write.call(bytes, text, 0, text.length);
        return bytes;
      };
