/**
 * The leaves of a tree in key order, either way, from any key on.
 *
 * Memory is one branch and one bitmap for each level. The branches in hand stay whole whatever the cache evicts, so a
 * walk may be left and taken up again at any time: it is of one root, which does not change.
 * Source: moveos/smt/src/jellyfish_merkle/iterator of the reference.
 * @module
 */
import { compareBytes } from '../bytes/compare.ts';
import { assertKey, lowestBit, nibbleAt } from './nibble.ts';
import { type Branch, Leaf } from './node.ts';
import type { NodeReader } from './reader.ts';

export type Direction = 'ascending' | 'descending';

/** A branch on the way, with the children that are still to come. */
interface Level {
  readonly branch: Branch;
  ahead: number;
  /** The nibble of `from` here, while all nibbles above were those of `from`; otherwise nothing bounds the children. */
  readonly bound: number | undefined;
}

/**
 * Yields the leaves from `from` on, itself included when it is there: those with a key not below it when ascending,
 * not above it when descending. Without `from` it begins at the end.
 */
export function* iterate(
  reader: NodeReader,
  root: Uint8Array,
  from: Uint8Array | undefined,
  direction: Direction,
): Generator<Leaf, void, undefined> {
  if (from !== undefined) assertKey(from, 'key to begin at');
  const descending = direction === 'descending';
  const reached = (leaf: Leaf): boolean => {
    if (from === undefined) return true;
    const order = compareBytes(leaf.key, from);
    return descending ? order <= 0 : order >= 0;
  };
  const level = (branch: Branch, depth: number, bounded: boolean): Level => {
    if (from === undefined || !bounded) return { branch, ahead: branch.existence, bound: undefined };
    const bound = nibbleAt(from, depth);
    const below = (1 << bound) - 1;
    return { branch, ahead: branch.existence & (descending ? below | (1 << bound) : ~below), bound };
  };

  const node = reader.root(root);
  if (node === undefined) return;
  if (node instanceof Leaf) {
    if (reached(node)) yield node;
    return;
  }
  const levels = [level(node, 0, true)];
  for (let top = levels.at(-1); top !== undefined; top = levels.at(-1)) {
    if (top.ahead === 0) {
      levels.pop();
      continue;
    }
    const nibble = descending ? 31 - Math.clz32(top.ahead) : lowestBit(top.ahead);
    top.ahead &= ~(1 << nibble);
    const child = reader.child(top.branch, nibble, levels.length - 1);
    const bounded = nibble === top.bound;
    if (child instanceof Leaf) {
      if (!bounded || reached(child)) yield child;
    } else if (child !== undefined) {
      levels.push(level(child, levels.length, bounded));
    }
  }
}
