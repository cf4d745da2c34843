/** What a chain with a bounded history keeps, read row by row: without help from nodes in memory. */
import { toHex } from '../../src/base/bytes/bytes.ts';
import { readHead } from '../../src/chain/ledger/head.ts';
import { readHistory } from '../../src/chain/ledger/history.ts';
import { readStateRoot, readStateRootOrder } from '../../src/chain/ledger/transactions.ts';
import { ROOT_OBJECT_ID } from '../../src/chain/object/object-id.ts';
import { nodeSource } from '../../src/chain/state/node-row.ts';
import { State } from '../../src/chain/state/state.ts';
import { columnRange } from '../../src/store/column.ts';
import type { ReadableStore } from '../../src/store/index.ts';
import { NodeCache } from '../../src/store/tree/cache.ts';
import { Tree } from '../../src/store/tree/tree.ts';

/** Orders whose states a store says it keeps, either as such or through a later order with the same root. */
export function keptOrders(rows: ReadableStore): bigint[] {
  const kept: bigint[] = [];
  for (let order = readHistory(rows)?.oldest ?? 0n; order <= readHead(rows)!.order; order++) {
    if ((readStateRootOrder(rows, readStateRoot(rows, order)) ?? -1n) >= order) kept.push(order);
  }
  return kept;
}

/** Every object below a root, as text; `onNode` is told the hash of every node on the way. */
export function objectsAt(rows: ReadableStore, root: Uint8Array, onNode: (hash: string) => void = () => {}): string[] {
  const read = nodeSource(rows);
  const source = (hash: Uint8Array): Uint8Array | undefined => {
    onNode(toHex(hash));
    return read(hash);
  };
  const state = new State(new Tree(source, new NodeCache({ nodesMax: 0 })), root, 0n);
  const found: string[] = [];
  const walk = (meta: NonNullable<ReturnType<State['object']>>['meta']): void => {
    for (const { object } of state.fieldsOf(meta)) {
      found.push(
        `${toHex(object.meta.id.at(-1)!)} ${toHex(object.value)} ${object.meta.updatedAt} ${toHex(object.meta.owner)}`,
      );
      walk(object.meta);
    }
  };
  walk(state.object(ROOT_OBJECT_ID)!.meta);
  return found;
}

/** The hash of every node that a store has. */
export async function storedNodes(rows: ReadableStore): Promise<Set<string>> {
  const hashes = new Set<string>();
  for await (const { key } of rows.scan(columnRange('node'))) hashes.add(toHex(key.subarray(1)));
  return hashes;
}
