/**
 * The state of a fork that has the objects of another node's chain, but not the tree that they are in.
 *
 * The fields of an object are those that the node had at one root, plus the changes since. The changes are a tree like
 * any other, in which a removed field is a tombstone. The root of both together is unknown, so it gets a name
 * (unknown-hash.ts). Trees that were made here entirely have their true roots.
 * @module
 */
import { compareBytes, concatBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { isUnknownHash, unknownHash } from '../../base/hash/unknown-hash.ts';
import type { NodeCache } from '../../store/tree/cache.ts';
import type { Proof } from '../../store/tree/proof.ts';
import {
  EMPTY_ROOT,
  Leaf,
  type NodeSource,
  type TouchedNodes,
  Tree,
  type TreeUpdate,
  type TreeWrite,
} from '../../store/tree/tree.ts';

/** The objects that a node had at one state root. */
export interface PinnedObjects {
  /** Whether this is the root of some object's fields there, or of the whole state. */
  hasRoot(root: Uint8Array): boolean;
  leaf(root: Uint8Array, key: Uint8Array): Leaf | undefined;
  /** The leaves by ascending key, those after `after`. */
  leaves(root: Uint8Array, after: Uint8Array | undefined): Iterable<Leaf>;
}

/** A tree of which only the changes are here. */
interface Changed {
  /** Its root at the node. */
  readonly base: Uint8Array;
  /** The root of the tree of its changes. */
  readonly changes: Uint8Array;
}

/** The trees of which only the changes are here, by the names of their roots; shared by all forks of a chain. */
export class OverlaidTrees {
  readonly #trees = new Map<string, Changed>();

  find(root: Uint8Array): Changed | undefined {
    return isUnknownHash(root) ? this.#trees.get(textOfBytes(root)) : undefined;
  }

  name(tree: Changed): Uint8Array {
    const root = unknownHash(concatBytes(tree.base, tree.changes));
    this.#trees.set(textOfBytes(root), tree);
    return root;
  }
}

/** Marks a removed field in the tree of changes. */
const TOMBSTONE = new Uint8Array(0);

export class PinnedTree extends Tree {
  readonly #objects: PinnedObjects;
  readonly #changed: OverlaidTrees;

  constructor(source: NodeSource, cache: NodeCache, objects: PinnedObjects, changed: OverlaidTrees) {
    super(source, cache);
    this.#objects = objects;
    this.#changed = changed;
  }

  override getLeaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    const { base, changes } = this.#parts(root);
    const own = super.getLeaf(changes, key);
    if (own !== undefined) return isTombstone(own) ? undefined : own;
    return base && this.#objects.leaf(base, key);
  }

  override update(root: Uint8Array, entries: Iterable<TreeWrite>, touched?: TouchedNodes): TreeUpdate {
    const { base, changes } = this.#parts(root);
    if (base === undefined) return super.update(root, entries, touched);
    const kept = Array.from(entries, (entry): TreeWrite => {
      const isRemoval = !(entry instanceof Leaf) && entry[1] === undefined;
      return isRemoval ? [entry[0], TOMBSTONE] : entry;
    });
    const updated = super.update(changes, kept, touched);
    return { ...updated, root: this.#changed.name({ base, changes: updated.root }) };
  }

  override *iterate(
    root: Uint8Array,
    from?: Uint8Array,
    direction: 'ascending' | 'descending' = 'ascending',
  ): Generator<Leaf, void, undefined> {
    const { base, changes } = this.#parts(root);
    if (base === undefined) return yield* super.iterate(root, from, direction);
    if (direction === 'descending') throw notOfPinned('fields by descending key');
    const own = super.iterate(changes, from);
    const theirs = this.#leavesFrom(base, from);
    let [mine, other] = [own.next(), theirs.next()];
    while (mine.done !== true || other.done !== true) {
      const order = mine.done === true ? 1 : other.done === true ? -1 : compareBytes(mine.value.key, other.value.key);
      if (order > 0) yield other.value as Leaf;
      else if (!isTombstone(mine.value as Leaf)) yield mine.value as Leaf;
      if (order <= 0) mine = own.next();
      if (order >= 0) other = theirs.next();
    }
  }

  /** The node's leaves from a key on. A page there may only begin after a key that the node has, as it mostly does. */
  *#leavesFrom(base: Uint8Array, from: Uint8Array | undefined): Generator<Leaf, void, undefined> {
    const first = from && this.#objects.leaf(base, from);
    if (first !== undefined) yield first;
    for (const leaf of this.#objects.leaves(base, first?.key)) {
      if (from === undefined || first !== undefined || compareBytes(leaf.key, from) >= 0) yield leaf;
    }
  }

  override *differences(
    root: Uint8Array,
    other: Tree,
    otherRoot: Uint8Array,
    from?: Uint8Array,
  ): ReturnType<Tree['differences']> {
    const [before, after] = [this.#parts(root), this.#parts(otherRoot)];
    if (before.base === undefined && after.base === undefined) {
      return yield* super.differences(root, other, otherRoot, from);
    }
    const isSameBase = before.base !== undefined && after.base !== undefined && !compareBytes(before.base, after.base);
    if (!isSameBase) throw notOfPinned('what differs between trees that have no changes in common');
    for (const { before: left, after: right } of super.differences(before.changes, other, after.changes, from)) {
      const { key } = (left ?? right)!;
      const [was, is] = [this.getLeaf(root, key), other.getLeaf(otherRoot, key)];
      if (was === undefined ? is !== undefined : is === undefined || !was.holds(is.value))
        yield { before: was, after: is };
    }
  }

  override prove(): Proof {
    throw notOfPinned('a proof');
  }

  #parts(root: Uint8Array): { readonly base: Uint8Array | undefined; readonly changes: Uint8Array } {
    const changed = this.#changed.find(root);
    if (changed !== undefined) return changed;
    return this.#objects.hasRoot(root) ? { base: root, changes: EMPTY_ROOT } : { base: undefined, changes: root };
  }
}

function isTombstone(leaf: Leaf): boolean {
  return leaf.length === leaf.valueAt;
}

/** The error for what needs the whole tree. */
function notOfPinned(what: string): EngineError {
  return new EngineError(
    'not-supported',
    `${what}: a fork of a Rooch node has its objects and not its tree, so it has no roots: fork a movelet that has the chain`,
  );
}
