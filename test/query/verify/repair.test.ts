/** What a verification says would mend a store does mend it, and is said only if nothing else is lost. */
import { beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { COLUMN, type ColumnName } from '../../../src/store/column.ts';
import { MemoryStore, type Operation, type Row } from '../../../src/store/index.ts';
import { collected } from '../../collected.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { payment } from '../../payment.ts';

const below = randomNumbers(seed);
/** Columns whose rows follow from those of others. */
const DERIVED: readonly ColumnName[] = [
  'staleNodes',
  'transactionOrder',
  'accumulatorNode',
  'stateRoot',
  'eventByHandle',
  'eventHandle',
  'transactionBySender',
  'transactionByTime',
  'eventByType',
  'eventBySender',
  'object',
  'objectByPosition',
  'objectByOwner',
  'objectByType',
  'objectByOwnerAndType',
];
/** With a bounded history, which of these there are depends on the grouping of commits. */
const FREE: readonly ColumnName[] = ['staleNodes', 'stateRoot'];

const chains: Record<'all' | 'bounded', Row[]> = { all: [], bounded: [] };
/** The head before the last block. */
let earlierHead: Uint8Array;

beforeAll(async () => {
  chains.all = await rowsOf('all');
  chains.bounded = await rowsOf(1_000);
});

async function rowsOf(history: number | 'all'): Promise<Row[]> {
  const store = new MemoryStore();
  const engine = await Engine.open({ store, history });
  const [alice, bob] = engine.accounts;
  const to = DEV_ACCOUNTS[0]!.regtestAddress;
  await engine.dev.mine({ to });
  const transfer = payment(bob!.address, 5n);
  await engine.executeAs(alice!.address, transfer);
  earlierHead = store.get(Uint8Array.of(COLUMN.head))!.slice();
  await engine.dev.mine({ to });
  const rows = await collected(store.scan({}));
  await engine.close();
  return rows.map(({ key, value }) => ({ key: key.slice(), value: value.slice() }));
}

async function storeOf(rows: readonly Row[], ...damage: readonly Operation[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(rows.map((row) => ({ type: 'put', ...row })));
  await store.batch(damage);
  return store;
}

async function textOf(store: MemoryStore): Promise<string[]> {
  return (await collected(store.scan({}))).map(({ key, value }) => `${toHex(key)}=${toHex(value)}`);
}

const inColumns = (rows: readonly Row[], columns: readonly ColumnName[]): Row[] => {
  const prefixes = new Set<number>(columns.map((column) => COLUMN[column]));
  return rows.filter(({ key }) => prefixes.has(key[0]!));
};

/** A row that is missing, changed, or also there under another key. */
function damaged({ key, value }: Row): Operation {
  const choice = below(3);
  const at = below(key.length - 1) + 1;
  if (choice === 0) return { type: 'delete', key };
  if (choice === 1 && value.length > 0) return { type: 'put', key, value: value.with(below(value.length), below(256)) };
  return { type: 'put', key: key.with(at, key[at]! ^ (1 << below(8))), value };
}

describe('what a verification says would mend a store', () => {
  it('is nothing for a sound store', async () => {
    for (const rows of Object.values(chains))
      expect(await verifyStore(await storeOf(rows))).toMatchObject({ problems: [], remedy: [] });
  });

  it.each(['all', 'bounded'] as const)('brings back each row that follows from others: history %s', async (kind) => {
    const rows = chains[kind];
    const columns = kind === 'all' ? DERIVED : DERIVED.filter((column) => !FREE.includes(column));
    const candidates = columns.map((column) => inColumns(rows, [column]));
    const sound = await textOf(await storeOf(rows));
    for (const [index, column] of columns.entries()) expect(candidates[index], column).not.toEqual([]);
    for (let round = 0; round < runs(6, 300); round++) {
      const damage = Array.from({ length: below(3) + 1 }, () => {
        const list = candidates[below(candidates.length)]!;
        return damaged(list[below(list.length)]!);
      });
      const store = await storeOf(rows, ...damage);
      const isDamaged = (await textOf(store)).join() !== sound.join();
      const { problems, remedy } = await verifyStore(store);
      const told = `seed ${seed}, round ${round}: ${damage.map(({ type, key }) => `${type} ${toHex(key)}`).join()}`;
      expect(problems.length > 0, told).toBe(isDamaged);
      await store.batch(remedy!);
      expect(await textOf(store), told).toEqual(sound);
    }
  });

  it.each(['node', 'transaction', 'executionInfo', 'changeSet', 'event'] as const)(
    'is not known if a row of the column %s is missing',
    async (column) => {
      const list = inColumns(chains.all, [column]);
      const { key } = list[below(list.length)]!;
      const { problems, remedy } = await verifyStore(await storeOf(chains.all, { type: 'delete', key }));
      expect([problems.length > 0, remedy], toHex(key)).toEqual([true, undefined]);
    },
  );

  it('never takes away the transactions behind a head that is too old', async () => {
    const old: Operation = { type: 'put', key: Uint8Array.of(COLUMN.head), value: earlierHead };
    const { problems, remedy } = await verifyStore(await storeOf(chains.bounded, old));
    expect([problems.length > 0, remedy]).toEqual([true, undefined]);
  });
});
