/** Random choices that follow from a number, for tests and for what runs outside them. */
import { createCipheriv } from 'node:crypto';

/** A random whole number from 0 to `below` exclusive. */
export type RandomNumber = (below: number) => number;

/** Random whole numbers, the same ones for the same seed (mulberry32). */
export function randomNumbers(from: number): RandomNumber {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below);
  };
}

/** Random bytes that no compression makes smaller, the same ones for the same seed: the key stream of AES. */
export function randomBytes(from: number): (length: number) => Uint8Array {
  const key = new Uint8Array(16);
  new DataView(key.buffer).setUint32(0, from);
  const stream = createCipheriv('aes-128-ctr', key, new Uint8Array(16));
  return (length) => new Uint8Array(stream.update(new Uint8Array(length)));
}
