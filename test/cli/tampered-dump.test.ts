/** A dump whose digest is right and whose content is wrong: whoever wrote it did so on purpose. */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { decodeReferring, isReferring } from '../../src/chain/ledger/change-sets.ts';
import { type ChangedFields, type FieldChange, stateChangeSetExt } from '../../src/chain/object/change-set.ts';
import { FLAG_SHARED, type ObjectMeta } from '../../src/chain/object/object-state.ts';
import { nodeSource } from '../../src/chain/state/node-row.ts';
import { loadCommand } from '../../src/cli/dump.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { SYSTEM_ADDRESS } from '../../src/move/address.ts';
import { COLUMN } from '../../src/store/column.ts';
import { dumpStore, MemoryStore, type Row } from '../../src/store/index.ts';
import type { NodeSource } from '../../src/store/tree/tree.ts';
import { collected } from '../collected.ts';
import { randomNumbers, runs, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();
const below = randomNumbers(seed);
/** Of a chain whose change sets are stored whole, since its history is bounded. */
let rows: readonly Row[];
/** Of one whose change sets refer to tree nodes. */
let referring: readonly Row[];

beforeAll(async () => {
  [rows, referring] = await Promise.all([rowsOf(1_000), rowsOf('all')]);
});

async function rowsOf(history: number | 'all'): Promise<Row[]> {
  const store = new MemoryStore();
  const engine = await Engine.open({ store, history, accountBalance: 12_345n, reorganisationDepth: 2 });
  for (let block = 0; block < 3; block++) await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  const found = await collected(store.scan({}));
  await engine.close();
  return found;
}

/** A dump of other rows, with the digest that it must have. */
async function dumpOf(changed: readonly Row[]): Promise<Buffer> {
  const store = new MemoryStore();
  await store.batch(changed.map((row) => ({ type: 'put', ...row })));
  const bytes = Buffer.concat(await collected(dumpStore(store)));
  const digest = createHash('sha256').update(bytes.subarray(0, -32)).digest();
  expect(digest.equals(bytes.subarray(-32))).toBe(true);
  return bytes;
}

async function load(changed: readonly Row[], ...flags: string[]): Promise<string> {
  const file = join(directory(), 'dump');
  writeFileSync(file, await dumpOf(changed));
  const data = join(directory(), 'data');
  try {
    await loadCommand.run([file, '--data', data, ...flags]);
    return 'loaded';
  } catch (error) {
    expect(error).toMatchObject({ code: 'corrupt' });
    expect(existsSync(data)).toBe(false);
    return (error as Error).message;
  }
}

const change = (prefix: number, edit: (value: Uint8Array) => Uint8Array, pick = 0, of = rows): Row[] => {
  const chosen = of.filter(({ key }) => key[0] === prefix)[pick]!;
  return of.map((row) => (row === chosen ? { key: row.key, value: edit(row.value.slice()) } : row));
};

const flip =
  (at: number) =>
  (value: Uint8Array): Uint8Array =>
    value.fill((value.at(at) ?? 0) ^ 1, at, at + 1);

/** Whether two change sets differ at most in what a removed object may have got before it was removed. */
function isBelieved(nodes: NodeSource, left: Uint8Array, right: Uint8Array): boolean {
  const shown = (bytes: Uint8Array): unknown => {
    const { stateChangeSet, ...rest } = isReferring(bytes)
      ? decodeReferring(bytes, nodes, () => {})
      : decode(stateChangeSetExt, bytes);
    return { ...rest, stateChangeSet: { ...stateChangeSet, changes: known(stateChangeSet.changes) } };
  };
  try {
    return isDeepStrictEqual(shown(left), shown(right));
  } catch {
    return false;
  }
}

function known(changes: ChangedFields): unknown[] {
  return Array.from(changes, ([key, { meta, value, fields }]) => {
    if (value?.kind !== 'delete') return { key, meta, value, fields: known(fields) };
    const { id, stateRoot, createdAt, updatedAt, objectType } = meta;
    return { key, id, stateRoot, createdAt, updatedAt, objectType, value };
  });
}

/** A change set in which the first value of a kind is called the other kind. */
function called(bytes: Uint8Array, kind: string): Uint8Array {
  let isDone = false;
  const other = (changes: ChangedFields): FieldChange[] =>
    Array.from(changes, ([key, one]): FieldChange => {
      const { meta, value, fields } = one;
      if (isDone || value === undefined || value.kind === 'delete' || value.kind !== kind) {
        return [key, { meta, value, fields: other(fields) }];
      }
      isDone = true;
      return [key, { meta, value: { kind: kind === 'new' ? 'modify' : 'new', value: value.value }, fields }];
    });
  const { stateChangeSet, ...rest } = decode(stateChangeSetExt, bytes);
  const changes = other(stateChangeSet.changes);
  expect(isDone).toBe(true);
  return encode(stateChangeSetExt, { ...rest, stateChangeSet: { ...stateChangeSet, changes } });
}

/** A change set whose first removed object had other metadata. */
function removedWith(bytes: Uint8Array, alter: (meta: ObjectMeta) => Partial<ObjectMeta>): Uint8Array {
  let isDone = false;
  const altered = (changes: ChangedFields): FieldChange[] =>
    Array.from(changes, ([key, { meta, value, fields }]): FieldChange => {
      if (isDone || value?.kind !== 'delete') return [key, { meta, value, fields: altered(fields) }];
      isDone = true;
      return [key, { meta: { ...meta, ...alter(meta) }, value, fields }];
    });
  const { stateChangeSet, ...rest } = decode(stateChangeSetExt, bytes);
  const changes = altered(stateChangeSet.changes);
  expect(isDone).toBe(true);
  return encode(stateChangeSetExt, { ...rest, stateChangeSet: { ...stateChangeSet, changes } });
}

describe('a tampered dump', () => {
  it('is refused with an empty tree node', async () => {
    expect(await load(change(COLUMN.node, () => new Uint8Array(0)))).toMatch(/the tree node|node row .* too short/);
  });

  it('is refused with the hash of another genesis', async () => {
    // After the format version.
    const foreign = change(COLUMN.head, flip(4 + 5));
    expect(await load(foreign)).toMatch(/the head names another genesis than the chain has/);
    expect(await load(foreign, '--trusted')).toBe('loaded');
  });

  it.each([
    ['stored whole', () => rows],
    ['that refers to tree nodes', () => referring],
  ])('is refused for one byte of a change set %s', async (_, chain) => {
    const sets = chain().filter(({ key }) => key[0] === COLUMN.changeSet);
    const store = new MemoryStore();
    await store.batch(chain().map((row) => ({ type: 'put', ...row })));
    for (let round = 0; round < runs(4, 200); round++) {
      const pick = below(sets.length);
      const { value } = sets[pick]!;
      const at = below(value.length);
      if (isBelieved(nodeSource(store), value, flip(at)(value.slice()))) continue;
      const tampered = change(COLUMN.changeSet, flip(at), pick, chain());
      expect(await load(tampered), `set ${pick}, byte ${at}, seed ${seed}`).not.toBe('loaded');
    }
  });

  it('is refused if a change set calls what it modified new, or what it made modified', async () => {
    const count = rows.filter(({ key }) => key[0] === COLUMN.changeSet).length;
    const kinds = { new: 'modified, which was not', modify: 'new, which was' } as const;
    for (const [kind, said] of Object.entries(kinds)) {
      // The last one: blocks modify and make.
      const tampered = change(COLUMN.changeSet, (value) => called(value, kind), count - 1);
      expect(await load(tampered)).toMatch(new RegExp(`calls the object 0x[0-9a-f]+ ${said} there before`));
    }
  });

  it('is refused if a removed object has what it cannot have had', async () => {
    const last = rows.filter(({ key }) => key[0] === COLUMN.changeSet).length - 1;
    const removed = (alter: (meta: ObjectMeta) => Partial<ObjectMeta>): Promise<string> =>
      load(change(COLUMN.changeSet, (value) => removedWith(value, alter), last));
    // No such flag; more fields than before; another root; shared, and still somebody's own.
    for (const alter of [
      ({ flag }: ObjectMeta) => ({ flag: flag | 4 }),
      ({ size }: ObjectMeta) => ({ size: size + 1n }),
      () => ({ stateRoot: new Uint8Array(32).fill(7) }),
      () => ({ stateRoot: undefined }),
      ({ flag }: ObjectMeta) => ({ flag: flag | FLAG_SHARED, owner: new Uint8Array(32).fill(7) }),
    ]) {
      expect(await removed(alter)).toMatch(/gives the removed object 0x\w+ metadata that it cannot have had/);
    }
    expect(await removed(({ flag }) => ({ flag: flag | FLAG_SHARED, owner: SYSTEM_ADDRESS }))).toBe('loaded');
  });

  it('is loaded if nothing was changed', async () => {
    expect(await load(rows)).toBe('loaded');
    expect(await load(referring)).toBe('loaded');
  });
});
