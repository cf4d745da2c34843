/**
 * The unavoidable cost of a transfer, whatever the code around it: the hashes that make up its roots, the signature of
 * its order, and a copy of its rows into fresh memory. Each part is measured alone, with nothing else in the caches, so
 * the sum is a lower bound for these roots and rows. Nothing is validated, executed or looked up.
 */
import { Session } from 'node:inspector/promises';
import { sha3 } from '../src/base/hash/sha3.ts';
import { taggedHashWords, taggedPairWords } from '../src/base/hash/tagged.ts';
import { signBatch } from '../src/pipeline/batch-signer.ts';
import { COLUMN } from '../src/store/column.ts';
import { MemoryStore } from '../src/store/memory.ts';
import type { Row } from '../src/store/store.ts';
import type { BenchLine } from './line.ts';
import { least, processorTime } from './measure.ts';
import { Transfers, warmUp } from './transfers.ts';

const WARM_UP = 2_000;
const ROUND = 1_000;
/** Hashes timed together, so that reading the clock does not count. */
const HASHES = 20_000;
const PAGE_BYTES = 4096;
/** More than an allocator has at hand: glibc asks the system for every block above 32 MiB. */
const FRESH_BYTES = 48 * 2 ** 20;
/** Except for the transaction, all SHA-3 inputs are shorter than one block of 136 bytes. */
const SHORT_BYTES = 96;

/** The hash functions a transfer calls, by the end of their file's path. */
const HASHED = [
  { name: 'taggedPairWords', file: 'hash/tagged.js' },
  { name: 'taggedHashWords', file: 'hash/tagged.js' },
  { name: 'sha3', file: 'hash/sha3.js' },
  { name: 'digestInto', file: 'hash/sha3.js' },
  { name: 'hashPair', file: 'hash/sha3.js' },
] as const;

/** How often each of HASHED is called while `call` runs, counted by V8. */
async function hashesOf(call: () => Promise<void>): Promise<number[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await call();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  return HASHED.map(({ name, file }) => {
    const script = result.find(({ url }) => url.endsWith(file));
    const counted = script?.functions.find(({ functionName }) => functionName === name);
    if (counted === undefined) throw new Error(`${name} of ${file} was not called, or is not there`);
    return counted.ranges[0]!.count;
  });
}

/** Microseconds of one of `calls` calls. */
async function timed(calls: number, rounds: number, call: (index: number) => unknown): Promise<number> {
  const time = await least(rounds, () =>
    processorTime(() => {
      for (let index = 0; index < calls; index++) call(index);
    }),
  );
  return time / calls;
}

async function rowsOf(store: MemoryStore): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const row of store.scan({})) rows.push(row);
  return rows;
}

/** Rows concatenated. */
function joined(rows: readonly Row[]): Uint8Array {
  return Buffer.concat(rows.flatMap(({ key, value }) => [key, value]));
}

/**
 * Touches each page of fresh memory once: the system's cost of providing it, which varies a hundredfold between
 * machines.
 */
function touchPages(): void {
  const memory = new Uint8Array(FRESH_BYTES);
  for (let at = 0; at < memory.length; at += PAGE_BYTES) memory[at] = 1;
}

/** Fills fresh memory with copies of a block. */
function copyAgain(block: Uint8Array): void {
  const memory = new Uint8Array(FRESH_BYTES);
  const copies = Math.floor(memory.length / block.length);
  for (let copy = 0; copy < copies; copy++) memory.set(block, copy * block.length);
}

export async function run(short: boolean): Promise<BenchLine[]> {
  const rounds = short ? 3 : 8;
  await warmUp();
  const store = new MemoryStore();
  const transfers = await Transfers.open('nobody', { store });
  await transfers.prepare(WARM_UP)();
  const before = new Set((await rowsOf(store)).map(({ key }) => Buffer.from(key).toString('latin1')));
  const perTransfer = (await least(rounds, () => processorTime(transfers.prepare(ROUND)))) / ROUND;
  const added = (await rowsOf(store)).filter(({ key }) => !before.has(Buffer.from(key).toString('latin1')));
  const counts = (await hashesOf(transfers.prepare(ROUND))).map((count) => count / ROUND);
  const [pairs, leaves, ...others] = counts as [number, number, ...number[]];
  const sha3s = others.reduce((sum, count) => sum + count, 0);

  const words = new Int32Array(16);
  const pair = await timed(HASHES, rounds, () => taggedPairWords(words, 0, words, 8, words, 0));
  const leafBytes = nodeBytes(added);
  const leaf = await timed(HASHES, rounds, () => taggedHashWords(leafBytes, 0, words, 0));
  const digest = await timed(HASHES, rounds, (index) => sha3(new Uint8Array(SHORT_BYTES).fill(index)));
  const secret = new Uint8Array(32).fill(7);
  const witnesses = Array.from({ length: 256 }, (_, index) => new Uint8Array(40).fill(index));
  const signature = (await timed(10, rounds, () => signBatch(secret, witnesses))) / witnesses.length;
  const ofRound = added.filter((_, index) => index % rounds === 0);
  const block = joined(ofRound);
  const bytes = block.length;
  const rows = (await timed(1, rounds, () => copyAgain(block))) / (Math.floor(FRESH_BYTES / bytes) * ROUND);
  const page = (await timed(1, rounds, touchPages)) / (FRESH_BYTES / PAGE_BYTES);
  const pages = bytes / ROUND / PAGE_BYTES;

  const hashes = pairs * pair + leaves * leaf + sha3s * digest;
  const baseline = { name: 'a transfer', value: perTransfer };
  const lines: BenchLine[] = [
    { name: `${Math.round(pairs + leaves + sha3s)} hashes`, value: hashes, unit: 'us', baseline },
    { name: 'the signature of its order', value: signature, unit: 'us', baseline },
    {
      name: `${Math.round(ofRound.length / ROUND)} rows copied as one, ${(bytes / ROUND / 1e3).toFixed(1)} kB`,
      value: rows,
      unit: 'us',
      baseline,
    },
    { name: `of that, ${pages.toFixed(1)} pages of fresh memory`, value: pages * page, unit: 'us', baseline },
    { name: 'all that it cannot do without', value: hashes + signature + rows, unit: 'us', baseline },
  ];
  await transfers.engine.close();
  return lines;
}

/** As many bytes as a node has on average. */
function nodeBytes(rows: readonly Row[]): Uint8Array {
  const nodes = rows.filter(({ key }) => key[0] === COLUMN.node);
  return new Uint8Array(Math.round(nodes.reduce((sum, { value }) => sum + value.length, 0) / nodes.length));
}
