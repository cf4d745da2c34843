/** What a chain is kept in: dumps with the digest that they should have, and directories. An input is a list of edits. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from '../../src/base/bcs.ts';
import { equalBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { readChangeSet } from '../../src/chain/ledger/change-sets.ts';
import { HEAD_KEY } from '../../src/chain/ledger/head.ts';
import { signedRow } from '../../src/chain/ledger/transactions.ts';
import { type ChangedFields, type FieldChange, stateChangeSetExt } from '../../src/chain/object/change-set.ts';
import { nodeBytes, nodeOrder, nodeSource } from '../../src/chain/state/node-row.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { columnKey, readOrder } from '../../src/store/column.ts';
import {
  dumpStore,
  loadDump,
  MemoryStore,
  openDirectory,
  type ReadableStore,
  type Row,
} from '../../src/store/index.ts';
import { collected } from '../collected.ts';
import { type Area, type Edit, editBytes, editsOf, refusedOrDone } from './area.ts';

const PAGE_BYTES = 4_096;

/** Bytes as an edit leaves them: one flipped or set, the rest cut off, some added, a page of zeros. */
function edited(bytes: Uint8Array, { offset, kind, byte }: Edit): Uint8Array {
  const at = bytes.length === 0 ? 0 : offset % bytes.length;
  const copy = Uint8Array.from(bytes);
  switch (kind % 6) {
    case 0:
      if (copy.length > 0) copy[at]! ^= 1 << (byte % 8);
      return copy;
    case 1:
      if (copy.length > 0) copy[at] = byte;
      return copy;
    case 2:
      return copy.subarray(0, at);
    case 3:
      return new Uint8Array(0);
    case 4:
      return Uint8Array.from([...copy.subarray(0, at), byte, ...copy.subarray(at)]);
    default:
      return copy.fill(0, at - (at % PAGE_BYTES), at - (at % PAGE_BYTES) + PAGE_BYTES);
  }
}

const firstEdits = (places: number): Uint8Array[] =>
  Array.from({ length: Math.min(places, 12) }, (_, index) =>
    editBytes({ place: Math.floor((index * places) / 12), offset: 97 * index, kind: index, byte: index }),
  );

/** Mines this many blocks on a chain; gives its rows. */
async function mined(store: MemoryStore | string, blocks: number): Promise<Row[]> {
  await using engine = await Engine.open({ store, durability: 'os' });
  for (let block = 0; block < blocks; block++) await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  const copy = new MemoryStore();
  await loadDump(copy, engine.dump(), { headKey: HEAD_KEY });
  return collected(copy.scan({}));
}

/** Whether two stores' change sets differ in nothing but whether values were written again as they were. */
function isSameChange(one: MemoryStore, other: MemoryStore, key: Uint8Array): boolean {
  const [left, right] = [one, other].map((store) => {
    const { stateChangeSet, sequenceNumber } = readChangeSet(store, nodeSource(store), readOrder(key, 1));
    const changes = withoutKept(stateChangeSet.changes);
    return encode(stateChangeSetExt, { stateChangeSet: { ...stateChangeSet, changes }, sequenceNumber });
  });
  return equalBytes(left!, right!);
}

/** The roots, which are right, tell the values. */
function withoutKept(changes: ChangedFields): FieldChange[] {
  return Array.from(changes, ([key, { meta, value, fields }]) => {
    return [key, { meta, value: value?.kind === 'modify' ? undefined : value, fields: withoutKept(fields) }];
  });
}

/** A dump is sound, or its rows are what they were, or it is refused. */
export async function dumps(): Promise<Area> {
  // A directory has forms of rows that memory does not.
  const root = mkdtempSync(join(tmpdir(), 'movelet-fuzz-'));
  const rows = await mined(root, 2);
  rmSync(root, { recursive: true, force: true });
  const original = new MemoryStore();
  await original.batch(rows.map((row) => ({ type: 'put', ...row })));
  return {
    seeds: firstEdits(rows.length),
    msMax: 20_000,
    run: async (input) => {
      const changed = new MemoryStore();
      const values = rows.map(({ value }) => value);
      for (const edit of editsOf(input))
        values[edit.place % rows.length] = edited(values[edit.place % rows.length]!, edit);
      await changed.batch(rows.map(({ key }, index) => ({ type: 'put', key, value: values[index]! })));
      const check = async (whole: ReadableStore): Promise<void> => {
        const { problems } = await verifyStore(whole);
        if (problems.length > 0 || rows.every(({ value }, index) => equalBytes(value, values[index]!))) return;
        // Only running the transactions again tells what no hash covers: authenticators, gas, statuses, and whether a
        // value was written again as it was, of an object last written at the time of the transaction.
        const free = rows.filter(({ value }, index) => !equalBytes(value, values[index]!));
        const guarded = free.filter(
          ({ key }) => key[0] !== 0x20 && key[0] !== 0x22 && !(key[0] === 0x12 && isSameChange(original, changed, key)),
        );
        if (guarded.length > 0)
          throw new Error(`a changed row went unnoticed: ${guarded.map(({ key }) => toHex(key)).join()}`);
      };
      await refusedOrDone(() => loadDump(new MemoryStore(), dumpStore(changed), { headKey: HEAD_KEY, check }));
    },
    close: async () => {},
  };
}

/** A directory gives the rows that it held, or fewer where the end of its log was cut, or is refused. */
export async function directories(): Promise<Area> {
  const root = mkdtempSync(join(tmpdir(), 'movelet-fuzz-'));
  const whole = join(root, 'whole');
  await mined(whole, 30);
  // Opening makes a table of what the log holds, and a second run leaves something in a log.
  const rows = new Map((await mined(whole, 2)).map(({ key, value }) => [toHex(key), value]));
  const names = readdirSync(whole)
    .sort()
    .filter((name) => !/^(?:LOCK|LOG|LOG\.old|owner-)/.test(name));
  return {
    seeds: firstEdits(names.length),
    msMax: 20_000,
    run: async (input) => {
      const path = join(root, 'edited');
      cpSync(whole, path, { recursive: true });
      try {
        // As a killed process leaves it.
        for (const name of readdirSync(path)) if (name.startsWith('owner-')) rmSync(join(path, name));
        for (const edit of editsOf(input)) {
          const file = join(path, names[edit.place % names.length]!);
          writeFileSync(file, edited(readFileSync(file), edit));
        }
        await refusedOrDone(() => readAll(path, rows));
      } finally {
        rmSync(path, { recursive: true, force: true });
      }
    },
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

const NODE = columnKey('node')[0];

async function readAll(path: string, rows: ReadonlyMap<string, Uint8Array>): Promise<void> {
  const store = await openDirectory(path);
  try {
    for (const { key, value } of await collected(store.scan({}))) {
      const right = rows.get(toHex(key));
      if (key[0] === NODE && right !== undefined) {
        // A later batch may have stored the node as a delta, and a later order may have made it again.
        const hash = key.subarray(1);
        const nodes = { get: (at: Uint8Array) => rows.get(toHex(at)) };
        const isSame = nodeOrder(value) <= nodeOrder(right);
        if (isSame && equalBytes(nodeBytes(store, value, hash), nodeBytes(nodes, right, hash))) continue;
      }
      // The signature of an order may be left out of its row.
      const given = signedRow(store, { key, value }).value;
      if (right === undefined || (!equalBytes(right, given) && key[0] !== HEAD_KEY[0])) {
        // A cut log brings an older value to light; rows that are never written twice have none.
        if (key[0] === NODE || key[0] === 0x12 || key[0] === 0x20) throw new Error(`another row at ${toHex(key)}`);
      }
    }
  } finally {
    await store.close();
  }
}
