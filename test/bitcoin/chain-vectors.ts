/** The synthetic chains of bitcoin.md 12.1, and a model's contents in the form of their records. */

import { toHex, toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { formatInscriptionId, formatOutPoint, type InscriptionId, type OutPoint } from '../../src/bitcoin/index.ts';
import { signedInscriptionNumber } from '../../src/bitcoin/inscription.ts';
import { INSCRIPTION_STORE_KEY, inscriptionKey, UTXO_STORE_KEY, utxoKey } from '../../src/bitcoin/object-key.ts';
import type { Model } from './model.ts';
import { formatSatPoint, sharedFile, sharedPresent } from './shared.ts';

interface ChainBlock {
  readonly name: string;
  readonly height: number;
  readonly block_hash: string;
  readonly raw: string;
  readonly events: readonly object[];
  readonly utxos: readonly { readonly outpoint: string; readonly owner_bitcoin_address: string | null }[];
  readonly inscriptions: readonly object[];
  readonly store: object;
}

export const vectors: { chain_low: ChainBlock[]; chain_jubilant: ChainBlock[] } = sharedPresent
  ? JSON.parse(Buffer.from(sharedFile('spec/bitcoin-vectors.json')).toString())
  : { chain_low: [], chain_jubilant: [] };

const utxoId = (outpoint: OutPoint) => toHexPrefixed(UTXO_STORE_KEY) + toHex(utxoKey(outpoint));
const inscriptionObjectId = (id: InscriptionId) => toHexPrefixed(INSCRIPTION_STORE_KEY) + toHex(inscriptionKey(id));

export function utxosOf(model: Model): object[] {
  return [...model.utxos.values()].map(({ outpoint, value, owner, seals }) => ({
    outpoint: formatOutPoint(outpoint),
    object_id: utxoId(outpoint),
    value: Number(value),
    owner: toHexPrefixed(owner),
    seals: seals.map(inscriptionObjectId),
  }));
}

export function inscriptionsOf(model: Model): object[] {
  return model.bySequence().map(({ inscription, owner }) => ({
    id: formatInscriptionId(inscription.id),
    object_id: inscriptionObjectId(inscription.id),
    location: formatSatPoint(inscription.location),
    sequence_number: inscription.sequenceNumber,
    inscription_number: signedInscriptionNumber(inscription),
    charms: inscription.charms,
    is_cursed: inscription.isCursed,
    owner: toHexPrefixed(owner),
    content_type: inscription.contentType ?? null,
    body: toHexPrefixed(inscription.body),
  }));
}

export function countersOf({ store }: Model): object {
  return {
    cursed_inscription_count: store.cursedInscriptionCount,
    blessed_inscription_count: store.blessedInscriptionCount,
    unbound_inscription_count: store.unboundInscriptionCount,
    lost_sats: Number(store.lostSats),
    next_sequence_number: store.nextSequenceNumber,
  };
}
