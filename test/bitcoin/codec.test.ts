import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Codec, decode, encode } from '../../src/base/bcs.ts';
import { fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { addressOfScript } from '../../src/bitcoin/address-derivation.ts';
import { bitcoinBlock } from '../../src/bitcoin/block.ts';
import { bitcoinBlockStore, blockHeightHash, pendingBlock, pendingStore } from '../../src/bitcoin/block-store.ts';
import * as events from '../../src/bitcoin/event.ts';
import {
  decodeBlock,
  encodeBlock,
  envelopesOf,
  formatBitcoinAddress,
  formatBitcoinHash,
  formatInscriptionId,
  formatOutPoint,
  inscription,
  parseBitcoinHash,
  parseInscriptionId,
  parseOutPoint,
  reveal,
  utxo,
} from '../../src/bitcoin/index.ts';
import { decodeParent, encodeParent, inscriptionStore } from '../../src/bitcoin/inscription.ts';
import {
  appendFlotsams,
  type Flotsam,
  NO_FLOTSAMS,
  startBlock,
  storedUpdater,
  unpackFlotsams,
} from '../../src/bitcoin/inscription-updater.ts';
import * as keys from '../../src/bitcoin/object-key.ts';
import { sealedObjects } from '../../src/bitcoin/outpoint.ts';
import { Model } from './model.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';

const hash = (byte: number) => new Uint8Array(32).fill(byte);
const hex = (byte: number) => byte.toString(16).padStart(2, '0').repeat(32);

function check<T>(codec: Codec<T>, value: T, expected: string): void {
  expect(toHex(encode(codec, value))).toBe(expected.replaceAll(' ', ''));
  expect(decode(codec, fromHex(expected.replaceAll(' ', '')))).toEqual(value);
}

describe.skipIf(!sharedPresent)(`worked encodings of bitcoin.md${skipNote}`, () => {
  const model = sharedPresent ? feed() : undefined;

  function feed(): Model {
    const fed = new Model('regtest');
    fed.block(818_677, decodeBlock(sharedFile('data/blocks/818677.blob')).transactions);
    return fed;
  }

  it('an output with one seal (6.3)', () => {
    const outpoint = parseOutPoint('fdc4d46695c2a3abbb5eb3b466e3c0cd27033e8624d0d5f0cad3b1dd9cd88c1b:0');
    const known = model!.utxos.get(formatOutPoint(outpoint))!;
    const objects = known.seals.map((id) => [keys.INSCRIPTION_STORE_KEY, keys.inscriptionKey(id)]);
    const value = { ...outpoint, value: known.value, seals: [{ protocol: keys.INSCRIPTION_PROTOCOL, objects }] };
    const protocol = Buffer.from(`0x${'0'.repeat(63)}4::ord::Inscription`).toString('hex');
    check(
      utxo,
      value,
      `1b8cd89cddb1d3caf0d5d024863e0327cdc0e366b4b35ebbaba3c29566d4c4fd 00000000 2202000000000000
       01 54 ${protocol} 01
       02 db390b6de192a991ddb226b2071545da12e46c9c9477f62ae1b5b4689d7bc293
          c3e6fdd288f588d98d8ebaa7108b08fce5b55637b0432afe46c908957b2e2cea`.replaceAll(/\s/g, ''),
    );
    expect(sealedObjects(value, keys.INSCRIPTION_PROTOCOL)).toEqual(objects);
    expect(sealedObjects(value, 'other')).toEqual([]);
    expect(toHex(encode(utxo, { ...value, seals: [] }))).toMatch(/220200000000000000$/);
  });

  it('an inscription (7.8)', () => {
    const { inscription: value } = model!.inscriptions.get(
      '0a6f4dc8995b993a1232f1b34805f037d58bde184e517bba36d6e4bee9c16b30i0',
    )!;
    const encoded = toHex(encode(inscription, value));
    expect(value.body).toHaveLength(80);
    expect(encoded).toBe(
      `306bc1e9bee4d636ba7b514e18de8bd537f00548b3f132123a995b99c84d6f0a00000000
       1b8cd89cddb1d3caf0d5d024863e0327cdc0e366b4b35ebbaba3c29566d4c4fd000000000000000000000000
       02000000020000000000 0050${toHex(value.body)}00
       0118${Buffer.from('text/plain;charset=utf-8').toString('hex')}0000000000`.replaceAll(/\s/g, ''),
    );
    expect(decode(inscription, encode(inscription, value))).toEqual(value);
  });

  it('a block with the ids and recipients that the chain adds, encoded and decoded', () => {
    const block = decodeBlock(sharedFile('data/blocks/91812.blob'));
    const encoded = encode(bitcoinBlock, block);
    const again = decode(bitcoinBlock, encoded);
    expect(encodeBlock(again)).toEqual(encodeBlock(block));
    expect(toHex(encoded)).toContain(`02${toHex(block.transactions[0]!.txid)}01000000`);
    const recipients = again.transactions.map(({ outputs }) => formatBitcoinAddress(outputs[0]!.recipient, 'bitcoin'));
    for (const [index, { outputs }] of again.transactions.entries()) {
      expect(formatBitcoinAddress(addressOfScript(outputs[0]!.scriptPubkey), 'bitcoin')).toBe(recipients[index]);
    }
  });
});

const { MOVELET_REFERENCE: reference } = process.env;
const blockTest = `${reference}/frameworks/bitcoin-move/sources/types.move`;

const note = existsSync(blockTest) ? '' : ' (skipped without MOVELET_REFERENCE)';

describe.skipIf(!existsSync(blockTest))(`the reference${note}`, () => {
  it('reads block 496 from the bytes that we write', () => {
    const published = /let block_bytes = x"([0-9a-f]+)"/.exec(readFileSync(blockTest, 'utf8'))![1]!;
    const block = decode(bitcoinBlock, fromHex(published));
    const raw = encodeBlock(block);
    const decoded = decodeBlock(raw);
    expect(formatBitcoinHash(decoded.hash)).toBe('00000000b0c5a240b2a61d2e75692224efd4cbecdf6eaf4cc2cf477ca7c270e7');
    expect(toHex(encode(bitcoinBlock, decoded))).toBe(published);
  });
});

describe('object ids: bitcoin.md section 4', () => {
  it('stores', () => {
    expect(toHex(keys.UTXO_STORE_KEY)).toBe('f74d177bfec2d8de0c4893f6502d3e5b55f12f75e158d53b035dcbe33782ef16');
    expect(toHex(keys.INSCRIPTION_STORE_KEY)).toBe('db390b6de192a991ddb226b2071545da12e46c9c9477f62ae1b5b4689d7bc293');
    expect(toHex(keys.BITCOIN_BLOCK_STORE_KEY)).toBe(
      '1c1c924dad73da98ed2138a8a971ebe6e029a27d5ebb170236d1af9f44760667',
    );
    expect(toHex(keys.PENDING_STORE_KEY)).toBe('420bc855c5d42f766dd81eca2678c39bb8f84ab0e470d9509653191adafc3f55');
    expect(toHex(keys.BITCOIN_NETWORK_KEY)).toBe('b213abdec5c7c909093cf7cbab6b02c8330251c1a98ba13c098b263c077e6d0a');
  });

  it('children', () => {
    const utxoKeyOf = (text: string) => toHex(keys.utxoKey(parseOutPoint(text)));
    const inscriptionKeyOf = (text: string) => toHex(keys.inscriptionKey(parseInscriptionId(text)));
    expect(utxoKeyOf('21da2ae8cc773b020b4873f597369416cf961a1896c24106b0198459fec2df77:0')).toBe(
      '6056a4a7b33326d5fb811c95b39cbca0743662e14fa3b904c41fa07d4b5c3956',
    );
    expect(utxoKeyOf('3038744039b2364bd27f54a2b25e7c462c0741d0b830753054b3d39fa57c39c2:0')).toBe(
      '4a6a82f2ff8fb7d8eb20e78f128afd624097510a95beba8620212155666cd20e',
    );
    expect(inscriptionKeyOf('4f50a54734ef4530a2826f7b52aeac5a523647efe9ef685113384e5ba2dad701i0')).toBe(
      '8af255d244a23b32e1bd8657c0c5d6f0bf207bd14ef6a2b6b003a566f47344d5',
    );
    const block = parseBitcoinHash('000000000000000000020750f322f4e72e99c2f0b9738fb4f46607860bd18c13');
    expect(toHex(keys.pendingBlockKey(block))).toBe('f86e3331b48eee152c1ee0f2eebde1ee7d6524aa40263cc98b1da80d31f8e213');
  });

  it('vouts above 2^31 count as unsigned', () => {
    expect(keys.utxoKey({ txid: hash(0), vout: 0xffff_ffff })).not.toEqual(
      keys.utxoKey({ txid: hash(0), vout: 0x7fff_ffff }),
    );
    expect(keys.utxoKey({ txid: hash(1), vout: 1 })).toEqual(keys.utxoKey({ txid: hash(1), vout: 1 }));
  });
});

// Field by field as bitcoin.md section 2 lists them.
describe('fields in their order', () => {
  it('block store', () => {
    const block = { blockHeight: 1n, blockHash: hash(0xaa) };
    check(blockHeightHash, block, `0100000000000000 ${hex(0xaa)}`);
    const [blocks, heightToHash, hashToHeight, transactions, transactionToHeight, transactionIds] = [
      1, 2, 3, 4, 5, 6,
    ].map((byte) => [hash(byte)]) as [
      Uint8Array[],
      Uint8Array[],
      Uint8Array[],
      Uint8Array[],
      Uint8Array[],
      Uint8Array[],
    ];
    check(
      bitcoinBlockStore,
      {
        genesisBlock: block,
        latestBlock: undefined,
        blocks,
        heightToHash,
        hashToHeight,
        transactions,
        transactionToHeight,
        transactionIds,
      },
      `0100000000000000 ${hex(0xaa)} 00 ${[1, 2, 3, 4, 5, 6].map((byte) => `01${hex(byte)}`).join('')}`,
    );
  });

  it('pending store and block', () => {
    const block = { blockHeight: 7n, blockHash: hash(0xbb) };
    check(
      pendingStore,
      { pendingBlocks: [block], bestBlock: block, reorgBlockCount: 3n },
      `01 0700000000000000 ${hex(0xbb)} 01 0700000000000000 ${hex(0xbb)} 0300000000000000`,
    );
    const header = { version: 1, previousHash: hash(1), merkleRoot: hash(2), time: 3, bits: 4, nonce: 5 };
    check(
      pendingBlock,
      { ...block, header, processedTransactions: 9n, nextBlockHash: hash(0xcc) },
      `0700000000000000 ${hex(0xbb)} 01000000 ${hex(1)} ${hex(2)} 03000000 04000000 05000000 0900000000000000 01 ${hex(0xcc)}`,
    );
  });

  it('inscription store', () => {
    const counts = {
      cursedInscriptionCount: 1,
      blessedInscriptionCount: 2,
      unboundInscriptionCount: 3,
      lostSats: 4n,
      nextSequenceNumber: 5,
    };
    check(inscriptionStore, counts, '01000000 02000000 03000000 0400000000000000 05000000');
  });

  it('inscription updater, with what it holds twice', () => {
    const id = { txid: hash(0x11), index: 2 };
    const content = { body: 'x', pointer: 3n, parents: [id] };
    const [envelope] = envelopesOf(
      reveal({ txid: hash(0), vout: 0 }, content, [{ scriptPubkey: new Uint8Array(0), value: 0n }]),
    );
    const flotsams: Flotsam[] = [
      { id, offset: 6n, revealed: undefined, old: { outpoint: { txid: hash(0x22), vout: 7 }, offset: 8n } },
      {
        id,
        offset: 9n,
        revealed: {
          isCursed: true,
          isReinscription: false,
          isUnbound: false,
          isVindicated: true,
          envelope: envelope!,
        },
        old: undefined,
      },
    ];
    const packed = appendFlotsams(appendFlotsams(NO_FLOTSAMS, flotsams.slice(0, 1)), flotsams.slice(1));
    expect(unpackFlotsams(packed)).toEqual(flotsams);
    const updater = {
      ...startBlock(1, {
        cursedInscriptionCount: 1,
        blessedInscriptionCount: 2,
        unboundInscriptionCount: 3,
        lostSats: 4n,
        nextSequenceNumber: 5,
      }),
      flotsams: packed,
    };
    const protocol = `54${Buffer.from(keys.INSCRIPTION_PROTOCOL).toString('hex')}`;
    const parents = `01 ${hex(0x11)} 02000000`;
    const pointer = '01 0300000000000000';
    const record = `01 78 00 00 00 00 00 00 ${parents} ${pointer} 00 00`;
    check(
      storedUpdater,
      updater,
      `0100000000000000 ${protocol} 02
       ${hex(0x11)} 02000000 0600000000000000 00 01 ${hex(0x22)} 07000000 0800000000000000
       ${hex(0x11)} 02000000 0900000000000000 01 01 0000000000000000 00 ${parents} ${pointer} 00 00 01
         00000000 00000000 00 00 ${record} 00
       0400000000000000 00f2052a01000000 02000000 01000000 03000000 05000000`.replaceAll(/\s/g, ''),
    );
  });

  it('events', () => {
    const id = { txid: hash(1), index: 2 };
    const outpoint = { txid: hash(3), vout: 4 };
    const place = { outpoint, offset: 5n };
    const placeHex = `${hex(3)} 04000000 0500000000000000`;
    check(events.utxoNotExistsEvent, { outpoint }, `${hex(3)} 04000000`);
    check(
      events.repeatCoinbaseTxEvent,
      { txid: hash(1), vout: 2, blockHeight: 3n },
      `${hex(1)} 02000000 0300000000000000`,
    );
    check(events.reorgEvent, { blockHeight: 1n, blockHash: hash(2), success: true }, `0100000000000000 ${hex(2)} 01`);
    check(
      events.inscriptionCreatedEvent,
      { blockHeight: 1n, charms: 2, inscriptionId: id, location: place, parentInscriptionIds: [id], sequenceNumber: 9 },
      `0100000000000000 0200 ${hex(1)} 02000000 01 ${placeHex} 01 ${hex(1)} 02000000 09000000`,
    );
    check(
      events.inscriptionTransferredEvent,
      {
        blockHeight: 1n,
        inscriptionId: id,
        newLocation: place,
        oldLocation: place,
        sequenceNumber: 9,
        isBurned: false,
      },
      `0100000000000000 ${hex(1)} 02000000 ${placeHex} ${placeHex} 09000000 00`,
    );
    check(
      events.offChainEvent(events.receiveUtxoEvent),
      {
        queueName: 'q',
        sequenceNumber: undefined,
        event: { txid: hash(1), sender: undefined, receiver: hash(2), value: 3n },
      },
      `01 71 00 ${hex(1)} 00 ${hex(2)} 0300000000000000`,
    );
    check(
      events.spendUtxoEvent,
      { txid: hash(1), sender: hash(2), receiver: hash(3), value: 4n },
      `${hex(1)} ${hex(2)} 01 ${hex(3)} 0400000000000000`,
    );
    const objectId = [hash(6), hash(7)];
    check(
      events.utxoTempStateDropEvent,
      { utxoObjectId: objectId, outpoint, value: 1n },
      `02 ${hex(6)} ${hex(7)} ${hex(3)} 04000000 0100000000000000`,
    );
    check(
      events.inscriptionTempStateDropEvent,
      { inscriptionObjectId: objectId, inscriptionId: id },
      `02 ${hex(6)} ${hex(7)} ${hex(1)} 02000000`,
    );
    check(
      events.inscriptionEvent,
      { metaprotocol: 'm', sequenceNumber: 1, inscriptionObjectId: objectId, eventType: events.INSCRIPTION_EVENT_BURN },
      `01 6d 01000000 02 ${hex(6)} ${hex(7)} 01`,
    );
  });
});

describe('text forms', () => {
  const txid = '21da2ae8cc773b020b4873f597369416cf961a1896c24106b0198459fec2df77';

  it('hashes are reversed, without 0x', () => {
    expect(toHex(parseBitcoinHash(txid))).toBe('77dfc2fe598419b00641c296181a96cf16943697f573480b023b77cce82ada21');
    const internal = parseBitcoinHash(txid);
    expect(formatBitcoinHash(internal)).toBe(txid);
    expect(formatBitcoinHash(Buffer.from(internal))).toBe(txid);
    expect(toHex(internal).slice(0, 4)).toBe('77df');
    for (const text of [`0x${txid}`, txid.slice(1), '', 'g'.repeat(64)])
      expect(() => parseBitcoinHash(text)).toThrow(/64 hex digits/);
  });

  it('outpoints', () => {
    expect(formatOutPoint(parseOutPoint(`${txid}:4294967295`))).toBe(`${txid}:4294967295`);
    for (const text of [txid, `${txid}:`, `${txid}:-1`, `${txid}:4294967296`, `${txid}:0:0`, `${txid}:1e3`, ':0']) {
      expect(() => parseOutPoint(text)).toThrow(/^expected/);
    }
  });

  it('inscription ids', () => {
    expect(formatInscriptionId(parseInscriptionId(`${txid}i513`))).toBe(`${txid}i513`);
    for (const text of [
      txid,
      `${txid}i`,
      `${txid}x0`,
      `${txid}i4294967296`,
      `${txid.slice(1)}i0`,
      'i0',
      `→${txid.slice(1)}i0`,
    ]) {
      expect(() => parseInscriptionId(text)).toThrow(/^expected/);
    }
  });

  it('parents: the shortest form, and four bytes', () => {
    for (const index of [0, 1, 255, 256, 513, 197_121, 67_305_985, 0xffff_ffff]) {
      const id = { txid: hash(1), index };
      expect(decodeParent(encodeParent(id))).toEqual(id);
      const fixed = new Uint8Array(36).fill(1);
      new DataView(fixed.buffer).setUint32(32, index, true);
      expect(decodeParent(fixed)).toEqual(id);
    }
  });
});
