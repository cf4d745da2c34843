/**
 * Watching: a chain that keeps only the outputs and inscriptions of certain Bitcoin owners, as a wallet needs them.
 *
 * The whole block is checked. Of its transactions, only those that pay an owner or spend a kept output become pending,
 * plus the coinbase, which confirms the block; of their outputs, only those of the owners become objects. Kept objects
 * are the same as on a chain that keeps everything, with the exceptions listed in docs/embedding.md: a block does not
 * tell the value of outputs spent by others, so an inscription after such an input can no longer be tracked, and one
 * revealed in such an input is unbound.
 * @module
 */
import { decode } from '../../base/bcs.ts';
import { toHex } from '../../base/bytes/bytes.ts';
import { type BitcoinAddress, nodeAddressOf } from '../../bitcoin/address.ts';
import type { DecodedBlock } from '../../bitcoin/block.ts';
import { PENDING_TXIDS_KEY } from '../../bitcoin/block-store.ts';
import type { OutPoint } from '../../bitcoin/outpoint.ts';
import { type BitcoinTransaction, isCoinbase } from '../../bitcoin/transaction.ts';
import type { State } from '../../chain/state/state.ts';
import type { Address } from '../../move/address.ts';
import { equalStructs } from '../../move/type-tag.ts';
import { ObjectRuntime } from '../runtime/object-runtime.ts';
import { pendingBlockId } from './l1-block.ts';
import { UTXO_STORE_ID, utxoObjectId } from './object-id.ts';
import { PENDING_BLOCK, PENDING_TXIDS, TRANSACTION_BY_TXID, UTXO } from './object-type.ts';

/** An account whose outputs are kept. */
export interface WatchedOwner {
  readonly address: Address;
  /** The account's Bitcoin address, if known. */
  readonly bitcoinAddress: BitcoinAddress | undefined;
}

/** The accounts whose outputs are kept. */
export class WatchedOwners {
  #list: readonly WatchedOwner[] = [];
  #addresses: ReadonlySet<string> = new Set();
  /** The Bitcoin addresses of all owners; undefined if any is unknown: then each recipient is hashed. */
  #bitcoinAddresses: ReadonlySet<string> | undefined;

  constructor(owners: readonly WatchedOwner[]) {
    this.replace(owners);
  }

  get addresses(): readonly Address[] {
    return this.#list.map(({ address }) => address);
  }

  /** Replaces the owners from now on. Outputs kept for earlier owners stay and are still followed. */
  replace(owners: readonly WatchedOwner[]): void {
    const known = owners.flatMap(({ bitcoinAddress }) => (bitcoinAddress === undefined ? [] : [toHex(bitcoinAddress)]));
    this.#list = owners;
    this.#addresses = new Set(owners.map(({ address }) => toHex(address)));
    this.#bitcoinAddresses = known.length === owners.length ? new Set(known) : undefined;
  }

  /** A copy that later replacements do not affect. */
  copy(): WatchedOwners {
    return new WatchedOwners(this.#list);
  }

  has(owner: Address): boolean {
    return this.#addresses.has(toHex(owner));
  }

  /** Whether an output pays one of the owners. */
  arePaid({ recipient }: BitcoinTransaction['outputs'][number]): boolean {
    if (recipient.length === 0) return false;
    return this.#bitcoinAddresses?.has(toHex(recipient)) ?? this.has(nodeAddressOf(recipient));
  }
}

/** The transactions of `block` to keep, in order, always including the coinbase. */
export function watchedTransactions(
  state: State,
  { header, transactions }: DecodedBlock,
  owners: WatchedOwners,
): readonly BitcoinTransaction[] {
  const pending = pendingOutputs(new ObjectRuntime(state), header.previousHash, owners);
  const isStored = storedOutputs(state, transactions);
  return transactions.filter((transaction) => {
    const { txid, inputs, outputs } = transaction;
    const spends = inputs.some(({ previousOutput }) => {
      return pending.has(outputKey(previousOutput)) || isStored(previousOutput);
    });
    let pays = false;
    for (const [vout, output] of outputs.entries()) {
      if (!owners.arePaid(output)) continue;
      pays = true;
      pending.add(outputKey({ txid, vout }));
    }
    return spends || pays || isCoinbase(transaction);
  });
}

/** The outputs to owners in pending blocks, from the block with hash `last` back. */
function pendingOutputs(runtime: ObjectRuntime, last: Uint8Array, owners: WatchedOwners): Set<string> {
  const made = new Set<string>();
  for (let hash: Uint8Array | undefined = last; hash !== undefined; ) {
    const id = pendingBlockId(hash);
    const block = runtime.get(id, PENDING_BLOCK);
    if (block === undefined) break;
    for (const txid of runtime.getField(id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? []) {
      const outputs = runtime.getField(id, TRANSACTION_BY_TXID, txid)?.outputs ?? [];
      for (const [vout, output] of outputs.entries()) if (owners.arePaid(output)) made.add(outputKey({ txid, vout }));
    }
    hash = block.header.previousHash;
  }
  return made;
}

/**
 * Tells which outputs the state has. If it has no more outputs than the block has inputs, all of them are read in one
 * pass: looking up each input would take most of a block's time.
 */
function storedOutputs(state: State, transactions: readonly BitcoinTransaction[]): (outpoint: OutPoint) => boolean {
  const store = state.object(UTXO_STORE_ID);
  const inputs = transactions.reduce((count, transaction) => count + transaction.inputs.length, 0);
  if (store === undefined || store.meta.size > BigInt(inputs)) {
    return (outpoint) => state.object(utxoObjectId(outpoint)) !== undefined;
  }
  const stored = new Set<string>();
  for (const { object } of state.fieldsOf(store.meta)) {
    if (equalStructs(object.meta.objectType, UTXO.tag)) stored.add(outputKey(decode(UTXO.codec, object.value)));
  }
  return (outpoint) => stored.has(outputKey(outpoint));
}

const outputKey = ({ txid, vout }: OutPoint): string => `${toHex(txid)}:${vout}`;
