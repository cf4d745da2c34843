/** Verification finds nothing on sound chains, and names the fault of every tampered row. */

import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { readChangeSet } from '../../../src/chain/ledger/change-sets.ts';
import { type FieldChange, stateChangeSetExt } from '../../../src/chain/object/change-set.ts';
import { nodeSource } from '../../../src/chain/state/node-row.ts';
import { type Account, Engine } from '../../../src/index.ts';
import { event as eventCodec, type ObjectChange, type ValueChange } from '../../../src/query/transaction-builder.ts';
import { verifyStore } from '../../../src/query/verify/verify.ts';
import { COLUMN, type ColumnName, columnKey, orderBytes } from '../../../src/store/column.ts';
import { MemoryStore, type Operation, openDirectory, type Row } from '../../../src/store/index.ts';
import { type ScriptStep, scriptArbitrary } from '../../arbitraries/chain.ts';
import { collected } from '../../collected.ts';
import { property, randomNumbers, runs, seed } from '../../effort.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';
import { payment } from '../../payment.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directory = temporaryDirectories();

const COLUMN_OF: ReadonlyMap<number, ColumnName> = new Map(
  Object.entries(COLUMN).map(([name, prefix]) => [prefix, name as ColumnName]),
);

/** A store with a chain of some transactions of every kind. */
async function storeOf(steps: number): Promise<MemoryStore> {
  const script = fc.sample(scriptArbitrary(steps), { numRuns: 30 });
  const [longest] = script.sort((left, right) => right.length - left.length) as [readonly ScriptStep[]];
  const store = new MemoryStore();
  const player = await ChainPlayer.open({ store });
  await player.play(longest);
  await player.submit({
    ...longest[0]!,
    events: [1, 2, 3].map((type) => ({ type, handle: type, data: Uint8Array.of(type) })),
  });
  return store;
}

async function problemsAfter(store: MemoryStore, operations: readonly Operation[]): Promise<readonly string[]> {
  const tampered = store.fork();
  await tampered.batch(operations);
  return (await verifyStore(tampered)).problems;
}

describe('a sound chain', () => {
  it('has nothing to report, whatever happened on it', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(10), async (script) => {
        const store = new MemoryStore();
        const player = await ChainPlayer.open({ store });
        await player.play(script);
        const report = await verifyStore(store);
        expect(report.problems).toEqual([]);
        expect(report.transactions).toBe(player.model.transactions.length);
        expect(report.objects).toBe(player.model.objects.size);
        await player.engine.close();
      }),
      property(4, 300),
    );
  });

  it('is verified while it is written', async () => {
    const store = new MemoryStore();
    const player = await ChainPlayer.open({ store });
    const view = store.view();
    const step = fc.sample(scriptArbitrary(1), { numRuns: 1 })[0]![0]!;
    const [report] = await Promise.all([verifyStore(view), player.submit(step)]);
    expect(report).toMatchObject({ problems: [], transactions: 1 });
    view.release();
  });

  it('is missing in an empty store', async () => {
    await expect(verifyStore(new MemoryStore())).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe('a store whose rows can be written to', () => {
  it('reports every row that is removed', { timeout: 600_000 }, async () => {
    const store = await storeOf(8);
    const rows = (await collected(store.scan({}))).filter(({ key }) => key[0] !== COLUMN.head);
    const next = randomNumbers(seed);
    const kinds = new Map<number, Row[]>();
    for (const row of rows) kinds.set(row.key[0]!, [...(kinds.get(row.key[0]!) ?? []), row]);
    const each = runs(1, 1_000_000);
    for (const [prefix, some] of kinds) {
      const chosen = each >= some.length ? some : Array.from({ length: each }, () => some[next(some.length)]!);
      for (const { key } of chosen) {
        const problems = await problemsAfter(store, [{ type: 'delete', key }]);
        expect(problems.length, `${COLUMN_OF.get(prefix)} ${toHex(key)}, seed ${seed}`).toBeGreaterThan(0);
      }
    }
  });

  it('reports every row that is added', async () => {
    const store = await storeOf(3);
    const rows = await collected(store.scan({}));
    const invented = new Map<number, Uint8Array>();
    for (const { key } of rows)
      invented.set(
        key[0]!,
        Uint8Array.from(key, (byte, at) => (at > 0 && at === key.length - 1 ? byte ^ 0xff : byte)),
      );
    invented.set(COLUMN.head, columnKey('head', Uint8Array.of(0)));
    invented.set(COLUMN.transaction, columnKey('transaction', orderBytes(1_000n)));
    invented.set(COLUMN.executionInfo, columnKey('executionInfo', orderBytes(1_000n)));
    invented.set(COLUMN.changeSet, columnKey('changeSet', orderBytes(1_000n)));
    invented.set(0x02, Uint8Array.of(0x02));
    invented.set(0xff, Uint8Array.of(0xff, 1, 2));
    for (const [prefix, key] of invented) {
      const value = rows.find((row) => row.key[0] === prefix)?.value ?? new Uint8Array(1);
      const problems = await problemsAfter(store, [{ type: 'put', key, value }]);
      expect(problems.join('\n'), `${COLUMN_OF.get(prefix)}`).toMatch(
        prefix === COLUMN.event ? /event/ : new RegExp(toHex(key)),
      );
    }
  });

  /** A node of another chain that a store has not. */
  async function foreignNode(nodes: readonly Row[]): Promise<Row> {
    const other = new MemoryStore();
    const player = await ChainPlayer.open({ store: other });
    const create = { kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(77, 78) } as const;
    await player.submit({ kind: 'l1-block', sender: 0, advance: 9, actions: [create], events: [], isQueued: false });
    const own = new Set(nodes.map(({ key }) => toHex(key)));
    return (await nodesOf(other)).find(({ key }) => !own.has(toHex(key)))!;
  }

  const nodesOf = async (store: MemoryStore): Promise<Row[]> =>
    (await collected(store.scan({}))).filter(({ key }) => key[0] === COLUMN.node);

  it('reports a tree node that belongs to no state, also beside one that is missing', {
    timeout: 600_000,
  }, async () => {
    const store = await storeOf(3);
    const nodes = await nodesOf(store);
    const foreign = await foreignNode(nodes);
    const alone = await problemsAfter(store, [{ type: 'put', ...foreign }]);
    expect(alone).toEqual([`the node row ${toHex(foreign.key)} belongs to nothing`]);
    let seen = 0;
    for (const { key } of nodes) {
      if (seen === 2) break;
      const missing = `the tree node 0x${toHex(key.subarray(1))} is missing`;
      // If a change cannot be applied without it, that is the problem which is reported.
      if (!(await problemsAfter(store, [{ type: 'delete', key }])).includes(missing)) continue;
      seen++;
      const both = await problemsAfter(store, [
        { type: 'delete', key },
        { type: 'put', ...foreign },
      ]);
      expect(both).toEqual(expect.arrayContaining([missing, ...alone]));
    }
    expect(seen).toBe(2);
  });

  /** What nothing else in a store reveals: only running the transactions again would. */
  const FREE: readonly ColumnName[] = ['transaction', 'executionInfo', 'head'];

  it('reports every byte that is changed in what follows from something else', { timeout: 900_000 }, async () => {
    const store = await storeOf(4);
    const rows = (await collected(store.scan({}))).filter(
      ({ key, value }) => value.length > 0 && !FREE.includes(COLUMN_OF.get(key[0]!)!),
    );
    const next = randomNumbers(seed);
    for (let round = 0; round < runs(12, 3_000); round++) {
      const columns = [...new Set(rows.map(({ key }) => key[0]!))];
      const prefix = columns[next(columns.length)]!;
      const some = rows.filter(({ key }) => key[0] === prefix);
      const { key, value } = some[next(some.length)]!;
      const changed = value.slice();
      const at = next(value.length);
      changed[at]! ^= 1 << next(8);
      const problems = await problemsAfter(store, [{ type: 'put', key, value: changed }]);
      expect(problems.length, `${COLUMN_OF.get(prefix)} ${toHex(key)}, byte ${at}, seed ${seed}`).toBeGreaterThan(0);
    }
  });

  it('reports that an unchanged value was written, or a written one was not, by the time of its object', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const [alice, bob] = engine.accounts as [Account, Account];
    const id = `0x${'ab'.repeat(32)}`;
    const value = { type: '0x2::timestamp::Timestamp', value: { milliseconds: 1n } };
    await engine.dev.setObject(id, value);
    await engine.dev.time.advance(1_000n);
    const again = await engine.dev.setObject(id, value);
    const moved = await engine.executeAs(alice.address, payment(bob.address));
    const problemsOf = (order: bigint, alter: (change: ObjectChange) => ValueChange | undefined) => {
      const nodes = nodeSource(store);
      const { stateChangeSet, sequenceNumber } = readChangeSet(store, nodes, order);
      const changes = stateChangeSet.changes.map(
        ([key, change]): FieldChange => [key, { ...change, value: alter(change) }],
      );
      const changed = { stateChangeSet: { ...stateChangeSet, changes }, sequenceNumber };
      const key = columnKey('changeSet', orderBytes(order));
      return problemsAfter(store, [{ type: 'put', key, value: encode(stateChangeSetExt, changed) }]);
    };
    expect(await problemsOf(again.order, ({ value }) => value)).toEqual([]);
    expect(await problemsOf(again.order, () => undefined)).toEqual([
      `the change set says that the value of ${id} was not written, and gives it another time`,
    ]);
    const state = engine.at(moved.stateRoot).inside.state;
    const asIfWritten = ({ meta, value }: ObjectChange): ValueChange | undefined =>
      value ?? { kind: 'modify', value: state.object(meta.id)!.value };
    expect(await problemsOf(moved.order, asIfWritten)).toEqual([
      expect.stringMatching(/^the change set says that the value of 0x\w+ was written, and gives it the same time$/),
    ]);
  });

  it('reports an event that says it has an index that no event can have', async () => {
    const store = await storeOf(4);
    const row = (await collected(store.scan({}))).find(({ key }) => key[0] === COLUMN.event)!;
    const stored = decode(eventCodec, row.value);
    const value = encode(eventCodec, { ...stored, eventIndex: 2n ** 41n });
    const problems = await problemsAfter(store, [{ type: 'put', key: row.key, value }]);
    expect(problems.join('\n')).toContain(`says it has index ${2n ** 41n}`);
  });

  it('reports a head to which its transaction does not lead', async () => {
    const store = await storeOf(4);
    const key = columnKey('head');
    const value = store.get(key)!;
    // Version, genesis hash: what the head alone says.
    for (let at = 4 + 32; at < value.length; at += runs(17, 1)) {
      const changed = value.slice();
      changed[at]! ^= 1;
      const outcome = await problemsAfter(store, [{ type: 'put', key, value: changed }]).catch((error) => [error.code]);
      expect(outcome.length, `byte ${at}`).toBeGreaterThan(0);
    }
  });

  it('ends soon if the head names an order far away', async () => {
    const store = await storeOf(2);
    const key = columnKey('head');
    const value = store.get(key)!.slice();
    new DataView(value.buffer).setBigUint64(4 + 32 + 8, 0x7fff_ffff_ffff_ffffn, true);
    const problems = await problemsAfter(store, [{ type: 'put', key, value }]);
    expect(problems.length).toBe(100);
  });
});

describe('a directory', () => {
  it('with any byte of a row damaged is reported with the key of the row', { timeout: 900_000 }, async () => {
    const path = directory();
    await using player = await ChainPlayer.open({ store: path });
    await player.play(fc.sample(scriptArbitrary(4), { numRuns: 1 })[0]!);
    await player.engine.close();
    const next = randomNumbers(seed);
    const stored = await withLevel(path, (level) => level.iterator().all());
    expect(readdirSync(path).length).toBeGreaterThan(2);
    for (let round = 0; round < runs(6, 500); round++) {
      const columns = [...new Set(stored.map(([key]) => key[0]!))].filter((prefix) => prefix !== COLUMN.head);
      const prefix = columns[next(columns.length)]!;
      const some = stored.filter(([key]) => key[0] === prefix);
      const [key, sealed] = some[next(some.length)]!;
      const damaged = Uint8Array.from(sealed);
      damaged[next(damaged.length)]! ^= 1 << next(8);
      await withLevel(path, (level) => level.put(key, damaged));
      const store = await openDirectory(path);
      const { problems } = await verifyStore(store);
      await store.close();
      expect(problems.join('\n'), `seed ${seed}`).toContain(toHex(key.subarray(0, 64)));
      await withLevel(path, (level) => level.put(key, sealed));
    }
    const store = await openDirectory(path);
    expect((await verifyStore(store)).problems).toEqual([]);
    await store.close();
    await using engine = await Engine.open({ store: path });
    expect(engine.status().lostCommits).toBe(0n);
  });
});

/** The database itself, below the checksums. */
async function withLevel<T>(path: string, use: (level: Level<Uint8Array, Uint8Array>) => Promise<T>): Promise<T> {
  const level = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' });
  await level.open();
  try {
    return await use(level);
  } finally {
    await level.close();
  }
}
