/**
 * Strict UTF-8 (RFC 3629): no surrogates, no overlong forms, nothing above U+10FFFF.
 * @module
 */

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

/** Half a character: it has no UTF-8, and an encoder would silently write U+FFFD in its place. */
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
