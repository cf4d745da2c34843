/**
 * What ingest does with the rules of src/bitcoin, over Maps: the UTXO set, inscriptions and counters of one chain. It
 * is here so that the rules can be held to the recorded figures without any state to write to.
 */
import { createHash } from 'node:crypto';
import { encode } from '../../src/base/bcs.ts';
import { compareBytes, concatBytes, equalBytes, toHex } from '../../src/base/bytes/bytes.ts';
import {
  type BitcoinNetwork,
  type BitcoinTransaction,
  formatInscriptionId,
  formatOutPoint,
  type Inscription,
  type InscriptionId,
  inscription,
  nodeAddressOf,
  type OutPoint,
} from '../../src/bitcoin/index.ts';
import { CHARM, type InscriptionStore, signedInscriptionNumber } from '../../src/bitcoin/inscription.ts';
import { countsOf, type InscriptionUpdater, startBlock } from '../../src/bitcoin/inscription-updater.ts';
import { INSCRIPTION_STORE_KEY, inscriptionKey, UTXO_STORE_KEY, utxoKey } from '../../src/bitcoin/object-key.ts';
import { type InscriptionMove, indexesInscriptions, moveInscriptions } from '../../src/bitcoin/ordinals.ts';
import { isNullOutPoint } from '../../src/bitcoin/outpoint.ts';
import { isOpReturn } from '../../src/bitcoin/script.ts';
import { isCoinbase } from '../../src/bitcoin/transaction.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../src/move/address.ts';

export interface ModelUtxo {
  readonly outpoint: OutPoint;
  readonly value: bigint;
  readonly owner: Uint8Array;
  readonly seals: readonly InscriptionId[];
}

export interface ModelInscription {
  readonly inscription: Inscription;
  readonly owner: Uint8Array;
}

const BIP34_HEIGHT = 227_835;

export class Model {
  readonly utxos: Map<string, ModelUtxo> = new Map();
  readonly inscriptions: Map<string, ModelInscription> = new Map();
  readonly mapped: Set<string> = new Set();
  moves: InscriptionMove[] = [];
  store: InscriptionStore = {
    cursedInscriptionCount: 0,
    blessedInscriptionCount: 0,
    unboundInscriptionCount: 0,
    lostSats: 0n,
    nextSequenceNumber: 0,
  };
  missing = 0;
  received = 0;
  spent = 0;
  repeated = 0;
  readonly #network: BitcoinNetwork;

  constructor(network: BitcoinNetwork) {
    this.#network = network;
  }

  addUtxo(utxo: ModelUtxo): void {
    this.utxos.set(formatOutPoint(utxo.outpoint), utxo);
  }

  addInscription(known: ModelInscription): void {
    this.inscriptions.set(formatInscriptionId(known.inscription.id), known);
  }

  block(height: number, transactions: readonly BitcoinTransaction[]): void {
    const [coinbase, ...others] = transactions;
    let updater = startBlock(height, this.store);
    this.moves = [];
    for (const transaction of [...others, coinbase!]) updater = this.#transaction(height, updater, transaction);
    if (updater.flotsams.length > 0) throw new Error('flotsam left after the coinbase');
  }

  #transaction(height: number, updater: InscriptionUpdater, transaction: BitcoinTransaction): InscriptionUpdater {
    const spent = this.#spend(transaction);
    const sender = spent.find(({ owner }) => owner !== undefined && !equalBytes(owner, BITCOIN_MOVE_ADDRESS))?.owner;
    if (!indexesInscriptions(height, this.#network, false)) {
      this.#create(height, transaction, sender, []);
      return updater;
    }
    const result = moveInscriptions(updater, this.#network, transaction, spent);
    for (const move of result.moves) this.#apply(transaction, move);
    this.store = countsOf(result.updater);
    this.#create(height, transaction, sender, result.moves);
    return result.updater;
  }

  #spend(
    transaction: BitcoinTransaction,
  ): { value: bigint; owner: Uint8Array | undefined; inscriptions: Inscription[] }[] {
    return transaction.inputs
      .filter((input) => !isNullOutPoint(input.previousOutput))
      .map((input) => {
        const key = formatOutPoint(input.previousOutput);
        const known = this.utxos.get(key);
        this.utxos.delete(key);
        if (known === undefined) this.missing++;
        const inscriptions = (known?.seals ?? []).map(
          (id) => this.inscriptions.get(formatInscriptionId(id))!.inscription,
        );
        return { value: known?.value ?? 0n, owner: known?.owner, inscriptions };
      });
  }

  #apply(transaction: BitcoinTransaction, move: InscriptionMove): void {
    this.moves.push(move);
    const owner = move.ownerOutput === undefined ? BITCOIN_MOVE_ADDRESS : ownerOf(transaction, move.ownerOutput);
    if (move.kind === 'create') {
      this.inscriptions.set(formatInscriptionId(move.inscription.id), { inscription: move.inscription, owner });
      return;
    }
    const key = formatInscriptionId(move.id);
    const { inscription } = this.inscriptions.get(key)!;
    const charms = inscription.charms | (move.isBurned ? CHARM.burned : 0);
    this.inscriptions.set(key, { inscription: { ...inscription, location: move.placed, charms }, owner });
  }

  #create(
    height: number,
    transaction: BitcoinTransaction,
    sender: Uint8Array | undefined,
    moves: readonly InscriptionMove[],
  ): void {
    for (const [vout, { value, scriptPubkey, recipient }] of transaction.outputs.entries()) {
      const outpoint = { txid: transaction.txid, vout };
      const mayRepeat = isCoinbase(transaction) && (this.#network !== 'bitcoin' || height < BIP34_HEIGHT);
      if (mayRepeat && this.utxos.delete(formatOutPoint(outpoint))) this.repeated++;
      if (isOpReturn(scriptPubkey)) continue;
      const owner = ownerOf(transaction, vout);
      if (recipient.length > 0) this.mapped.add(toHex(recipient));
      const seals = moves
        .filter((move) => move.sealOutput === vout)
        .map((move) => (move.kind === 'create' ? move.inscription.id : move.id));
      this.addUtxo({ outpoint, value, owner, seals });
      if (sender !== undefined && equalBytes(sender, owner)) continue;
      if (!equalBytes(owner, BITCOIN_MOVE_ADDRESS)) this.received++;
      if (sender !== undefined) this.spent++;
    }
  }

  get value(): bigint {
    return [...this.utxos.values()].reduce((sum, utxo) => sum + utxo.value, 0n);
  }

  /** bitcoin.md 11.2: over UTXOs by (txid, vout). */
  utxoDigest(): string {
    const hash = createHash('sha256');
    const ordered = [...this.utxos.values()].sort(
      (left, right) =>
        compareBytes(left.outpoint.txid, right.outpoint.txid) || left.outpoint.vout - right.outpoint.vout,
    );
    for (const { outpoint, value, owner, seals } of ordered) {
      hash.update(concatBytes(UTXO_STORE_KEY, utxoKey(outpoint), u64Bytes(value), owner));
      for (const id of seals) hash.update(concatBytes(INSCRIPTION_STORE_KEY, inscriptionKey(id)));
    }
    return hash.digest('hex');
  }

  bySequence(): ModelInscription[] {
    return [...this.inscriptions.values()].sort(
      (left, right) => left.inscription.sequenceNumber - right.inscription.sequenceNumber,
    );
  }

  /** bitcoin.md 11.2: over inscriptions by sequence number. */
  inscriptionDigest(): string {
    const hash = createHash('sha256');
    for (const { inscription: value, owner } of this.bySequence()) {
      const numbers = new DataView(new ArrayBuffer(22));
      numbers.setUint32(0, value.location.outpoint.vout, true);
      numbers.setBigUint64(4, value.location.offset, true);
      numbers.setUint32(12, value.sequenceNumber, true);
      numbers.setInt32(16, signedInscriptionNumber(value), true);
      numbers.setUint16(20, value.charms, true);
      hash.update(concatBytes(INSCRIPTION_STORE_KEY, inscriptionKey(value.id), value.location.outpoint.txid));
      hash.update(concatBytes(new Uint8Array(numbers.buffer), owner));
    }
    return hash.digest('hex');
  }

  /** bitcoin.md 11.2: over the BCS of inscriptions by sequence number. */
  inscriptionBcsDigest(): string {
    const hash = createHash('sha256');
    for (const { inscription: value } of this.bySequence()) hash.update(encode(inscription, value));
    return hash.digest('hex');
  }
}

function ownerOf(transaction: BitcoinTransaction, vout: number): Uint8Array {
  const { recipient } = transaction.outputs[vout]!;
  return recipient.length === 0 ? BITCOIN_MOVE_ADDRESS : nodeAddressOf(recipient);
}

function u64Bytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, value, true);
  return bytes;
}
