/**
 * A branch opened for changes: all thirty-one positions have fixed offsets, so children can be added and removed before
 * the hashes above them are computed and the result is sealed into an immutable `Branch`.
 *
 * Few writes add or remove a child. So a branch is not copied when it is opened: only what is read or changed is, and
 * the rest once a child is added or removed.
 * @module
 */
import { shortLivedBytes } from '../../base/bytes/arena.ts';
import { hashToWords, taggedPairWords } from '../../base/hash/tagged.ts';
import { countBits, lowestBit } from './nibble.ts';
import {
  BRANCH_HEAD_BYTES,
  BRANCH_TAG,
  Branch,
  type BranchWords,
  EMPTY_ROOT,
  hashPosition,
  type Link,
} from './node.ts';

/** From this many children on, all positions are kept whether or not they have a hash: one copy instead of packing. */
const DENSE_CHILDREN_MIN = 8;

/** The bitmap of positions 1 to 31. */
const ALL_POSITIONS = ~1;

export class OpenBranch {
  existence = 0;
  leaves = 0;
  /** Bit p: the hash of position p may differ from that in the opened branch. */
  dirty = 0;
  /** The opened branch, if there is one. */
  origin: Branch | undefined;
  /**
   * The hash of position p is at `8p`; position 0 holds the placeholder. Only positions that `hashPosition` returns are
   * valid, and as long as the open branch is not whole, only those that were loaded or are dirty.
   */
  readonly words: Int32Array = new Int32Array(32 * 8);
  /** By nibble; valid whenever the hashes of the children are. */
  readonly links: (Link | undefined)[] = new Array<Link | undefined>(16).fill(undefined);
  /**
   * Whether all hashes and links are here. Otherwise the open branch has the same children as the origin, of the same kinds,
   * and whatever is neither loaded nor dirty is read there. Most branches keep their children, so most hashes are never
   * copied.
   */
  #isWhole = true;

  constructor() {
    hashToWords(EMPTY_ROOT, this.words, 0);
  }

  clear(): void {
    this.existence = 0;
    this.leaves = 0;
    this.dirty = 0;
    this.origin = undefined;
    this.#isWhole = true;
    this.links.fill(undefined);
  }

  open(branch: Branch): void {
    this.existence = branch.existence;
    this.leaves = branch.leaves;
    this.dirty = 0;
    this.origin = branch;
    this.#isWhole = false;
  }

  /** Makes hash and link of the child at `nibble` of the origin valid, before it is changed; there must be such a child. */
  load(nibble: number): void {
    const { origin } = this;
    if (origin === undefined) return;
    this.#copyHash(origin, 16 + nibble);
    this.links[nibble] = origin.links[origin.rank(nibble)];
  }

  #copyHash({ words: from }: Branch, position: number): void {
    const { words } = this;
    const at = this.origin!.wordsAt(position);
    const to = position * 8;
    for (let index = 0; index < 8; index++) words[to + index] = from[at + index]!;
  }

  /** Makes all hashes and links valid except those of the child at `placed`, since the children change. */
  #complete(placed: number): void {
    const { origin } = this;
    if (this.#isWhole || origin === undefined) return;
    this.#isWhole = true;
    const stale = this.dirty | (1 << (16 + placed));
    for (let bits = origin.present & ~stale; bits !== 0; bits &= bits - 1) this.#copyHash(origin, lowestBit(bits));
    for (let nibble = 0; nibble < 16; nibble++) {
      if (((stale >>> (16 + nibble)) & 1) === 1) continue;
      const isChild = ((origin.existence >>> nibble) & 1) === 1;
      this.links[nibble] = isChild ? origin.links[origin.rank(nibble)] : undefined;
    }
  }

  /** Puts a child at `nibble` whose hash the caller has written at position `16 + nibble`. */
  place(nibble: number, leaf: boolean, link: Link | undefined): void {
    const bit = 1 << nibble;
    if ((this.existence & bit) === 0 || ((this.leaves & bit) !== 0) !== leaf) {
      this.#complete(nibble);
      this.existence |= bit;
      if (leaf) this.leaves |= bit;
      else this.leaves &= ~bit;
    }
    this.links[nibble] = link;
    this.dirty |= 1 << (16 + nibble);
  }

  /** Removes the child at `nibble`. */
  remove(nibble: number): void {
    const bit = 1 << nibble;
    this.#complete(nibble);
    this.existence &= ~bit;
    this.leaves &= ~bit;
    this.links[nibble] = undefined;
    this.dirty |= 1 << (16 + nibble);
  }

  /** The nibble of the only child, if there is exactly one and it is a leaf; otherwise -1. */
  get loneLeaf(): number {
    const { existence } = this;
    return existence === this.leaves && (existence & (existence - 1)) === 0 ? lowestBit(existence) : -1;
  }

  /** Computes the hashes of all positions above a dirty one, including the branch's own. */
  rehash(): void {
    const { words, existence, leaves } = this;
    for (let position = 15; position > 0; position--) {
      if (((this.dirty >>> (2 * position)) & 3) === 0) continue;
      this.dirty |= 1 << position;
      if (hashPosition(position, existence, leaves) !== position) continue;
      const left = this.#hashAt(hashPosition(2 * position, existence, leaves));
      const right = this.#hashAt(hashPosition(2 * position + 1, existence, leaves));
      taggedPairWords(words, left, words, right, words, position * 8);
    }
  }

  /** The offset of the hash of `position` in `words`, made valid. */
  #hashAt(position: number): number {
    const { origin } = this;
    if (!this.#isWhole && origin !== undefined && position > 0 && ((this.dirty >>> position) & 1) === 0)
      this.#copyHash(origin, position);
    return position * 8;
  }

  /** The branch that the open branch describes; `rehash` must have run. */
  seal(): Branch {
    const { existence, leaves, origin } = this;
    if (!this.#isWhole && origin !== undefined) return this.#sealLike(origin);
    const links: (Link | undefined)[] = [];
    for (let bits = existence; bits !== 0; bits &= bits - 1) links.push(this.links[lowestBit(bits)]);
    if (links.length >= DENSE_CHILDREN_MIN) {
      return new Branch(existence, leaves, ALL_POSITIONS, this.#packAll(), links);
    }
    let present = existence << 16;
    for (let position = 1; position < 16; position++) {
      if (hashPosition(position, existence, leaves) === position) present |= 1 << position;
    }
    return new Branch(existence, leaves, present, this.#pack(present), links);
  }

  /** A branch with the same children as `origin`: a copy in which the dirty positions are replaced. */
  #sealLike(origin: Branch): Branch {
    const { existence, leaves, present } = origin;
    const words = origin.words.slice();
    const links = origin.links.slice();
    for (let bits = this.dirty & present; bits !== 0; bits &= bits - 1) {
      const position = lowestBit(bits);
      const to = origin.wordsAt(position);
      const from = position * 8;
      for (let index = 0; index < 8; index++) words[to + index] = this.words[from + index]!;
      if (position >= 16) links[origin.rank(position - 16)] = this.links[position - 16];
    }
    return new Branch(existence, leaves, present, words, links);
  }

  #packAll(): BranchWords {
    const { words } = this;
    const packed = new Array<number>(words.length - 8);
    for (let index = 0; index < packed.length; index++) packed[index] = words[8 + index]!;
    return packed;
  }

  #pack(present: number): BranchWords {
    const { words } = this;
    const packed = new Array<number>(countBits(present) * 8);
    let to = 0;
    for (let bits = present; bits !== 0; bits &= bits - 1) {
      const from = lowestBit(bits) * 8;
      for (let index = 0; index < 8; index++) packed[to + index] = words[from + index]!;
      to += 8;
    }
    return packed;
  }

  /** The stored bytes of the branch that the open branch describes; do not keep them. */
  encode(): Uint8Array {
    const { existence, leaves, words } = this;
    encodedView.setUint16(1, existence, true);
    encodedView.setUint16(3, leaves, true);
    let to = BRANCH_HEAD_BYTES;
    for (let bits = existence; bits !== 0; bits &= bits - 1) {
      const from = this.#hashAt(16 + lowestBit(bits));
      for (let index = 0; index < 8; index++) encodedView.setInt32(to + index * 4, words[from + index]!);
      to += 32;
    }
    const bytes = shortLivedBytes(to);
    bytes.set(encoded.subarray(0, to));
    return bytes;
  }
}

/** The bytes of a full branch, reused each time: a DataView writes words faster than four stores do. */
const encoded = new Uint8Array(BRANCH_HEAD_BYTES + 16 * 32);
encoded[0] = BRANCH_TAG;
const encodedView = new DataView(encoded.buffer);
