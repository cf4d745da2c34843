import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDirectory } from '../../src/store/index.ts';
import { checkLevelFiles, readLevelManifest } from '../../src/store/level-files.ts';
import { maskedCrc, readLog } from '../../src/store/level-log.ts';
import { randomBytes, seed } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const bytesOf = randomBytes(seed);
const namesOf = (path: string, pattern: RegExp): string[] =>
  readdirSync(path)
    .filter((name) => pattern.test(name))
    .sort();

function copyOf(path: string): string {
  const copy = directory();
  for (const name of readdirSync(path)) copyFileSync(join(path, name), join(copy, name));
  return copy;
}

const corruptIn = (name: string): unknown =>
  expect.objectContaining({
    code: 'corrupt',
    details: expect.objectContaining({ file: expect.stringContaining(name) }),
  });

/** A directory with several tables and a log, made by LevelDB from batches that cross blocks of its log. */
let grown: string;
beforeAll(async () => {
  grown = directory();
  // Each store is closed with a table of its own, since its log is longer than what is left; the last leaves its log.
  for (const [from, to] of [
    [0n, 130n],
    [130n, 260n],
    [260n, 390n],
    [390n, 400n],
  ] as const) {
    const store = await openDirectory(grown, { durability: 'os' });
    for (let order = from; order < to; order++) {
      const rows = Array.from({ length: 20 }, () => ({ key: bytesOf(33), value: bytesOf(2000) }));
      await store.batch(
        rows.map((row) => ({ type: 'put', ...row })),
        { order },
      );
    }
    await store.close();
  }
});

describe('the check of a directory from outside', () => {
  it('passes what LevelDB made, while it is open and after it is closed', async () => {
    expect(namesOf(grown, /\.ldb$/).length).toBeGreaterThan(2);
    checkLevelFiles(grown);
    const copy = copyOf(grown);
    const store = await openDirectory(copy, { durability: 'os' });
    for (let round = 0; round < 60; round++) {
      await store.batch([{ type: 'put', key: bytesOf(20), value: bytesOf(150_000) }]);
      checkLevelFiles(copy);
    }
    await store.close();
    checkLevelFiles(copy);
    checkLevelFiles(directory());
    checkLevelFiles(join(directory(), 'absent'));
  });

  it('finds a short log in a closed directory, however much was written', async () => {
    for (const [batches, isLeft] of [
      [1, true],
      [30, false],
    ] as const) {
      const path = directory();
      const store = await openDirectory(path, { durability: 'os' });
      for (let round = 0; round < batches; round++) {
        await store.batch([{ type: 'put', key: Uint8Array.of(round), value: bytesOf(150_000) }]);
      }
      await store.close();
      const bytes = namesOf(path, /\.log$/).reduce((sum, name) => sum + statSync(join(path, name)).size, 0);
      expect(bytes > 0).toBe(isLeft);
      const again = await openDirectory(path);
      expect(again.get(Uint8Array.of(batches - 1))).toHaveLength(150_000);
      await again.close();
    }
  });

  it('reads the records of a log as LevelDB wrote them', async () => {
    const path = directory();
    const database = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' });
    await database.open();
    const sizes = [0, 1, 100, 32_700, 32_768, 70_000, 5];
    const ends: number[] = [];
    const [log] = namesOf(path, /\.log$/);
    for (const size of sizes) {
      await database.put(Uint8Array.of(1), new Uint8Array(size).fill(size));
      ends.push(statSync(join(path, log!)).size);
    }
    await database.close();
    const bytes = readFileSync(join(path, log!));
    const reading = readLog(bytes);
    // Each record: sequence (8), count (4), tag (1), key length and key (2), varint length of the value, value.
    expect(reading.records.map((record) => record.length)).toEqual(
      sizes.map((size) => 15 + (size < 128 ? 1 : size < 16_384 ? 2 : 3) + size),
    );
    expect(reading).toMatchObject({ wholeBytes: bytes.length, damagedAt: undefined, isFollowed: false });
    for (let cut = 0; cut < bytes.length; cut += 307) {
      const { records, wholeBytes, isFollowed } = readLog(bytes.subarray(0, cut));
      const whole = ends.filter((end) => end <= cut);
      expect(records.length).toBe(whole.length);
      expect(wholeBytes).toBe(whole.at(-1) ?? 0);
      expect(isFollowed).toBe(false);
    }
    const last = ends.at(-2)!;
    for (let at = 0; at < bytes.length; at += 509) {
      const flipped = Uint8Array.from(bytes);
      flipped[at]! ^= 1 << (at % 8);
      const read = readLog(flipped);
      expect(read.records.length).toBe(ends.filter((end) => end <= at).length);
      expect(read.damagedAt).toBeLessThanOrEqual(at);
      if (at < last) expect(read.isFollowed).toBe(true);
    }
  });

  it('refuses a table that is cut, grown, missing, or does not end like one, by name', async () => {
    // A table that a compaction has replaced may lie about until the next opening; nothing is lost with it.
    const manifest = readLevelManifest(readLog(readFileSync(join(grown, namesOf(grown, /^MANIFEST/)[0]!))).records)!;
    const live = new Set(manifest.tables.map(({ number }) => number));
    const names = namesOf(grown, /\.ldb$/).filter((name) => live.has(Number.parseInt(name, 10)));
    expect(names.length).toBe(live.size);
    for (const name of names) {
      const copy = copyOf(grown);
      const path = join(copy, name);
      const { size } = statSync(path);
      for (const length of [size - 1, Math.floor(size / 2), 0]) {
        truncateSync(path, length);
        await expect(openDirectory(copy)).rejects.toEqual(corruptIn(name));
        await expect(openDirectory(copy)).rejects.toThrow(/has \d+ bytes instead of \d+; restore/);
      }
      rmSync(path);
      await expect(openDirectory(copy)).rejects.toEqual(corruptIn(name));
      copyFileSync(join(grown, name), path);
      appendFileSync(path, 'x');
      await expect(openDirectory(copy)).rejects.toEqual(corruptIn(name));
      const bytes = readFileSync(join(grown, name));
      bytes[bytes.length - 3]! ^= 1;
      writeFileSync(path, bytes);
      await expect(openDirectory(copy)).rejects.toEqual(corruptIn(name));
      copyFileSync(join(grown, name), path);
      await (await openDirectory(copy)).close();
      rmSync(copy, { recursive: true });
    }
  });

  it('reads a table under the older ending of its name', async () => {
    const copy = copyOf(grown);
    for (const name of namesOf(copy, /\.ldb$/)) renameSync(join(copy, name), join(copy, name.replace('.ldb', '.sst')));
    const store = await openDirectory(copy);
    expect(await store.range({ limit: 10_000 })).toHaveLength(400 * 20);
    expect(store.lastWrittenOrder).toBe(399n);
    await store.close();
  });

  it('refuses a directory without CURRENT or its manifest, rather than begin an empty one over it', async () => {
    const copy = copyOf(grown);
    const [manifest] = namesOf(copy, /^MANIFEST/);
    const refused = async (file: string, why: RegExp): Promise<void> => {
      const opening = openDirectory(copy);
      await expect(opening).rejects.toEqual(corruptIn(file));
      await expect(opening).rejects.toThrow(why);
    };
    copyFileSync(join(copy, namesOf(copy, /\.log$/).at(-1)!), join(copy, manifest!));
    await refused(manifest!, /does not read as a manifest/);
    rmSync(join(copy, manifest!));
    await refused(manifest!, /is missing, though CURRENT names it/);
    writeFileSync(join(copy, 'CURRENT'), 'nothing\n');
    await refused('CURRENT', /names no manifest/);
    rmSync(join(copy, 'CURRENT'));
    await refused('CURRENT', /is missing, though \d+\.ldb is there/);
    expect(namesOf(copy, /\.ldb$/)).toEqual(namesOf(grown, /\.ldb$/));
  });

  it('never opens an emptier store because of a flipped byte in the manifest', async () => {
    const [manifest] = namesOf(grown, /^MANIFEST/);
    const bytes = readFileSync(join(grown, manifest!));
    const copy = copyOf(grown);
    for (let at = 0; at < bytes.length; at += 1 + Math.floor(bytes.length / 60)) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 4;
      writeFileSync(join(copy, manifest!), flipped);
      const opening = openDirectory(copy).then((store) => store.close());
      await expect(opening).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringMatching(/is damaged at byte/),
      });
    }
  });

  it('starts over when the first opening was stopped before there was a CURRENT', async () => {
    const path = directory();
    await (await openDirectory(path)).close();
    for (const name of namesOf(path, /^(CURRENT|\d+\.log|commit-record)$/)) rmSync(join(path, name));
    renameSync(join(path, namesOf(path, /^MANIFEST/)[0]!), join(path, 'MANIFEST-000001'));
    const store = await openDirectory(path);
    expect(await store.range({ limit: 1 })).toEqual([]);
    expect(store.cutOff).toEqual([]);
    await store.close();
  });

  it('refuses a directory whose log is gone along with commits that are in no table', async () => {
    const copy = copyOf(grown);
    const [log] = namesOf(copy, /\.log$/);
    rmSync(join(copy, log!));
    await expect(openDirectory(copy)).rejects.toEqual(corruptIn(log!));
  });

  it('refuses a log that is damaged in its middle, and an older log that is torn, saying where to cut', async () => {
    const path = directory();
    const store = await openDirectory(path, { durability: 'os' });
    const ends: number[] = [];
    const [log] = namesOf(path, /\.log$/);
    for (let order = 0n; order < 10n; order++) {
      await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(9000) }], { order });
      ends.push(statSync(join(path, log!)).size);
    }
    await store.close();
    const bytes = readFileSync(join(path, log!));
    bytes[ends[4]! + 100]! ^= 1;
    writeFileSync(join(path, log!), bytes);
    await expect(openDirectory(path)).rejects.toMatchObject({
      code: 'corrupt',
      details: { file: expect.stringContaining(log!), wholeBytes: ends[4] },
      message: expect.stringContaining(`cut this file to ${ends[4]} bytes`),
    });
    const copy = copyOf(path);
    truncateSync(join(copy, log!), ends[4]);
    const cut = await openDirectory(copy);
    expect(cut.get(Uint8Array.of(1))).toHaveLength(9000);
    expect(cut.lastWrittenOrder).toBe(9n);
    await cut.close();

    const later = `${String(Number.parseInt(log!, 10) + 1).padStart(6, '0')}.log`;
    copyFileSync(join(grown, namesOf(grown, /\.log$/).at(-1)!), join(path, later));
    truncateSync(join(path, log!), ends[4]! + 50);
    await expect(openDirectory(path)).rejects.toEqual(corruptIn(log!));
  });

  it('cuts off a last write of which a power cut left any part but the whole, and says so', async () => {
    const path = directory();
    const store = await openDirectory(path);
    const [log] = namesOf(path, /\.log$/);
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(1000) }], { order: 0n });
    const { size } = statSync(join(path, log!));
    // Over several blocks of the log, in parts that are whole each.
    await store.batch([{ type: 'put', key: Uint8Array.of(2), value: bytesOf(200_000) }]);
    const bytes = readFileSync(join(path, log!));
    for (const [from, to] of [
      [size, size + 4096],
      [65_536, 69_632],
      [size, 131_072],
      [196_608, bytes.length],
    ] as const) {
      const copy = copyOf(path);
      writeFileSync(join(copy, log!), Buffer.from(bytes).fill(0, from, to));
      const left = await openDirectory(copy);
      expect(left.get(Uint8Array.of(1))).toHaveLength(1000);
      expect(left.get(Uint8Array.of(2))).toBeUndefined();
      expect(left.cutOff).toEqual([expect.stringContaining(`${log} was cut to ${size} bytes`)]);
      await left.close();
      const again = await openDirectory(copy);
      expect(again.cutOff).toEqual([]);
      await again.close();
    }
    await store.close();
  });

  it('cuts off batches after damage that were not synced, and refuses damage in what was', async () => {
    const path = directory();
    const store = await openDirectory(path);
    const [log] = namesOf(path, /\.log$/);
    const ends: number[] = [];
    const write = async (order: number, sync: boolean): Promise<void> => {
      await store.batch([{ type: 'put', key: Uint8Array.of(order), value: bytesOf(9000) }], {
        order: BigInt(order),
        sync,
      });
      ends.push(statSync(join(path, log!)).size);
    };
    for (const order of [0, 1, 2]) await write(order, true);
    for (const order of [3, 4, 5]) await write(order, false);
    const bytes = readFileSync(join(path, log!));
    const damagedAt = (at: number): string => {
      const copy = copyOf(path);
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1;
      writeFileSync(join(copy, log!), flipped);
      return copy;
    };
    const cut = await openDirectory(damagedAt(ends[3]! + 100));
    expect([3, 4, 5].map((order) => cut.get(Uint8Array.of(order)) !== undefined)).toEqual([true, false, false]);
    expect(cut.cutOff).toHaveLength(1);
    expect([cut.lastSyncedOrder, cut.lastWrittenOrder]).toEqual([2n, 5n]);
    await cut.close();
    await expect(openDirectory(damagedAt(ends[0]! + 100))).rejects.toEqual(corruptIn(log!));
    // A store that was closed has everything on the disk.
    await store.close();
    await expect(openDirectory(damagedAt(ends[3]! + 100))).rejects.toEqual(corruptIn(log!));
  });

  it('cuts off a torn end where a new log was begun and holds nothing', async () => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(100) }], { order: 0n });
    const copy = copyOf(path);
    await store.close();
    const [log] = namesOf(copy, /\.log$/);
    appendFileSync(join(copy, log!), bytesOf(5));
    writeFileSync(join(copy, `${String(Number.parseInt(log!, 10) + 1).padStart(6, '0')}.log`), '');
    const cut = await openDirectory(copy);
    expect(cut.get(Uint8Array.of(1))).toHaveLength(100);
    expect(cut.cutOff).toHaveLength(1);
    await cut.close();
  });

  it('cuts off what was not synced of a log that is newer than the one that was', async () => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(90_000) }], { order: 0n });
    await store.compact();
    const log = namesOf(path, /\.log$/).at(-1)!;
    const { size } = statSync(join(path, log));
    for (const key of [2, 3]) {
      await store.batch([{ type: 'put', key: Uint8Array.of(key), value: bytesOf(9000) }], { sync: false });
    }
    const copy = copyOf(path);
    const bytes = readFileSync(join(copy, log));
    bytes[size + 100]! ^= 1;
    writeFileSync(join(copy, log), bytes);
    const cut = await openDirectory(copy);
    expect([1, 2, 3].map((key) => cut.get(Uint8Array.of(key))?.length)).toEqual([90_000, undefined, undefined]);
    await cut.close();
    await store.close();
  });

  it.each([
    ['the damage', 50, true],
    ['batches that never reached the disk, the end of a log that is whole up to there', 0, false],
  ])('removes a log that was begun after %s', async (_, rest, isTorn) => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(100) }], { order: 0n });
    const [log] = namesOf(path, /\.log$/);
    const { size } = statSync(join(path, log!));
    await store.batch([{ type: 'put', key: Uint8Array.of(2), value: bytesOf(9000) }], { order: 1n, sync: false });
    const copy = copyOf(path);
    const later = `${String(Number.parseInt(log!, 10) + 1).padStart(6, '0')}.log`;
    copyFileSync(join(grown, namesOf(grown, /\.log$/).at(-1)!), join(copy, later));
    truncateSync(join(copy, log!), size + rest);
    const cut = await openDirectory(copy);
    expect(await cut.range({ limit: 10 })).toHaveLength(1);
    expect(cut.cutOff).toEqual([
      expect.stringContaining(`${later} was removed`),
      ...(isTorn ? [expect.stringContaining(log!)] : []),
    ]);
    await cut.close();
    await store.close();
  });

  it('cuts off an edit of the manifest that was not written as a whole', async () => {
    const copy = copyOf(grown);
    const manifest = join(copy, namesOf(grown, /^MANIFEST/)[0]!);
    const { size } = statSync(manifest);
    // A fragment (level-log.ts) of ten bytes whose page never reached the disk.
    appendFileSync(manifest, Buffer.from([1, 2, 3, 4, 10, 0, 1, ...new Uint8Array(10)]));
    const store = await openDirectory(copy);
    expect(await store.range({ limit: 10_000 })).toHaveLength(400 * 20);
    expect(store.cutOff).toEqual([expect.stringContaining(`was cut to ${size} bytes`)]);
    await store.close();
  });

  it('cuts off an edit of the manifest whose table has no name yet, where all is there that it replaces', async () => {
    const copy = copyOf(grown);
    const [name] = namesOf(copy, /^MANIFEST/);
    const bytes = readFileSync(join(copy, name!));
    // A full record (level-log.ts): new file (7), level 0, number 99, 300 bytes, keys from A to B.
    const edit = Uint8Array.of(1, 7, 0, 99, 0xac, 2, 1, 65, 1, 66);
    const crc = Buffer.alloc(4);
    crc.writeUInt32LE(maskedCrc(edit));
    const header = Buffer.from([edit.length - 1, 0]);
    writeFileSync(join(copy, name!), Buffer.concat([bytes, crc, header, edit]));
    const store = await openDirectory(copy);
    expect(await store.range({ limit: 10_000 })).toHaveLength(400 * 20);
    expect(store.cutOff).toEqual([expect.stringContaining(`${name} was cut to ${bytes.length} bytes`)]);
    await store.close();
  });

  it.each([
    ['a manifest that is empty', (path: string, manifest: string) => truncateSync(join(path, manifest), 0)],
    ['no manifest', (path: string, manifest: string) => rmSync(join(path, manifest))],
    ['a CURRENT that names none', (path: string) => writeFileSync(join(path, 'CURRENT'), '')],
  ])('begins anew where the first opening was cut off, and nothing was ever written: %s', async (_, damage) => {
    const made = directory();
    const store = await openDirectory(made);
    const fresh = copyOf(made);
    await store.batch([{ type: 'put', key: Uint8Array.of(1), value: bytesOf(100) }], { order: 0n });
    const written = copyOf(made);
    await store.close();
    const [manifest] = namesOf(fresh, /^MANIFEST/);
    damage(fresh, manifest!);
    const again = await openDirectory(fresh);
    expect(await again.range({ limit: 1 })).toEqual([]);
    expect(again.cutOff).toHaveLength(1);
    await again.close();
    damage(written, manifest!);
    await expect(openDirectory(written)).rejects.toMatchObject({ code: 'corrupt' });
    // The commit record alone tells that there was something.
    for (const name of namesOf(written, /\.log$/)) rmSync(join(written, name));
    await expect(openDirectory(written)).rejects.toMatchObject({ code: 'corrupt' });
  });

  it('says store-failed for what is not a directory', async () => {
    const path = join(directory(), 'file');
    writeFileSync(path, 'x');
    await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-failed' });
    await expect(openDirectory(join(path, 'below'))).rejects.toMatchObject({ code: 'store-failed' });
    mkdirSync(join(path, '..', 'dir', 'CURRENT'), { recursive: true });
    await expect(openDirectory(join(path, '..', 'dir'))).rejects.toMatchObject({ code: 'store-failed' });
  });
});

describe('readManifest', () => {
  it('refuses edits that cannot be read', () => {
    expect(readLevelManifest([])).toBeUndefined();
    expect(readLevelManifest([Uint8Array.of(2, 5)])).toEqual({ tables: [], logNumber: 5, previousLogNumber: 0 });
    expect(readLevelManifest([Uint8Array.of(2, 0x80, 1)])).toMatchObject({ logNumber: 128 });
    expect(readLevelManifest([Uint8Array.of(2, 0x85)])).toBeUndefined();
    expect(readLevelManifest([Uint8Array.of(2, 5, 1, 9, 65)])).toBeUndefined();
    expect(readLevelManifest([Uint8Array.of(2, 5, 7, 0, 7, 9, 9, 65, 1, 66)])).toBeUndefined();
    expect(readLevelManifest([Uint8Array.of(8, 1, 2, 5)])).toBeUndefined();
    expect(readLevelManifest([Uint8Array.of(1, 9, 65)])).toBeUndefined();
    // New table 7 of 300 bytes at level 0, moved to level 1, then deleted.
    const added = Uint8Array.of(2, 1, 7, 0, 7, 0xac, 2, 1, 65, 1, 66);
    const moved = Uint8Array.of(6, 0, 7, 7, 1, 7, 0xac, 2, 1, 65, 1, 66);
    const gone = Uint8Array.of(6, 1, 7);
    expect(readLevelManifest([added])?.tables).toEqual([{ number: 7, bytes: 300 }]);
    expect(readLevelManifest([added, moved])?.tables).toEqual([{ number: 7, bytes: 300 }]);
    expect(readLevelManifest([added, moved, gone])?.tables).toEqual([]);
  });
});

describe('readLog', () => {
  const [FULL, FIRST, MIDDLE, LAST] = [1, 2, 3, 4] as const;

  /** A fragment as LevelDB writes it: checksum, length, type, data. */
  function fragment(type: number, ...data: number[]): Buffer {
    const checked = Uint8Array.of(type, ...data);
    const header = Buffer.alloc(6);
    header.writeUInt32LE(maskedCrc(checked));
    header.writeUInt16LE(data.length, 4);
    return Buffer.concat([header, checked]);
  }

  it.each<[what: string, fragments: Buffer[], records: number[][], damagedAt: number | undefined, isFollowed: boolean]>(
    [
      [
        'records in one part and in several',
        [fragment(FULL, 1), fragment(FIRST, 2), fragment(MIDDLE, 3), fragment(LAST, 4)],
        [[1], [2, 3, 4]],
        undefined,
        false,
      ],
      ['the end of a record that has no beginning', [fragment(FULL, 1), fragment(LAST, 2)], [[1]], 8, false],
      ['the middle of one, and a record after it', [fragment(MIDDLE, 1), fragment(FULL, 2)], [], 0, true],
      ['a record within another one', [fragment(FIRST, 1), fragment(FULL, 2)], [], 8, true],
      [
        'two beginnings',
        [fragment(FULL, 1), fragment(FIRST, 2), fragment(FIRST, 3), fragment(LAST, 4)],
        [[1]],
        16,
        true,
      ],
      ['a beginning alone', [fragment(FULL, 1), fragment(FIRST, 2)], [[1]], 8, false],
      ['a type that there is not', [fragment(FULL, 1), fragment(5, 2), fragment(FULL, 3)], [[1]], 8, true],
    ],
  )('%s', (_what, fragments, records, damagedAt, isFollowed) => {
    const read = readLog(Buffer.concat(fragments));
    expect(read).toMatchObject({
      damagedAt,
      isFollowed,
      wholeBytes: damagedAt === undefined ? 32 : 8 * records.length,
    });
    expect(read.records.map((record) => [...record])).toEqual(records);
  });
});
