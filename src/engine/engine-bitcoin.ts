/**
 * An engine's Bitcoin: what it knows of it, the blocks that it is given, and whose outputs are kept.
 * @module
 */

import { assertBytes, assertFits, type Expectation, wholeNumber } from '../base/argument.ts';
import { EngineError } from '../base/error.ts';
import type { AddressInput } from '../bitcoin/address.ts';
import { formatAddress } from '../move/address.ts';
import type { RescanOptions, RescanResult } from '../pipeline/ingest/rescan.ts';
import type { Turn } from '../pipeline/turn.ts';
import type { BitcoinQueries } from '../query/bitcoin.ts';
import { Ingested, VALUES } from '../query/values.ts';
import type { EngineCore } from './engine-core.ts';

/** What an engine knows of Bitcoin, and how it is brought new blocks. */
export type EngineBitcoin = BitcoinQueries & {
  /**
   * Takes a Bitcoin block, given as its consensus bytes, which are copied, and processes what it confirms: one ledger
   * transaction for the block and one for each transaction of the blocks that now have enough others on top, each with
   * its own root.
   * @returns the ledger transactions in order; none for a block that is already known.
   * @throws {EngineError} `malformed-bytes` or `invalid-argument` naming the first thing wrong with the block,
   * `not-supported` for one that competes with a confirmed block, `read-only` on a partial chain.
   */
  readonly ingest: (block: Uint8Array, height: number) => Promise<Ingested[]>;
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

/** A height as Bitcoin's own code holds it. */
export const BLOCK_HEIGHT: Expectation = wholeNumber(0, 0x7fff_ffff);

export function engineBitcoin(core: EngineCore): EngineBitcoin {
  const { execution } = core;
  return Object.assign(new execution.BitcoinQueries(core, VALUES), {
    ingest: (block: Uint8Array, height: number) => ingest(core, block, height),
    watch: (owners: readonly AddressInput[]) => {
      const others = execution.watchedOwners(owners, 'owners');
      const watched = core.blockRules().owners;
      if (watched === undefined) {
        const message = 'this engine keeps the outputs of all accounts: open it with ingest: { owners } to watch some';
        throw new EngineError('not-supported', message);
      }
      watched.replace(others);
    },
    rescan: (options: RescanOptions) => {
      const chain = { chainId: core.current().head.chainId, state: () => core.current().state };
      const submit = (turn: Turn): void => core.writer.submit(turn);
      return execution.rescan({ ...chain, rules: core.blockRules(), submit }, options);
    },
    watched: () => core.blockRules().owners?.addresses.map(formatAddress),
  });
}

async function ingest(core: EngineCore, block: Uint8Array, height: number): Promise<Ingested[]> {
  assertBytes(block, 'block');
  assertFits(height, 'height', BLOCK_HEIGHT);
  // Its turn comes later, and the caller may reuse the array until then.
  const bytes = block.slice();
  const { turn, done } = core.execution.ingestion(() => ({ bytes, height }));
  core.writer.submit(turn);
  return (await done).made.map((committed) => new Ingested(committed, core));
}
