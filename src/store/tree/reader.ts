/**
 * Finds nodes by link or by hash: follows what is in memory, and reads the rest from the source, checks it in full, and
 * links it.
 *
 * A stored node is accepted only if it has its one canonical form (so no byte of it can vary) and hashes to the hash
 * that was asked for. Reading a branch therefore costs up to fifteen pair hashes, which yields the inner hashes that
 * the next update needs.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { hashToWords, taggedHashWords, taggedPairWords, wordsToHash } from '../../base/hash/tagged.ts';
import type { Way } from '../store.ts';
import type { NodeCache } from './cache.ts';
import { assertKey, countBits, KEY_NIBBLES, lowestBit } from './nibble.ts';
import {
  BRANCH_HEAD_BYTES,
  BRANCH_TAG,
  type Branch,
  EMPTY_ROOT,
  hashPosition,
  LEAF_HEAD_BYTES,
  LEAF_TAG,
  Leaf,
  Link,
  type Node,
  VALUE_BYTES_FORBIDDEN,
} from './node.ts';
import { OpenBranch } from './open-branch.ts';

/**
 * Returns stored node bytes by hash, synchronously; undefined if there is no such node. It must know every node of
 * every root that is read, including those of updates that are not committed yet: the cache may have evicted them.
 * `way` says where the walk leads that needs the node, if it leads to a leaf.
 */
export type NodeSource = (hash: Uint8Array, way?: Way) => Uint8Array | undefined;

export class NodeReader {
  readonly cache: NodeCache;
  readonly #source: NodeSource;

  constructor(source: NodeSource, cache: NodeCache) {
    this.#source = source;
    this.cache = cache;
  }

  /**
   * The node of `root`; undefined for the empty tree. `sought` is the key of the leaf to which a walk leads, if it does.
   * @throws {EngineError} `corrupt` if it is missing or does not match its hash.
   */
  root(root: Uint8Array, sought?: Uint8Array): Node | undefined {
    return this.cache.root(root) ?? this.#loadRoot(root, sought);
  }

  #loadRoot(root: Uint8Array, sought: Uint8Array | undefined): Node | undefined {
    assertKey(root, 'tree root');
    if (isEmptyRoot(root)) return undefined;
    const node = this.#load(root, sought && { key: sought, depth: 0 });
    const link = this.link(node);
    this.cache.setRoot(root, link);
    return node;
  }

  /** A link that holds `node`, unless that node alone exceeds the cache's bounds. */
  link(node: Node): Link {
    const link = new Link(undefined);
    this.cache.hold(link, node);
    return link;
  }

  /**
   * The child of `branch` at `nibble`; undefined if there is none. `depth` is the depth of the branch, 0 for a root.
   * `sought`: as for `root`.
   * @throws {EngineError} `corrupt` if it is missing or does not match the branch.
   */
  child(branch: Branch, nibble: number, depth: number, sought?: Uint8Array): Node | undefined {
    if (((branch.existence >>> nibble) & 1) === 0) return undefined;
    const rank = branch.rank(nibble);
    const link = branch.links[rank];
    const node = link?.node;
    if (link === undefined || node === undefined) return this.#loadChild(branch, nibble, rank, depth, sought);
    link.visited = true;
    this.cache.hits++;
    return node;
  }

  #loadChild(branch: Branch, nibble: number, rank: number, depth: number, sought: Uint8Array | undefined): Node {
    const hash = wordsToHash(branch.words, branch.wordsAt(16 + nibble));
    const node = this.#load(hash, sought && { key: sought, depth: depth + 1 });
    const leaf = ((branch.leaves >>> nibble) & 1) === 1;
    if (node instanceof Leaf) {
      if (!leaf) throw corrupt(hash, 'its parent says that it is a branch, but it is a leaf');
      if (node.nibble(depth) !== nibble) {
        throw corrupt(hash, `the leaf stands at nibble ${nibble} of depth ${depth}, its key has ${node.nibble(depth)}`);
      }
    } else {
      if (leaf) throw corrupt(hash, 'its parent says that it is a leaf, but it is a branch');
      if (depth + 1 >= KEY_NIBBLES) throw corrupt(hash, `it is a branch at depth ${depth + 1}, below all nibbles`);
    }
    let link = branch.links[rank];
    if (link === undefined) {
      link = new Link(undefined);
      branch.links[rank] = link;
    }
    this.cache.hold(link, node);
    return node;
  }

  #load(hash: Uint8Array, way: Way | undefined): Node {
    this.cache.misses++;
    const stored = this.#source(hash, way);
    if (stored === undefined) throw corrupt(hash, 'it is missing from the store', 'missing');
    // Leaves keep these bytes and return views of them, so it must not be a Buffer.
    const bytes =
      stored.constructor === Uint8Array ? stored : new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
    return decodeNode(bytes, hash);
  }
}

function isEmptyRoot(root: Uint8Array): boolean {
  for (let index = 0; index < 32; index++) if (root[index] !== EMPTY_ROOT[index]) return false;
  return true;
}

/** The error for a node that fails its checks; `details.hash` names it, `details.missing` tells absence from damage. */
export function corrupt(hash: Uint8Array, what: string, kind: 'missing' | 'damaged' = 'damaged'): EngineError {
  const text = toHexPrefixed(hash);
  return new EngineError('corrupt', `tree node ${text}: ${what}`, {
    details: { hash: text, missing: kind === 'missing' },
  });
}

/**
 * Decodes the node in `bytes`, which must be the one named by `hash`.
 * @throws {EngineError} `corrupt` for any other bytes.
 */
export function decodeNode(bytes: Uint8Array, hash: Uint8Array): Node {
  switch (bytes[0]) {
    case BRANCH_TAG:
      return decodeBranch(bytes, hash);
    case LEAF_TAG:
      return decodeLeaf(bytes, hash);
    default:
      throw corrupt(hash, `expected a node tag of 1 (branch) or 2 (leaf), got ${bytes[0] ?? 'no bytes'}`);
  }
}

const expected = new Int32Array(8);
const computed = new Int32Array(16);
const opened = new OpenBranch();

function decodeBranch(bytes: Uint8Array, hash: Uint8Array): Branch {
  if (bytes.length < BRANCH_HEAD_BYTES) throw corrupt(hash, `expected a branch, got ${bytes.length} bytes`);
  const existence = bytes[1]! | (bytes[2]! << 8);
  const leaves = bytes[3]! | (bytes[4]! << 8);
  if (existence === 0) throw corrupt(hash, 'it is a branch without children');
  if ((leaves & ~existence) !== 0) throw corrupt(hash, 'it is a branch whose leaf bitmap names absent children');
  const length = BRANCH_HEAD_BYTES + countBits(existence) * 32;
  if (bytes.length !== length) throw corrupt(hash, `expected a branch of ${length} bytes, got ${bytes.length}`);
  if (hashPosition(1, existence, leaves) !== 1) throw corrupt(hash, 'it is a branch whose only child is a leaf');
  opened.clear();
  let at = BRANCH_HEAD_BYTES;
  for (let bits = existence; bits !== 0; bits &= bits - 1) {
    const nibble = lowestBit(bits);
    hashToWords(bytes.subarray(at, at + 32), opened.words, (16 + nibble) * 8);
    opened.place(nibble, ((leaves >>> nibble) & 1) === 1, undefined);
    at += 32;
  }
  opened.rehash();
  assertHash(opened.words, 8, hash);
  return opened.seal();
}

function decodeLeaf(bytes: Uint8Array, hash: Uint8Array): Leaf {
  if (bytes.length <= LEAF_HEAD_BYTES) throw corrupt(hash, `expected a leaf, got ${bytes.length} bytes`);
  if (bytes[1] !== 66 || bytes[2] !== 0x30 || bytes[3] !== 0x78) {
    throw corrupt(hash, 'expected the key of a leaf as 66 characters that begin with 0x');
  }
  for (let at = 4; at < LEAF_HEAD_BYTES; at++) {
    const digit = bytes[at]!;
    if (!((digit >= 0x30 && digit <= 0x39) || (digit >= 0x61 && digit <= 0x66))) {
      throw corrupt(hash, `expected a lower-case hex digit in the key of a leaf, got byte ${digit}`);
    }
  }
  let length = 0;
  let valueAt = LEAF_HEAD_BYTES;
  for (let scale = 1; ; scale *= 128) {
    const byte = bytes[valueAt++];
    if (byte === undefined || scale > 2 ** 28) throw corrupt(hash, 'the length of its value does not end');
    length += (byte & 0x7f) * scale;
    if (byte >= 0x80) continue;
    if (byte === 0 && scale > 1) throw corrupt(hash, 'the length of its value is not in the shortest form');
    break;
  }
  if (bytes.length - valueAt !== length || length === VALUE_BYTES_FORBIDDEN) {
    throw corrupt(hash, `expected a value of ${length} bytes, got ${bytes.length - valueAt}`);
  }
  const leaf = new Leaf(bytes, valueAt);
  hashLeaf(leaf, leaf.key, computed, 0);
  assertHash(computed, 0, hash);
  return leaf;
}

const leafPair = new Int32Array(16);

/** Writes the hash of `leaf`, whose key is `key`, as eight words of `target` from `targetAt`. */
export function hashLeaf(leaf: Leaf, key: Uint8Array, target: Int32Array, targetAt: number): void {
  hashToWords(key, leafPair, 0);
  taggedHashWords(leaf.bytes, leaf.valueAt, leafPair, 8);
  taggedPairWords(leafPair, 0, leafPair, 8, target, targetAt);
}

function assertHash(words: Int32Array, at: number, hash: Uint8Array): void {
  hashToWords(hash, expected, 0);
  for (let index = 0; index < 8; index++) {
    if (words[at + index] !== expected[index]) {
      throw corrupt(hash, `its bytes hash to ${toHexPrefixed(wordsToHash(words, at))}`);
    }
  }
}
