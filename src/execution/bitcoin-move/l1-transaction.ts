/**
 * The effects of a transaction of a confirmed block on the state: UTXOs are spent and created, inscriptions are moved
 * and created, and the coinbase, processed last, confirms the block.
 *
 * Source: bitcoin.move, utxo.move, ord.move and inscription_updater.move of the reference;
 * test/pipeline/ingest/chain-move.test.ts compares the two.
 * @module
 */

import { equalBytes, toHex } from '../../base/bytes/bytes.ts';
import { CHAIN_ID_MAIN, COUNTED_INSCRIPTION_BYTES_MIN } from '../../base/config.ts';
import { assert, EngineError } from '../../base/error.ts';
import { STAKE_PROTOCOL } from '../../bitcoin/babylon.ts';
import { type BitcoinBlockStore, PENDING_TXIDS_KEY, type PendingBlock } from '../../bitcoin/block-store.ts';
import {
  receiveUtxoEvent,
  repeatCoinbaseTxEvent,
  spendUtxoEvent,
  utxoNotExistsEvent,
  utxoTempStateDropEvent,
} from '../../bitcoin/event.ts';
import { InscriptionRoom } from '../../bitcoin/inscription-updater.ts';
import type { BitcoinNetwork } from '../../bitcoin/network.ts';
import { INSCRIPTION_PROTOCOL } from '../../bitcoin/object-key.ts';
import {
  type InscriptionMove,
  indexesInscriptions,
  moveInscriptions,
  type SpentOutput,
} from '../../bitcoin/ordinals.ts';
import { formatOutPoint, isNullOutPoint, type OutPoint, sealedObjects, type Utxo } from '../../bitcoin/outpoint.ts';
import { isOpReturn } from '../../bitcoin/script.ts';
import { type BitcoinTransaction, isCoinbase } from '../../bitcoin/transaction.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import { BITCOIN_CHAIN_ID, ledgerTransactionHash } from '../../chain/transaction/ledger.ts';
import { type Address, BITCOIN_MOVE_ADDRESS, isSystemAddress } from '../../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER } from './address-mapping.ts';
import { BitcoinEventLog, bitcoinEvent, emitQueued, type QueuedEventType, queuedEvent } from './event-queue.ts';
import { InscriptionChanges, InscriptionTransit, MovingInscriptions, Recipients } from './inscriptions.ts';
import { HASH_BY_NUMBER, HEIGHT_BY_HASH } from './known-block.ts';
import { confirmBlock, pendingBlockId, requireBlockStore } from './l1-block.ts';
import { utxoObjectId } from './object-id.ts';
import { dropTemporaryArea, PENDING_BLOCK, PENDING_TXIDS, TRANSACTION_BY_TXID, UTXO } from './object-type.ts';
import { removeStake, takeStake } from './stake.ts';
import type { WatchedOwners } from './watch.ts';

const UTXO_NOT_EXISTS = bitcoinEvent('bitcoin', 'UTXONotExistsEvent', utxoNotExistsEvent);
const REPEAT_COINBASE = bitcoinEvent('bitcoin', 'RepeatCoinbaseTxEvent', repeatCoinbaseTxEvent);
const RECEIVED = queuedEvent(bitcoinEvent('utxo', 'ReceiveUTXOEvent', receiveUtxoEvent));
const SPENT = queuedEvent(bitcoinEvent('utxo', 'SpendUTXOEvent', spendUtxoEvent));
const AREA_DROPPED = queuedEvent(bitcoinEvent('utxo', 'TempStateDropEvent', utxoTempStateDropEvent));

/** From this height on, no coinbase of the main network repeats a txid (BIP 34). */
const REPEATED_COINBASE_HEIGHT_END = 227_835n;

/** The context in which a transaction is executed. */
export interface BlockContext {
  readonly network: BitcoinNetwork;
  readonly chainId: bigint;
  /** Room used by the inscriptions of the block's earlier transactions. */
  readonly inscriptionBytes?: number;
  /** Owners whose outputs are kept (watch.ts). Default: all. */
  readonly owners?: WatchedOwners | undefined;
}

/** The result of an execution, apart from its changes to objects. */
interface L1TransactionEffects {
  readonly events: BitcoinEventLog['events'];
  /** Room used by the inscriptions of the block's transactions so far, including this one if it counts. */
  readonly inscriptionBytes: number;
  /** Inscriptions that found no room: see bitcoin/inscription-updater.ts. */
  readonly inscriptionsLeftOut: number;
  /** Whether this transaction, the coinbase, completed the block. */
  readonly isLast: boolean;
}

/**
 * Processes a transaction of a pending block.
 * @throws {EngineError} `not-supported` for an unknown output on the main chain; `invariant-violation` if this is not a
 *   transaction of the pending block, or was processed.
 */
export function executeL1Transaction(
  runtime: ObjectRuntime,
  blockHash: Uint8Array,
  txid: Uint8Array,
  context: BlockContext,
): L1TransactionEffects {
  const id = pendingBlockId(blockHash);
  const block = runtime.get(id, PENDING_BLOCK);
  assert(block !== undefined, 'the block of a transaction to process is pending');
  const transaction = runtime.removeField(id, TRANSACTION_BY_TXID, txid);
  return new Execution(runtime, block, transaction, context).run();
}

interface Spent {
  readonly outputs: readonly SpentOutput[];
  /** The first owner of a spent output that belongs to an account. */
  readonly sender: Address | undefined;
  /** The Babylon stakes held by the outputs. */
  readonly stakes: readonly ObjectId[];
}

class Execution {
  readonly #runtime: ObjectRuntime;
  readonly #block: PendingBlock;
  readonly #transaction: BitcoinTransaction;
  readonly #context: BlockContext;
  readonly #events = new BitcoinEventLog();
  readonly #isCoinbase: boolean;
  /** Whether inscriptions are possible at this height. */
  readonly #isIndexed: boolean;
  readonly #room: InscriptionRoom;
  readonly #inscriptions: MovingInscriptions;
  readonly #recipients: Recipients;
  readonly #changes: InscriptionChanges;

  constructor(runtime: ObjectRuntime, block: PendingBlock, transaction: BitcoinTransaction, context: BlockContext) {
    this.#runtime = runtime;
    this.#block = block;
    this.#transaction = transaction;
    this.#context = context;
    this.#isCoinbase = isCoinbase(transaction);
    const { network, chainId, inscriptionBytes } = context;
    this.#isIndexed = indexesInscriptions(Number(block.blockHeight), network, chainId === CHAIN_ID_MAIN);
    this.#room = new InscriptionRoom(inscriptionBytes);
    this.#inscriptions = new MovingInscriptions(runtime, this.#room);
    this.#recipients = new Recipients(transaction);
    this.#changes = new InscriptionChanges({
      runtime,
      events: this.#events,
      inscriptions: this.#inscriptions,
      recipients: this.#recipients,
      blockHeight: block.blockHeight,
    });
  }

  run(): L1TransactionEffects {
    const spent = this.#spend();
    const moves = this.#moveInscriptions(spent.outputs);
    this.#create(moves, spent.sender);
    for (const stake of spent.stakes) removeStake(this.#runtime, this.#events, stake);
    const store = requireBlockStore(this.#runtime);
    this.#record(store);
    const { blockHash } = this.#block;
    // A stake's seal is on an output that pays no account, so a chain that watches owners has none.
    if (this.#context.owners === undefined) this.#takeStake();
    if (this.#isCoinbase) this.#confirm(store);
    else {
      const processedTransactions = this.#block.processedTransactions + 1n;
      this.#runtime.set(pendingBlockId(blockHash), PENDING_BLOCK, { ...this.#block, processedTransactions });
    }
    const { inscriptionBytes = 0 } = this.#context;
    const { bytes, leftOut } = this.#room;
    return {
      events: this.#events.events,
      inscriptionBytes: inscriptionBytes + (bytes < COUNTED_INSCRIPTION_BYTES_MIN ? 0 : bytes),
      inscriptionsLeftOut: leftOut,
      isLast: this.#isCoinbase,
    };
  }

  #takeStake(): void {
    const { blockHash, blockHeight } = this.#block;
    takeStake(this.#runtime, this.#events, blockHeight, this.#transaction, () =>
      ledgerTransactionHash({
        kind: 'l1-transaction',
        chainId: BITCOIN_CHAIN_ID,
        blockHash,
        txid: this.#transaction.txid,
      }),
    );
  }

  /** Removes the outputs that the inputs spend. An unknown one counts as worthless. */
  #spend(): Spent {
    const outputs: SpentOutput[] = [];
    const stakes: ObjectId[] = [];
    let sender: Address | undefined;
    for (const { previousOutput } of this.#transaction.inputs) {
      if (isNullOutPoint(previousOutput)) continue;
      const id = utxoObjectId(previousOutput);
      const owner = this.#runtime.meta(id)?.owner;
      if (owner === undefined) {
        outputs.push(this.#unknownOutput(previousOutput));
        continue;
      }
      if (sender === undefined && !equalBytes(owner, BITCOIN_MOVE_ADDRESS)) sender = owner;
      const utxo = this.#removeOutput(id);
      for (const stake of sealedObjects(utxo, STAKE_PROTOCOL)) stakes.push(stake);
      const sealed = this.#isIndexed ? sealedObjects(utxo, INSCRIPTION_PROTOCOL) : [];
      outputs.push({ value: utxo.value, inscriptions: this.#inscriptions.carried(sealed, previousOutput) });
    }
    return { outputs, sender, stakes };
  }

  /** Removes an output, with the values that Move code has put on it. */
  #removeOutput(id: ObjectId): Utxo {
    const names = dropTemporaryArea(this.#runtime, id);
    const utxo = this.#runtime.remove(id, UTXO);
    const { txid, vout, value } = utxo;
    for (const name of names) {
      this.#queue(AREA_DROPPED, name, { utxoObjectId: id, outpoint: { txid, vout }, value });
    }
    return utxo;
  }

  #unknownOutput(outpoint: OutPoint): SpentOutput {
    if (this.#context.owners !== undefined) return { value: 0n, inscriptions: [], hidesOthers: true };
    this.#events.emit(UTXO_NOT_EXISTS, { outpoint });
    if (this.#context.chainId === CHAIN_ID_MAIN) {
      throw new EngineError(
        'not-supported',
        `expected an output of the main chain, got the unknown ${formatOutPoint(outpoint)}`,
      );
    }
    return { value: 0n, inscriptions: [] };
  }

  #moveInscriptions(spent: readonly SpentOutput[]): readonly InscriptionMove[] {
    if (!this.#isIndexed) return [];
    const transit = new InscriptionTransit(this.#runtime, this.#block, this.#isCoinbase);
    const before = transit.take(this.#inscriptions);
    const moved = moveInscriptions(before, this.#context.network, this.#transaction, spent, this.#room);
    const moves = moved.moves.filter((move) => this.#keepsOwner(move));
    this.#changes.apply(moves);
    const keepsAll = this.#context.owners === undefined;
    if (!keepsAll) this.#changes.lose(spent, moves);
    transit.put(moved.updater, this.#transaction.txid, keepsAll);
    return moves;
  }

  #keepsOwner({ ownerOutput }: InscriptionMove): boolean {
    const { owners } = this.#context;
    return owners === undefined || (ownerOutput !== undefined && owners.has(this.#recipients.of(ownerOutput)));
  }

  #queue<E>(type: QueuedEventType<E>, queueName: string, event: E): void {
    emitQueued(this.#runtime, this.#events, type, queueName, event);
  }

  /** Creates the outputs. A coinbase that repeats an earlier one replaces those of its outputs that are unspent. */
  #create(moves: readonly InscriptionMove[], sender: Address | undefined): void {
    const { txid, outputs } = this.#transaction;
    const sealed = this.#changes.sealedByOutput(moves);
    for (const [vout, { value, scriptPubkey }] of outputs.entries()) {
      const id = utxoObjectId({ txid, vout });
      if (this.#mayRepeat() && this.#runtime.exists(id)) {
        this.#removeOutput(id);
        this.#events.emit(REPEAT_COINBASE, { txid, vout, blockHeight: this.#block.blockHeight });
      }
      const receiver = this.#recipients.of(vout);
      if (isOpReturn(scriptPubkey) || this.#context.owners?.has(receiver) === false) continue;
      const objects = sealed.get(vout);
      const seals = objects === undefined ? [] : [{ protocol: INSCRIPTION_PROTOCOL, objects }];
      this.#runtime.addPlain(id, UTXO, { txid, vout, value, seals }, receiver);
      this.#tellOwners(sender, receiver, value);
      this.#mapAddress(vout, receiver);
    }
  }

  #mayRepeat(): boolean {
    const { network } = this.#context;
    return this.#isCoinbase && (network !== 'bitcoin' || this.#block.blockHeight < REPEATED_COINBASE_HEIGHT_END);
  }

  /** Emits no event for change, or for a receiver without an account. */
  #tellOwners(sender: Address | undefined, receiver: Address, value: bigint): void {
    const { txid } = this.#transaction;
    if (sender !== undefined && equalBytes(sender, receiver)) return;
    const isPerson = !equalBytes(receiver, BITCOIN_MOVE_ADDRESS);
    if (isPerson) this.#queue(RECEIVED, toHex(receiver), { txid, sender, receiver, value });
    if (sender === undefined) return;
    this.#queue(SPENT, toHex(sender), { txid, sender, receiver: isPerson ? receiver : undefined, value });
  }

  /** The first output that pays an address records it. */
  #mapAddress(vout: number, owner: Address): void {
    const recipient = this.#transaction.outputs[vout]?.recipient;
    if (recipient === undefined || recipient.length === 0 || isSystemAddress(owner)) return;
    if (this.#runtime.hasField(ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER, owner)) return;
    this.#runtime.addField(ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER, owner, recipient);
  }

  /**
   * Bitcoin lets a coinbase repeat an earlier one, whose outputs may be spent (BIP 30); no other transaction can be
   * repeated (block-check.ts). The reference could not continue if all of them are spent.
   */
  #record(store: BitcoinBlockStore): void {
    const { txid } = this.#transaction;
    const runtime = this.#runtime;
    if (this.#isCoinbase && runtime.hasField(store.transactions, TRANSACTION_BY_TXID, txid)) {
      runtime.setField(store.transactions, TRANSACTION_BY_TXID, txid, this.#transaction);
      runtime.setField(store.transactionToHeight, HEIGHT_BY_HASH, txid, this.#block.blockHeight);
    } else {
      runtime.addField(store.transactions, TRANSACTION_BY_TXID, txid, this.#transaction);
      runtime.addField(store.transactionToHeight, HEIGHT_BY_HASH, txid, this.#block.blockHeight);
    }
    const place = runtime.meta(store.transactionIds)?.size;
    assert(place !== undefined, 'the table of txids exists');
    runtime.addField(store.transactionIds, HASH_BY_NUMBER, place, txid);
  }

  /** After the coinbase, which is last, the block is complete and no longer pending. */
  #confirm(store: BitcoinBlockStore): void {
    const { blockHash, processedTransactions } = this.#block;
    const count = this.#runtime.getField(pendingBlockId(blockHash), PENDING_TXIDS, PENDING_TXIDS_KEY)?.length ?? 0;
    assert(processedTransactions + 1n === BigInt(count), 'a coinbase is processed after all other transactions');
    confirmBlock(this.#runtime, store, this.#block);
  }
}
