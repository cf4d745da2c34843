/**
 * Tree nodes as rows: the order in which a node was last written stands in front of its bytes.
 *
 * Nodes are found by their hash, so a node that was replaced may come back with a later state. Pruning reads the order
 * to tell a node that came back (written after it went stale) from one that is only old.
 * @module
 */
import { concatBytes } from '../bytes/compare.ts';
import { toHexPrefixed } from '../bytes/hex.ts';
import { EngineError } from '../error.ts';
import { columnKey, orderBytes, readOrder } from '../store/column.ts';
import type { Operation, ReadableStore } from '../store/store.ts';
import type { FreshNode, NodeSource } from '../tree/tree.ts';

const ORDER_BYTES = 8;
const NO_VALUE = new Uint8Array(0);

/** The nodes that stand in `rows`. */
export function nodeSource(rows: Pick<ReadableStore, 'get'>): NodeSource {
  return (hash) => {
    const row = rows.get(columnKey('node', hash));
    if (row === undefined) return undefined;
    if (row.length <= ORDER_BYTES) throw new EngineError('corrupt', `the node row ${toHexPrefixed(hash)} is too short`);
    return row.subarray(ORDER_BYTES);
  };
}

/** The order in which the node of a row was last written. */
export function nodeOrder(row: Uint8Array): bigint {
  return readOrder(row, 0);
}

/** Rows for what the transaction at `order` made of the trees. */
export function nodeOperations(order: bigint, fresh: readonly FreshNode[], stale: readonly Uint8Array[]): Operation[] {
  const at = orderBytes(order);
  return [
    ...fresh.map(
      ({ hash, bytes }): Operation => ({ type: 'put', key: columnKey('node', hash), value: concatBytes(at, bytes) }),
    ),
    ...stale.map((hash): Operation => ({ type: 'put', key: columnKey('staleNode', at, hash), value: NO_VALUE })),
  ];
}
