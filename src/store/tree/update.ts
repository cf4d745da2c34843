/**
 * One batch of writes on a tree.
 *
 * The entries are sorted, so those below one branch are adjacent: each branch on the path is opened once, all its
 * children that have entries are changed, then it is hashed and sealed once. Only nodes of the new tree are created.
 * The result is the tree that the reference makes by applying the entries one after the other, since its shape depends
 * only on the set of entries (moveos/smt/src/jellyfish_merkle/mod.rs of the reference).
 *
 * A subtree with only one leaf left is that leaf, however high it rises; a branch with only one branch left stays.
 * @module
 */
import { compareBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { assert, EngineError } from '../../base/error.ts';
import { hashToWords, wordsToHash } from '../../base/hash/tagged.ts';
import { FreshNodes, HashList } from './fresh-nodes.ts';
import { assertKey, KEY_NIBBLES, nibbleAt } from './nibble.ts';
import { EMPTY_ROOT, Leaf, type Node, VALUE_BYTES_FORBIDDEN } from './node.ts';
import { OpenBranch } from './open-branch.ts';
import { corrupt, hashLeaf, type NodeReader } from './reader.ts';

/** A key and its new value, or `undefined` to delete it. Deleting an absent key does nothing. */
export type TreeEntry = readonly [key: Uint8Array, value: Uint8Array | undefined];

/**
 * As `TreeEntry`, but the value may be given as the leaf of that key, which the tree then keeps as it is. A leaf
 * contains its key, so with many of them there is no need to keep another array for it.
 */
export type TreeWrite = TreeEntry | readonly [key: Uint8Array, leaf: Leaf] | Leaf;

/** What an update creates and replaces, in that order. */
export interface TouchedNodes {
  /** Every node of the new tree that the old one does not have, children before parents. */
  readonly fresh: FreshNodes;
  /** The hash of every node of the old tree that the new one does not have. */
  readonly stale: HashList;
}

export interface TreeUpdate extends TouchedNodes {
  readonly root: Uint8Array;
  /** How many of the entries that put a value replaced one. */
  readonly overwritten: number;
}

/** Collects the nodes that updates touch. */
export function noTouchedNodes(): TouchedNodes {
  return { fresh: new FreshNodes(), stale: new HashList() };
}

/**
 * From this many entries on, an update keeps branches far below its root in memory only while half of the cache is
 * free: beyond that they would push out what others read.
 */
const LARGE_UPDATE_ENTRIES_MIN = 4_096;

/** Levels of a large update whose branches are always kept: at most 4,369 branches, on the path to everything below. */
const LARGE_UPDATE_LEVELS_KEPT = 4;

export class TreeUpdater {
  readonly #reader: NodeReader;
  /** One for each level in progress. The first is not a branch: it has the root as its child at nibble 0. */
  readonly #opened: OpenBranch[] = [];
  #entries: readonly TreeWrite[] = [];
  #levelsKept = KEY_NIBBLES;
  #touched = noTouchedNodes();
  #overwritten = 0;

  constructor(reader: NodeReader) {
    this.#reader = reader;
  }

  /** The tree of `root` with `entries` written. See `Tree.update`. */
  update(root: Uint8Array, entries: Iterable<TreeWrite>, touched: TouchedNodes): TreeUpdate {
    this.#entries = sortEntries(entries);
    this.#levelsKept = this.#entries.length < LARGE_UPDATE_ENTRIES_MIN ? KEY_NIBBLES : LARGE_UPDATE_LEVELS_KEPT;
    this.#touched = touched;
    this.#overwritten = 0;
    try {
      const { fresh, stale } = touched;
      return { root: this.#write(root), fresh, stale, overwritten: this.#overwritten };
    } finally {
      this.#entries = [];
      this.#touched = noTouchedNodes();
    }
  }

  /** Applies the entries and returns the new root. */
  #write(root: Uint8Array): Uint8Array {
    const before = this.#touchedCount;
    const top = this.#openAt(0);
    top.clear();
    const node = this.#reader.root(root);
    const count = this.#entries.length;
    if (node === undefined) {
      this.#grow(top, 0, 0, 0, count);
    } else {
      hashToWords(root, top.words, slot(0));
      top.place(0, node instanceof Leaf, this.#reader.cache.rootLink(root));
      top.dirty = 0;
      this.#change(top, 0, node, 0, 0, count);
    }
    if (top.dirty === 0) {
      assert(this.#touchedCount === before, 'an update that changes nothing touches no node');
      return root;
    }
    if (top.existence === 0) return EMPTY_ROOT.slice();
    const newRoot = wordsToHash(top.words, slot(0));
    const link = top.links[0];
    if (link !== undefined) this.#reader.cache.setRoot(newRoot, link);
    return newRoot;
  }

  get #touchedCount(): number {
    return this.#touched.fresh.size + this.#touched.stale.size;
  }

  #openAt(index: number): OpenBranch {
    let opened = this.#opened[index];
    if (opened === undefined) {
      opened = new OpenBranch();
      this.#opened[index] = opened;
    }
    return opened;
  }

  /**
   * Applies the entries from `from` to `to` to the children of the branch in `opened`, which is at `depth`. `lone` is
   * the leaf already placed in an open branch that was not opened from a branch.
   */
  #spread(opened: OpenBranch, depth: number, from: number, to: number, lone: Leaf | undefined): void {
    const { origin } = opened;
    let start = from;
    while (start < to) {
      const nibble = nibbleOf(this.#entries[start]!, depth);
      let end = start + 1;
      while (end < to && nibbleOf(this.#entries[end]!, depth) === nibble) end++;
      const child = origin === undefined ? loneAt(lone, nibble, depth) : this.#reader.child(origin, nibble, depth);
      if (child === undefined) {
        this.#grow(opened, nibble, depth + 1, start, end);
      } else {
        opened.load(nibble);
        this.#change(opened, nibble, child, depth + 1, start, end);
      }
      start = end;
    }
  }

  /** Applies entries where the tree is empty. */
  #grow(opened: OpenBranch, nibble: number, depth: number, from: number, to: number): void {
    let puts = 0;
    let last = from;
    for (let index = from; index < to; index++) {
      if (putOf(this.#entries[index]!) === undefined) continue;
      puts++;
      last = index;
    }
    if (puts === 0) return;
    if (puts === 1) {
      this.#placeLeaf(opened, nibble, this.#entries[last]!);
      return;
    }
    const inner = this.#openAt(depth + 1);
    inner.clear();
    this.#spread(inner, depth, from, to, undefined);
    this.#close(inner, opened, nibble, depth);
  }

  /** Applies entries to the child of `opened` at `nibble`, which is `node`, at `depth`. */
  #change(opened: OpenBranch, nibble: number, node: Node, depth: number, from: number, to: number): void {
    if (node instanceof Leaf) {
      this.#changeLeaf(opened, nibble, node, depth, from, to);
      return;
    }
    const inner = this.#openAt(depth + 1);
    inner.open(node);
    this.#spread(inner, depth, from, to, undefined);
    if (inner.dirty === 0) return;
    this.#replace(opened, nibble);
    this.#close(inner, opened, nibble, depth);
  }

  #changeLeaf(opened: OpenBranch, nibble: number, leaf: Leaf, depth: number, from: number, to: number): void {
    let own: TreeWrite | undefined;
    let others = false;
    for (let index = from; index < to; index++) {
      const entry = this.#entries[index]!;
      const common = leaf.commonNibbles(keyOf(entry));
      if (common < depth) {
        throw corrupt(wordsToHash(opened.words, slot(nibble)), `the leaf stands ${depth} nibbles down another path`);
      }
      if (common === KEY_NIBBLES) own = entry;
      else if (putOf(entry) !== undefined) others = true;
    }
    if (others) {
      const inner = this.#openAt(depth + 1);
      const innerNibble = leaf.nibble(depth);
      inner.clear();
      copyHash(opened, nibble, inner, innerNibble);
      inner.place(innerNibble, true, opened.links[nibble]);
      this.#spread(inner, depth, from, to, leaf);
      this.#close(inner, opened, nibble, depth);
      return;
    }
    const value = own === undefined ? undefined : putOf(own);
    if (value !== undefined) this.#overwritten++;
    if (own === undefined || (value !== undefined && isSame(leaf, value))) return;
    this.#replace(opened, nibble);
    if (value === undefined) {
      this.#remove(opened, nibble, depth);
    } else {
      this.#placeLeaf(opened, nibble, own);
    }
  }

  /** The child of `opened` at `nibble` is not part of the new tree. */
  #replace(opened: OpenBranch, nibble: number): void {
    this.#touched.stale.push(opened.words, slot(nibble));
    const link = opened.links[nibble];
    if (link !== undefined) this.#reader.cache.replace(link);
  }

  #placeLeaf(opened: OpenBranch, nibble: number, entry: TreeWrite): void {
    const key = keyOf(entry);
    const value = putOf(entry);
    assert(value !== undefined, 'a leaf is placed for a put');
    const leaf = value instanceof Leaf ? value : Leaf.of(key, value);
    const { fresh } = this.#touched;
    hashLeaf(leaf, key, opened.words, slot(nibble));
    leaf.freshAt = fresh.size;
    fresh.push(opened.words, slot(nibble), leaf.bytes);
    leaf.settle();
    const link = leaf.isTransient ? undefined : this.#reader.link(leaf);
    opened.place(nibble, true, link);
  }

  /** Makes the result in `inner` the child of `opened` at `nibble`, `depth` nibbles down. */
  #close(inner: OpenBranch, opened: OpenBranch, nibble: number, depth: number): void {
    if (inner.existence === 0) {
      this.#remove(opened, nibble, depth);
      return;
    }
    const lone = inner.loneLeaf;
    if (lone >= 0) {
      copyHash(inner, lone, opened, nibble);
      opened.place(nibble, true, inner.links[lone]);
      return;
    }
    inner.rehash();
    for (let index = 0; index < 8; index++) opened.words[slot(nibble) + index] = inner.words[BRANCH_SLOT + index]!;
    const isKept = depth < this.#levelsKept || this.#reader.cache.isHalfFree;
    opened.place(nibble, false, isKept ? this.#reader.link(inner.seal()) : undefined);
    this.#touched.fresh.push(inner.words, BRANCH_SLOT, inner.encode());
  }

  /**
   * Removes the child of `opened` at `nibble`. While its pair of nibbles had two children, the branch's hash did not
   * depend on the kind of the other one; from now on it does, so the other one is read, which checks its kind.
   */
  #remove(opened: OpenBranch, nibble: number, depth: number): void {
    opened.remove(nibble);
    const neighbour = nibble ^ 1;
    if (opened.origin === undefined || ((opened.dirty >>> (16 + neighbour)) & 1) === 1) return;
    this.#reader.child(opened.origin, neighbour, depth - 1);
  }
}

/** The offset of the branch's own hash in an open branch. */
const BRANCH_SLOT = 8;

/** The offset of the hash of the child at `nibble` in an open branch. */
function slot(nibble: number): number {
  return (16 + nibble) * 8;
}

function copyHash(from: OpenBranch, fromNibble: number, to: OpenBranch, toNibble: number): void {
  for (let index = 0; index < 8; index++) to.words[slot(toNibble) + index] = from.words[slot(fromNibble) + index]!;
}

function loneAt(lone: Leaf | undefined, nibble: number, depth: number): Leaf | undefined {
  return lone?.nibble(depth) === nibble ? lone : undefined;
}

function isSame(leaf: Leaf, value: Uint8Array | Leaf): boolean {
  return value instanceof Leaf ? leaf.equals(value) : leaf.holds(value);
}

function keyOf(entry: TreeWrite): Uint8Array {
  return entry instanceof Leaf ? entry.key : entry[0];
}

function putOf(entry: TreeWrite): Uint8Array | Leaf | undefined {
  return entry instanceof Leaf ? entry : entry[1];
}

function nibbleOf(entry: TreeWrite, depth: number): number {
  return entry instanceof Leaf ? entry.nibble(depth) : nibbleAt(entry[0], depth);
}

function compareKeys(left: TreeWrite, right: TreeWrite): number {
  if (left instanceof Leaf && right instanceof Leaf) return left.compareKey(right);
  return compareBytes(keyOf(left), keyOf(right));
}

function lengthOf(value: Uint8Array | Leaf | undefined): number | undefined {
  return value instanceof Leaf ? value.length - value.valueAt : value?.length;
}

/** The entries in ascending order of their keys, checked. */
function sortEntries(entries: Iterable<TreeWrite>): readonly TreeWrite[] {
  const sorted = [...entries];
  let ascending = true;
  for (let index = 0; index < sorted.length; index++) {
    const entry = sorted[index]!;
    if (!(entry instanceof Leaf)) assertKey(entry[0], 'tree key');
    if (lengthOf(putOf(entry)) === VALUE_BYTES_FORBIDDEN) {
      throw new EngineError('invalid-argument', `a tree value cannot have ${VALUE_BYTES_FORBIDDEN} bytes`);
    }
    if (index > 0 && compareKeys(sorted[index - 1]!, entry) >= 0) ascending = false;
  }
  if (ascending) return sorted;
  sorted.sort(compareKeys);
  for (let index = 1; index < sorted.length; index++) {
    if (compareKeys(sorted[index - 1]!, sorted[index]!) === 0) {
      throw new EngineError('invalid-argument', `a batch writes the key ${toHexPrefixed(keyOf(sorted[index]!))} twice`);
    }
  }
  return sorted;
}
