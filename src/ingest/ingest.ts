/**
 * Ingesting Bitcoin blocks: raw bytes in, ledger transactions out.
 *
 * A block is checked whole before anything is sequenced: its bytes, its Merkle root, its work, its parent, and whether
 * it may stand where it wants to. Then it becomes one ledger transaction, which makes it pending, and each transaction of
 * every block that has enough blocks on it becomes one more, the coinbase last. Should the process end in between, the
 * state itself knows what is left, and the next block goes on from there.
 *
 * With headers only, a block is one ledger transaction, which confirms an older one where it can.
 *
 * Invariants: a refused block leaves the head where it was. Blocks are taken one at a time.
 * Source: spec/bitcoin.md section 5; crates/rooch-relayer of the reference for the order.
 * @module
 */
import { assertBlock, type DecodedBlock, decodeBlock } from '../bitcoin/block.ts';
import {
  nextReady,
  PENDING_TXIDS_KEY,
  type PendingBlock,
  type PendingStore,
  pendingAt,
} from '../bitcoin/block-store.ts';
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { assertProofOfWork } from '../bitcoin/header.ts';
import type { MinedBlock } from '../bitcoin/mine.ts';
import type { BitcoinNetwork } from '../bitcoin/network.ts';
import { HASH_BY_NUMBER, HEIGHT_BY_HASH } from '../bitcoin-move/block-table.ts';
import type { EventList } from '../bitcoin-move/event-list.ts';
import { executeL1Block, executeL1Header, pendingBlockId, requirePendingStore } from '../bitcoin-move/l1-block.ts';
import { type BlockContext, executeL1Transaction } from '../bitcoin-move/l1-transaction.ts';
import { BLOCK_STORE_ID } from '../bitcoin-move/object-id.ts';
import { BLOCK_STORE, PENDING_BLOCK, PENDING_TXIDS, TRANSACTION_BY_TXID } from '../bitcoin-move/object-type.ts';
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import type { Commit, ExecutionOutput } from '../pipeline/commit.ts';
import { ObjectRuntime } from '../runtime/object-runtime.ts';
import type { State } from '../state/state.ts';
import { BITCOIN_CHAIN_ID, type LedgerTransactionData } from '../transaction/ledger.ts';
import { type NextBlockOptions, nextBlock } from './next-block.ts';

export interface IngestOptions {
  /** Whether a block must stand on the one before it. Off only where a test feeds single blocks. Default: true. */
  readonly checkParent?: boolean | undefined;
  /** Whether a header must have the work it claims. Default: true, except on regtest, where work means nothing. */
  readonly checkWork?: boolean | undefined;
  /**
   * Whether only the headers of blocks are kept, as by the newest release of the reference network: no output and no
   * inscription is made, and a block is one ledger transaction. A chain with pending blocks keeps its mode. Default:
   * false.
   */
  readonly headersOnly?: boolean | undefined;
}

/** Commits one ledger transaction on the newest state. */
export type Committer = (data: LedgerTransactionData, execute: (state: State) => ExecutionOutput) => Promise<Commit>;

/**
 * What is told of a commit when it is written. Rows and change set are let go at once, since a block has thousands of
 * transactions: holding them took 8 % more time and 300 MB for block 818677. The change set is found by its order.
 */
export type Ingested = Pick<Commit, 'record' | 'events'>;

export class Ingest {
  readonly #context: BlockContext;
  readonly #commit: Committer;
  readonly #state: () => State;
  readonly #options: { readonly [name in keyof IngestOptions]-?: boolean };
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    chain: { readonly network: BitcoinNetwork; readonly chainId: bigint },
    state: () => State,
    commit: Committer,
    options: IngestOptions = {},
  ) {
    this.#context = chain;
    this.#state = state;
    this.#commit = commit;
    this.#options = {
      checkParent: options.checkParent ?? true,
      checkWork: options.checkWork ?? chain.network !== 'regtest',
      headersOnly: options.headersOnly ?? false,
    };
  }

  /**
   * Takes the block at `height`, given as its consensus bytes, and processes what it confirms.
   * @returns the ledger transactions in their order; none for a block that is already known.
   * @throws {EngineError} `malformed-bytes` or `invalid-argument` naming the first thing wrong with the block,
   * `not-supported` for one that would replace a block deeper than reorganisations go.
   */
  ingest(bytes: Uint8Array, height: number): Promise<Ingested[]> {
    const turn = this.#turn.then(() => this.#take(bytes, height));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  /**
   * Mines a block for a test and takes it.
   * @throws {EngineError} as `nextBlock` and `ingest`; `invalid-argument` for want of work on a network that has some.
   */
  mine(options: NextBlockOptions): Promise<MinedBlock> {
    const turn = this.#turn.then(async () => {
      const block = nextBlock(this.#state(), options);
      await this.#take(block.bytes, block.height);
      return block;
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #take(bytes: Uint8Array, height: number): Promise<Ingested[]> {
    const block = decodeBlock(bytes);
    assertBlock(block);
    if (this.#options.checkWork) assertProofOfWork(block.header, this.#context.network);
    const blockHeight = BigInt(height);
    const commits: Ingested[] = [];
    if (this.#isNew(block, blockHeight)) {
      const data = { kind: 'l1-block', chainId: BITCOIN_CHAIN_ID, blockHeight, blockHash: block.hash } as const;
      const execute = this.#options.headersOnly ? executeL1Header : executeL1Block;
      commits.push(await this.#run(data, (runtime) => execute(runtime, block, blockHeight, this.#context.chainId)));
    }
    if (!this.#options.headersOnly) await this.#processReady(commits);
    return commits;
  }

  /** Whether the block is to be added; false for one that is pending or confirmed already. */
  #isNew({ hash, header }: DecodedBlock, height: bigint): boolean {
    const runtime = new ObjectRuntime(this.#state());
    const pending = requirePendingStore(runtime);
    assertMode(runtime, pending, this.#options.headersOnly);
    const confirmed = confirmedAt(runtime, height);
    if (confirmed !== undefined) {
      if (equalBytes(confirmed, hash)) return false;
      throw new EngineError(
        'not-supported',
        `block ${formatBitcoinHash(hash)} competes with ${formatBitcoinHash(confirmed)} at height ${height}, which is confirmed: reorganisations go ${pending.reorgBlockCount} blocks deep (the option reorganisationDepth of a new chain)`,
        { details: { height: height.toString(), reorganisationDepth: pending.reorgBlockCount.toString() } },
      );
    }
    const known = pendingAt(pending, height);
    if (known !== undefined && equalBytes(known.blockHash, hash)) return false;
    if (this.#options.checkParent) assertParent(runtime, hash, header.previousHash, height);
    if (known !== undefined) assertReplaceable(runtime, known.blockHash);
    return true;
  }

  /** Processes the transactions of every block that has enough others on it. */
  async #processReady(commits: Ingested[]): Promise<void> {
    for (;;) {
      const runtime = new ObjectRuntime(this.#state());
      const store = requirePendingStore(runtime);
      const ready = nextReady(store, (hash) => runtime.get(pendingBlockId(hash), PENDING_BLOCK));
      if (ready === undefined) return;
      // All of a block's transactions are queued at once, so that they share batches; each still has its own root. Where
      // one is refused, the others are waited for: the next block must not find them under way.
      const made = await Promise.allSettled(
        unprocessed(runtime, ready).map((txid) => {
          const { blockHash } = ready;
          const data = { kind: 'l1-transaction', chainId: BITCOIN_CHAIN_ID, blockHash, txid } as const;
          return this.#run(data, (own) => executeL1Transaction(own, blockHash, txid, this.#context));
        }),
      );
      for (const outcome of made) {
        if (outcome.status === 'rejected') throw outcome.reason;
        commits.push(outcome.value);
      }
    }
  }

  async #run(data: LedgerTransactionData, execute: (runtime: ObjectRuntime) => EventList): Promise<Ingested> {
    const { record, events } = await this.#commit(data, (state) => {
      const runtime = new ObjectRuntime(state);
      const { events: emitted } = execute(runtime);
      return { status: { kind: 'executed' }, gasUsed: 0n, changeSet: runtime.changeSet(), events: emitted };
    });
    return { record, events };
  }
}

/** Pending blocks were all taken in the same mode: they have transactions, or none has. */
function assertMode(runtime: ObjectRuntime, { pendingBlocks }: PendingStore, headersOnly: boolean): void {
  const [first] = pendingBlocks;
  if (first === undefined) return;
  const txids = runtime.getField(pendingBlockId(first.blockHash), PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
  if ((txids.length === 0) === headersOnly) return;
  throw new EngineError(
    'not-supported',
    `expected headersOnly to be ${!headersOnly}, as for the ${pendingBlocks.length} blocks that are pending: a chain keeps the mode it was begun in`,
  );
}

/** The txids of a pending block that are left to process: in the block's order, the coinbase last. */
function unprocessed(runtime: ObjectRuntime, { blockHash, processedTransactions }: PendingBlock): Uint8Array[] {
  const id = pendingBlockId(blockHash);
  const [coinbase, ...others] = runtime.getField(id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? [];
  if (coinbase === undefined) return [];
  const ordered = [...others, coinbase];
  if (processedTransactions === 0n) return ordered;
  return ordered.filter((txid) => runtime.hasField(id, TRANSACTION_BY_TXID, txid));
}

function confirmedAt(runtime: ObjectRuntime, height: bigint): Uint8Array | undefined {
  const store = runtime.get(BLOCK_STORE_ID, BLOCK_STORE);
  return store === undefined ? undefined : runtime.getField(store.heightToHash, HASH_BY_NUMBER, height);
}

/** A block stands on a pending or confirmed one, one height below; the first block of a chain stands on nothing. */
function assertParent(runtime: ObjectRuntime, hash: Uint8Array, parent: Uint8Array, height: bigint): void {
  const store = runtime.get(BLOCK_STORE_ID, BLOCK_STORE);
  if (store?.latestBlock === undefined && requirePendingStore(runtime).bestBlock === undefined) return;
  const pending = runtime.get(pendingBlockId(parent), PENDING_BLOCK)?.blockHeight;
  const known =
    pending ?? (store === undefined ? undefined : runtime.getField(store.hashToHeight, HEIGHT_BY_HASH, parent));
  if (known === height - 1n) return;
  const found = known === undefined ? 'is not known' : `stands at height ${known}`;
  throw new EngineError(
    'invalid-argument',
    `block ${formatBitcoinHash(hash)} at height ${height}: expected its parent ${formatBitcoinHash(parent)} at height ${height - 1n}, which ${found}; ingest the blocks in their order`,
    { details: { height: height.toString() } },
  );
}

/** Neither the block at the fork nor any that stands on it may be under way. */
function assertReplaceable(runtime: ObjectRuntime, first: Uint8Array): void {
  for (let hash: Uint8Array | undefined = first; hash !== undefined; ) {
    const block: PendingBlock | undefined = runtime.get(pendingBlockId(hash), PENDING_BLOCK);
    if (block !== undefined && block.processedTransactions > 0n) {
      throw new EngineError('not-supported', `block ${block.blockHeight} is being processed and cannot be replaced`);
    }
    hash = block?.nextBlockHash;
  }
}
