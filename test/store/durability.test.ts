import { spawnSync } from 'node:child_process';
import fs, { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { COMMIT_RECORD_FILE, CommitRecord, readCommits } from '../../src/store/commit-record.ts';
import { LevelStore, MirrorStore, type Operation, openDirectory } from '../../src/store/index.ts';
import { openStore } from '../../src/store/open.ts';
import { crc32 } from '../../src/store/row-checksum.ts';
import { listsOpenFiles, openFiles } from './open-files.ts';
import { temporaryDirectories } from './temporary.ts';
import { TestLevel } from './test-level.ts';

const procNote = listsOpenFiles ? '' : ' (skipped: there is no /proc)';
const directory = temporaryDirectories();
const put = (key: number, value = key): Operation => ({
  type: 'put',
  key: Uint8Array.of(key),
  value: Uint8Array.of(value),
});
const code = (word: string): unknown => expect.objectContaining({ code: word });

describe('the writer of a durable store', () => {
  it('writes one batch after another, each synced as it asks', async () => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    const first = [store.batch([put(1)]), store.batch([put(2)])];
    await Promise.resolve();
    const second = [store.batch([put(3)], { sync: false }), store.batch([put(4), put(1, 9)], { sync: false })];
    await Promise.all([...first, ...second]);
    expect(database.written).toEqual([
      { changes: 1, sync: true },
      { changes: 1, sync: true },
      { changes: 1, sync: false },
      { changes: 2, sync: false },
    ]);
    expect(store.get(Uint8Array.of(1))).toEqual(Uint8Array.of(9));
    await store.close();
  });

  it('writes what is called before and after a compaction, and compacts between them', async () => {
    const found: unknown[] = [];
    const database = Object.assign(new TestLevel({ getSync: true }), {
      compactRange: async () => {
        found.push([1, 2, 3].map((key) => database.entries.some((entry) => entry.key[0] === key)));
      },
    });
    const store = await LevelStore.over(database);
    await Promise.all([store.batch([put(1)]), store.compact(), store.batch([put(2)])]);
    await store.batch([put(3)]);
    expect(found[0]).toEqual([true, false, false]);
    expect(found.at(-1)).toEqual([true, true, false]);
    expect(database.entries).toHaveLength(3);
    await store.close();
  });

  it.each(['fsync', 'os'] as const)('syncs as %s says, unless a batch asks otherwise', async (durability) => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database, { durability });
    await store.batch([put(1)]);
    await store.batch([put(1)], { sync: durability === 'os' });
    expect(database.written.map(({ sync }) => sync)).toEqual([durability === 'fsync', durability === 'os']);
    await store.close();
  });

  it.each([
    ['level', (database: TestLevel) => LevelStore.over(database)],
    ['mirror', (database: TestLevel) => MirrorStore.over(database)],
  ] as const)('stops at the first failure, keeps its cause, and goes on reading: %s', async (kind, over) => {
    const database = new TestLevel({ getSync: kind === 'level' });
    const store = await over(database);
    await store.batch([put(1)]);
    database.fault = Object.assign(new Error('No space left on device'), { code: 'ENOSPC' });
    const running = store.batch([put(2)]);
    await Promise.resolve();
    await Promise.resolve();
    const waiting = store.batch([put(3)]);
    await expect(running).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringContaining('No space left on device'),
      cause: database.fault,
    });
    await expect(waiting).rejects.toMatchObject({ code: 'store-failed' });
    database.fault = undefined;
    await expect(store.batch([put(4)])).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(/takes no more writes.*No space left on device/),
    });
    expect(store.get(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
    expect(store.get(Uint8Array.of(2))).toBeUndefined();
    expect(await store.range({ limit: 5 })).toHaveLength(1);
    await store.close();
  });

  it('finishes the batch that is being written at close, and the one that waits for it', async () => {
    const database = new TestLevel({ getSync: true });
    const store = await LevelStore.over(database);
    const running = store.batch([put(1)]);
    await Promise.resolve();
    await Promise.resolve();
    const waiting = store.batch([put(2)]);
    await Promise.all([running, waiting, store.close()]);
    expect(database.written).toHaveLength(2);
    expect(database.entries).toHaveLength(2);
  });

  it('finishes what was requested before close, and refuses what comes after', async () => {
    const path = directory();
    const store = await openDirectory(path);
    const batches = Array.from({ length: 20 }, (_, index) => store.batch([put(index)], { order: BigInt(index) }));
    const closing = store.close();
    await expect(store.batch([put(99)])).rejects.toEqual(code('closed'));
    await Promise.all([...batches, closing]);
    const again = await openDirectory(path);
    expect(await again.range({ limit: 100 })).toHaveLength(20);
    expect(again.lastWrittenOrder).toBe(19n);
    await again.close();
  });
});

describe('a directory', () => {
  it('remembers the order of the last commit, and of the last one on the disk', async () => {
    const path = directory();
    const store = await openDirectory(path);
    expect([store.lastWrittenOrder, store.lastSyncedOrder]).toEqual([undefined, undefined]);
    await store.batch([put(1)], { order: 0n });
    await store.batch([put(2)]);
    await Promise.all([
      store.batch([put(3)], { order: 1n, sync: false }),
      store.batch([put(3)], { order: 2n, sync: false }),
    ]);
    await store.close();
    const second = await openDirectory(path, { durability: 'os' });
    expect([second.lastWrittenOrder, second.lastSyncedOrder]).toEqual([2n, 0n]);
    await second.batch([put(4)], { order: 3n });
    await second.batch([put(4)], { order: 4n, sync: true });
    await second.close();
    const third = await openDirectory(path);
    expect([third.lastWrittenOrder, third.lastSyncedOrder]).toEqual([4n, 4n]);
    await third.close();
  });

  it('takes a damaged record as absent in that slot, and never as more than was written', () => {
    const place = directory();
    const path = join(place, COMMIT_RECORD_FILE);
    const record = new CommitRecord(place);
    for (let order = 1n; order <= 5n; order++) record.note(order, { log: 3, bytes: Number(order) });
    record.close();
    record.close();
    const bytes = readFileSync(path);
    for (const at of [...Array(56).keys(), ...Array.from({ length: 56 }, (_, index) => 512 + index)]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 0x10;
      writeFileSync(path, flipped);
      const read = new CommitRecord(place);
      expect([4n, 5n]).toContain(read.before.writtenOrder);
      expect(BigInt(read.before.syncedTo.bytes)).toBe(read.before.writtenOrder);
      read.note(6n, undefined);
      read.close();
      const next = new CommitRecord(place);
      expect([next.before.writtenOrder, next.before.syncedOrder]).toEqual([6n, read.before.syncedOrder]);
      next.close();
    }
    for (const length of [0, 55, 100, 530]) {
      writeFileSync(path, bytes.subarray(0, length));
      const read = new CommitRecord(place);
      expect(read.before.writtenOrder).toBe(length < 56 ? undefined : 4n);
      read.close();
    }
  });

  /** A slot: numbers of eight bytes, then `rest`, then the checksum of both. */
  function slotOf(numbers: readonly bigint[], rest: number): Uint8Array {
    const length = 8 * numbers.length + 8;
    const slot = new DataView(new ArrayBuffer(length));
    for (const [index, value] of numbers.entries()) slot.setBigUint64(8 * index, value, true);
    slot.setUint32(length - 8, rest, true);
    slot.setUint32(length - 4, crc32(new Uint8Array(slot.buffer, 0, length - 4)), true);
    return new Uint8Array(slot.buffer);
  }

  const NONE = 0xffff_ffff_ffff_ffffn;

  it('records what is written, and what of it is on the disk', () => {
    const place = directory();
    const path = join(place, COMMIT_RECORD_FILE);
    const record = new CommitRecord(place);
    record.note(7n, undefined);
    expect(readFileSync(path).subarray(512)).toEqual(
      Buffer.from(slotOf([0x02_74_65_6c_65_76_6f_6dn, 1n, 7n, NONE, 0n, 0n], 0)),
    );
    record.noteUnsynced();
    record.noteUnsynced();
    record.note(8n, { log: 5, bytes: 300 });
    const slot = slotOf([0x02_74_65_6c_65_76_6f_6dn, 3n, 8n, 8n, 5n, 300n], 1);
    expect(readFileSync(path).subarray(512)).toEqual(Buffer.from(slot));
    record.close();
    expect(readCommits(place)).toMatchObject({
      writtenOrder: 8n,
      syncedOrder: 8n,
      syncedTo: { log: 5, bytes: 300 },
      hasUnsynced: true,
    });
    // The next owner has written nothing yet.
    const next = new CommitRecord(place);
    expect(next.hasUnsynced).toBe(false);
    next.noteAllSynced({ log: 6, bytes: 1 });
    next.close();
    expect(readCommits(place)).toMatchObject({ syncedOrder: 8n, syncedTo: { log: 6, bytes: 1 }, hasUnsynced: false });
  });

  /** Replaces how a file is synced, until the end of the test. */
  function onSync(sync: () => void): () => number {
    const spy = vi.spyOn(fs, 'fsyncSync').mockImplementation(sync);
    syncBuiltinESMExports();
    onTestFinished(() => {
      spy.mockRestore();
      syncBuiltinESMExports();
    });
    return () => spy.mock.calls.length;
  }

  it('has its record on the disk before the first batch that is not synced, and at the end', () => {
    const syncs = onSync(() => {});
    const record = new CommitRecord(directory());
    record.note(7n, undefined);
    expect(syncs()).toBe(0);
    record.noteUnsynced();
    expect(syncs()).toBe(1);
    record.noteUnsynced();
    record.note(8n, undefined);
    expect(syncs()).toBe(1);
    record.close();
    expect(syncs()).toBe(2);
  });

  it.skipIf(!listsOpenFiles)(`closes its record, and says why it could not be synced${procNote}`, () => {
    const place = directory();
    let code = 'EIO';
    onSync(() => {
      throw Object.assign(new Error(code), { code });
    });
    const record = new CommitRecord(place);
    expect(() => record.noteUnsynced()).toThrow('EIO');
    expect(() => record.close()).toThrow('EIO');
    expect(openFiles(place)).toEqual([]);
    // Node's permission model lets nobody sync a file.
    code = 'ERR_ACCESS_DENIED';
    const permitted = new CommitRecord(place);
    permitted.noteUnsynced();
    expect(permitted.hasUnsynced).toBe(true);
    permitted.close();
    expect(openFiles(place)).toEqual([]);
  });

  it('reads a record of the first version, and replaces it', () => {
    const place = directory();
    const path = join(place, COMMIT_RECORD_FILE);
    writeFileSync(path, slotOf([0x01_74_65_6c_65_76_6f_6dn, 9n, 7n, NONE], 0));
    const record = new CommitRecord(place);
    expect(record.before).toMatchObject({ writtenOrder: 7n, syncedOrder: undefined, syncedTo: { log: 0, bytes: 0 } });
    record.note(8n, undefined);
    record.close();
    expect(readCommits(place)).toMatchObject({ writtenOrder: 8n, syncedOrder: undefined });
    writeFileSync(path, slotOf([0x03_74_65_6c_65_76_6f_6dn, 9n, 7n, 7n, 0n, 0n], 0));
    expect(readCommits(place)).toMatchObject({ writtenOrder: undefined });
  });

  it('is locked for this process and for others while it is open, and not after', async () => {
    const path = directory();
    const store = await openDirectory(path);
    await expect(openDirectory(path)).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining(path),
    });
    const link = join(directory(), 'link');
    symlinkSync(path, link);
    await expect(openDirectory(link)).rejects.toMatchObject({ code: 'store-locked' });
    await expect(openDirectory(`${path}/../${basename(path)}`)).rejects.toMatchObject({ code: 'store-locked' });
    // The refusals above must not have dropped the lock that keeps other processes out.
    const script = `new (require('level').Level)(${JSON.stringify(path)}).open().then(() => process.exit(3), (e) => {
      process.stdout.write(e.cause.code); })`;
    const other = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', cwd: import.meta.dirname });
    expect(other.stdout).toBe('LEVEL_LOCKED');
    await store.batch([put(1)]);
    await store.close();
    const again = await openDirectory(path);
    expect(again.get(Uint8Array.of(1))).toEqual(Uint8Array.of(1));
    await again.close();
  });

  it.skipIf(!listsOpenFiles)(`leaves no file open after close, whatever is still held${procNote}`, async () => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch(Array.from({ length: 200 }, (_, index) => put(index)));
    const view = store.view();
    const fork = store.fork();
    const scan = store.scan({})[Symbol.asyncIterator]();
    await scan.next();
    expect(openFiles(path).length).toBeGreaterThan(2);
    await store.close();
    expect(openFiles(path)).toEqual([]);
    expect(() => view.get(Uint8Array.of(1))).toThrow(code('closed'));
    expect(() => fork.get(Uint8Array.of(1))).toThrow(code('closed'));
    await expect(fork.range({ limit: 1 })).rejects.toEqual(code('closed'));
    await fork.close();
    view.release();
    await expect(openDirectory(join(path, 'CURRENT'))).rejects.toMatchObject({ code: 'store-failed' });
  });

  it.skipIf(!listsOpenFiles)(`is refused when no directory can be made${procNote}`, async () => {
    await expect(openDirectory('/proc/movelet/data')).rejects.toMatchObject({ code: 'store-failed' });
    const file = join(directory(), 'file');
    writeFileSync(file, '');
    await expect(openDirectory(join(file, 'data'))).rejects.toMatchObject({ code: 'store-failed' });
  });

  it('is opened by openStore, as databases and stores are', async () => {
    const memory = await openStore(undefined);
    expect(memory.kind).toBe('memory');
    const path = directory();
    mkdirSync(join(path, 'deep'), { recursive: true });
    const level = await openStore(join(path, 'deep', 'er'));
    expect(level.kind).toBe('level');
    await level.close();
    expect((await openStore(new TestLevel({ getSync: true }))).kind).toBe('level');
    expect((await openStore(new TestLevel({ getSync: false }))).kind).toBe('mirror');
    expect((await openStore(new TestLevel({ getSync: true, explicitSnapshots: false }))).kind).toBe('mirror');
    expect(await openStore(memory)).toBe(memory);
    await expect(openStore('')).rejects.toEqual(code('invalid-argument'));
    await expect(openStore({} as never)).rejects.toEqual(code('invalid-argument'));
    await expect(LevelStore.over(new TestLevel({ getSync: false }))).rejects.toEqual(code('not-supported'));
  });
});
