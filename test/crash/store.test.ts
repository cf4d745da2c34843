/**
 * What is left of a directory when a process dies, a log is cut, or the disk is full.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Level } from 'level';
import { beforeAll, describe, expect, it } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { RESERVED_PREFIX } from '../../src/store/key-range.ts';
import type { LevelStore } from '../../src/store/level.ts';
import type { Operation } from '../../src/store/store.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
const below = randomNumbers(seed);

let child: string;
beforeAll(async () => {
  // Pieces of a large batch, so small that a commit has a dozen of them.
  const bounds = { LARGE_BATCH_HELD_OPERATIONS_MAX: 60, LARGE_BATCH_PIECE_OPERATIONS_MAX: 25 };
  child = await bundled(new URL('store-child.ts', import.meta.url), bounds);
});

function uint64(number: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return bytes;
}

const toNumber = (bytes: Uint8Array): number => Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
const rowKey = (order: number, index: number): Uint8Array => Uint8Array.of(2, ...uint64(order), index);

function filler(order: number, index: number, scale: number): Uint8Array {
  const length = ((order * 31 + index * 17) % 180) * scale;
  return Uint8Array.from({ length }, (_, at) => order * 7 + index * 13 + at * at);
}

/** The order of the head, after asserting that the directory holds exactly what that commit left: see store-child.ts. */
async function headOf(store: LevelStore, scale = 1): Promise<number> {
  const head = store.get(Uint8Array.of(1));
  const order = head === undefined ? -1 : toNumber(head);
  const rows = await store.range({ gte: Uint8Array.of(2), limit: 10_000 });
  const expected: { key: Uint8Array; value: Uint8Array }[] = [];
  for (let at = Math.max(0, order - 49); at <= order; at++) {
    for (let index = 0; index < 6; index++) expected.push({ key: rowKey(at, index), value: filler(at, index, scale) });
  }
  for (let digit = 0; digit < 10 && digit <= order; digit++) {
    const last = order - ((order - digit) % 10);
    expected.push({ key: Uint8Array.of(3, digit), value: uint64(last) });
  }
  expect(rows.length).toBe(expected.length);
  for (const [index, row] of rows.entries()) {
    expect(Buffer.compare(row.key, expected[index]!.key)).toBe(0);
    expect(Buffer.compare(row.value, expected[index]!.value)).toBe(0);
  }
  return order;
}

/** The order of the head, after asserting that every row of the large batches is as that batch left it. */
async function largeHeadOf(store: LevelStore): Promise<number> {
  const head = store.get(Uint8Array.of(1));
  const order = head === undefined ? -1 : toNumber(head);
  const left = Array.from({ length: 300 }, (_, index) => index).filter((index) => (order + index) % 7 !== 0);
  const expected = order === -1 ? [] : left.map((index) => `${index} ${order}`);
  const rows = await store.range({ gte: Uint8Array.of(2), limit: 10_000 });
  expect(rows.map(({ key, value }) => `${toNumber(key.subarray(1))} ${toNumber(value)}`)).toEqual(expected);
  return order;
}

/** Looks at a directory as LevelDB has it. */
async function holdsUndoRows(path: string): Promise<boolean> {
  const database = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' });
  await database.open();
  const keys = await database.keys({ gte: RESERVED_PREFIX, lt: Uint8Array.of(1), limit: 1 }).all();
  await database.close();
  return keys.length > 0;
}

const missing = (store: LevelStore, head: number): number => Number(store.lastWrittenOrder ?? -1n) - head;

describe('a process that is killed', () => {
  const acknowledgedBy = ({ lines }: Victim): number =>
    Math.max(-1, ...lines.filter((line) => /^\d+$/.test(line)).map(Number));

  it('leaves, time and again, a whole directory at or after the last acknowledged commit', {
    timeout: 3_600_000,
  }, async () => {
    const path = directory();
    const rounds = isLong ? 1000 : 20;
    let next = new Victim(child, path, 'fsync', 'kill');
    let head = -1;
    let opened = 0;
    for (let round = 0; round < rounds; round++) {
      const running = next;
      await running.until(() => running.isReady);
      if (round + 1 < rounds) next = new Victim(child, path, round % 2 === 0 ? 'os' : 'fsync', 'kill');
      await running.go();
      // Most are killed while they commit, some while they open.
      if (round % 5 !== 0) await running.until(() => acknowledgedBy(running) > head);
      await pause(below(round % 5 === 0 ? 15 : 35));
      await running.kill();
      const acknowledged = acknowledgedBy(running);
      const store = await openDirectory(path);
      const before = head;
      head = await headOf(store);
      expect(head).toBeGreaterThanOrEqual(Math.max(before, acknowledged));
      expect(missing(store, head)).toBeLessThanOrEqual(0);
      await store.close();
      if (running.isOpen) opened++;
    }
    expect(opened).toBeGreaterThan(rounds / 2);
    expect(head).toBeGreaterThan(rounds / 2);
  });

  it('in the middle of large batches leaves the content before or after one, whole', {
    timeout: 3_600_000,
  }, async () => {
    const path = directory();
    const rounds = isLong ? 500 : 8;
    const durabilityOf = (round: number): string => (round % 4 === 0 ? 'fsync' : 'os');
    // Half of them kill themselves between two pieces: before the rows of that index are added, the first are written.
    const diesBetween = (round: number): boolean => round % 2 === 1;
    const begin = (round: number): Victim => {
      const last = diesBetween(round) ? [`${120 + 60 * below(3)}`] : [];
      return new Victim(child, path, durabilityOf(round), 'large', ...last);
    };
    let next = begin(0);
    let head = -1;
    let swept = 0;
    for (let round = 0; round < rounds; round++) {
      const running = next;
      await running.until(() => running.isReady);
      if (round + 1 < rounds) next = begin(round + 1);
      await running.go();
      await running.until(() => running.isOpen);
      const begun = performance.now();
      await running.until(() => running.lines.some((line) => /^\d+$/.test(line)));
      // The others at some point in the commit after the first one, which takes about as long, on a busy machine too.
      if (diesBetween(round)) await running.until(() => running.hasEnded);
      else await pause(((performance.now() - begun) * below(1000)) / 1000);
      await running.kill();
      if (await holdsUndoRows(path)) swept++;
      const acknowledged = acknowledgedBy(running);
      const store = await openDirectory(path);
      const before = head;
      head = await largeHeadOf(store);
      expect(head).toBeGreaterThanOrEqual(Math.max(before, acknowledged));
      expect(missing(store, head)).toBeLessThanOrEqual(0);
      await store.close();
      expect(await holdsUndoRows(path)).toBe(false);
    }
    expect(swept).toBeGreaterThanOrEqual(rounds / 2);
    expect(head).toBeGreaterThanOrEqual(rounds - 1);
  });

  it('in its first opening leaves a directory that opens', { timeout: 3_600_000 }, async () => {
    let nextPath = directory();
    let next = new Victim(child, nextPath, 'fsync', 'kill');
    const rounds = isLong ? 300 : 8;
    for (let round = 0; round < rounds; round++) {
      const running = next;
      const path = nextPath;
      await running.until(() => running.isReady);
      nextPath = directory();
      if (round + 1 < rounds) next = new Victim(child, nextPath, 'fsync', 'kill');
      await running.go();
      await pause(below(12));
      await running.kill();
      const store = await openDirectory(path);
      await headOf(store);
      await store.close();
    }
  });
});

describe('a log that is cut', () => {
  const commits = 30;
  const scale = 5;
  let source: string;
  let log: string;
  const ends: number[] = [];

  function commit(order: number): Operation[] {
    const operations: Operation[] = [
      { type: 'put', key: Uint8Array.of(1), value: uint64(order) },
      { type: 'put', key: Uint8Array.of(3, order % 10), value: uint64(order) },
    ];
    for (let index = 0; index < 6; index++) {
      operations.push({ type: 'put', key: rowKey(order, index), value: filler(order, index, scale) });
    }
    return operations;
  }

  beforeAll(async () => {
    source = directory();
    const store = await openDirectory(source);
    log = readdirSync(source).find((name) => name.endsWith('.log'))!;
    for (let order = 0; order < commits; order++) {
      await store.batch(commit(order), { order: BigInt(order) });
      ends.push(statSync(join(source, log)).size);
    }
    await store.close();
  });

  function copy(logBytes: Uint8Array): string {
    const path = directory();
    for (const name of readdirSync(source)) {
      if (name === log) writeFileSync(join(path, name), logBytes);
      else copyFileSync(join(source, name), join(path, name));
    }
    return path;
  }

  it('opens at the last whole commit and says how many are missing', { timeout: 3_600_000 }, async () => {
    const bytes = readFileSync(join(source, log));
    expect(bytes.length).toBeGreaterThan(2 * 32_768);
    const cuts = isLong
      ? [...Array(bytes.length + 1).keys()]
      : [
          ...ends.flatMap((end, index) => (index % 3 === 0 ? [end - 1, end, end + 8] : [end])),
          ...[1, 2].flatMap((block) => [-8, -7, -1, 0, 1, 6, 7].map((near) => block * 32_768 + near)),
          ...Array.from({ length: 40 }, () => below(bytes.length)),
          0,
        ].filter((cut) => cut <= bytes.length);
    for (const [turn, cut] of cuts.entries()) {
      const path = copy(bytes.subarray(0, cut));
      const store = await openDirectory(path);
      const whole = ends.filter((end) => end <= cut).length;
      const head = await headOf(store, scale);
      expect(head, `cut at ${cut}`).toBe(whole - 1);
      expect(missing(store, head), `cut at ${cut}`).toBe(commits - whole);
      expect(store.lastSyncedOrder).toBe(BigInt(commits - 1));
      if (turn % 5 === 0) await store.batch(commit(whole), { order: BigInt(whole) });
      await store.close();
      if (turn % 5 === 0) {
        const again = await openDirectory(path);
        expect(await headOf(again, scale)).toBe(whole);
        expect(missing(again, whole)).toBe(0);
        await again.close();
      }
      rmSync(path, { recursive: true });
    }
  });

  it('with a byte flipped anywhere opens at the commit before it, or not at all', async () => {
    const bytes = readFileSync(join(source, log));
    const places = Array.from({ length: isLong ? 5000 : 60 }, () => below(bytes.length));
    for (const at of [...places, ends.at(-2)! + 3, ends.at(-2)! + 20, bytes.length - 1]) {
      const flipped = Buffer.from(bytes);
      flipped[at]! ^= 1 << below(8);
      const path = copy(flipped);
      const whole = ends.filter((end) => end <= at).length;
      if (whole < commits - 1) {
        await expect(openDirectory(path), `flipped at ${at}`).rejects.toMatchObject({
          code: 'corrupt',
          details: { file: expect.stringContaining(log), wholeBytes: ends[whole - 1] ?? 0 },
        });
      } else {
        const store = await openDirectory(path);
        expect(await headOf(store, scale)).toBe(whole - 1);
        expect(missing(store, whole - 1)).toBe(1);
        await store.close();
      }
      rmSync(path, { recursive: true });
    }
  });
});

const fullNote = process.platform === 'win32' ? ' (skipped on Windows)' : '';
describe.skipIf(process.platform === 'win32')(`a full disk${fullNote}`, () => {
  it.each(['fsync', 'os'])('is an error, keeps what was acknowledged, and reads go on: %s', async (durability) => {
    const path = directory();
    const command = `ulimit -f 1000 && exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, child, path, durability, 'fill'];
    const { stdout, stderr, status } = spawnSync('sh', args, { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    const lines = stdout.trim().split('\n');
    const told = JSON.parse(lines.pop()!);
    const acknowledged = Number(lines.at(-1));
    expect(acknowledged).toBeGreaterThan(5);
    expect(told).toEqual({
      code: 'store-failed',
      message: expect.stringMatching(/cannot write the database: .*(File too large|No space)/),
      refused: 'store-failed',
      read: acknowledged,
      rows: Math.min(50, acknowledged + 1) * 6 + 10,
    });
    const store = await openDirectory(path);
    const head = await headOf(store, 20);
    expect(head).toBeGreaterThanOrEqual(acknowledged);
    expect(missing(store, head)).toBeLessThanOrEqual(0);
    await store.batch([{ type: 'put', key: Uint8Array.of(9), value: Uint8Array.of(9) }], { order: BigInt(head + 1) });
    await store.close();
  });
});
