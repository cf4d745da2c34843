/**
 * Watching: a chain that keeps of Bitcoin only what concerns some owners, as a wallet wants it.
 *
 * All of a block is checked. Of its transactions only those become pending that pay to an owner or spend an output that
 * was kept, and the coinbase, which confirms the block; of their outputs only those of the owners become objects. What is
 * kept is what a chain that keeps all has, with the exceptions that docs/embedding.md tells: nothing in a block says what
 * an output of somebody else was worth, so an inscription behind such an input is lost from sight, and one that is
 * revealed in such an input is unbound.
 * @module
 */
import { nodeAddressOf } from '../bitcoin/address.ts';
import type { DecodedBlock } from '../bitcoin/block.ts';
import { PENDING_TXIDS_KEY } from '../bitcoin/block-store.ts';
import { isNullOutPoint, type OutPoint } from '../bitcoin/outpoint.ts';
import { type BitcoinTransaction, isCoinbase } from '../bitcoin/transaction.ts';
import { toHex } from '../bytes/hex.ts';
import type { Address } from '../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { pendingBlockId } from './l1-block.ts';
import { utxoObjectId } from './object-id.ts';
import { PENDING_BLOCK, PENDING_TXIDS, TRANSACTION_BY_TXID } from './object-type.ts';

/** The accounts whose outputs are kept. */
export class WatchedOwners {
  #list: readonly Address[];
  #addresses: ReadonlySet<string>;

  constructor(owners: readonly Address[]) {
    this.#list = owners;
    this.#addresses = new Set(owners.map(toHex));
  }

  get list(): readonly Address[] {
    return this.#list;
  }

  /** Other owners from now on. What was kept for those before stays, and is followed. */
  replace(owners: readonly Address[]): void {
    this.#list = owners;
    this.#addresses = new Set(owners.map(toHex));
  }

  has(owner: Address): boolean {
    return this.#addresses.has(toHex(owner));
  }

  /** Whether one of them is paid by an output. */
  arePaid({ recipient }: BitcoinTransaction['outputs'][number]): boolean {
    return recipient.length > 0 && this.has(nodeAddressOf(recipient));
  }
}

/** The transactions of `block` that are kept, in their order; the coinbase is always one. */
export function watchedTransactions(
  runtime: ObjectRuntime,
  { header, transactions }: DecodedBlock,
  owners: WatchedOwners,
): readonly BitcoinTransaction[] {
  const pending = pendingOutputs(runtime, header.previousHash, owners);
  return transactions.filter((transaction) => {
    const { txid, inputs, outputs } = transaction;
    const spends = inputs.some(({ previousOutput }) => isKept(runtime, pending, previousOutput));
    let pays = false;
    for (const [vout, output] of outputs.entries()) {
      if (!owners.arePaid(output)) continue;
      pays = true;
      pending.add(outputKey({ txid, vout }));
    }
    return spends || pays || isCoinbase(transaction);
  });
}

/** The outputs to owners that are made by pending blocks, from the one of hash `last` back. */
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

function isKept(runtime: ObjectRuntime, pending: ReadonlySet<string>, outpoint: OutPoint): boolean {
  if (isNullOutPoint(outpoint)) return false;
  return pending.has(outputKey(outpoint)) || runtime.exists(utxoObjectId(outpoint));
}

const outputKey = ({ txid, vout }: OutPoint): string => `${toHex(txid)}:${vout}`;
