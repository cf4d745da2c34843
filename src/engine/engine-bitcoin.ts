/**
 * An engine's Bitcoin: what it knows of it, blocks that tests mine, and whose outputs are kept.
 * @module
 */
import { assertFits, type Expectation, wholeNumber } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import type { AddressInput } from '../bitcoin/address.ts';
import type { BlockRules } from '../execution/bitcoin-move/block-check.ts';
import { formatAddress } from '../move/address.ts';
import type { NextBlockOptions } from '../pipeline/ingest/block-turn.ts';
import type { RescanOptions, RescanResult } from '../pipeline/ingest/rescan.ts';
import type { Turn } from '../pipeline/turn.ts';
import type { BitcoinQueries } from '../query/bitcoin.ts';
import { type ReaderSource, stateOf } from '../query/reader.ts';
import { MinedBlockValue, VALUES } from '../query/values.ts';
import type { ExecutionUnit } from './open.ts';

/** What an engine knows of Bitcoin, and how tests make blocks. */
export type EngineBitcoin = BitcoinQueries & {
  /**
   * Mines a block for a test on the best block, or on another one, and ingests it:
   * `await engine.bitcoin.mine({ to: address, transactions: [spend(...)] })`.
   * @throws {EngineError} as `Engine.ingest`; `not-found` for an unknown parent.
   */
  readonly mine: (options: NextBlockOptions) => Promise<MinedBlockValue>;
  /**
   * Changes whose outputs are kept from the next block on, on an engine that was opened with `ingest: { owners }`.
   * Outputs kept before stay, and are followed. Pending blocks yield outputs for the new owners only, as far as their
   * transactions were kept for the old ones.
   * @throws {EngineError} `invalid-argument`; `not-supported` on an engine that keeps everyone's.
   */
  readonly watch: (owners: readonly AddressInput[]) => void;
  /**
   * After an account was added, scans older blocks for the accounts whose outputs are kept and adds what the chain
   * lacks: their unspent outputs and inscriptions, and their transactions in pending blocks. It removes outputs that
   * the chain did not see them spend. The chain goes on meanwhile. docs/embedding.md lists what a scan cannot know.
   *
   * ```ts
   * engine.bitcoin.watch([alice, bob]);
   * await engine.bitcoin.rescan({ blocks: async (height) => node.block(await node.blockHash(height)) });
   * ```
   * @throws {EngineError} `invalid-argument` and `malformed-bytes` for invalid blocks; `not-found` for one that is not
   * in the chain; `not-supported` on an engine that keeps everyone's outputs; `read-only`, `closed`; what `blocks` and
   * `onProgress` throw.
   */
  readonly rescan: (options: RescanOptions) => Promise<RescanResult>;
  /** The accounts whose outputs are kept; undefined on an engine that keeps everyone's. */
  readonly watched: () => readonly string[] | undefined;
};

/** What it needs from the engine. */
export interface BitcoinHost {
  readonly source: ReaderSource;
  readonly execution: ExecutionUnit;
  readonly rules: () => BlockRules;
  readonly submit: (turn: Turn) => void;
}

/** A height as Bitcoin's own code holds it. */
export const BLOCK_HEIGHT: Expectation = wholeNumber(0, 0x7fff_ffff);

export function engineBitcoin(host: BitcoinHost): EngineBitcoin {
  const { source, execution, rules } = host;
  return Object.assign(new execution.BitcoinQueries(source, VALUES), {
    mine: (options: NextBlockOptions) => mine(host, options),
    watch: (owners: readonly AddressInput[]) => {
      const others = execution.watchedOwners(owners, 'owners');
      const watched = rules().owners;
      if (watched === undefined) {
        const message = 'this engine keeps the outputs of everybody: open it with ingest: { owners } to watch some';
        throw new EngineError('not-supported', message);
      }
      watched.replace(others);
    },
    rescan: (options: RescanOptions) => {
      const chain = { chainId: source.current().head.chainId, state: () => stateOf(source.current(), undefined) };
      return execution.rescan({ ...chain, rules: rules(), submit: host.submit }, options);
    },
    watched: () => rules().owners?.addresses.map(formatAddress),
  });
}

async function mine({ execution, submit }: BitcoinHost, options: NextBlockOptions): Promise<MinedBlockValue> {
  const { assertMineOptions, ingestion, keptOptions, nextBlock, toBlockReference } = execution;
  assertMineOptions(options, ['on', 'height']);
  if (options.on !== undefined) toBlockReference(options.on, 'on');
  if (options.height !== undefined) assertFits(options.height, 'height', BLOCK_HEIGHT);
  const kept = keptOptions(options);
  const { turn, done } = ingestion((state) => nextBlock(state, kept));
  submit(turn);
  return new MinedBlockValue((await done).block);
}
