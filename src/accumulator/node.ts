/**
 * A node of an accumulator as the reference stores it, under its hash. Here nodes are stored by position; this form is
 * for exchange and comparison. Source: moveos/moveos-commons/accumulator/src/node.rs of the reference.
 * @module
 */
import type { Codec } from '../bcs/codec.ts';
import { payload, struct, unit, variant } from '../bcs/composite.ts';
import { bool, hashText, u64 } from '../bcs/primitive.ts';
import { accumulatorPair, EMPTY_ACCUMULATOR_ROOT } from './accumulator.ts';

/**
 * `index` is the node's position (node-index.ts); `isFrozen` says whether its right half had leaves when it was
 * created.
 */
export type AccumulatorNode =
  | {
      readonly kind: 'internal';
      readonly index: bigint;
      readonly left: Uint8Array;
      readonly right: Uint8Array;
      readonly isFrozen: boolean;
    }
  | { readonly kind: 'leaf'; readonly index: bigint; readonly hash: Uint8Array }
  | { readonly kind: 'empty' };

export const accumulatorNode: Codec<AccumulatorNode> = variant<AccumulatorNode>('AccumulatorNode', [
  payload<AccumulatorNode, 'internal'>(
    'internal',
    struct({ index: u64, left: hashText, right: hashText, isFrozen: bool }),
  ),
  payload<AccumulatorNode, 'leaf'>('leaf', struct({ index: u64, hash: hashText })),
  unit<AccumulatorNode, 'empty'>('empty'),
]);

/** The hash that stands for `node` in its parent, and names it in the reference's store. */
export function accumulatorNodeHash(node: AccumulatorNode): Uint8Array {
  if (node.kind === 'internal') return accumulatorPair(node.left, node.right);
  return node.kind === 'leaf' ? node.hash : EMPTY_ACCUMULATOR_ROOT;
}
