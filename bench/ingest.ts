/**
 * Ingesting Bitcoin: block 818677 (3,463 transactions) parsed, indexed and committed on a fresh store with a root for
 * each transaction, in memory and on disk; where its time goes, and its size on disk depending on the history kept; the
 * first page of an owner's UTXOs among a million ingested as 50 blocks of 20,000 outputs, and memory use while those
 * come in.
 *
 * The baseline for ingesting is parsing and checking the same block. Without the block (`sharedBlock`), both are left out.
 */
import { join } from 'node:path';
import { nodeAddressOf, parseBitcoinAddress } from '../src/bitcoin/address.ts';
import { assertBlock, decodeBlock } from '../src/bitcoin/block.ts';
import { formatBitcoinHash } from '../src/bitcoin/hash.ts';
import { spend } from '../src/bitcoin/mine.ts';
import { subsidyOf } from '../src/bitcoin/network.ts';
import { Engine } from '../src/engine/engine.ts';
import type { EngineOptions } from '../src/engine/engine-options.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { heldBytes } from '../test/garbage.ts';
import { type Baseline, type BenchLine, line } from './line.ts';
import { diskMegabytes, elapsed, inDirectory, sharedBlock } from './measure.ts';
import { type Stages, shares } from './profile.ts';

const HEIGHT = 818_677;

/**
 * Blocks of many outputs: a million in all, or a sample of ten thousand. After `warm` blocks the tree cache is full.
 */
const FULL = { blocks: 50, outputs: 20_000, warm: 15 } as const;
const SHORT = { blocks: 10, outputs: 1_000, warm: 5 } as const;

const STAGES: Stages = {
  'parsing and checking the block': ['decodeBlock bitcoin/block.js', 'assertBlock bitcoin/block.js'],
  'order signatures': ['* transaction/order-signature.js'],
  'sequencing: hashes, accumulator': ['sequence pipeline/sequence.js'],
  execution: [
    'executeL1Block bitcoin-move/l1-block.js',
    'executeL1Transaction bitcoin-move/l1-transaction.js',
    'changeSet runtime/object-runtime.js',
  ],
  'state tree': ['applyChangeSet state/apply.js'],
  'rows of nodes, ledger, events, indexes': ['prepareCommit pipeline/commit.js', 'operations pipeline/commit.js'],
  'rows into the store': ['apply store/memory.js', 'writeBatch store/level.js'],
};
const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => parseBitcoinAddress(regtestAddress)) as [
  Uint8Array,
  Uint8Array,
];

async function ingestReal(raw: Uint8Array, options: EngineOptions): Promise<number> {
  const engine = await Engine.open({ ...options, bitcoinNetwork: 'bitcoin' });
  try {
    return await elapsed(() => engine.bitcoin.ingest(raw, HEIGHT));
  } finally {
    await engine.close();
  }
}

async function realBlock(short: boolean): Promise<BenchLine[]> {
  const raw = sharedBlock(HEIGHT);
  if (raw === undefined) return [];
  const parsing = await elapsed(() => assertBlock(decodeBlock(raw)));
  const baseline: Baseline = { name: 'parsing and checking it', value: parsing };
  const memory: number[] = [];
  for (let round = 0; round < (short ? 1 : 3); round++) memory.push(await ingestReal(raw, {}));
  const lines = [line('ingest block 818677, memory', Math.min(...memory), 'ms', baseline, INGEST_TARGET)];
  lines.push(...(await shares(STAGES, () => ingestReal(raw, {}))));
  const watched = await ingestReal(raw, {
    ingest: { owners: DEV_ACCOUNTS.map(({ mainnetAddress }) => mainnetAddress) },
  });
  lines.push(line('block 818677 for ten owners that it does not pay', watched, 'ms', baseline, '150'));
  for (const kept of HISTORIES) lines.push(...(await onDisk(raw, kept, baseline)));
  return lines;
}

const INGEST_TARGET = '4,000, stretch 1,500';

/** How much history is kept, and the target size of the directory in megabytes after the block. */
const HISTORIES = [
  { history: 'all', target: '40' },
  { history: 1_000, target: '8' },
  { history: 1, target: '8' },
] as const;

/** The block on LevelDB: how long it takes, and the disk size of the pruned and closed directory. */
async function onDisk(raw: Uint8Array, kept: (typeof HISTORIES)[number], baseline: Baseline): Promise<BenchLine[]> {
  const { history, target } = kept;
  return inDirectory(async (directory) => {
    const milliseconds = await ingestReal(raw, { store: directory, history });
    const engine = await Engine.open({ store: directory });
    await engine.prune();
    await engine.close();
    const name = `block 818677, LevelDB, history ${history}`;
    const block: Baseline = { name: 'the block', value: raw.length / 1e6 };
    return [
      line(`ingest ${name}`, milliseconds, 'ms', baseline, INGEST_TARGET),
      line(`disk after ${name}`, diskMegabytes(directory), 'MB', block, target),
    ];
  });
}

/** Pages of an owner's outputs while the store holds many, and memory while those come in. */
async function manyOutputs(short: boolean): Promise<BenchLine[]> {
  return inDirectory(async (directory) => {
    await using engine = await Engine.open({ store: join(directory, 'level'), durability: 'os' });
    return await pagesAndHeap(engine, short ? SHORT : FULL);
  });
}

async function pagesAndHeap(
  engine: Engine,
  { blocks, outputs: count, warm }: typeof FULL | typeof SHORT,
): Promise<BenchLine[]> {
  const first = await engine.dev.mine({ to: alice });
  const heap: number[] = [];
  const times: number[] = [];
  let source = { txid: first.transactions[0]!.txid, vout: 0 };
  for (let block = 0; block < blocks; block++) {
    const value = subsidyOf(0) / BigInt(count + 1);
    const outputs = Array.from({ length: count }, () => ({ to: alice, value }));
    const transactions = [spend([{ outpoint: source }], outputs)];
    times.push(await elapsed(() => engine.dev.mine({ to: bob, transactions })));
    source = { txid: formatBitcoinHash(transactions[0]!.txid), vout: 0 };
    heap.push(heldBytes() / 2 ** 20);
  }
  const page = { limit: 50, descending: true } as const;
  const ask = () => engine.bitcoin.utxos({ kind: 'owner', owner: nodeAddressOf(alice) }, page);
  await ask();
  const pages: number[] = [];
  for (let round = 0; round < 20; round++) pages.push(await elapsed(ask));
  const all = (blocks * count).toLocaleString('en');
  const block = `block of ${count.toLocaleString('en')} outputs, the ${blocks}th, LevelDB`;
  const held = `held in memory after ${blocks} such blocks, LevelDB`;
  const warmed = { name: `after ${warm} of them`, value: heap[warm - 1]! };
  return [
    line(`first page of one owner, ${all} UTXOs, LevelDB`, Math.min(...pages), 'ms', undefined, '2'),
    line(block, times.at(-1)!, 'ms', { name: 'the fifth', value: times[4]! }),
    line(held, heap.at(-1)!, 'MB', warmed, 'flat once the tree cache is full'),
  ];
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  return [...(await realBlock(short)), ...(await manyOutputs(short))];
}
