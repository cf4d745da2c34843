/**
 * The path to a key as stored bytes, for code that passes nodes on to a checking reader.
 * @module
 */
import { countBits, nibbleAt } from './nibble.ts';
import { BRANCH_HEAD_BYTES, BRANCH_TAG } from './node.ts';
import type { NodeSource } from './reader.ts';

/** A node and its hash, both views of the stored bytes. */
export interface PathNode {
  readonly hash: Uint8Array;
  readonly bytes: Uint8Array;
}

/**
 * The nodes from `from`, a root unless its depth is given, towards the leaf of `key`, as far as the source has them. They
 * are not checked.
 */
export function* pathNodes(
  source: NodeSource,
  from: Uint8Array,
  key: Uint8Array,
  fromDepth = 0,
): Generator<PathNode, void, undefined> {
  let hash = from;
  for (let depth = fromDepth; ; depth++) {
    const bytes = source(hash, { key, depth });
    if (bytes === undefined) return;
    yield { hash, bytes };
    if (bytes[0] !== BRANCH_TAG || depth >= 2 * key.length) return;
    const existence = bytes[1]! | (bytes[2]! << 8);
    const nibble = nibbleAt(key, depth);
    if (((existence >>> nibble) & 1) === 0) return;
    const at = BRANCH_HEAD_BYTES + 32 * countBits(existence & ((1 << nibble) - 1));
    hash = bytes.subarray(at, at + 32);
  }
}
