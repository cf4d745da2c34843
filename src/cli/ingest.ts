/**
 * movelet ingest: Bitcoin blocks from files; movelet rescan: older ones once more, for addresses that a directory did not
 * watch before.
 * @module
 */
import { BITCOIN_HEIGHT_MAX } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { BITS_MAX } from '../bitcoin/header.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../bitcoin/network.ts';
import { Engine } from '../engine/engine.ts';
import {
  type Arguments,
  assertChainDirectory,
  CHAIN_OPTIONS,
  type Command,
  command,
  DATA_OPTION,
  engineOptions,
  readNumber,
  UsageError,
  withFlagsNamed,
} from './arguments.ts';
import { blocksIn, type OwnBlocks, orderBlocks, readStoredBlock, type StoredBlock } from './block-files.ts';
import { bitcoinNode, FOLLOWER_OPTIONS } from './node-options.ts';
import { longWork } from './progress.ts';

async function runIngest(args: Arguments): Promise<number> {
  const asked = readNumber(args, 'height', undefined, BITCOIN_HEIGHT_MAX);
  const blocks = await blocksIn(args.positionals);
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
  const isLost = data === undefined;
  const after = isLost
    ? 'the chain was in memory and is gone; use --data DIR to keep it'
    : 'run the same command to continue';
  let added = 0;
  let transactions = 0;
  await longWork(after, async (show) => {
    for (const [index, block] of chain.entries()) {
      show({ name: 'blocks', done: index, total: chain.length, note: `before height ${height + index}` });
      const commits = await engine.bitcoin.ingest(await readStoredBlock(block), height + index);
      if (commits.length > 0) added++;
      transactions += commits.length;
    }
  });
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  const { order, stateRoot } = engine.head;
  process.stdout.write(
    `ingested ${added} of ${chain.length} blocks, heights ${height} to ${height + chain.length - 1}, ${transactions} ledger transactions in ${seconds} s; order ${order}, state root ${stateRoot}\n`,
  );
}

export const ingestCommand: Command = command({
  name: 'ingest',
  summary: 'Bitcoin blocks from files',
  usage: 'FILE... [--height N] [--data DIR]',
  example: 'blk00000.dat --data ./chain --bitcoin-network bitcoin',
  min: 1,
  max: Number.POSITIVE_INFINITY,
  help: `A FILE is one block as its bytes, blocks as lines of hex, a blk*.dat file of Bitcoin Core, or a directory of them
(unmasked with its xor.dat). Blocks are ordered by their parents, along the branch with the most work; others are
reported on stderr. Blocks that the chain already has are skipped.

An interruption (Ctrl-C) ends it after the current block; ingested blocks stay. A second one ends it at once.
`,
  options: {
    ...DATA_OPTION,
    height: {
      value: 'N',
      help: "height of the first block, if the chain is empty and it is not the network's genesis",
    },
    ...CHAIN_OPTIONS,
  },
  completes: 'file',
  run: runIngest,
});

const { 'bitcoin-rpc': RPC, 'bitcoin-rpc-cookie': COOKIE } = FOLLOWER_OPTIONS;
const { watch: WATCH, ...RESCANNED_OPTIONS } = CHAIN_OPTIONS;
type BlockSource = (height: number) => Promise<Uint8Array>;

async function runRescan(args: Arguments): Promise<number> {
  const node = bitcoinNode(args);
  if (args.string('data') === undefined) throw new UsageError('expected --data DIR, the directory to add to');
  if (args.strings('watch').length === 0) throw new UsageError('expected --watch ADDRESS for each account to look for');
  if ((node === undefined) === (args.positionals.length === 0)) {
    throw new UsageError('expected the blocks from files or from --bitcoin-rpc URL, one of the two');
  }
  assertChainDirectory(args.string('data')!);
  const stored = await blocksIn(args.positionals);
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
  const from = readNumber(args, 'from', undefined, BITCOIN_HEIGHT_MAX);
  const { height, outputs, inscriptions, removedOutputs, removedInscriptions } = await longWork(
    'nothing was changed',
    (show) =>
      engine.bitcoin.rescan({
        blocks,
        from,
        onProgress: ({ height: at, from: first, to }) =>
          show({ name: 'blocks', done: at + 1 - first, total: to + 1 - first, note: `height ${at}` }),
      }),
  );
  const removed =
    removedOutputs + removedInscriptions === 0
      ? ''
      : `removed ${removedOutputs} outputs and ${removedInscriptions} inscriptions, `;
  process.stdout.write(
    `added ${outputs} outputs and ${inscriptions} inscriptions, ${removed}as of height ${height}; order ${engine.head.order}\n`,
  );
}

/** The blocks in the files that are the chain's own or ancestors of its first one. */
function storedBlocks(engine: Engine, stored: readonly StoredBlock[]): BlockSource {
  const byHash = new Map(stored.map((block) => [block.hash, block]));
  const before = new Map<number, string>();
  return async (height) => {
    const own = engine.bitcoin.block(height)?.blockHash;
    const hash = own ?? hashBefore(engine, byHash, before, height);
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
    let hash = engine.bitcoin.block(at)?.header.previousHash;
    for (; hash !== undefined && at > height; at--) {
      known.set(at - 1, hash);
      const previous = byHash.get(hash)?.header.previousHash;
      hash = previous && formatBitcoinHash(previous);
    }
  }
  return known.get(height);
}

export const rescanCommand: Command = command({
  name: 'rescan',
  summary: 'older Bitcoin blocks, for addresses that were not watched before',
  usage: 'FILE... | --bitcoin-rpc URL --data DIR --watch ADDRESS [--from HEIGHT]',
  example: 'blk00000.dat --data ./chain --watch bc1q...',
  max: Number.POSITIVE_INFINITY,
  help: `Goes again through the blocks that a directory has ingested, which it does not keep, and adds the unspent outputs and
inscriptions of the watched accounts that it lacks. Name all accounts, including those watched before. A FILE is as for
movelet ingest.

An interruption (Ctrl-C) ends it with nothing changed.
`,
  options: {
    data: { value: 'DIR', completes: 'directory', help: 'the directory to add to' },
    watch: { ...WATCH!, help: 'an account to look for' },
    from: {
      value: 'HEIGHT',
      help: "the height to begin at (default: that of the chain's first block); it may be lower",
    },
    'bitcoin-rpc': { ...RPC!, help: 'the blocks of the Bitcoin Core node at http://[user:password@]host:port' },
    'bitcoin-rpc-cookie': COOKIE!,
  },
  more: [{ title: 'The chain', options: RESCANNED_OPTIONS }],
  completes: 'file',
  run: runRescan,
});
