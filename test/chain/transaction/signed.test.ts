import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import {
  authenticator,
  EMPTY_AUTHENTICATOR,
  hashedSigned,
  type SignedTransaction,
  signedTransaction,
  transactionData,
  transactionHash,
} from '../../../src/chain/transaction/signed.ts';
import {
  authenticatorArbitrary,
  signedTransactionArbitrary,
  transactionDataArbitrary,
} from '../../arbitraries/transaction.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { runs } from '../../effort.ts';
import { readValueVectors } from '../../vectors.ts';

describeCodec('Authenticator', authenticator, authenticatorArbitrary);
describeCodec('RoochTransactionData', transactionData, transactionDataArbitrary);
describeCodec('RoochTransaction', signedTransaction, signedTransactionArbitrary);

describe('signed transactions', () => {
  it('agree with the independent model in bytes and hash', () => {
    interface TransactionVector {
      readonly bcs: Uint8Array;
      readonly dataBcs: Uint8Array;
      readonly hash: Uint8Array;
      readonly value: SignedTransaction;
    }
    const { transactions } = readValueVectors<{ transactions: readonly TransactionVector[] }>('random-encodings.json');
    expect(new Set(transactions.map(({ value }) => value.data.action.kind)).size).toBe(3);
    for (const { bcs, dataBcs, hash, value } of transactions) {
      expect(toHex(encode(signedTransaction, value))).toBe(toHex(bcs));
      expect(toHex(encode(transactionData, value.data))).toBe(toHex(dataBcs));
      expect(decode(signedTransaction, bcs)).toEqual(value);
      expect(transactionHash(value.data)).toEqual(hash);
    }
  });

  it('are hashed without their authenticator (spec/state.md 6.1)', () => {
    fc.assert(
      fc.property(transactionDataArbitrary, (data) => {
        expect(transactionHash(data)).toEqual(sha3(encode(transactionData, data)));
      }),
      { numRuns: runs(20) },
    );
  });

  it('may have an empty authenticator: validator 0 and no payload', () => {
    expect(toHex(encode(authenticator, EMPTY_AUTHENTICATOR))).toBe('000000000000000000');
  });
});

it('what is submitted is decoded with the hash of its data', () => {
  fc.assert(
    fc.property(signedTransactionArbitrary, (transaction) => {
      const bytes = encode(signedTransaction, transaction);
      expect(decode(hashedSigned, bytes)).toEqual({
        ...transaction,
        hash: sha3(encode(transactionData, transaction.data)),
      });
    }),
    { numRuns: runs(66, 200) },
  );
});
