/**
 * A scan of older blocks: what a chain would have if it had watched these owners from the first scanned block on.
 *
 * Every block is checked in full, and its transactions are processed by the rules of the chain itself (bitcoin-move),
 * on a state in memory that forgets its past and the tables of blocks and transactions. So memory use depends on what
 * the owners have, not on the number of blocks.
 * @module
 */

import { equalBytes } from '../../base/bytes/compare.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { EngineError } from '../../base/error.ts';
import type { DecodedBlock } from '../../bitcoin/block.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import type { BitcoinNetwork } from '../../bitcoin/network.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import { storedHead } from '../../chain/ledger/head.ts';
import { applyChangeSet } from '../../chain/state/apply.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import { State } from '../../chain/state/state.ts';
import { HASH_BY_NUMBER, HEADER_BY_HASH, HEIGHT_BY_HASH } from '../../execution/bitcoin-move/block-table.ts';
import { executeL1Block, pendingBlockId, requireBlockStore } from '../../execution/bitcoin-move/l1-block.ts';
import { executeL1Transaction } from '../../execution/bitcoin-move/l1-transaction.ts';
import { TRANSACTION_BY_TXID } from '../../execution/bitcoin-move/object-type.ts';
import { type WatchedOwners, watchedTransactions } from '../../execution/bitcoin-move/watch.ts';
import { ObjectRuntime } from '../../execution/runtime/object-runtime.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { type NodeSource, noTouchedNodes, Tree, type TreeWrite } from '../../store/tree/tree.ts';
import { localChain } from '../local-chain.ts';

/** The settings of a scan. */
export interface ScanSettings {
  readonly network: BitcoinNetwork;
  readonly chainId: bigint;
  /** Must not change while the scan runs. */
  readonly owners: WatchedOwners;
}

/** A state in memory that keeps only the nodes of the present. */
class BriefState {
  readonly #nodes = new Map<string, Uint8Array>();
  readonly #tree: Tree;
  readonly #source: NodeSource;
  #state: State;

  /** Starts from a state whose nodes are in `below`, which is not modified. */
  constructor(below: NodeSource, { root, size }: Pick<State, 'root' | 'size'>) {
    this.#source = (hash) => this.#nodes.get(toHex(hash)) ?? below(hash);
    this.#tree = new Tree(this.#source, new NodeCache());
    this.#state = new State(this.#tree, root, size);
  }

  get state(): State {
    return this.#state;
  }

  /** Number of nodes held. */
  get size(): number {
    return this.#nodes.size;
  }

  /** Forgets the fields of an object about to be removed; removing the object would leave them behind. */
  forgetFields(root: Uint8Array): void {
    const touched = noTouchedNodes();
    this.#tree.update(
      root,
      Array.from(this.#tree.iterate(root), ({ key }): TreeWrite => [key, undefined]),
      touched,
    );
    for (const hash of touched.stale) this.#nodes.delete(toHex(hash));
  }

  /** Another one that starts from this state. */
  branch(): BriefState {
    return new BriefState(this.#source, this.#state);
  }

  change<T>(run: (runtime: ObjectRuntime) => T): T {
    const runtime = new ObjectRuntime(this.#state);
    const result = run(runtime);
    const { changeSet, fresh, stale } = applyChangeSet(this.#state, runtime.changeSet());
    for (const hash of stale) this.#nodes.delete(toHex(hash));
    for (const { hash, bytes } of fresh) this.#nodes.set(toHex(hash), bytes.slice());
    this.#state = new State(this.#tree, changeSet.stateRoot, changeSet.globalSize);
    return result;
  }
}

export class Scan {
  readonly #settings: ScanSettings;
  readonly #present: BriefState;
  /** Of all processed transactions that concerned the owners. */
  readonly #txids = new Set<string>();
  #last: Uint8Array | undefined;

  private constructor(settings: ScanSettings, present: BriefState) {
    this.#settings = settings;
    this.#present = present;
  }

  static async begin(settings: ScanSettings): Promise<Scan> {
    const { store } = await localChain({ bitcoinNetwork: settings.network });
    const { stateRoot: root, size } = storedHead(store);
    return new Scan(settings, new BriefState(nodeSource(store), { root, size }));
  }

  /** What the owners have after the last block. */
  get state(): State {
    return this.#present.state;
  }

  /** Number of tree nodes in memory. */
  get nodes(): number {
    return this.#present.size;
  }

  /** The hash of the last block; undefined before the first one. */
  get last(): Uint8Array | undefined {
    return this.#last;
  }

  /** Whether a transaction was processed, i.e. concerned the owners. */
  has(txid: Uint8Array): boolean {
    return this.#txids.has(toHex(txid));
  }

  /**
   * Processes the next block.
   * @throws {EngineError} `invalid-argument` if it does not follow the previous one
   */
  add(block: DecodedBlock, height: number): void {
    if (this.#last !== undefined && !equalBytes(this.#last, block.header.previousHash)) {
      throw new EngineError(
        'invalid-argument',
        `block ${formatBitcoinHash(block.hash)} at height ${height}: expected it to stand on ${formatBitcoinHash(this.#last)}, got one on ${formatBitcoinHash(block.header.previousHash)}`,
      );
    }
    const { network, chainId, owners } = this.#settings;
    const [coinbase, ...others] = this.#submit(this.#present, block, height);
    const txids = [...others, coinbase!].map(({ txid }) => txid);
    let inscriptionBytes = 0;
    let fields: Uint8Array | undefined;
    for (const txid of txids) {
      fields = this.#present.state.object(pendingBlockId(block.hash))?.meta.stateRoot;
      const context = { network, chainId, owners, inscriptionBytes };
      const effects = this.#present.change((runtime) => executeL1Transaction(runtime, block.hash, txid, context));
      inscriptionBytes = effects.inscriptionBytes;
      this.#txids.add(toHex(txid));
    }
    if (fields !== undefined) this.#present.forgetFields(fields);
    this.#present.change((runtime) => forget(runtime, block.hash, BigInt(height), txids));
    // Otherwise there would be one for each block.
    if (!coinbase!.outputs.some((output) => owners.arePaid(output))) this.#txids.delete(toHex(coinbase!.txid));
    this.#last = block.hash;
  }

  /** The transactions to keep of the pending blocks on top of the last one, by block. */
  pending(blocks: readonly DecodedBlock[], height: number): readonly (readonly BitcoinTransaction[])[] {
    const branch = this.#present.branch();
    return blocks.map((block, index) => this.#submit(branch, block, height + index));
  }

  #submit(present: BriefState, block: DecodedBlock, height: number): readonly BitcoinTransaction[] {
    const kept = watchedTransactions(present.state, block, this.#settings.owners);
    const { chainId } = this.#settings;
    present.change((runtime) => executeL1Block(runtime, block, BigInt(height), chainId, kept));
    return kept;
  }
}

/** Removes the rows that accumulate with each block. */
function forget(runtime: ObjectRuntime, hash: Uint8Array, height: bigint, txids: readonly Uint8Array[]): void {
  const store = requireBlockStore(runtime);
  runtime.removeField(store.blocks, HEADER_BY_HASH, hash);
  runtime.removeField(store.hashToHeight, HEIGHT_BY_HASH, hash);
  runtime.removeField(store.heightToHash, HASH_BY_NUMBER, height);
  for (const [place, txid] of txids.entries()) {
    runtime.removeField(store.transactions, TRANSACTION_BY_TXID, txid);
    runtime.removeField(store.transactionToHeight, HEIGHT_BY_HASH, txid);
    runtime.removeField(store.transactionIds, HASH_BY_NUMBER, BigInt(place));
  }
}
