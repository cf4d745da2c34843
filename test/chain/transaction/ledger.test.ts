import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import {
  BITCOIN_CHAIN_ID,
  type L1Block,
  type L1Transaction,
  l1Block,
  l1Transaction,
  ledgerTransaction,
  ledgerTransactionData,
  ledgerTransactionHash,
} from '../../../src/chain/transaction/ledger.ts';
import { signedTransaction, transactionHash } from '../../../src/chain/transaction/signed.ts';
import {
  l1BlockArbitrary,
  l1TransactionArbitrary,
  ledgerTransactionArbitrary,
  ledgerTransactionDataArbitrary,
  signedTransactionArbitrary,
} from '../../arbitraries/transaction.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { runs } from '../../effort.ts';
import { expectRefusal } from '../../refusal.ts';
import { readVectors } from '../../vectors.ts';

describeCodec('L1Block', l1Block, l1BlockArbitrary);
describeCodec('L1Transaction', l1Transaction, l1TransactionArbitrary);
describeCodec('LedgerTxData', ledgerTransactionData, ledgerTransactionDataArbitrary);
describeCodec('LedgerTransaction', ledgerTransaction, ledgerTransactionArbitrary);

interface L1Vectors {
  readonly l1: {
    readonly l1_block_bcs: string;
    readonly l1_block_hash: string;
    readonly l1_tx_bcs: string;
    readonly l1_tx_hash: string;
  };
}

const counting = (from: number): Uint8Array => Uint8Array.from({ length: 32 }, (_, index) => from + index);

describe('ledger transactions', () => {
  it('of Bitcoin have the bytes and hashes of spec/state.md 11.7', () => {
    const { l1 } = readVectors<L1Vectors>('state-model.json');
    const block: L1Block = { chainId: BITCOIN_CHAIN_ID, blockHeight: 840000n, blockHash: counting(0) };
    expect(toHexPrefixed(encode(l1Block, block))).toBe(l1.l1_block_bcs);
    expect(decode(l1Block, fromHex(l1.l1_block_bcs))).toEqual(block);
    expect(toHexPrefixed(ledgerTransactionHash({ kind: 'l1-block', ...block }))).toBe(l1.l1_block_hash);

    const transaction: L1Transaction = { chainId: BITCOIN_CHAIN_ID, blockHash: counting(0), txid: counting(32) };
    expect(toHexPrefixed(encode(l1Transaction, transaction))).toBe(l1.l1_tx_bcs);
    expect(decode(l1Transaction, fromHex(l1.l1_tx_bcs))).toEqual(transaction);
    expect(toHexPrefixed(ledgerTransactionHash({ kind: 'l1-transaction', ...transaction }))).toBe(l1.l1_tx_hash);
  });

  it('are three kinds, numbered as spec/state.md 6.2', () => {
    const block = { kind: 'l1-block', chainId: 0n, blockHeight: 0n, blockHash: new Uint8Array(0) } as const;
    expect(toHex(encode(ledgerTransactionData, block))).toBe(`00${'0'.repeat(34)}`);
    fc.assert(
      fc.property(signedTransactionArbitrary, l1TransactionArbitrary, (signed, transaction) => {
        expect(toHex(encode(ledgerTransactionData, { kind: 'l1-transaction', ...transaction }))).toBe(
          `01${toHex(encode(l1Transaction, transaction))}`,
        );
        expect(toHex(encode(ledgerTransactionData, { kind: 'l2-transaction', ...signed }))).toBe(
          `02${toHex(encode(signedTransaction, signed))}`,
        );
        expect(ledgerTransactionHash({ kind: 'l2-transaction', ...signed })).toEqual(transactionHash(signed.data));
      }),
      { numRuns: runs(15, 30) },
    );
    expectRefusal(() => decode(ledgerTransactionData, fromHex('03')), 'malformed-bytes', 'no variant number 3');
  });
});
