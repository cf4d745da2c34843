import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { assertBlock } from '../../src/bitcoin/block.ts';
import {
  decodeBlock,
  encodeBlock,
  formatBitcoinAddress,
  formatBitcoinHash,
  formatInscriptionId,
  formatOutPoint,
  parseBitcoinAddress,
} from '../../src/bitcoin/index.ts';
import { countersOf, inscriptionsOf, utxosOf, vectors } from './chain-vectors.ts';
import { Model } from './model.ts';
import { formatSatPoint, sharedPresent, skipNote } from './shared.ts';

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
      expect(countersOf(model)).toEqual(expected.store);
    }
  });
});
