/** The index of objects, kept from batch to batch, against rows written commit by commit with nothing remembered. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import {
  INSCRIPTION_TYPE,
  ObjectIndexUpdate,
  readObjectRow,
  UTXO_TYPE,
  writeObjectIndex,
} from '../../../src/chain/index/objects.ts';
import type { FieldChange, StateChangeSet, ValueChange } from '../../../src/chain/object/change-set.ts';
import { type ObjectId, objectIdBytes } from '../../../src/chain/object/object-id.ts';
import { parseStructTag, type StructTag } from '../../../src/move/type-tag.ts';
import { columnKey } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { collected } from '../../collected.ts';
import { runs } from '../../effort.ts';

const TYPES: readonly StructTag[] = [
  parseStructTag('0x2::object::DynamicField<u8, u8>'),
  parseStructTag('0x3::coin_store::CoinStore<0x3::gas_coin::RGas>'),
  parseStructTag('0x2::account::Account'),
  UTXO_TYPE,
  INSCRIPTION_TYPE,
];

/** Keys that begin alike, so that several have the digest by which the index finds them. */
const keyOf = (number: number): Uint8Array => new Uint8Array(32).fill(7, 0, 4).fill(number, 31);

interface Touch {
  /** Of its key, and so of its type, which an object has all its life. */
  readonly number: number;
  readonly owner: number;
  readonly kind: ValueChange['kind'] | undefined;
  readonly below: readonly Touch[];
}

function touches(depth: number): fc.Arbitrary<readonly Touch[]> {
  const touch = fc.record<Touch>({
    number: fc.nat({ max: 5 }),
    owner: fc.nat({ max: 2 }),
    kind: fc.constantFrom<Touch['kind'][]>('new', 'modify', 'delete', undefined),
    below: depth === 0 ? fc.constant([]) : touches(depth - 1),
  });
  const several = fc.uniqueArray(touch, { maxLength: 4, selector: ({ number }) => number });
  return several.map((all) => all.sort((left, right) => left.number - right.number));
}

function changesOf(parent: ObjectId, all: readonly Touch[]): FieldChange[] {
  return all.map(({ number, owner, kind: any, below }) => {
    // UTXOs and inscriptions are new only if there is none yet, which random changes do not check.
    const type = number % TYPES.length;
    const kind = any === 'new' && type > 2 ? 'modify' : any;
    const key = keyOf(number);
    const id = [...parent, key];
    const meta = {
      ...{ id, owner: new Uint8Array(32).fill(owner), flag: 0, stateRoot: undefined, size: 0n },
      ...{ createdAt: 0n, updatedAt: 0n, objectType: TYPES[type]! },
    };
    const value = kind === undefined || kind === 'delete' ? kind && { kind } : { kind, value: new Uint8Array(0) };
    return [key, { meta, value, fields: changesOf(id, below) }];
  });
}

const changeSetOf = (all: readonly Touch[]): StateChangeSet => ({
  stateRoot: new Uint8Array(32),
  globalSize: 0n,
  changes: changesOf([], all),
});

async function rowsOf(store: MemoryStore): Promise<string[]> {
  return (await collected(store.scan({}))).map(({ key, value }) => `${toHex(key)} ${toHex(value)}`);
}

/** Writes what an update has, after checking what it says of the rows that it replaces. */
function write(store: MemoryStore, update: ObjectIndexUpdate): void {
  const operations = RowBatch.operationsOf((batch) => update.write(batch));
  for (const operation of operations) {
    const { key, replaced } = operation;
    if (replaced !== undefined) expect(toHex(store.get(key)!)).toBe(toHex(replaced));
    if (operation.type === 'put' && operation.isNew === true) expect(store.get(key)).toBeUndefined();
  }
  store.apply(operations);
}

describe('the index of objects', () => {
  it('is the same whether rows stay known from batch to batch or are read for each commit', async () => {
    const batches = fc.array(fc.record({ commits: fc.array(touches(1), { maxLength: 3 }), isTaken: fc.boolean() }));
    await fc.assert(
      fc.asyncProperty(batches, async (all) => {
        const [store, model] = [new MemoryStore(), new MemoryStore()];
        const update = new ObjectIndexUpdate(store);
        let order = 0n;
        for (const { commits, isTaken } of all) {
          const [kept, expected] = [store.checkpoint(), model.checkpoint()];
          for (const commit of commits) {
            const changeSet = changeSetOf(commit);
            update.add(++order, changeSet);
            model.apply(RowBatch.operationsOf((batch) => writeObjectIndex(batch, model, order, changeSet)));
          }
          write(store, update);
          expect(await rowsOf(store)).toEqual(await rowsOf(model));
          if (isTaken) continue;
          // Somebody else writes to the store: what was known must not be used.
          store.restore(kept);
          model.restore(expected);
          update.forget();
        }
      }),
      { numRuns: runs(200, 2_000) },
    );
  });

  it('is right for more objects than stay cached', async () => {
    const [store, model] = [new MemoryStore(), new MemoryStore()];
    const update = new ObjectIndexUpdate(store);
    for (let order = 1n; order <= 3n; order++) {
      const changes = Array.from({ length: 1_500 }, (_, number): FieldChange => {
        const key = new Uint8Array(32);
        new DataView(key.buffer).setUint16(0, number);
        const [[, change]] = changesOf([], [{ number: 2, owner: 1, kind: 'modify', below: [] }]) as [FieldChange];
        return [key, { ...change, meta: { ...change.meta, id: [key] } }];
      });
      const changeSet = { ...changeSetOf([]), changes };
      update.add(order, changeSet);
      model.apply(RowBatch.operationsOf((batch) => writeObjectIndex(batch, model, order, changeSet)));
      write(store, update);
    }
    expect(await rowsOf(store)).toEqual(await rowsOf(model));
  });

  it('is unchanged by a commit that finds a row that does not decode', async () => {
    const [store, model] = [new MemoryStore(), new MemoryStore()];
    const update = new ObjectIndexUpdate(store);
    const touch = (number: number): Touch => ({ number, owner: 1, kind: 'modify', below: [] });
    const damaged = columnKey('object', objectIdBytes([keyOf(2)]));
    for (const each of [store, model]) each.apply([{ type: 'put', key: damaged, value: Uint8Array.of(1) }]);
    expect(() => update.add(1n, changeSetOf([touch(1), touch(2)]))).toThrow(
      expect.objectContaining({ code: 'corrupt' }),
    );
    const changeSet = changeSetOf([touch(3)]);
    update.add(1n, changeSet);
    write(store, update);
    model.apply(RowBatch.operationsOf((batch) => writeObjectIndex(batch, model, 1n, changeSet)));
    expect(await rowsOf(store)).toEqual(await rowsOf(model));
  });

  it('keeps the type with which an object was created', () => {
    const store = new MemoryStore();
    const update = new ObjectIndexUpdate(store);
    const typed = (type: string): StateChangeSet => {
      const [[at, change]] = changesOf([], [{ number: 1, owner: 1, kind: 'modify', below: [] }]) as [FieldChange];
      const meta = { ...change.meta, objectType: parseStructTag(type) };
      return { ...changeSetOf([]), changes: [[at, { ...change, meta }]] };
    };
    const types = ['0x42::a::First', '0x42::a::Second'];
    for (const [order, type] of types.entries()) {
      update.add(BigInt(order), typed(type));
      store.apply(RowBatch.operationsOf((batch) => update.write(batch)));
    }
    expect(readObjectRow(store, [keyOf(1)])).toMatchObject({ order: 1n, objectType: parseStructTag(types[0]!) });
  });
});
