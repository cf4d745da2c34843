import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { assertBlock, mayStandAt } from '../../src/bitcoin/block.ts';
import { assertProofOfWork } from '../../src/bitcoin/header.ts';
import {
  BITCOIN_NETWORKS,
  type BitcoinBlock,
  type BitcoinNetwork,
  decodeBlock,
  encodeBlock,
  envelopesOf,
  formatBitcoinHash,
} from '../../src/bitcoin/index.ts';
import { isOpReturn } from '../../src/bitcoin/script.ts';
import { hasWitness } from '../../src/bitcoin/transaction.ts';
import { sharedFile, sharedPresent, skipNote } from './shared.ts';
import { readTesterFile, testerBytes, testerNote } from './tester.ts';

// bitcoin.md 11.1 and 11.2.
const RECORDED = {
  '91812': {
    hash: '00000000000af0aed4792b1acee3d966af36cf5def14935db8de83d6f9306f2f',
    previous: '000000000002afe839294d4e038b5c831bc09632fd717c0980f8f216dc2b360f',
    header: { version: 1, bits: 0x1b0e7256, nonce: 1166692788, time: 1289757588 },
    transactions: [2, 0],
    inputs: 3,
    outputs: 2,
    opReturns: 0,
    value: 7_000_000_000n,
    envelopes: 0,
  },
  '91842': {
    hash: '00000000000a4d0a398161ffc163c503763b1f4360639393e0e4c8e300e0caec',
    previous: '00000000000a1e92acbcbdf594cac25d1095544d5fbf5113bfec85a9eb4b1120',
    header: { version: 1, bits: 0x1b0e7256, nonce: 3778549762, time: 1289768691 },
    transactions: [1, 0],
    inputs: 1,
    outputs: 1,
    opReturns: 0,
    value: 5_000_000_000n,
    envelopes: 0,
  },
  '818677': {
    hash: '000000000000000000020750f322f4e72e99c2f0b9738fb4f46607860bd18c13',
    previous: '00000000000000000001a2dd0a20944de8b464ac51af80d7cfdab3a69791e13d',
    header: { version: 536870912, bits: 0x17042450, nonce: 1616659018, time: 1701075201 },
    transactions: [3463, 3242],
    inputs: 6559,
    outputs: 9165,
    opReturns: 24,
    value: 1_187_757_263_363n,
    envelopes: 1327,
  },
} as const;

describe.skipIf(!sharedPresent)(`real blocks${skipNote}`, () => {
  it.each(Object.entries(RECORDED))('%s: what is in it', (height, recorded) => {
    const raw = sharedFile(`data/blocks/${height}.blob`);
    const block = decodeBlock(raw);
    assertBlock(block);
    assertProofOfWork(block.header, 'bitcoin');
    expect(formatBitcoinHash(block.hash)).toBe(recorded.hash);
    expect(formatBitcoinHash(block.header.previousHash)).toBe(recorded.previous);
    expect(block.header).toMatchObject(recorded.header);
    const { transactions } = block;
    const outputs = transactions.flatMap((transaction) => transaction.outputs);
    expect([transactions.length, transactions.filter(hasWitness).length]).toEqual(recorded.transactions);
    expect(transactions.flatMap((transaction) => transaction.inputs)).toHaveLength(recorded.inputs);
    expect(outputs).toHaveLength(recorded.outputs);
    expect(outputs.filter((output) => isOpReturn(output.scriptPubkey))).toHaveLength(recorded.opReturns);
    expect(outputs.reduce((sum, output) => sum + output.value, 0n)).toBe(recorded.value);
    expect(transactions.flatMap(envelopesOf)).toHaveLength(recorded.envelopes);
    expect(Buffer.from(encodeBlock(block)).equals(raw)).toBe(true);
  });

  it('818677: envelopes, in order and with their bodies', () => {
    const { transactions } = decodeBlock(sharedFile('data/blocks/818677.blob'));
    const digest = createHash('sha256');
    for (const transaction of transactions) {
      for (const [index, { payload }] of envelopesOf(transaction).entries()) {
        digest.update(transaction.txid).update(Uint8Array.of(index, 0, 0, 0));
        digest.update(createHash('sha256').update(payload.body).digest()).update(payload.contentType ?? '');
      }
    }
    expect(digest.digest('hex')).toBe('e8705923b65857c0a03da4dc02f3682469ea69a5d5db6b954594c5b07ae962c7');
  });
});

function block(script: string, version = 2): BitcoinBlock {
  const input = { previousOutput: { txid: new Uint8Array(32), vout: 0xffff_ffff }, scriptSig: fromHex(script) };
  return { header: { version }, transactions: [{ inputs: [input] }] } as unknown as BitcoinBlock;
}

describe('the height in a coinbase', () => {
  // The scripts of blocks 227,931 (the first under the rule) and 800,000 of the main network.
  it.each([
    ['035b7a03', 227_931],
    ['0300350c', 800_000],
  ])('%s is %d', (script, height) => {
    expect(mayStandAt(block(script), height, 'bitcoin')).toBe(true);
    expect(mayStandAt(block(`${script}ffff`), height, 'bitcoin')).toBe(true);
    for (const other of [height - 1, height + 1, height + 256]) {
      const isUnderRule = other >= 227_931;
      expect(mayStandAt(block(script), other, 'bitcoin')).toBe(!isUnderRule);
    }
    expect(mayStandAt(block(script.slice(0, -2)), height, 'bitcoin')).toBe(false);
    expect(mayStandAt(block(''), height, 'bitcoin')).toBe(false);
  });

  it('is not required of old blocks, old versions and genesis blocks', () => {
    expect(mayStandAt(block('', 1), 800_000, 'bitcoin')).toBe(true);
    expect(mayStandAt(block(''), 21_110, 'testnet')).toBe(true);
    expect(mayStandAt(block(''), 21_111, 'testnet')).toBe(false);
    for (const network of Object.keys(BITCOIN_NETWORKS) as BitcoinNetwork[]) {
      expect(mayStandAt(block(''), 0, network)).toBe(true);
    }
  });

  const real = testerBytes(781_735);
  it.skipIf(real === undefined)(`is that of a real block${testerNote(real)}`, () => {
    const file = readTesterFile(real!, false);
    const real781735 = { header: file.header, transactions: file.transactions };
    expect(mayStandAt(real781735, 781_735, 'bitcoin')).toBe(true);
    expect(mayStandAt(real781735, 781_736, 'bitcoin')).toBe(false);
  });
});
