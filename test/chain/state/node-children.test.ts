/** What is left of a tree of fields that an object gave up, when the same transaction made some of its fields again. */
import { expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import type { FieldChange } from '../../../src/chain/object/change-set.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { childrenOf, detachedNodes, nodeSource, writeNodes } from '../../../src/chain/state/node-row.ts';
import { State } from '../../../src/chain/state/state.ts';
import { addressOf } from '../../../src/move/address.ts';
import { type ObjectId, parseStructTag } from '../../../src/query/transaction-builder.ts';
import { columnKey } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { freshMeta } from '../../forge.ts';

const PARENT: ObjectId = [sha3(Uint8Array.of(0))];
const keyOf = (number: number): Uint8Array => sha3(Uint8Array.of(number));

function changeOf(id: ObjectId, kind: 'new' | 'modify', fields: readonly FieldChange[]): FieldChange {
  const meta = {
    ...{ ...freshMeta(id, parseStructTag('0x42::a::B')), owner: addressOf(1), createdAt: 1n, updatedAt: 1n },
  };
  return [id.at(-1)!, { meta, value: { kind, value: Uint8Array.of(7) }, fields }];
}

const GRANDCHILD = changeOf([...PARENT, keyOf(2), keyOf(10)], 'new', []);

const fieldsOf = (numbers: readonly number[]): FieldChange[] =>
  numbers
    .map((number) => changeOf([...PARENT, keyOf(number)], 'new', number === 2 ? [GRANDCHILD] : []))
    .sort(([left], [right]) => Buffer.compare(left, right));

it.each([[[]], [[1]], [[1, 2, 3]], [[1, 2, 3, 4, 5, 6]], [[1, 9]]])('with the fields %j again', (again) => {
  const store = new MemoryStore();
  const tree = new Tree(nodeSource(store), new NodeCache({ nodesMax: 0 }));
  let state = new State(tree, EMPTY_ROOT, 0n);
  let fresh: string[] = [];
  const commit = (order: bigint, change: FieldChange): readonly Uint8Array[] => {
    const applied = applyChangeSet(state, { stateRoot: state.root, globalSize: 1n, changes: [change] });
    fresh = [...applied.fresh].map(({ hash }) => toHex(hash));
    store.apply(RowBatch.operationsOf((batch) => writeNodes(batch, order, applied)));
    state = new State(tree, applied.changeSet.stateRoot, 1n);
    return applied.detached;
  };
  const below = (hash: Uint8Array): string[] =>
    Buffer.compare(hash, EMPTY_ROOT) === 0
      ? []
      : [toHex(hash), ...childrenOf(hash, nodeSource(store)(hash)!).flatMap(below)];
  const fields = (): string[] => below(state.object(PARENT)!.meta.stateRoot!);

  commit(1n, changeOf(PARENT, 'new', fieldsOf([1, 2, 3, 4, 5, 6])));
  const before = fields();
  // The leaf of the parent comes last.
  expect([...before].sort()).toEqual(fresh.slice(0, -1).sort());
  const [detached] = commit(2n, changeOf(PARENT, 'modify', fieldsOf(again))) as [Uint8Array];
  const gone = [...detachedNodes(store, detached, 2n)].map((key) => toHex(key));
  expect([...detachedNodes(new MemoryStore(), detached, 2n)]).toEqual([]);
  const after = new Set(fields());
  const expected = before.filter((hash) => !after.has(hash));
  expect(gone.sort()).toEqual(expected.map((hash) => toHex(columnKey('node', Buffer.from(hash, 'hex')))).sort());
});
