/**
 * Years on a disk: what grows with a chain, and what does not.
 *
 * A deterministic generator fills a directory to each of several sizes. At each, a separate process opens it, reads,
 * transfers, requests a page and makes proofs; at the last size, again with other caches. The baseline is the figure at
 * the smallest size. Times are processor time, including all threads: the files are in the system's cache, so this
 * measures the node, not the disk. `MOVELET_LONG=1` goes to ten million objects.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { TREE_CACHE_BYTES_MAX } from '../src/base/config.ts';
import type { ObjectId } from '../src/chain/object/object-id.ts';
import { Engine } from '../src/engine/engine.ts';
import { parseAddress, parseStructTag } from '../src/query/transaction-builder.ts';
import { openDirectory } from '../src/store/directory.ts';
import { LEVEL_CACHE_BYTES } from '../src/store/limits.ts';
import { forgeObjects } from './forged.ts';
import { type BenchLine, line } from './line.ts';
import { diskMegabytes, inDirectory, inFreshProcess, median, processorTime } from './measure.ts';
import { transfer } from './transfers.ts';

const MIB = 2 ** 20;
const SIZES = [10_000, 100_000, 1_000_000] as const;
const SHORT_SIZES = [1_000, 4_000] as const;

/** Objects per commit: a block's worth, below what a tree update keeps in memory. */
const COMMIT_OBJECTS = 2_000;
/** Each account owns one in this many objects. */
const OWNERS = 100;

const TYPE = parseStructTag('0x77::growth::Object');
const owner = (index: number): Uint8Array => parseAddress(`0x${(0x7700 + (index % OWNERS)).toString(16)}`);

/** The object at `index`: its id and its value are hashes of that number. */
function digest(index: number, kind: string): Uint8Array {
  return Uint8Array.from(createHash('sha3-256').update(`${kind} ${index}`).digest());
}

const idOf = (index: number): ObjectId => [digest(index, 'id')];

/** Adds the objects from `first` up to, but not including, `end` to the chain in a directory. */
async function grow(path: string, first: number, end: number): Promise<void> {
  const engine = await Engine.open({ store: path, durability: 'os', history: 1 });
  for (let from = first; from < end; from += COMMIT_OBJECTS) {
    const count = Math.min(COMMIT_OBJECTS, end - from);
    const indexes = new Map(Array.from({ length: count }, (_, at) => [digest(from + at, 'id'), from + at]));
    await forgeObjects(engine, [...indexes.keys()], (key) => {
      const index = indexes.get(key)!;
      const value = new Uint8Array([...digest(index, 'value'), ...digest(index, 'more')]);
      return { owner: owner(index), objectType: TYPE, value };
    });
  }
  await engine.prune();
  await engine.close();
}

/** What a process measures in a directory of a given size: milliseconds, microseconds (`Us`) and megabytes. */
interface Found {
  readonly open: number;
  readonly firstRead: number;
  readonly readUs: number;
  readonly transfer: number;
  readonly firstPage: number;
  readonly page: number;
  readonly firstProof: number;
  readonly proofUs: number;
  /** Its own memory, and mapped pages of LevelDB's tables, which the system can reclaim at will. */
  readonly memory: number;
  readonly mapped: number;
}

interface Caches {
  readonly tree: number;
  readonly level: number;
}

const READS = 5_000;
const TRANSFERS = 60;

/** Opens a directory of `count` objects and uses it; a separate process calls this and prints the result. */
export async function use(path: string, count: number, { tree, level }: Caches): Promise<Found> {
  let engine!: Engine;
  const open = await processorMs(async () => {
    const store = await openDirectory(path, { cacheBytes: level });
    engine = await Engine.open({ store, treeCacheBytesMax: tree });
  });
  // A fixed walk over all objects, in an order unrelated to the tree or the tables.
  const any = (step: number): ObjectId => idOf((step * 7_919 + 13) % count);
  const read = (step: number): void => {
    if (engine.objects.get(any(step)) === undefined) throw new Error(`object ${step} is missing`);
  };
  const firstRead = await processorMs(() => read(0));
  const readUs = (await each(READS, read)) * 1_000;
  const page = (step: number) =>
    engine.objects.list({ kind: 'owner', owner: owner(step) }, { limit: 50, descending: true });
  const firstPage = await processorMs(() => page(0));
  const pages: number[] = [];
  for (let step = 1; step <= 40; step++) pages.push(await processorMs(() => page(step)));
  const firstProof = await processorMs(() => engine.proofs.object(any(READS)));
  const proofUs = (await each(500, (step) => engine.proofs.object(any(READS + step)))) * 1_000;
  const [alice, bob] = engine.accounts;
  const transfers: number[] = [];
  for (let sent = 0; sent < TRANSFERS; sent++) {
    const call = transfer(bob!.address, BigInt(sent + 1));
    transfers.push(await processorMs(() => engine.executeAs(alice!.address, call)));
  }
  const { memory, mapped } = resident();
  await engine.close();
  return {
    open,
    firstRead,
    readUs,
    transfer: median(transfers),
    firstPage,
    page: median(pages),
    firstProof,
    proofUs,
    memory,
    mapped,
  };
}

/** Megabytes of the process; all count as its own if the system does not distinguish them. */
function resident(): Pick<Found, 'memory' | 'mapped'> {
  const rss = process.memoryUsage().rss / MIB;
  if (process.platform !== 'linux') return { memory: rss, mapped: 0 };
  const kilobytes = Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
  return { memory: kilobytes / 1_024, mapped: rss - kilobytes / 1_024 };
}

const processorMs = async (call: () => unknown): Promise<number> => (await processorTime(call)) / 1_000;

/** Milliseconds of one call, on average. */
async function each(calls: number, call: (step: number) => unknown): Promise<number> {
  const all = await processorMs(() => {
    for (let step = 1; step <= calls; step++) call(step);
  });
  return all / calls;
}

function found(path: string, count: number, caches: Caches): Found {
  return inFreshProcess<Found>(`import { use } from ${JSON.stringify(import.meta.url)};
    console.log(JSON.stringify(await use(...${JSON.stringify([path, count, caches])})));`);
}

const FIGURES: readonly (readonly [keyof Found, string, string])[] = [
  ['open', 'opening', 'ms'],
  ['firstRead', 'first read', 'ms'],
  ['readUs', 'a read, of 5,000 here and there', 'us'],
  ['transfer', 'a transfer, one after another', 'ms'],
  ['firstPage', 'first page of an owner', 'ms'],
  ['page', 'a page of another owner', 'ms'],
  ['firstProof', 'first proof', 'ms'],
  ['proofUs', 'a proof, of 500 here and there', 'us'],
  ['memory', 'memory after all of that', 'MB'],
  ['mapped', 'pages of files beside that', 'MB'],
];

const DEFAULTS: Caches = { tree: TREE_CACHE_BYTES_MAX, level: LEVEL_CACHE_BYTES };

/** Further cache sizes, of the tree and LevelDB, with which the last size is measured. */
const CACHES: readonly Caches[] = [
  { tree: 8 * MIB, level: 8 * MIB },
  { tree: 64 * MIB, level: 8 * MIB },
  { tree: 8 * MIB, level: 64 * MIB },
  { tree: 256 * MIB, level: 64 * MIB },
  { tree: 64 * MIB, level: 256 * MIB },
];

async function objects(path: string, sizes: readonly number[]): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  let [before, least]: [number, { found: Found; disk: number } | undefined] = [0, undefined];
  for (const count of sizes) {
    const generating = await processorTime(() => grow(path, before, count));
    const at = { disk: diskMegabytes(path), found: found(path, count, DEFAULTS) };
    least ??= at;
    const [size, smallest] = [count.toLocaleString('en'), `at ${sizes[0]!.toLocaleString('en')}`];
    for (const [name, text, unit] of FIGURES) {
      const baseline = { name: smallest, value: least.found[name] };
      lines.push(line(`${size} objects: ${text}`, at.found[name], unit, baseline));
    }
    lines.push(line(`${size} objects: disk, history 1`, at.disk, 'MB', { name: smallest, value: least.disk }));
    lines.push(line(`${size} objects: generating one`, generating / (count - before), 'us'));
    before = count;
  }
  for (const caches of CACHES) lines.push(...cached(path, sizes.at(-1)!, caches));
  return lines;
}

function cached(path: string, count: number, caches: Caches): BenchLine[] {
  const at = found(path, count, caches);
  const name = `tree ${caches.tree / MIB} MiB, LevelDB ${caches.level / MIB} MiB`;
  return [
    line(`${name}: a read`, at.readUs, 'us'),
    line(`${name}: a transfer`, at.transfer, 'ms'),
    line(`${name}: a proof`, at.proofUs, 'us'),
    line(`${name}: memory`, at.memory, 'MB'),
  ];
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const long = process.env['MOVELET_LONG'] === '1' ? [...SIZES, 10_000_000] : SIZES;
  return inDirectory((path) => objects(path, short ? SHORT_SIZES : long));
}
