/**
 * Short-lived byte strings in shared memory.
 *
 * A Uint8Array of more than 64 bytes has memory of its own outside of the heap, which costs a microsecond to get and as
 * much again to give back; a view of memory that is there costs a tenth. So what is made by the thousand and copied or
 * written soon, such as the rows of a commit, stands here in chunks, each of which lives as long as any view of it: what
 * is kept for long must be copied out.
 * @module
 */

/** Those of some two commits of a Bitcoin transaction. */
const CHUNK_BYTES = 64 * 1024;

/** Longer ones get memory of their own, so that no more than a quarter of a chunk is left unused. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 4;

/** V8 keeps arrays up to this length on its heap, where they are cheaper than views. */
export const HEAP_BYTES_MAX = 64;

let chunk = new ArrayBuffer(0);
let at = 0;

/** An array of `length` zeros, not to be kept. */
export function shortLivedBytes(length: number): Uint8Array {
  if (length <= HEAP_BYTES_MAX || length > SHARED_BYTES_MAX) return new Uint8Array(length);
  if (at + length > chunk.byteLength) {
    chunk = new ArrayBuffer(CHUNK_BYTES);
    at = 0;
  }
  const bytes = new Uint8Array(chunk, at, length);
  at += length;
  return bytes;
}
