/** A commit log in a directory: the suite for logs, and what crashes, damage and late writers leave behind. */
import { copyFileSync, readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EngineError } from '../../src/index.ts';
import { headOf, sampleRecord, sampleRecords } from '../../src/log/compliance/case.ts';
import { type DirectoryLog, type LogHead, logCompliance, openDirectoryLog } from '../../src/log/index.ts';
import { EpochFiles, frameOf } from '../../src/log/segment.ts';
import { collected } from '../collected.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const newDirectory = temporaryDirectories();

describe.each([
  ['one segment', undefined],
  ['a segment for each append', 1],
])('a directory log with %s', (_, segmentBytes) => {
  logCompliance({
    test: it,
    create: async () => {
      const path = newDirectory();
      return () => openDirectoryLog(path, { segmentBytes });
    },
  });
});

describe('a directory log', () => {
  it('refuses an invalid path, naming the argument', async () => {
    for (const path of ['', 5, undefined]) {
      await expect(openDirectoryLog(path as string)).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(/^path: expected the path of a directory, got /),
      });
    }
  });

  const opened: DirectoryLog[] = [];
  afterEach(async () => {
    for (const log of opened.splice(0)) await log.close();
  });

  async function open(path: string): Promise<DirectoryLog> {
    const log = await openDirectoryLog(path);
    opened.push(log);
    return log;
  }

  /** A log of 5 records by a writer that has ended. */
  async function written(): Promise<{ path: string; records: readonly Uint8Array[]; head: LogHead; segment: string }> {
    const path = newDirectory();
    const log = await openDirectoryLog(path);
    const begun = await log.takeOver();
    const records = sampleRecords(begun, 'record', 5);
    const head = await log.append(begun, records);
    await log.close();
    const segment = join(path, readdirSync(path).find((name) => name.endsWith('.segment'))!);
    return { path, records, head, segment };
  }

  async function orders(log: DirectoryLog): Promise<string> {
    return (await collected(log.read(1n))).map(({ order }) => order).join();
  }

  it('goes on after a torn end, wherever it is torn', async () => {
    const { path, records, head, segment } = await written();
    const whole = readFileSync(segment);
    const late = sampleRecord(head, 'late');
    const first = await open(path);
    const taken = await first.takeOver();
    expect(taken).toEqual({ ...head, epoch: 2n });
    const length = 24 + late.length;
    const next = sampleRecord(taken, 'late');
    await first.append(taken, [next]);
    const own = join(path, readdirSync(path).findLast((name) => name.endsWith('.segment'))!);
    for (let cut = 0; cut <= length; cut += cut % 32 === 31 ? 1 : 31) {
      const copy = newDirectory();
      for (const name of readdirSync(path))
        if (!name.endsWith('.mark')) copyFileSync(join(path, name), join(copy, name));
      truncateSync(join(copy, own.slice(path.length + 1)), cut);
      const log = await open(copy);
      const { order, epoch } = await log.takeOver();
      expect([order, epoch], `cut at ${cut}`).toEqual([cut < length ? 5n : 6n, 3n]);
      expect(await orders(log), `cut at ${cut}`).toBe(cut < length ? '1,2,3,4,5' : '1,2,3,4,5,6');
    }
    expect(records).toHaveLength(5);
    expect(readFileSync(segment).equals(whole)).toBe(true);
  });

  it('fails where a segment is there but cannot be opened', async () => {
    const { path, segment } = await written();
    rmSync(segment);
    symlinkSync(segment, segment);
    const log = await open(path);
    await expect(orders(log)).rejects.toMatchObject({ code: 'log-failed', message: expect.stringContaining('ELOOP') });
    await expect(log.takeOver()).rejects.toMatchObject({ code: 'log-failed' });
  });

  it('shows no reader what is not yet known to be durable', async () => {
    const { path, head, segment } = await written();
    const [writer, reader] = [await open(path), await open(path)];
    const taken = await writer.takeOver();
    await writer.append(taken, [sampleRecord(taken, 'next')]);
    // As it would be while a group is on its way to the disk: its bytes are there, its mark is not.
    rmSync(join(path, '0000000002.mark'));
    expect((await reader.head()).order).toBe(head.order);
    expect(await orders(reader)).toBe('1,2,3,4,5');
    expect(readFileSync(segment).length).toBeGreaterThan(0);
  });

  it('accepts nothing from a writer that wakes up after its successor', async () => {
    const { path } = await written();
    const [zombie, successor, reader] = [await open(path), await open(path), await open(path)];
    const asleep = await zombie.takeOver();
    const mine = sampleRecords(asleep, 'zombie', 2);
    const head = await zombie.append(asleep, mine);
    const taken = await successor.takeOver();
    expect(taken.digest).toEqual(head.digest);
    // What the zombie was writing when it was stopped reaches the disk now, behind the successor's back.
    const segment = join(path, '00000000000000000006-0000000002.segment');
    const late = frameOf({ order: 8n, epoch: 2n, bytes: sampleRecord(head, 'late') });
    writeFileSync(segment, Buffer.concat([readFileSync(segment), late]));
    const theirs = sampleRecords(taken, 'successor', 1);
    await successor.append(taken, theirs);
    await expect(zombie.append(head, sampleRecords(head, 'late', 1))).rejects.toMatchObject({ code: 'fenced' });
    expect(await reader.head()).toEqual(headOf(theirs));
    expect(await collected(reader.read(8n))).toEqual([{ order: 8n, epoch: 3n, bytes: theirs[0] }]);
    expect(await orders(reader)).toBe('1,2,3,4,5,6,7,8');
  });

  it('settles an epoch whose claimant died before it began', async () => {
    const { path, head } = await written();
    writeFileSync(join(path, '0000000002.claim'), '');
    const [reader, writer] = [await open(path), await open(path)];
    expect(await reader.head()).toEqual(head);
    expect(await writer.takeOver()).toEqual({ ...head, epoch: 3n });
    expect(await orders(reader)).toBe('1,2,3,4,5');
  });

  it('does not fence from a host that cannot sync, and says why', async () => {
    const path = newDirectory();
    const writer = await open(path);
    const begun = await writer.takeOver();
    const late = await open(path);
    const file = await openFile(path);
    // As Node 26 answers under its permission model.
    const denied = Object.assign(new Error('fsync API is disabled when Permission Model is enabled.'), {
      code: 'ERR_ACCESS_DENIED',
    });
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'sync').mockRejectedValue(denied);
    await file.close();
    try {
      const error = await late.takeOver().catch((caught: EngineError) => caught);
      expect(error).toMatchObject({ code: 'not-supported' });
      expect(String(error)).toMatch(/permission model denies .* fsync API is disabled .*movelet\/log/);
    } finally {
      sync.mockRestore();
    }
    const records = sampleRecords(begun, 'record', 1);
    expect(await writer.append(begun, records)).toEqual(headOf(records));
  });

  it('keeps what a successor acknowledged while the disk failed under the writer before it', async () => {
    const { path } = await written();
    const [failing, successor] = [await open(path), await open(path)];
    const begun = await failing.takeOver();
    const file = await openFile(path);
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'datasync');
    await file.close();
    let theirs: LogHead | undefined;
    // The sync hangs, somebody starts another writer, and only then does the sync fail.
    sync.mockImplementationOnce(async () => {
      const taken = await successor.takeOver();
      theirs = await successor.append(taken, sampleRecords(taken, 'theirs', 3));
      throw new Error('EIO: i/o error, fdatasync');
    });
    try {
      const appending = failing.append(begun, sampleRecords(begun, 'mine', 1));
      await expect(appending).rejects.toMatchObject({ code: 'log-unknown' });
    } finally {
      sync.mockRestore();
    }
    // However often the first one asks how it ended.
    for (let times = 0; times < 2; times++) expect(await failing.head()).toEqual(theirs);
    const last = await successor.append(theirs!, sampleRecords(theirs!, 'more', 2));
    expect(last).toMatchObject({ epoch: 3n, order: 11n });
    expect(await orders(failing)).toBe('1,2,3,4,5,6,7,8,9,10,11');
    await expect(failing.append(begun, sampleRecords(begun, 'late', 1))).rejects.toMatchObject({ code: 'fenced' });
  });

  it('is taken over after its last acknowledged record, even if an earlier one is damaged', async () => {
    const { path, head, segment } = await written();
    const bytes = readFileSync(segment);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(segment, bytes);
    const log = await open(path);
    expect(await log.takeOver()).toEqual({ ...head, epoch: 2n });
    await expect(orders(log)).rejects.toMatchObject({ code: 'corrupt', details: { order: '3' } });
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(segment, bytes);
    expect(await orders(log)).toBe('1,2,3,4,5');
  });

  it('can be pruned by several at once: none fails, and the one behind undoes nothing', async () => {
    for (let round = 0; round < 12; round++) {
      const path = newDirectory();
      const writer = await openDirectoryLog(path, { segmentBytes: 1 });
      let head = await writer.takeOver();
      for (let order = 1; order <= 8; order++) head = await writer.append(head, sampleRecords(head, 'record', 1));
      const pruners = [await open(path), await open(path), await open(path)];
      await Promise.all(pruners.map((pruner, index) => pruner.prune([3n, 7n, 5n][(index + round) % 3]!)));
      await writer.close();
      // A power failure takes the mark: what was pruned is known from its note alone.
      truncateSync(join(path, readdirSync(path).find((name) => name.endsWith('.mark'))!), 0);
      const next = await open(path);
      expect((await next.takeOver()).order).toBe(8n);
      await expect(orders(next)).rejects.toMatchObject({ code: 'pruned', details: { oldest: '7' } });
    }
  });

  it.each([
    ['before its segments are looked up', 'started', true],
    ['after its segments were looked up', 'pruned', true],
    ['whose mark is torn, before its segments are looked up', 'started', false],
    ['whose mark is torn, after its segments were looked up', 'pruned', false],
  ] as const)('is pruned while it is taken over, %s', async (_, method, isMarked) => {
    const path = newDirectory();
    const writer = await openDirectoryLog(path, { segmentBytes: 1 });
    opened.push(writer);
    const begun = await writer.takeOver();
    await writer.append(begun, sampleRecords(begun, 'first', 2));
    let head = await writer.takeOver();
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) head = await writer.append(head, [sampleRecord(head, name)]);
    const [pruner, successor] = [await open(path), await open(path)];
    const real: () => Promise<unknown> = EpochFiles.prototype[method];
    const look = vi.spyOn(EpochFiles.prototype, method).mockImplementationOnce(async function (this: EpochFiles) {
      const found = await real.call(this as never);
      await pruner.prune(6n);
      if (!isMarked) truncateSync(join(path, '0000000002.mark'), 0);
      return found as never;
    });
    try {
      expect(await successor.takeOver()).toEqual({ ...head, epoch: 3n });
    } finally {
      look.mockRestore();
    }
  });

  it('names the first record that is damaged, and gives those before it', async () => {
    const { path, segment } = await written();
    const bytes = readFileSync(segment);
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(segment, bytes);
    const log = await open(path);
    const found: bigint[] = [];
    const reading = (async () => {
      for await (const { order } of log.read(1n)) found.push(order);
    })();
    await expect(reading).rejects.toMatchObject({ code: 'corrupt', details: { order: '3' } });
    expect(found).toEqual([1n, 2n]);
  });

  it('finds its end after a pruning that ended before it had deleted everything', async () => {
    const path = newDirectory();
    const writer = await openDirectoryLog(path, { segmentBytes: 1 });
    opened.push(writer);
    let head = await writer.takeOver();
    for (const name of ['a', 'b', 'c', 'd', 'e']) head = await writer.append(head, [sampleRecord(head, name)]);
    const whole = newDirectory();
    for (const name of readdirSync(path)) copyFileSync(join(path, name), join(whole, name));
    await writer.prune(4n);
    const left = readdirSync(path).filter((name) => name.endsWith('.segment'));
    expect(left.map((name) => Number(name.slice(0, 20)))).toEqual([4, 5]);
    // One of the deleted files is still there, as it would be if the process had died in between.
    const undeleted = readdirSync(whole).filter((name) => name.endsWith('.segment'))[2]!;
    copyFileSync(join(whole, undeleted), join(path, undeleted));
    const next = await open(path);
    await expect(orders(next)).rejects.toMatchObject({ code: 'pruned', details: { order: '1', oldest: '3' } });
    expect(await next.takeOver()).toEqual({ ...head, epoch: 2n });
    await next.prune(4n);
    expect(readdirSync(path).filter((name) => name.endsWith('.segment'))).toEqual(left);
  });

  it('makes the name of a segment durable before it acknowledges what is in it, even if that failed before', async () => {
    const path = newDirectory();
    const log = await open(path);
    const begun = await log.takeOver();
    const file = await openFile(path);
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'sync');
    await file.close();
    try {
      const records = sampleRecords(begun, 'record', 1);
      sync.mockRejectedValueOnce(new Error('EIO: i/o error, fsync'));
      await expect(log.append(begun, records)).rejects.toMatchObject({ code: 'log-failed' });
      const failed = sync.mock.calls.length;
      const head = await log.append(begun, records);
      expect(sync.mock.calls.length - failed).toBe(1);
      await log.append(head, sampleRecords(head, 'record', 1));
      expect(sync.mock.calls.length - failed).toBe(1);
    } finally {
      sync.mockRestore();
    }
  });

  it('acknowledges nothing whose mark was not written to its end', async () => {
    const { path } = await written();
    const log = await open(path);
    const taken = await log.takeOver();
    const file = await openFile(path);
    const prototype = Object.getPrototypeOf(file) as typeof file;
    await file.close();
    const real = prototype.write as (bytes: Uint8Array, from: number, length: number, at: number) => Promise<unknown>;
    const write = vi.spyOn(prototype, 'write').mockImplementation(async function (this: typeof file, ...given) {
      const [bytes, from, length, at] = given as unknown as [Uint8Array, number, number, number];
      return (await real.call(this, bytes, from, length === 84 ? 40 : length, at)) as never;
    });
    try {
      const appending = log.append(taken, sampleRecords(taken, 'record', 1));
      await expect(appending).rejects.toMatchObject({ code: 'log-unknown' });
    } finally {
      write.mockRestore();
    }
    expect(await log.head()).toEqual({ ...taken, epoch: 3n });
    expect(await orders(log)).toBe('1,2,3,4,5');
  });

  it('is unreadable for a moment, not damaged, while the process has no file descriptors left', async () => {
    const { path } = await written();
    const log = await open(path);
    const none = vi.spyOn(EpochFiles.prototype, 'started');
    none.mockRejectedValueOnce(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }));
    try {
      await expect(orders(log)).rejects.toMatchObject({ name: 'EngineError', code: 'log-failed' });
      expect(await orders(log)).toBe('1,2,3,4,5');
    } finally {
      none.mockRestore();
    }
  });

  it('reports its failure with the file system’s reason', async () => {
    const path = join(newDirectory(), 'file');
    writeFileSync(path, '');
    await expect(openDirectoryLog(path)).rejects.toMatchObject({ code: 'log-failed' });
  });
});
