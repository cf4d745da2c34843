/**
 * Findings: the results of a scan of older blocks for the watched owners, and their addition to the chain.
 *
 * A chain that starts keeping an owner's outputs knows nothing of earlier ones. A scan (ingest/scan.ts) goes through
 * the older blocks; findings that the chain lacks become part of the state here, as a self-contained ledger record: a
 * chain that re-executes the record needs no blocks. Known objects do not change, with three exceptions: an inscription
 * without a known place gets the place found for it, or is removed if it has left; one found to share its satoshi with
 * an earlier one is marked as a reinscription; and an output found to be spent is removed, while the inscriptions in it
 * go where the scan found them.
 *
 * Findings are valid at one confirmed block, and for the pending blocks on top of it that they name.
 * @module
 */
import { bytes, bytes32, type Codec, encode, struct, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { PENDING_TXIDS_KEY } from '../../bitcoin/block-store.ts';
import { formatBitcoinHash } from '../../bitcoin/hash.ts';
import {
  type Inscription,
  type InscriptionId,
  type InscriptionStore,
  inscription,
  inscriptionId,
} from '../../bitcoin/inscription.ts';
import { equalOutPoints, type OutPoint, outPoint, UNBOUND_OUTPOINT, type Utxo, utxo } from '../../bitcoin/outpoint.ts';
import { type BitcoinTransaction, bitcoinTransaction } from '../../bitcoin/transaction.ts';
import { type Address, address, isSystemAddress } from '../../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER } from './address-mapping.ts';
import { pendingBlockId, requireBlockStore } from './l1-block.ts';
import { INSCRIPTION_STORE_ID, inscriptionObjectId, utxoObjectId } from './object-id.ts';
import {
  dropTemporaryArea,
  INSCRIPTION,
  INSCRIPTION_BY_SEQUENCE,
  INSCRIPTION_STORE,
  PENDING_BLOCK,
  PENDING_TXIDS,
  TRANSACTION_BY_TXID,
  UTXO,
} from './object-type.ts';

/** An inscription; its numbers, and its offset if unbound, are assigned when it is added. */
export interface InscriptionFinding {
  readonly inscription: Inscription;
  readonly owner: Address;
}

/** An unspent output, with its seals. */
export interface FoundOutput {
  readonly utxo: Utxo;
  readonly owner: Address;
  /** The owner's Bitcoin address in its internal form; empty if unknown. */
  readonly recipient: Uint8Array;
}

/** Additional transactions to keep of a pending block. */
interface PendingFinding {
  readonly blockHash: Uint8Array;
  /** All transactions kept from now on, in block order, the coinbase first. */
  readonly txids: readonly Uint8Array[];
  readonly added: readonly BitcoinTransaction[];
}

export interface Findings {
  /** Hash of the last confirmed block. */
  readonly confirmed: Uint8Array;
  readonly inscriptions: readonly InscriptionFinding[];
  readonly outputs: readonly FoundOutput[];
  /** Inscriptions that have left: unbound ones, and those in spent outputs. */
  readonly gone: readonly InscriptionId[];
  readonly pending: readonly PendingFinding[];
  /** Spent outputs that the chain still has. */
  readonly spent: readonly OutPoint[];
}

const withoutSpent = struct<Omit<Findings, 'spent'>>({
  confirmed: bytes32,
  inscriptions: vector(struct<InscriptionFinding>({ inscription, owner: address })),
  outputs: vector(struct<FoundOutput>({ utxo, owner: address, recipient: bytes })),
  gone: vector(inscriptionId),
  pending: vector(
    struct<PendingFinding>({ blockHash: bytes32, txids: vector(bytes32), added: vector(bitcoinTransaction) }),
  ),
});
const spentOutputs: Codec<readonly OutPoint[]> = vector(outPoint);

/** Records of earlier versions had no spent outputs and end before them, as do all records without any. */
export const findings: Codec<Findings> = {
  write: (writer, value) => {
    withoutSpent.write(writer, value);
    if (value.spent.length > 0) spentOutputs.write(writer, value.spent);
  },
  read: (reader) => {
    const found = withoutSpent.read(reader);
    if (reader.remaining === 0) return { ...found, spent: [] };
    const spent = spentOutputs.read(reader);
    if (spent.length > 0) return { ...found, spent };
    throw new EngineError('malformed-bytes', 'expected at least one spent output in the list');
  },
};

/**
 * Adds findings to the chain.
 * @throws {EngineError} `invalid-argument` if the chain has confirmed another block since, or has started processing
 * one of the pending blocks
 */
export function addFindings(runtime: ObjectRuntime, { confirmed, ...found }: Findings): void {
  const last = requireBlockStore(runtime).latestBlock?.blockHash;
  if (last === undefined || !equalBytes(last, confirmed)) {
    throw new EngineError(
      'invalid-argument',
      `expected findings at the last confirmed block, got findings at ${formatBitcoinHash(confirmed)}`,
    );
  }
  addInscriptions(runtime, found.inscriptions);
  for (const output of found.outputs) addOutput(runtime, output);
  for (const id of found.gone) removeInscription(runtime, id);
  for (const outpoint of found.spent) removeOutput(runtime, outpoint);
  for (const block of found.pending) addPendingTransactions(runtime, block);
}

/** Whether, as far as the chain knows, no satoshi carries it. */
export function isUnbound({ location }: Pick<Inscription, 'location'>): boolean {
  return equalOutPoints(location.outpoint, UNBOUND_OUTPOINT);
}

function addInscriptions(runtime: ObjectRuntime, found: readonly InscriptionFinding[]): void {
  const before = runtime.get(INSCRIPTION_STORE_ID, INSCRIPTION_STORE);
  if (before === undefined || found.length === 0) return;
  const counts = { ...before };
  for (const { inscription: given, owner } of found) {
    const id = inscriptionObjectId(given.id);
    const known = runtime.get(id, INSCRIPTION);
    const location = isUnbound(given)
      ? { outpoint: UNBOUND_OUTPOINT, offset: BigInt(counts.unboundInscriptionCount++) }
      : given.location;
    if (known !== undefined) {
      const { sequenceNumber } = known;
      const inscriptionNumber =
        known.isCursed === given.isCursed ? known.inscriptionNumber : nextNumber(counts, given.isCursed);
      const value = encode(inscription, { ...given, location, sequenceNumber, inscriptionNumber });
      if (!isUnbound(known) && !equalOutPoints(known.location.outpoint, location.outpoint)) {
        dropTemporaryArea(runtime, id);
      }
      runtime.setBytesAndTransfer(id, INSCRIPTION.tag, value, owner);
      continue;
    }
    const sequenceNumber = counts.nextSequenceNumber++;
    const added = { ...given, location, sequenceNumber, inscriptionNumber: nextNumber(counts, given.isCursed) };
    runtime.addPlainField(INSCRIPTION_STORE_ID, INSCRIPTION_BY_SEQUENCE, sequenceNumber, given.id);
    runtime.addPlain(id, INSCRIPTION, added, owner);
  }
  runtime.set(INSCRIPTION_STORE_ID, INSCRIPTION_STORE, counts);
}

/** Numbered as in bitcoin/ordinals.ts: cursed ones from 1, others from 0. */
function nextNumber(
  counts: { -readonly [K in keyof InscriptionStore]: InscriptionStore[K] },
  isCursed: boolean,
): number {
  return isCursed ? ++counts.cursedInscriptionCount : counts.blessedInscriptionCount++;
}

function addOutput(runtime: ObjectRuntime, { utxo: value, owner, recipient }: FoundOutput): void {
  const id = utxoObjectId(value);
  if (runtime.exists(id)) {
    runtime.set(id, UTXO, value);
    return;
  }
  runtime.addPlain(id, UTXO, value, owner);
  if (recipient.length === 0 || isSystemAddress(owner)) return;
  if (runtime.hasField(ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER, owner)) return;
  runtime.addField(ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER, owner, recipient);
}

function removeInscription(runtime: ObjectRuntime, inscription: InscriptionId): void {
  const id = inscriptionObjectId(inscription);
  dropTemporaryArea(runtime, id);
  const { sequenceNumber } = runtime.remove(id, INSCRIPTION);
  runtime.removeField(INSCRIPTION_STORE_ID, INSCRIPTION_BY_SEQUENCE, sequenceNumber);
}

function removeOutput(runtime: ObjectRuntime, outpoint: OutPoint): void {
  const id = utxoObjectId(outpoint);
  dropTemporaryArea(runtime, id);
  runtime.remove(id, UTXO);
}

function addPendingTransactions(runtime: ObjectRuntime, { blockHash, txids, added }: PendingFinding): void {
  const id = pendingBlockId(blockHash);
  const processed = runtime.get(id, PENDING_BLOCK)?.processedTransactions;
  if (processed !== 0n) {
    throw new EngineError(
      'invalid-argument',
      `expected the block ${formatBitcoinHash(blockHash)} to be pending and not yet processed`,
    );
  }
  for (const transaction of added) runtime.addField(id, TRANSACTION_BY_TXID, transaction.txid, transaction);
  runtime.setField(id, PENDING_TXIDS, PENDING_TXIDS_KEY, txids);
}
