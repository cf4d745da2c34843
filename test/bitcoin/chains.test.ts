import { describe, expect, it } from 'vitest';
import { formatBitcoinAddress, parseBitcoinAddress } from '../../src/bitcoin/address.ts';
import { assertBlock, decodeBlock, encodeBlock } from '../../src/bitcoin/block.ts';
import { formatBitcoinHash } from '../../src/bitcoin/hash.ts';
import { signedInscriptionNumber } from '../../src/bitcoin/inscription.ts';
import { formatInscriptionId, type InscriptionId } from '../../src/bitcoin/inscription-id.ts';
import { INSCRIPTION_STORE_KEY, inscriptionKey, UTXO_STORE_KEY, utxoKey } from '../../src/bitcoin/object-key.ts';
import { formatOutPoint, type OutPoint } from '../../src/bitcoin/outpoint.ts';
import { formatSatPoint } from '../../src/bitcoin/sat-point.ts';
import { fromHex, toHex, toHexPrefixed } from '../../src/bytes/hex.ts';
import { Model } from './model.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';

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

const vectors: { chain_low: ChainBlock[]; chain_jubilant: ChainBlock[] } = sharedPresent
  ? JSON.parse(Buffer.from(sharedFile('spec/bitcoin-vectors.json')).toString())
  : { chain_low: [], chain_jubilant: [] };

const utxoId = (outpoint: OutPoint) => toHexPrefixed(UTXO_STORE_KEY) + toHex(utxoKey(outpoint));
const inscriptionObjectId = (id: InscriptionId) => toHexPrefixed(INSCRIPTION_STORE_KEY) + toHex(inscriptionKey(id));

function utxosOf(model: Model): object[] {
  return [...model.utxos.values()].map(({ outpoint, value, owner, seals }) => ({
    outpoint: formatOutPoint(outpoint),
    object_id: utxoId(outpoint),
    value: Number(value),
    owner: toHexPrefixed(owner),
    seals: seals.map(inscriptionObjectId),
  }));
}

function inscriptionsOf(model: Model): object[] {
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

function eventsOf(model: Model): object[] {
  return model.moves.map((move) => {
    if (move.kind === 'create') {
      const { id, charms, sequenceNumber } = move.inscription;
      const unbound =
        move.inscription.location.outpoint.vout === 0 &&
        formatOutPoint(move.inscription.location.outpoint).startsWith('0'.repeat(64));
      return {
        k: 'C',
        id: formatInscriptionId(id),
        loc: formatSatPoint(move.placed),
        charms,
        seq: sequenceNumber,
        unbound,
      };
    }
    const { inscription } = model.inscriptions.get(formatInscriptionId(move.id))!;
    return {
      k: 'T',
      id: formatInscriptionId(move.id),
      new: formatSatPoint(move.placed),
      old: formatSatPoint(move.old),
      seq: inscription.sequenceNumber,
      burned: move.isBurned,
    };
  });
}

describe.skipIf(!sharedPresent)(`the synthetic chains of bitcoin.md 12.1${skipNote}`, () => {
  it.each([
    ['before the jubilee', vectors.chain_low],
    ['after the jubilee', vectors.chain_jubilant],
  ])('%s', (_name, chain) => {
    expect(chain).toHaveLength(7);
    const model = new Model('regtest');
    for (const expected of chain) {
      const block = decodeBlock(fromHex(expected.raw));
      assertBlock(block);
      expect(formatBitcoinHash(block.hash)).toBe(expected.block_hash);
      expect(toHex(encodeBlock(block))).toBe(expected.raw);
      model.block(expected.height, block.transactions);
      expect(eventsOf(model)).toEqual(expected.events);
      expect(inscriptionsOf(model)).toEqual(expected.inscriptions.map((one) => ({ ...one, curse: undefined })));
      const byOutpoint = new Map(utxosOf(model).map((one) => [(one as { outpoint: string }).outpoint, one]));
      expect(byOutpoint.size).toBe(expected.utxos.length);
      for (const { owner_bitcoin_address, ...one } of expected.utxos) {
        expect(byOutpoint.get(one.outpoint)).toEqual(one);
        if (owner_bitcoin_address === null) continue;
        const address = parseBitcoinAddress(owner_bitcoin_address);
        expect(model.mapped).toContain(toHex(address));
        expect(formatBitcoinAddress(address, 'regtest')).toBe(owner_bitcoin_address);
      }
      expect({
        cursed_inscription_count: model.store.cursedInscriptionCount,
        blessed_inscription_count: model.store.blessedInscriptionCount,
        unbound_inscription_count: model.store.unboundInscriptionCount,
        lost_sats: Number(model.store.lostSats),
        next_sequence_number: model.store.nextSequenceNumber,
      }).toEqual(expected.store);
    }
  });
});
