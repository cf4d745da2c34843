/**
 * movelet rescan: rereads older Bitcoin blocks for addresses that a directory did not watch before.
 * @module
 */

import { BITCOIN_HEIGHT_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { Engine } from '../engine/engine.ts';
import {
  type Arguments,
  assertChainDirectory,
  ENGINE_HELP,
  ENGINE_OPTIONS,
  engineOptions,
  type Option,
  readArguments,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { findBlocks, readStoredBlock, type StoredBlock } from './block-files.ts';
import type { Command } from './command.ts';
import { bitcoinNode, FOLLOWER_OPTIONS } from './follower-options.ts';
import { Interruption } from './interruption.ts';
import { StageProgress } from './stage-progress.ts';

const { 'bitcoin-rpc': RPC, 'bitcoin-rpc-cookie': COOKIE } = FOLLOWER_OPTIONS;
const OPTIONS: Readonly<Record<string, Option>> = {
  ...ENGINE_OPTIONS,
  from: { type: 'string' },
  'bitcoin-rpc': RPC!,
  'bitcoin-rpc-cookie': COOKIE!,
};
const USAGE = 'rescan FILE... | --bitcoin-rpc URL --data DIR --watch ADDRESS [--from HEIGHT]';

type BlockSource = (height: number) => Promise<Uint8Array>;

async function run(rest: readonly string[]): Promise<number> {
  const args = readArguments(rest, OPTIONS, { min: 0, max: Number.POSITIVE_INFINITY, usage: USAGE });
  const node = bitcoinNode(args);
  if (args.string('data') === undefined) throw new UsageError('expected --data DIR, the directory to add to');
  if (args.strings('watch').length === 0) throw new UsageError('expected --watch ADDRESS for each account to look for');
  if ((node === undefined) === (args.positionals.length === 0)) {
    throw new UsageError('expected the blocks from files or from --bitcoin-rpc URL, one of the two');
  }
  assertChainDirectory(args.string('data')!);
  const stored = await findBlocks(args.positionals);
  const engine = await withFlagsNamed(async () => Engine.open(await engineOptions(args)));
  try {
    const source: BlockSource =
      node === undefined ? storedBlocks(engine, stored) : async (height) => node.block(await node.blockHash(height));
    await rescan(engine, args, source);
    return 0;
  } finally {
    await engine.close();
  }
}

async function rescan(engine: Engine, args: Arguments, blocks: BlockSource): Promise<void> {
  const from = args.string('from') === undefined ? undefined : readNumber(args, 'from', 0, BITCOIN_HEIGHT_MAX);
  const progress = new StageProgress();
  const interruption = new Interruption();
  try {
    const { height, outputs, inscriptions, removedOutputs, removedInscriptions } = await engine.bitcoin.rescan({
      blocks,
      from,
      onProgress: ({ height: at, from: first, to }) => {
        interruption.check(() => `stopped at height ${at} of ${to}; nothing was changed`);
        progress.show({ name: 'blocks', done: at + 1 - first, total: to + 1 - first, note: `height ${at}` });
      },
    });
    progress.end();
    const removed =
      removedOutputs + removedInscriptions === 0
        ? ''
        : `removed ${removedOutputs} outputs and ${removedInscriptions} inscriptions, `;
    process.stdout.write(
      `added ${outputs} outputs and ${inscriptions} inscriptions, ${removed}as of height ${height}; order ${engine.head.order}\n`,
    );
  } finally {
    progress.end();
    interruption.end();
  }
}

/** The blocks in the files that are the chain's own or ancestors of its first one. */
function storedBlocks(engine: Engine, stored: readonly StoredBlock[]): BlockSource {
  const byHash = new Map(stored.map((block) => [block.hash, block]));
  const before = new Map<number, string>();
  return async (height) => {
    const own = engine.bitcoin.block(height)?.blockHash;
    const hash = own === undefined ? hashBefore(engine, byHash, before, height) : formatBitcoinHash(own);
    const block = hash === undefined ? undefined : byHash.get(hash);
    if (block !== undefined) return readStoredBlock(block);
    throw new EngineError(
      'not-found',
      `expected the block at height ${height}${hash === undefined ? '' : `, ${hash},`} in the files, found none`,
    );
  };
}

/** The hash of a block below the chain's first one, found by following the parents' hashes down. */
function hashBefore(
  engine: Engine,
  byHash: ReadonlyMap<string, StoredBlock>,
  known: Map<number, string>,
  height: number,
): string | undefined {
  if (known.size === 0) {
    let at = height;
    while (engine.bitcoin.block(at) === undefined && at < BITCOIN_HEIGHT_MAX) at++;
    let header = engine.bitcoin.block(at)?.header;
    for (; header !== undefined && at > height; at--) {
      const hash = formatBitcoinHash(header.previousHash);
      known.set(at - 1, hash);
      header = byHash.get(hash)?.header;
    }
  }
  return known.get(height);
}

export const rescanCommand: Command = {
  name: 'rescan',
  summary: 'older Bitcoin blocks, for addresses that were not watched before',
  help: `usage: movelet ${USAGE}

Goes through the blocks that a directory has taken, which it does not keep, and adds what it lacks of the accounts to
watch: their unspent outputs and inscriptions. Name all accounts, those that were watched before too. A FILE is as for
movelet ingest.

  --from HEIGHT           where to begin (default: at the chain's first block); it may be below that
  --bitcoin-rpc URL       the blocks of the Bitcoin Core node at http://[user:password@]host:port
  --bitcoin-rpc-cookie FILE
                          the node's .cookie file, instead of user and password
${ENGINE_HELP}
An interruption (Ctrl-C) ends it with nothing changed.
`,
  options: OPTIONS,
  completes: 'file',
  run,
};
