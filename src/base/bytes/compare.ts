/**
 * Byte strings as values: order, equality, joining.
 * @module
 */

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
