/**
 * Ingesting Bitcoin: block 818677 (3,463 transactions) parsed, indexed and committed on a fresh store with a root for
 * each transaction, in memory and on disk; the first page of an owner's UTXOs among many; memory while blocks come in.
 *
 * The baseline of ingesting is parsing and checking the same block. The block comes from `MOVELET_SHARED` or the folder
 * `shared` beside the checkout; without it the real block is left out.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { nodeAddressOf, parseBitcoinAddress } from '../src/bitcoin/address.ts';
import { assertBlock, decodeBlock } from '../src/bitcoin/block.ts';
import { spend } from '../src/bitcoin/mine.ts';
import { subsidyOf } from '../src/bitcoin/network.ts';
import { Engine } from '../src/engine.ts';
import type { EngineOptions } from '../src/engine-options.ts';
import { DEV_ACCOUNTS } from '../src/framework/accounts.ts';
import type { Baseline, BenchLine } from './line.ts';

const HEIGHT = 818_677;
const SPLIT_OUTPUTS = 1_000;
const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => parseBitcoinAddress(regtestAddress)) as [
  Uint8Array,
  Uint8Array,
];

async function elapsed(call: () => unknown): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

async function ingestReal(raw: Uint8Array, options: EngineOptions): Promise<number> {
  const engine = await Engine.open({ ...options, bitcoinNetwork: 'bitcoin' });
  try {
    return await elapsed(() => engine.ingest(raw, HEIGHT));
  } finally {
    await engine.close();
  }
}

async function realBlock(short: boolean): Promise<BenchLine[]> {
  const { MOVELET_SHARED } = process.env;
  const path = `${MOVELET_SHARED ?? resolve('..', 'shared')}/data/blocks/${HEIGHT}.blob`;
  if (!existsSync(path)) return [];
  const raw = new Uint8Array(readFileSync(path));
  const parsing = await elapsed(() => assertBlock(decodeBlock(raw)));
  const baseline: Baseline = { name: 'parsing and checking it', value: parsing };
  const target = '4,000, stretch 1,500';
  const lines: BenchLine[] = [];
  const memory: number[] = [];
  for (let round = 0; round < (short ? 1 : 3); round++) memory.push(await ingestReal(raw, {}));
  lines.push({ name: 'ingest block 818677, memory', value: Math.min(...memory), unit: 'ms', baseline, target });
  const directory = mkdtempSync(join(tmpdir(), 'movelet-bench-'));
  try {
    const level = await ingestReal(raw, { store: join(directory, 'level') });
    lines.push({ name: 'ingest block 818677, LevelDB', value: level, unit: 'ms', baseline, target });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return lines;
}

/** Pages of an owner's outputs while the store holds many, and memory while blocks of a thousand outputs come in. */
async function manyOutputs(short: boolean): Promise<BenchLine[]> {
  const directory = mkdtempSync(join(tmpdir(), 'movelet-bench-'));
  const engine = await Engine.open({ store: join(directory, 'level'), durability: 'os' });
  try {
    return await pagesAndHeap(engine, short ? 10 : 50);
  } finally {
    await engine.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function pagesAndHeap(engine: Engine, blocks: number): Promise<BenchLine[]> {
  const first = await engine.bitcoin.mine({ to: alice });
  const heap: number[] = [];
  const times: number[] = [];
  let source = { txid: first.transactions[0]!.txid, vout: 0 };
  for (let block = 0; block < blocks; block++) {
    const value = subsidyOf(0) / BigInt(SPLIT_OUTPUTS + 1);
    const outputs = Array.from({ length: SPLIT_OUTPUTS }, () => ({ to: alice, value }));
    const transactions = [spend([{ outpoint: source }], outputs)];
    const start = performance.now();
    const mined = await engine.bitcoin.mine({ to: bob, transactions });
    times.push(performance.now() - start);
    source = { txid: mined.transactions[0]!.txid, vout: 0 };
    globalThis.gc?.();
    heap.push(process.memoryUsage().heapUsed / 2 ** 20);
  }
  const page = { limit: 50, descending: true } as const;
  const ask = () => engine.bitcoin.utxos({ kind: 'owner', owner: nodeAddressOf(alice) }, page);
  await ask();
  const pages: number[] = [];
  for (let round = 0; round < 20; round++) pages.push(await elapsed(ask));
  const count = blocks * SPLIT_OUTPUTS;
  const [fifthTime, tenthHeap] = [times[4]!, heap[9]!];
  return [
    { name: `first page of one owner, ${count} UTXOs, LevelDB`, value: Math.min(...pages), unit: 'ms', target: '2' },
    {
      name: `block of 1,000 outputs, the ${blocks}th`,
      value: times.at(-1)!,
      unit: 'ms',
      baseline: { name: 'the fifth', value: fifthTime },
    },
    {
      name: `heap after ${blocks} such blocks, LevelDB`,
      value: heap.at(-1)!,
      unit: 'MB',
      baseline: { name: 'after the tenth', value: tenthHeap },
    },
  ];
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  return [...(await realBlock(short)), ...(await manyOutputs(short))];
}
