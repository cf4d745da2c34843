/** An origin that lies about what a fork says it verifies is caught, whichever row it changes, and in whatever way. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { event } from '../../../src/chain/transaction/event.ts';
import { ledgerTransaction, ledgerTransactionData } from '../../../src/chain/transaction/ledger.ts';
import { transactionData } from '../../../src/chain/transaction/signed.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { RemoteStore } from '../../../src/engine/remote/remote-store.ts';
import { ServedRows } from '../../../src/engine/remote/served-rows.ts';
import { COLUMN, columnKey } from '../../../src/store/column.ts';
import type { Row } from '../../../src/store/store.ts';
import { BRANCH_HEAD_BYTES, BRANCH_TAG } from '../../../src/store/tree/node.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { MIXED_OPTIONS, playMixedRun } from '../../log/recording/mixed-run.ts';
import { paidOrigin, transfer } from './origin.ts';

/** Every lie is one run. */
const LIES = runs(400, 10_000);

const pick = randomNumbers(seed);

let engine: Engine;
/** The rows of which something is verified. */
const rows: Row[] = [];

beforeAll(async () => {
  engine = await Engine.open(MIXED_OPTIONS);
  await playMixedRun(engine, { seed, orders: 80 });
  const { head, rows: store } = engine.inside.reader;
  const served = new ServedRows({ head, rows: store, isHeld: true }, false);
  for (const column of [COLUMN.node, COLUMN.transaction, COLUMN.executionInfo, COLUMN.event]) {
    for await (const { key } of store.scan({ gte: Uint8Array.of(column), lt: Uint8Array.of(column + 1) })) {
      rows.push({ key, value: served.value(key)! });
    }
  }
});

afterAll(() => engine.close());

/** The part of a row that is verified: from and to. */
function verifiedPart({ key, value }: Row): readonly [from: number, to: number] {
  switch (key[0]) {
    case COLUMN.node:
      return [8, value.length];
    case COLUMN.transaction: {
      // The signature of a transaction is not part of its hash.
      const { data } = decode(ledgerTransaction, value);
      const hashed = data.kind === 'l2-transaction' ? 1 + encode(transactionData, data.data).length : undefined;
      return [0, hashed ?? encode(ledgerTransactionData, data).length];
    }
    case COLUMN.executionInfo:
      // The hash of the transaction, as text.
      return [0, 67];
    default: {
      const { eventData } = decode(event, value);
      return [value.length - 8 - eventData.length, value.length - 8];
    }
  }
}

/** Changes a byte, cuts the row, or gives another row of the same kind in its place. */
function lieAbout(row: Row): Uint8Array {
  const [from, to] = verifiedPart(row);
  const kind = pick(10);
  if (kind === 0 && row.key[0] !== COLUMN.event) return row.value.slice(0, from + pick(to - from));
  const others = rows.filter(({ key, value }) => key[0] === row.key[0] && !equalPart(row, { key, value }));
  if (kind === 1 && row.key[0] === COLUMN.node) return others[pick(others.length)]!.value;
  const lie = row.value.slice();
  lie[from + pick(to - from)]! ^= 1 + pick(255);
  return lie;
}

function equalPart(left: Row, right: Row): boolean {
  return Buffer.from(left.value).equals(right.value);
}

/** The keys of a node's children, if it is a branch. */
function childrenOf(row: Uint8Array): Uint8Array[] {
  const keys: Uint8Array[] = [];
  if (row[8] === BRANCH_TAG) {
    for (let at = 8 + BRANCH_HEAD_BYTES; at < row.length; at += 32)
      keys.push(columnKey('node', row.subarray(at, at + 32)));
  }
  return keys;
}

/** The store of a fork whose origin says something else of one row, whenever it sends it. */
function forkOf(lie: Row): RemoteStore {
  const { head, rows: store } = engine.inside.reader;
  const served = new ServedRows({ head, rows: store, isHeld: true }, false);
  const told = ({ key, value }: { key: Uint8Array; value: Uint8Array | undefined }) =>
    Buffer.from(key).equals(lie.key) ? { key, value: lie.value } : { key, value };
  return new RemoteStore({
    point: { head, clockOffset: undefined, history: undefined, hasLists: true, more: [] },
    name: 'http://liar.example',
    cache: undefined,
    genesis: undefined,
    hasGenesis: false,
    isPinned: true,
    origin: {
      requests: 0,
      rows: (keys, { way }) => ({
        values: keys.map((key) => told({ key, value: served.value(key) }).value),
        more: keys.flatMap((key) => [...served.after(key, way)].map(told)),
      }),
      range: async (range) => ({ rows: await served.range(range), more: [] }),
      close: () => {},
    },
  });
}

describe('a lie about a row of which something is verified', () => {
  it(`is refused and names the origin, ${LIES} of ${LIES}`, { timeout: 600_000 }, async () => {
    const kinds = new Map<number, number>();
    for (let told = 0; told < LIES; told++) {
      const row = rows[pick(rows.length)]!;
      const lie = { key: row.key, value: lieAbout(row) };
      const store = forkOf(lie);
      let error: unknown;
      try {
        store.get(row.key);
        // Which children are leaves shows only once one of them is read.
        if (row.key[0] === COLUMN.node) for (const child of childrenOf(row.value)) store.get(child);
      } catch (thrown) {
        error = thrown;
      }
      expect(
        error,
        `${Buffer.from(row.key).toString('hex')} as ${Buffer.from(lie.value).toString('hex')}`,
      ).toMatchObject({
        code: 'remote-untrue',
        details: { remote: 'http://liar.example' },
      });
      kinds.set(row.key[0]!, (kinds.get(row.key[0]!) ?? 0) + 1);
      await store.close();
    }
    for (const column of [COLUMN.node, COLUMN.transaction, COLUMN.executionInfo, COLUMN.event])
      expect(kinds.get(column), `lies about column ${column}`).toBeGreaterThan(0);
  });

  it('does not come from an honest origin: each row is what it says', async () => {
    const store = forkOf({ key: new Uint8Array(0), value: new Uint8Array(0) });
    for (const { key, value } of rows) expect(store.get(key)).toEqual(value);
  });
});

describe('an engine on an origin that lies', () => {
  it('refuses the transaction that needs the row, does nothing of it, and goes on', async () => {
    await using origin = await paidOrigin();
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    const [alice] = fork.accounts;
    const { stateRoot } = fork.head;
    await origin.run((side) => {
      side.answer = async (_, pass) => {
        const { text } = await pass();
        const answer = JSON.parse(text);
        // The last digit of each node.
        const other = (digits: string | null) => digits && digits.slice(0, -1) + (digits.endsWith('0') ? '1' : '0');
        const { values, more } = answer.result;
        answer.result.values = values.map(other);
        answer.result.more = more.map(([key, value]: [string, string]) => [
          key,
          key.startsWith('0x10') ? other(value) : value,
        ]);
        return { text: JSON.stringify(answer) };
      };
    });
    const refused = { code: 'remote-untrue', details: { remote: origin.url } };
    await expect(fork.executeAs(alice!.address, transfer('0x4444', 5n))).rejects.toMatchObject(refused);
    expect(() => fork.balance('0x1001')).toThrow(origin.url);
    await origin.run((side) => {
      side.answer = undefined;
    });
    expect(fork.head.stateRoot).toBe(stateRoot);
    expect((await fork.executeAs(alice!.address, transfer('0x4444', 5n))).order).toBe(65n);
    expect(fork.balance('0x4444')).toBe(5n);
  });
});
