/**
 * Ingesting a Bitcoin block: one turn of the writer.
 *
 * The first input is the block itself, which becomes pending. Then come the transactions of every block with enough
 * blocks on top of it, the coinbase last. What is left to do is read from the state each time, so if the process ends
 * in between, the next block continues from there. With headers only, a block is a single input, which confirms an
 * older block if it can.
 *
 * Blocks are taken one at a time. A refused block leaves the head where it was.
 * Source: crates/rooch-relayer of the reference for the order.
 * @module
 */

import { INGESTED_EVENTS_MAX } from '../../base/config.ts';
import type { State } from '../../chain/state/state.ts';
import { newBlock, type ReadyBlock, readyBlock } from '../../execution/bitcoin-move/block-check.ts';
import type { Commit } from '../commit.ts';
import type { Input } from '../input.ts';
import type { Present } from '../step.ts';
import type { Turn } from '../turn.ts';

/**
 * What is reported about a commit once it is written. Rows and change set are dropped at once, since a block has
 * thousands of transactions: keeping them took 8 % more time and 300 MB for block 818677. The change set can be read by
 * its order.
 */
export interface CommittedTransaction {
  readonly record: Commit['record'];
  /** Undefined beyond INGESTED_EVENTS_MAX, since a transaction may have a hundred thousand events. */
  readonly events: Commit['events'] | undefined;
}

/** A block and the height at which to add it. */
export interface PlacedBlock {
  readonly bytes: Uint8Array;
  readonly height: number;
}

export class BlockTurn<Block extends PlacedBlock> implements Turn {
  readonly lane = 'bitcoin';
  readonly #find: (state: State) => Block;
  readonly #done: (error: unknown, block: Block | undefined, made: CommittedTransaction[]) => void;
  readonly #made: CommittedTransaction[] = [];
  /** Events of all transactions so far. */
  #events = 0;
  #block: Block | undefined;
  #ready: ReadyBlock | undefined;
  #place = 0;

  /**
   * @param find returns the block when its turn comes. Its bytes must not change from then on.
   * @param done called at the end, with the error that ended the turn early, if any.
   */
  constructor(
    find: (state: State) => Block,
    done: (error: unknown, block: Block | undefined, made: CommittedTransaction[]) => void,
  ) {
    this.#find = find;
    this.#done = done;
  }

  next({ state, settings: { blocks } }: Present): Input | undefined {
    if (this.#block === undefined) {
      this.#block = this.#find(state);
      const { bytes } = this.#block;
      const height = BigInt(this.#block.height);
      const block = newBlock(state, bytes, height, blocks);
      if (block !== undefined) return { kind: 'l1-block', height, bytes, block };
    }
    return blocks.headersOnly ? undefined : this.#nextTransaction(state);
  }

  committed({ record, events }: Commit): void {
    this.#events += events.length;
    this.#made.push({ record, events: this.#events <= INGESTED_EVENTS_MAX ? events : undefined });
  }

  end(error?: unknown): void {
    this.#done(error, this.#block, this.#made);
  }

  #nextTransaction(state: State): Input | undefined {
    if (this.#ready === undefined || this.#place === this.#ready.txids.length) {
      this.#ready = readyBlock(state);
      this.#place = 0;
    }
    const txid = this.#ready?.txids[this.#place];
    if (this.#ready === undefined || txid === undefined) return undefined;
    this.#place++;
    return { kind: 'l1-transaction', blockHash: this.#ready.blockHash, txid };
  }
}

/** A turn that ingests a block, and a promise of the block and its ledger transactions in order. */
export function ingestion<Block extends PlacedBlock>(
  find: (state: State) => Block,
): { readonly turn: Turn; readonly done: Promise<{ readonly block: Block; readonly made: CommittedTransaction[] }> } {
  let turn: Turn | undefined;
  const done = new Promise<{ readonly block: Block; readonly made: CommittedTransaction[] }>((resolve, reject) => {
    turn = new BlockTurn(find, (error, block, made) => {
      if (error !== undefined || block === undefined) reject(error);
      else resolve({ block, made });
    });
  });
  return { turn: turn!, done };
}
