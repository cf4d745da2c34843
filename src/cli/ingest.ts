/**
 * movelet ingest: Bitcoin blocks from files.
 * @module
 */

import { toHexPrefixed } from '../base/bytes/hex.ts';
import { BITCOIN_HEIGHT_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { BITS_MAX } from '../bitcoin/header.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import { Engine } from '../engine/engine.ts';
import {
  ENGINE_HELP,
  ENGINE_OPTIONS,
  engineOptions,
  type Option,
  readArguments,
  readNumber,
  withFlagsNamed,
} from './arguments.ts';
import { findBlocks, readStoredBlock, type StoredBlock } from './block-files.ts';
import { type OwnBlocks, orderBlocks } from './block-order.ts';
import type { Command } from './command.ts';
import { Interruption } from './interruption.ts';
import { StageProgress } from './stage-progress.ts';

const OPTIONS: Readonly<Record<string, Option>> = { ...ENGINE_OPTIONS, height: { type: 'string' } };
const USAGE = 'ingest FILE... [--height N] [--data DIR]';

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, OPTIONS, { min: 1, max: Number.POSITIVE_INFINITY, usage: USAGE });
  const asked = args.string('height') === undefined ? undefined : readNumber(args, 'height', 0, BITCOIN_HEIGHT_MAX);
  const blocks = await findBlocks(args.positionals);
  const engine = await withFlagsNamed(async () => Engine.open(await engineOptions(args)));
  try {
    const isEmpty = engine.bitcoin.status().pending === undefined && engine.bitcoin.status().confirmed === undefined;
    const order = orderBlocks(blocks, ownBlocksOf(engine, isEmpty));
    warnOfOtherNetwork(engine.bitcoin.network(), order.chain);
    report('orphan', 'stands on no known block', order.orphans);
    report('stale', 'is on a branch with less work', order.stale);
    const [first] = order.chain;
    if (first === undefined) {
      process.stdout.write('ingested no block\n');
      return blocks.length === 0 ? 0 : 1;
    }
    await ingestAll(engine, order.chain, heightOf(engine, first, isEmpty, asked), args.string('data'));
  } finally {
    await engine.close();
  }
  return 0;
}

function ownBlocksOf({ bitcoin }: Engine, isEmpty: boolean): OwnBlocks {
  const { pending, confirmed } = bitcoin.status();
  return {
    isEmpty,
    height: Number((pending ?? confirmed)?.blockHeight ?? -1),
    heightOf: (hash) => {
      const height = bitcoin.block(hash)?.blockHeight;
      return height === undefined ? undefined : Number(height);
    },
    bitsAt: (height) => bitcoin.block(height)!.header.bits,
  };
}

function report(kind: string, why: string, blocks: readonly StoredBlock[]): void {
  for (const { hash, path } of blocks) process.stderr.write(`${kind}: block ${hash} of ${path} ${why}\n`);
}

/**
 * On regtest no work is checked, so blocks of any network are accepted; but regtest's own blocks all have the same
 * target.
 */
function warnOfOtherNetwork(network: BitcoinNetwork, chain: readonly StoredBlock[]): void {
  const other = chain.find(({ header }) => header.bits !== BITS_MAX.regtest);
  if (network !== 'regtest' || other === undefined) return;
  process.stderr.write(
    `warning: the chain follows regtest and block ${other.hash} of ${other.path} was not mined for it; did you mean a new chain with --bitcoin-network?\n`,
  );
}

/**
 * The height of the first block: one above its parent, or the one from the command line if the chain has no blocks.
 * @throws {EngineError} `invalid-argument` if neither says it, or if both do and differ
 */
function heightOf(engine: Engine, { hash, header }: StoredBlock, isEmpty: boolean, asked: number | undefined): number {
  const parent = engine.bitcoin.block(header.previousHash);
  const known = engine.bitcoin.block(hash)?.blockHeight ?? (parent === undefined ? undefined : parent.blockHeight + 1n);
  const isGenesis = BITCOIN_NETWORKS[engine.bitcoin.network()].genesisHash === hash;
  const height = known === undefined ? (asked ?? (isGenesis ? 0 : undefined)) : Number(known);
  if (height === undefined || (asked !== undefined && asked !== height)) {
    throw new EngineError(
      'invalid-argument',
      height === undefined
        ? `block ${hash} is the first of this chain: give its height with --height`
        : `--height: block ${hash} has height ${height}, not ${asked}; leave it out${isEmpty ? '' : ' on a chain that has blocks'}`,
    );
  }
  return height;
}

async function ingestAll(
  engine: Engine,
  chain: readonly StoredBlock[],
  height: number,
  data: string | undefined,
): Promise<void> {
  const started = performance.now();
  const progress = new StageProgress();
  const interruption = new Interruption();
  const total = chain.length;
  let added = 0;
  let transactions = 0;
  try {
    for (const [index, block] of chain.entries()) {
      progress.show({ name: 'blocks', done: index, total, note: `height ${height + index}` });
      const commits = await engine.ingest(await readStoredBlock(block), height + index);
      if (commits.length > 0) added++;
      transactions += commits.length;
      if (index + 1 < total) interruption.check(() => stoppedAt(index + 1, total, height + index, data));
    }
  } finally {
    progress.end();
    interruption.end();
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const { order, stateRoot } = engine.head;
  process.stdout.write(
    `ingested ${added} of ${chain.length} blocks, heights ${height} to ${height + chain.length - 1}, ${transactions} ledger transactions in ${seconds} s; order ${order}, state root ${toHexPrefixed(stateRoot)}\n`,
  );
}

/** Where an interruption stopped, and how to continue. */
function stoppedAt(done: number, total: number, height: number, data: string | undefined): string {
  const next =
    data === undefined
      ? 'the chain was in memory and is gone; use --data DIR to keep it'
      : 'run the same command to continue';
  return `stopped after height ${height}, ${done} of ${total} blocks; ${next}`;
}

export const ingestCommand: Command = {
  name: 'ingest',
  summary: 'Bitcoin blocks from files',
  help: `usage: movelet ${USAGE}

A FILE is one block as its bytes, blocks as lines of hex, a blk*.dat file of Bitcoin Core, or a directory of them
(unmasked with its xor.dat). Blocks are ordered by their parents, along the branch with the most work; others are
reported on stderr. Blocks that the chain already has are skipped.

  --height N              height of the first block, if the chain is empty and it is not the network's genesis
${ENGINE_HELP}
An interruption (Ctrl-C) ends it after the current block; ingested blocks stay. A second one ends it at once.
`,
  options: OPTIONS,
  completes: 'file',
  run,
};
