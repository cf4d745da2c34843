/**
 * Rescanning older blocks after an owner was added to those whose outputs are kept.
 *
 * The blocks are scanned separately from the chain (scan.ts), which continues meanwhile. Once the scan has reached the
 * chain's last confirmed block, what the chain lacks is added in one turn of the writer (scan.ts), each
 * piece an input with its own order and root. If the chain has confirmed another block in between, the scan follows it
 * first.
 * @module
 */
import {
  A_FUNCTION,
  assertBytes,
  assertFits,
  assertOptions,
  type Expectation,
  wholeNumber,
} from '../../base/argument.ts';
import { encode } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { BITCOIN_HEIGHT_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import type { DecodedBlock } from '../../bitcoin/block.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import type { State } from '../../chain/state/state.ts';
import { type BlockRules, soundBlock } from '../../execution/bitcoin-move/block-check.ts';
import { findings } from '../../execution/bitcoin-move/findings.ts';
import { blockStoreOf, findBlock, pendingStoreOf } from '../../execution/bitcoin-move/known-block.ts';
import type { Input } from '../input.ts';
import type { Present } from '../step.ts';
import type { Turn } from '../turn.ts';
import { type Difference, Scan, type ScannedPending, scanDifference } from './scan.ts';

/** The progress of a scan. */
export interface RescanProgress {
  /** Height of the last block scanned. */
  readonly height: number;
  readonly from: number;
  /** The last height, which grows with the chain. */
  readonly to: number;
}

/** Where older blocks come from. */
export interface RescanOptions {
  /** Returns the consensus bytes of the block at a height of the chain. Called for one block at a time. */
  readonly blocks: (height: number) => Uint8Array | Promise<Uint8Array>;
  /** Height of the first block. Default: that of the chain's first block. It may be lower. */
  readonly from?: number | undefined;
  /** Called after each block; if it throws, the scan ends without having changed anything. */
  readonly onProgress?: ((progress: RescanProgress) => void) | undefined;
}

/** What was added and removed. */
export interface RescanResult {
  /** Height of the last confirmed block that was scanned. */
  readonly height: number;
  /** Outputs the chain did not have. */
  readonly outputs: number;
  /** Inscriptions it did not have, or knew less about. */
  readonly inscriptions: number;
  /** Outputs it had that have been spent. */
  readonly removedOutputs: number;
  /** Inscriptions it had that have left the accounts. */
  readonly removedInscriptions: number;
  /** Ledger transactions that hold all this. */
  readonly transactions: number;
}

/** What a scan needs from its chain. */
interface RescanHost {
  readonly chainId: bigint;
  readonly rules: BlockRules;
  readonly state: () => State;
  readonly submit: (turn: Turn) => void;
}

const OPTIONS: Readonly<Record<keyof RescanOptions, Expectation>> = {
  blocks: A_FUNCTION,
  from: wholeNumber(0, BITCOIN_HEIGHT_MAX),
  onProgress: A_FUNCTION,
};

/** The last confirmed block of a chain, and the pending ones on top of it, lowest first. */
interface Tip {
  readonly height: number;
  readonly hash: Uint8Array;
  readonly pending: readonly Uint8Array[];
}

/** `EngineBitcoin.rescan`, which documents it. */
export async function rescan(host: RescanHost, options: RescanOptions): Promise<RescanResult> {
  assertOptions(options, OPTIONS);
  assertFits(options.blocks, 'blocks', OPTIONS.blocks);
  const { chainId, rules } = host;
  const owners = rules.owners?.copy();
  if (owners === undefined) {
    throw new EngineError(
      'not-supported',
      'this engine keeps the outputs of all accounts: there is nothing to scan for',
    );
  }
  const { from = Number(blockStoreOf(host.state())?.genesisBlock.blockHeight ?? 0), onProgress } = options;
  const scan = await Scan.begin({ network: rules.network, chainId, owners });
  for (let next = from; ; ) {
    const tip = tipOf(host.state());
    if (from > tip.height) {
      const message = `from: expected at most ${tip.height}, the last confirmed block, got ${from}`;
      throw new EngineError('invalid-argument', message);
    }
    for (; next <= tip.height; next++) {
      scan.add(await blockAt(host, options, next), next);
      onProgress?.({ height: next, from, to: tip.height });
      // Yield the thread.
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    const blocks: DecodedBlock[] = [];
    for (const index of tip.pending.keys()) blocks.push(await blockAt(host, options, tip.height + 1 + index));
    // While they were read, the chain may have gone to another branch, and may be back when the turn comes.
    if (!blocks.every(({ hash }, index) => equalBytes(hash, tip.pending[index]!))) continue;
    const kept = scan.pending(blocks, tip.height + 1);
    const pending = blocks.map((block, index): ScannedPending => ({ block, kept: kept[index]! }));
    const added = await addition(host, tip, (chain) => scanDifference({ chain, scan, owners, pending }));
    if (added !== undefined) {
      const { pieces, ...counts } = added;
      return { height: tip.height, ...counts, transactions: pieces.length };
    }
  }
}

/** The block at a height, checked; if the chain knows that height, it must be the chain's block. */
async function blockAt({ rules, state }: RescanHost, { blocks }: RescanOptions, height: number): Promise<DecodedBlock> {
  const bytes = await blocks(height);
  assertBytes(bytes, `blocks(${height})`);
  const block = soundBlock(bytes, rules);
  const known = findBlock(state(), height)?.blockHash;
  if (known === undefined || equalBytes(known, block.hash)) return block;
  throw new EngineError(
    'not-found',
    `expected the block ${formatBitcoinHash(known)}, which the chain has at height ${height}, got ${formatBitcoinHash(block.hash)}; if the chain is about to follow to another branch, scan again then`,
  );
}

function tipOf(state: State): Tip {
  const last = blockStoreOf(state)?.latestBlock;
  if (last === undefined) {
    throw new EngineError('not-found', 'the chain has no confirmed Bitcoin block: scan again when it has one');
  }
  const pending = [...(pendingStoreOf(state)?.pendingBlocks ?? [])].sort((one, other) =>
    Number(one.blockHeight - other.blockHeight),
  );
  return {
    height: Number(last.blockHeight),
    hash: last.blockHash,
    pending: pending.map(({ blockHash }) => blockHash),
  };
}

function isSameTip(one: Tip, other: Tip): boolean {
  if (one.pending.length !== other.pending.length || !equalBytes(one.hash, other.hash)) return false;
  return one.pending.every((hash, index) => equalBytes(hash, other.pending[index]!));
}

/** Adds the difference, unless the chain has moved on when the turn comes. */
function addition(
  { submit }: RescanHost,
  tip: Tip,
  differenceFrom: (chain: State) => Difference,
): Promise<Difference | undefined> {
  return new Promise((resolve, reject) => {
    let difference: Difference | undefined;
    let place = 0;
    submit({
      // So that no block comes between two pieces.
      lane: 'bitcoin',
      next: ({ state }: Present): Input | undefined => {
        if (place === 0 && !isSameTip(tip, tipOf(state))) return undefined;
        difference ??= differenceFrom(state);
        const piece = difference.pieces[place++];
        return piece && { kind: 'control', control: { kind: 'rescan', found: encode(findings, piece) } };
      },
      committed: () => {},
      end: (error) => (error === undefined ? resolve(difference) : reject(error)),
    });
  });
}
