/**
 * What is left of a directory when a process dies, a log is cut, or the disk is full.
 */
import { type ChildProcessWithoutNullStreams, execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Level } from 'level';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { RESERVED_PREFIX } from '../../src/store/key-range.ts';
import type { LevelStore } from '../../src/store/level.ts';
import type { Operation } from '../../src/store/store.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();
const below = randomNumbers(seed);
const repository = fileURLToPath(new URL('../..', import.meta.url));
const child = fileURLToPath(new URL('store-child.mjs', import.meta.url));

/** The compiled store, for the children; inside the repository, where they find its packages. */
let compiled: string;
beforeAll(() => {
  mkdirSync(join(repository, 'build'), { recursive: true });
  compiled = mkdtempSync(join(repository, 'build', 'test-crash-'));
  const project = join(compiled, 'tsconfig.json');
  const compilerOptions = {
    outDir: '.',
    rootDir: '../../src',
    declaration: false,
    isolatedDeclarations: false,
    emitDeclarationOnly: false,
    declarationMap: false,
  };
  const files = ['../../src/store/directory.ts'];
  writeFileSync(project, JSON.stringify({ extends: '../../tsconfig.build.json', compilerOptions, include: [], files }));
  const compiler = join(repository, 'node_modules', 'typescript', 'bin', 'tsc');
  execFileSync(process.execPath, [compiler, '-p', project], { cwd: repository });
  // Pieces of a large batch so small that a commit has a dozen of them.
  const config = join(compiled, 'config.js');
  const small = readFileSync(config, 'utf8')
    .replace(/LARGE_BATCH_HELD_OPERATIONS_MAX = [\d_]+/, 'LARGE_BATCH_HELD_OPERATIONS_MAX = 60')
    .replace(/LARGE_BATCH_PIECE_OPERATIONS_MAX = [\d_]+/, 'LARGE_BATCH_PIECE_OPERATIONS_MAX = 25');
  writeFileSync(config, small);
});
afterAll(() => rmSync(compiled, { recursive: true, force: true }));

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

/** The order of the head, after asserting that the directory holds exactly what that commit left: see store-child.mjs. */
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

/** The order of the head, after asserting that every row of the large batches is as that one left it. */
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
  interface Waiting {
    readonly process: ChildProcessWithoutNullStreams;
    readonly lines: string[];
    readonly closed: Promise<void>;
  }

  const start = (path: string, durability: string, mode = 'kill'): Waiting => {
    const process_ = spawn(process.execPath, [child, compiled, path, durability, mode]);
    onTestFinished(() => {
      process_.kill('SIGKILL');
    });
    const lines: string[] = [];
    let rest = '';
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\n');
      rest = parts.pop() ?? '';
      lines.push(...parts);
    });
    let errors = '';
    process_.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    const closed = new Promise<void>((resolve, reject) => {
      process_.on('close', (_, signal) =>
        signal === 'SIGKILL' ? resolve() : reject(new Error(`the child ended: ${errors}`)),
      );
    });
    return { process: process_, lines, closed };
  };

  const until = async (isTrue: () => boolean, waiting: Waiting): Promise<void> => {
    while (!isTrue() && waiting.process.exitCode === null) await pause(1);
    if (!isTrue()) await waiting.closed;
  };
  const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

  it('many times leaves a whole directory at or after the last acknowledged commit', {
    timeout: 300_000,
  }, async () => {
    const path = directory();
    const rounds = isLong ? 1000 : 30;
    let next = start(path, 'fsync');
    let head = -1;
    let opened = 0;
    for (let round = 0; round < rounds; round++) {
      const running = next;
      await until(() => running.lines.includes('ready'), running);
      next = start(path, round % 2 === 0 ? 'os' : 'fsync');
      running.process.stdin.write('\n');
      // Most are killed while they commit, some while they open.
      if (round % 5 !== 0) await until(() => running.lines.includes('open'), running);
      await pause(below(round % 5 === 0 ? 15 : 35));
      running.process.kill('SIGKILL');
      await running.closed;
      const acknowledged = Math.max(-1, ...running.lines.map(Number).filter((order) => !Number.isNaN(order)));
      const store = await openDirectory(path);
      const before = head;
      head = await headOf(store);
      expect(head).toBeGreaterThanOrEqual(Math.max(before, acknowledged));
      expect(missing(store, head)).toBeLessThanOrEqual(0);
      await store.close();
      if (running.lines.includes('open')) opened++;
    }
    next.process.kill('SIGKILL');
    await next.closed;
    expect(opened).toBeGreaterThan(rounds / 2);
    expect(head).toBeGreaterThan(rounds);
  });

  it('in the middle of large batches leaves the content before or after one, whole', { timeout: 300_000 }, async () => {
    const path = directory();
    const rounds = isLong ? 500 : 12;
    const durabilityOf = (round: number): string => (round % 4 === 0 ? 'fsync' : 'os');
    let next = start(path, durabilityOf(0), 'large');
    let head = -1;
    let swept = 0;
    for (let round = 0; round < rounds; round++) {
      const running = next;
      await until(() => running.lines.includes('ready'), running);
      next = start(path, durabilityOf(round + 1), 'large');
      running.process.stdin.write('\n');
      await until(() => running.lines.includes('open'), running);
      const begun = performance.now();
      await until(() => running.lines.some((line) => /^\d+$/.test(line)), running);
      // At a point of the commit behind the first one, which takes about as long, on a busy machine too.
      await pause(((performance.now() - begun) * below(1000)) / 1000);
      running.process.kill('SIGKILL');
      await running.closed;
      if (await holdsUndoRows(path)) swept++;
      const acknowledged = Math.max(-1, ...running.lines.map(Number).filter((order) => !Number.isNaN(order)));
      const store = await openDirectory(path);
      const before = head;
      head = await largeHeadOf(store);
      expect(head).toBeGreaterThanOrEqual(Math.max(before, acknowledged));
      expect(missing(store, head)).toBeLessThanOrEqual(0);
      await store.close();
      expect(await holdsUndoRows(path)).toBe(false);
    }
    next.process.kill('SIGKILL');
    await next.closed;
    // Most are killed between two pieces.
    expect(swept).toBeGreaterThan(rounds / 4);
    expect(head).toBeGreaterThanOrEqual(rounds - 1);
  });

  it('in its first opening leaves a directory that opens', { timeout: 300_000 }, async () => {
    let nextPath = directory();
    let next = start(nextPath, 'fsync');
    for (let round = 0; round < (isLong ? 300 : 12); round++) {
      const running = next;
      const path = nextPath;
      await until(() => running.lines.includes('ready'), running);
      nextPath = directory();
      next = start(nextPath, 'fsync');
      running.process.stdin.write('\n');
      await pause(below(12));
      running.process.kill('SIGKILL');
      await running.closed;
      const store = await openDirectory(path);
      await headOf(store);
      await store.close();
    }
    next.process.kill('SIGKILL');
    await next.closed;
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

  it('opens at the last whole commit and tells how many are missing', { timeout: 3_600_000 }, async () => {
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
describe.skipIf(process.platform === 'win32')(`a disk that is full${fullNote}`, () => {
  it.each(['fsync', 'os'])('is an error, keeps what was acknowledged, and reads go on: %s', async (durability) => {
    const path = directory();
    const command = `ulimit -f 1000 && exec "$0" "$@"`;
    const args = ['-c', command, process.execPath, child, compiled, path, durability, 'fill'];
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
