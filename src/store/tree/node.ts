/**
 * The nodes of a tree, in memory and in the store.
 *
 * | node | stored bytes |
 * | --- | --- |
 * | branch | `01`, existence bitmap (u16), leaf bitmap (u16), the 32-byte hash of each child in nibble order |
 * | leaf | `02`, the key as hash text (67 bytes), the value with its length |
 *
 * A 16-way branch stands for four levels of the binary tree. Its thirty-one positions are numbered like a heap: 1 is
 * the branch itself, `2p` and `2p + 1` are the halves of `p`, 16 to 31 are the children. An empty range has the
 * placeholder as its hash; a range whose only child is a leaf (or with a single position) has that child's hash; any
 * other range has an inner hash. Inner hashes are kept with those of the children, packed in order of position. So a
 * write below one child costs at most four pair hashes, however many siblings it has.
 *
 * Nodes never change. What does change is whether a child is in memory: its `Link` holds it, or is empty once the child
 * is evicted.
 *
 * The hash of a branch commits to its children's hashes and their order, and to each child's kind and position unless
 * its neighbour (nibble ^ 1) hides them; the reader therefore checks both again when it reads the child.
 *
 * Source: moveos/smt/src/jellyfish_merkle/node_type/mod.rs of the reference.
 * @module
 */
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { briefBytesOfText, bytesOfText, equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { uleb128Length, writeUleb128 } from '../../base/bytes/uleb128.ts';
import { writeWords } from '../../base/hash/tagged.ts';
import { countBits, KEY_BYTES, KEY_NIBBLES, lowestBit, nibbleAt } from './nibble.ts';

/**
 * The root of an empty tree: the ASCII text, padded with zeros. Source: moveos/smt/src/jellyfish_merkle/hash.rs of the
 * reference.
 */
export const EMPTY_ROOT: Uint8Array = new Uint8Array(32);
new TextEncoder().encodeInto('SPARSE_MERKLE_PLACEHOLDER_HASH', EMPTY_ROOT);

export type Node = Branch | Leaf;

/** A slot for a node: shared by all branches that have the node as a child, and emptied when the cache evicts it. */
export class Link {
  node: Node | undefined;
  /** What the cache counts for the node that it holds here. */
  bytes = 0;
  /** Set on each visit, cleared when eviction passes by: the second chance. */
  visited = false;
  /** Whether the cache has it in its queue, full or emptied. */
  queued = false;
  /** The hash under which the cache finds this link, if it is the link of a root. */
  root: Uint8Array | undefined;

  constructor(node: Node | undefined) {
    this.node = node;
  }
}

export const BRANCH_TAG = 1;
export const LEAF_TAG = 2;

/** Bytes before a leaf's value length: the tag, the text's length, `0x`, 64 digits. */
export const LEAF_HEAD_BYTES = 68;
const KEY_TEXT_AT = 4;

/** Bytes of a branch before its hashes: the tag and two bitmaps. */
export const BRANCH_HEAD_BYTES = 5;

/**
 * The one length that a value must not have: once hashed, 64 bytes are indistinguishable from an inner pair, and a
 * proof could pass one off as the other. No object state is that short (its id and owner alone take 65 bytes).
 */
export const VALUE_BYTES_FORBIDDEN = 64;

const HEX_DIGITS = new TextEncoder().encode('0123456789abcdef');

/** The two digits of each byte, the first in the low half. */
const HEX_PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => HEX_DIGITS[byte >> 4]! | (HEX_DIGITS[byte & 15]! << 8),
);

/**
 * One entry of a tree.
 *
 * A leaf made for an object is in short-lived memory while it is hashed and stored. After that it is held as text with
 * one character per byte, which is on V8's heap: memory outside of it takes far longer to allocate and to collect.
 */
export class Leaf {
  /** Where the value starts in `bytes`. */
  readonly valueAt: number;
  /** What a reader decoded from the value, kept as long as the leaf stays in memory. */
  decoded: unknown = undefined;
  /** Whether its bytes share memory with others; then the leaf is dropped once it is stored. */
  readonly isTransient: boolean;
  /** Its index among the nodes created by the update that made it; -1 for any other leaf. */
  freshAt = -1;
  /** Undefined while only `#text` has them. */
  #bytes: Uint8Array | undefined;
  /** The bytes as text, or empty. */
  #text = '';
  /** Set for a leaf that may be held as text: reading the key from text is slow. */
  readonly #key: Uint8Array | undefined;

  /**
   * `bytes` must be those of a leaf: made by `Leaf.of`, or checked by the decoder. If they are in short-lived memory,
   * `key` must be given, and must not change.
   */
  constructor(bytes: Uint8Array, valueAt: number, isTransient = false, key?: Uint8Array) {
    this.#bytes = bytes;
    this.valueAt = valueAt;
    this.isTransient = isTransient;
    this.#key = key;
  }

  static of(key: Uint8Array, value: Uint8Array, isTransient = false): Leaf {
    const valueAt = leafHeadBytes(value.length);
    const length = valueAt + value.length;
    const bytes = isTransient ? shortLivedBytes(length) : new Uint8Array(length);
    writeLeafHead(key, value.length, bytes);
    bytes.set(value, valueAt);
    return new Leaf(bytes, valueAt, isTransient);
  }

  get length(): number {
    return this.#bytes === undefined ? this.#text.length : this.#bytes.length;
  }

  /** The stored node. Do not write to it. */
  get bytes(): Uint8Array {
    if (this.#bytes === undefined) {
      this.#bytes = bytesOfText(this.#text);
      this.#text = '';
    }
    return this.#bytes;
  }

  /** The same, but do not keep it. */
  get briefBytes(): Uint8Array {
    return this.#bytes ?? briefBytesOfText(this.#text);
  }

  /** Gives up the short-lived memory in which it was made, if it was. */
  settle(): void {
    if (this.#key === undefined) return;
    if (this.#bytes !== undefined) this.#text ||= textOfBytes(this.#bytes);
    this.#bytes = undefined;
  }

  /** The 32-byte key. Do not write to it. */
  get key(): Uint8Array {
    if (this.#key !== undefined) return this.#key;
    const key = new Uint8Array(KEY_BYTES);
    for (let index = 0; index < KEY_BYTES; index++) {
      key[index] = (this.nibble(index * 2) << 4) | this.nibble(index * 2 + 1);
    }
    return key;
  }

  /** The value: a view of the stored node. Do not write to it. */
  get value(): Uint8Array {
    return this.bytes.subarray(this.valueAt);
  }

  /** A copy of the last `length` bytes. */
  tail(length: number): Uint8Array {
    const from = this.length - length;
    return this.#bytes === undefined ? bytesOfText(this.#text.slice(from)) : this.#bytes.slice(from);
  }

  nibble(depth: number): number {
    if (this.#key !== undefined) return nibbleAt(this.#key, depth);
    const digit = this.bytes[KEY_TEXT_AT + depth]!;
    return digit < 0x3a ? digit - 0x30 : digit - 0x57;
  }

  /** How many leading nibbles the leaf's key shares with `key`, 0 to 64. */
  commonNibbles(key: Uint8Array): number {
    if (this.hasKey(key)) return KEY_NIBBLES;
    let depth = 0;
    while (this.nibble(depth) === nibbleAt(key, depth)) depth++;
    return depth;
  }

  /** Whether `key` is its key: this is most of a warm read. */
  hasKey(key: Uint8Array): boolean {
    if (this.#key !== undefined) return equalBytes(this.#key, key);
    const { bytes } = this;
    // Byte by byte: fewer steps than digit by digit.
    for (let index = 0, at = KEY_TEXT_AT; index < KEY_BYTES; index++, at += 2) {
      if ((bytes[at]! | (bytes[at + 1]! << 8)) !== HEX_PAIRS[key[index]!]) return false;
    }
    return true;
  }

  /** Negative if this leaf's key is less than that of `other`, zero if they are equal, positive otherwise. */
  compareKey(other: Leaf): number {
    for (let depth = 0; depth < KEY_NIBBLES; depth++) {
      const difference = this.nibble(depth) - other.nibble(depth);
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /** Whether the value equals `value` byte for byte. */
  holds(value: Uint8Array): boolean {
    if (this.length - this.valueAt !== value.length) return false;
    return equalBytes(this.briefBytes.subarray(this.valueAt), value);
  }

  /** Whether `other` is the same leaf, byte for byte. */
  equals(other: Leaf): boolean {
    if (this.length !== other.length) return false;
    if (this.#bytes !== undefined) return equalBytes(this.#bytes, other.briefBytes);
    if (other.#bytes !== undefined) other.#text ||= textOfBytes(other.#bytes);
    return this.#text === other.#text;
  }
}

/** The bytes of a leaf before a value of `valueBytes`. */
export function leafHeadBytes(valueBytes: number): number {
  return LEAF_HEAD_BYTES + uleb128Length(valueBytes);
}

/** Writes what comes before a value of `valueBytes` in the leaf of `key`. */
export function writeLeafHead(key: Uint8Array, valueBytes: number, bytes: Uint8Array): void {
  bytes[0] = LEAF_TAG;
  writeHashText(key, bytes, 1);
  writeUleb128(bytes, LEAF_HEAD_BYTES, valueBytes);
}

/** Bytes of a hash as text: its length, `0x`, 64 digits. */
export const HASH_TEXT_BYTES: number = KEY_TEXT_AT - 1 + KEY_NIBBLES;

/** Writes the 32 bytes of `hash` as text to `target` from `at`. */
export function writeHashText(hash: Uint8Array, target: Uint8Array, at: number): void {
  target[at] = 66;
  target[at + 1] = 0x30;
  target[at + 2] = 0x78;
  for (let index = 0, to = at + 3; index < KEY_BYTES; index++, to += 2) {
    const pair = HEX_PAIRS[hash[index]!]!;
    target[to] = pair;
    target[to + 1] = pair >> 8;
  }
}

/**
 * The hashes of a branch, as signed words, on V8's heap: an Int32Array of this length has its memory outside of it, and
 * the more of those there are, the longer each further one takes to create.
 */
export type BranchWords = readonly number[];

/** A 16-way branch. */
export class Branch {
  /** Bit n: there is a child at nibble n. */
  readonly existence: number;
  /** Bit n: the child at nibble n is a leaf. A subset of `existence`. */
  readonly leaves: number;
  /** Bit p: position p has a slot in `words`, which holds its hash if it has one. */
  readonly present: number;
  /** Eight words for each bit of `present`, in order; see `BranchWords`. */
  readonly words: BranchWords;
  /** The link of each child in nibble order; undefined until the child is read. */
  readonly links: (Link | undefined)[];

  constructor(existence: number, leaves: number, present: number, words: BranchWords, links: (Link | undefined)[]) {
    this.existence = existence;
    this.leaves = leaves;
    this.present = present;
    this.words = words;
    this.links = links;
  }

  /** The offset of the hash of `position` in `words`; the position must be present. */
  wordsAt(position: number): number {
    return countBits(this.present & ((1 << position) - 1)) * 8;
  }

  /** The index of the child at `nibble` among the children; there must be one. */
  rank(nibble: number): number {
    return countBits(this.existence & ((1 << nibble) - 1));
  }

  /** The 32-byte hash of the range at `position`: a stored hash, that of a lone leaf, or the placeholder. */
  rangeHash(position: number): Uint8Array {
    const hash = new Uint8Array(32);
    const from = hashPosition(position, this.existence, this.leaves);
    if (from === 0) hash.set(EMPTY_ROOT);
    else writeWords(this.words, this.wordsAt(from), hash, 0);
    return hash;
  }
}

/** The nibbles below each position, as a bitmap. */
const POSITION_NIBBLES: Int32Array = ((): Int32Array => {
  const nibbles = new Int32Array(32);
  for (let nibble = 0; nibble < 16; nibble++) nibbles[16 + nibble] = 1 << nibble;
  for (let position = 15; position > 0; position--) {
    nibbles[position] = nibbles[2 * position]! | nibbles[2 * position + 1]!;
  }
  return nibbles;
})();

/**
 * The position that has the hash of the range at `position`: the position itself, that of the only child if it is a
 * leaf (or the range is one nibble wide), or 0 for the placeholder.
 */
export function hashPosition(position: number, existence: number, leaves: number): number {
  const below = existence & POSITION_NIBBLES[position]!;
  if (below === 0) return 0;
  if ((below & (below - 1)) !== 0) return position;
  if (position < 16 && (below & leaves) === 0) return position;
  return 16 + lowestBit(below);
}
