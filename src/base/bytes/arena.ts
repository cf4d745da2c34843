/**
 * Short-lived byte strings in shared memory.
 *
 * A Uint8Array of more than 64 bytes has its own memory outside the heap, whose allocation costs ten times a view of
 * existing memory. So numerous byte strings that are copied or written soon, such as the rows of a commit, share chunks.
 * A chunk lives as long as any view of it, so long-lived bytes must be copied out.
 * @module
 */

/** Enough for some two commits of Bitcoin transactions. */
const CHUNK_BYTES = 64 * 1024;

/** Longer arrays get their own memory, so that no more than a quarter of a chunk is left unused. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 4;

/** V8 keeps arrays up to this length on its heap, where they are cheaper than views. */
export const HEAP_BYTES_MAX = 64;

let chunk = new ArrayBuffer(0);
let at = 0;

/** An array of `length` zeros. Do not keep it. */
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
