/**
 * The leaves of a tree in key order, in either direction, from any key.
 *
 * Memory is one branch and one bitmap for each level. The branches that it holds stay intact whatever the cache evicts,
 * so a walk may be paused and resumed at any time: its root does not change.
 * Source: moveos/smt/src/jellyfish_merkle/iterator of the reference.
 * @module
 */
import { compareBytes } from '../../base/bytes/compare.ts';
import { assertKey, lowestBit, nibbleAt } from './nibble.ts';
import { type Branch, Leaf } from './node.ts';
import type { NodeReader } from './reader.ts';

export type Direction = 'ascending' | 'descending';

/** A branch on the path, with the children that are still to come. */
interface Level {
  readonly branch: Branch;
  ahead: number;
  /**
   * The nibble of `from` at this depth, if all nibbles above are those of `from`; otherwise the children are not
   * bounded.
   */
  readonly bound: number | undefined;
}

/**
 * Yields the leaves from `from` (included): keys at or above it when ascending, at or below it when descending. Without
 * `from` it starts at the respective end.
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
