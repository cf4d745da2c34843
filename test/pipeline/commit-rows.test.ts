/**
 * What commits write, against rows that are put together here, one by one, from what the commits say. Rows of the tree
 * and of change sets have tests of their own (test/chain/state, test/chain/ledger).
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { FIELD_INDEXER_ID } from '../../src/chain/index/fields.ts';
import { objectRow } from '../../src/chain/index/objects.ts';
import { HEAD_KEY, head } from '../../src/chain/ledger/head.ts';
import { signedRow } from '../../src/chain/ledger/transactions.ts';
import type { ChangedFields } from '../../src/chain/object/change-set.ts';
import { isDynamicField } from '../../src/chain/object/object-state.ts';
import type { State } from '../../src/chain/state/state.ts';
import { SYSTEM_ADDRESS } from '../../src/move/address.ts';
import { canonicalTypeBytes, structType } from '../../src/move/type-tag.ts';
import { type Commit, CommitGroup } from '../../src/pipeline/commit.ts';
import {
  event,
  executionInfo,
  ledgerTransaction,
  type ObjectChange,
  type ObjectId,
  objectId,
  parseStructTag,
  type StateChangeSet,
  type StructTag,
} from '../../src/query/transaction-builder.ts';
import { COLUMN, type ColumnName, columnKey, orderBytes, positionBytes } from '../../src/store/column.ts';
import { MemoryStore, type Operation, openDirectory, type ReadableStore } from '../../src/store/index.ts';
import { scriptArbitrary } from '../arbitraries/chain.ts';
import { property } from '../effort.ts';
import { ChainPlayer } from '../journeys/chain-player.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();

/** Columns with tests of their own; accumulator nodes do not follow from one commit. */
const ELSEWHERE: readonly number[] = [
  ...[COLUMN.node, COLUMN.staleNodes, COLUMN.detachedTrees, COLUMN.changeSet, COLUMN.accumulatorNode],
];

const UTXO_TYPES = ['0x4::utxo::UTXO', '0x4::ord::Inscription'].map(parseStructTag);

const typeHash = (type: StructTag): Uint8Array => sha3(canonicalTypeBytes(structType(type)));
const idBytes = (id: ObjectId): Uint8Array => encode(objectId, id);
const sameType = (left: StructTag, right: StructTag): boolean =>
  toHex(canonicalTypeBytes(structType(left))) === toHex(canonicalTypeBytes(structType(right)));

interface ObjectPlace {
  readonly owner: Uint8Array;
  readonly objectType: StructTag;
  readonly order: bigint;
  readonly index: number;
}

/** The rows of a store as text, and what the index knows of the objects. */
class RowModel {
  readonly rows = new Map<string, string>();
  readonly #objects = new Map<string, ObjectPlace>();

  static async of(store: ReadableStore): Promise<RowModel> {
    const model = new RowModel();
    for await (const row of store.scan({})) {
      const { key, value } = signedRow(store, row);
      if (ELSEWHERE.includes(key[0]!)) continue;
      model.rows.set(toHex(key), toHex(value));
      if (key[0] !== COLUMN.object) continue;
      const { owner, objectType, order, index } = decode(objectRow, value);
      model.#objects.set(toHex(key.subarray(1)), { owner, objectType, order, index });
    }
    return model;
  }

  add({ head: after, record, events, changeSet }: Commit): void {
    const { order, transaction, executionInfo: info } = record;
    const { data, sequenceInfo } = transaction;
    const at = orderBytes(order);
    const sender = data.kind === 'l2-transaction' ? data.data.sender : SYSTEM_ADDRESS;
    this.#put('transaction', [at], encode(ledgerTransaction, transaction));
    this.#put('executionInfo', [at], encode(executionInfo, info));
    this.#put('transactionOrder', [info.txHash], at);
    this.#put('stateRoot', [info.stateRoot], at);
    this.#put('transactionBySender', [sender, at]);
    this.#put('transactionByTime', [orderBytes(sequenceInfo.txTimestamp), at]);
    for (const { position, event: stored } of events) {
      const place = positionBytes(position);
      const type = typeHash(stored.eventType);
      const handle = idBytes(stored.handle);
      this.#put('event', [place], encode(event, stored));
      this.#put('eventByHandle', [handle, orderBytes(stored.eventSeq)], place);
      this.#put('eventHandle', [handle], orderBytes(stored.eventSeq + 1n));
      this.#put('eventByType', [type, place], sender);
      this.#put('eventBySender', [sender, place], Uint8Array.of(...type, ...sha3(handle)));
    }
    this.#objectsOf(order, changeSet.changes, [0, 0, 0]);
    this.rows.set(toHex(HEAD_KEY), toHex(encode(head, after)));
  }

  #objectsOf(order: bigint, changes: ChangedFields, counts: [number, number, number]): void {
    for (const [, { meta, value, fields }] of changes) {
      if (isDynamicField(meta)) continue;
      const id = toHex(idBytes(meta.id));
      const index = counts[classOf(meta.objectType)]++;
      const before = this.#objects.get(id);
      if (before !== undefined) for (const key of placeKeys(before)) this.rows.delete(toHex(key));
      if (value?.kind === 'delete') {
        this.#objects.delete(id);
        this.rows.delete(toHex(columnKey('object', idBytes(meta.id))));
      } else {
        const place = { owner: meta.owner, objectType: before?.objectType ?? meta.objectType, order, index };
        this.#objects.set(id, place);
        this.#put('object', [idBytes(meta.id)], encode(objectRow, place));
        for (const key of placeKeys(place)) this.rows.set(toHex(key), id);
      }
      this.#objectsOf(order, fields, counts);
    }
  }

  #put(column: ColumnName, parts: readonly Uint8Array[], value: Uint8Array = new Uint8Array(0)): void {
    this.rows.set(toHex(columnKey(column, ...parts)), toHex(value));
  }
}

function classOf(type: StructTag): 0 | 1 | 2 {
  return (1 + UTXO_TYPES.findIndex((special) => sameType(special, type))) as 0 | 1 | 2;
}

function placeKeys(place: ObjectPlace): Uint8Array[] {
  const { owner, objectType } = place;
  const at = positionBytes(place);
  const kind = Uint8Array.of(classOf(objectType));
  const byOwner = columnKey('objectByOwner', kind, owner, at);
  if (kind[0] !== 0) return [byOwner, columnKey('objectByPosition', kind, at)];
  const types = [objectType];
  if (objectType.typeArguments.length > 0) types.push({ ...objectType, typeArguments: [] });
  return [
    byOwner,
    ...types.flatMap((type) => [
      columnKey('objectByType', typeHash(type), at),
      columnKey('objectByOwnerAndType', owner, typeHash(type), at),
    ]),
  ];
}

const sorted = (rows: ReadonlyMap<string, string>): string[] => [...rows].map((row) => row.join(' ')).sort();

describe('what commits write', () => {
  it('is what follows from each of them, in a store in memory and in a directory', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(10), fc.boolean(), async (script, isDurable) => {
        const store = isDurable ? await openDirectory(directory()) : new MemoryStore();
        const player = await ChainPlayer.open({ store });
        const expected = await RowModel.of(store);
        for (const commit of await player.play(script)) expected.add(commit);
        const stored = await RowModel.of(store);
        await player.engine.close();
        await store.close();
        expect(sorted(stored.rows)).toEqual(sorted(expected.rows));
      }),
      property(12, 500),
    );
  });

  it('goes through a replacement of the store’s own apply', async () => {
    class Observed extends MemoryStore {
      readonly kinds = new Set<number>();

      override apply(operations: readonly Operation[]): void {
        for (const { key } of operations) this.kinds.add(key[0]!);
        super.apply(operations);
      }
    }
    const store = new Observed();
    await using player = await ChainPlayer.open({ store });
    const expected = await RowModel.of(store);
    store.kinds.clear();
    const [script] = fc.sample(scriptArbitrary(10), { numRuns: 1, seed: 1 });
    for (const commit of await player.play(script!)) expected.add(commit);
    expect(sorted((await RowModel.of(store)).rows)).toEqual(sorted(expected.rows));
    expect(store.kinds).toContain(COLUMN.node);
    expect(store.kinds).toContain(COLUMN.head);
  });
});

it('the indexed parents of a state are read again at another root, and once they may have changed', () => {
  const rootOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
  const stateOf = (byte: number, found: number): State => {
    const fields = () => [{ key: rootOf(0), object: { value: Uint8Array.of(found) } }];
    return { root: rootOf(byte), fields } as unknown as State;
  };
  const none = { stateRoot: rootOf(1), globalSize: 0n, changes: [] };
  const change = { meta: { id: FIELD_INDEXER_ID }, fields: [] } as unknown as ObjectChange;
  const group = new CommitGroup(new MemoryStore());
  const found = (state: State, changeSet: StateChangeSet = none): unknown =>
    group.indexedParents(state, changeSet).map(({ value }) => value[0]);
  expect([found(stateOf(1, 10)), found(stateOf(1, 11)), found(stateOf(2, 12))]).toEqual([[10], [10], [12]]);
  group.leadTo({ ...none, stateRoot: rootOf(3) });
  expect([found(stateOf(3, 13)), found(stateOf(2, 14))]).toEqual([[12], [14]]);
  const changed = { ...none, changes: [[rootOf(0), change]] as const };
  expect([found(stateOf(2, 15), changed), found(stateOf(2, 16))]).toEqual([[15], [16]]);
  group.forget();
  expect(found(stateOf(2, 17))).toEqual([17]);
});
