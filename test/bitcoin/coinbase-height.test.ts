import { describe, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { type BitcoinBlock, mayStandAt } from '../../src/bitcoin/block.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../../src/bitcoin/network.ts';
import { readTesterFile, testerBytes, testerNote } from './tester.ts';

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

  it('is not asked of old blocks, old versions and genesis blocks', () => {
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
