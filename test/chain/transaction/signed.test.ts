import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { decode, encode } from '../../../src/base/bcs/codec.ts';
import { toHex } from '../../../src/base/bytes/hex.ts';
import { ByteReader } from '../../../src/base/bytes/reader.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import type { Action } from '../../../src/chain/transaction/action.ts';
import { authenticator, EMPTY_AUTHENTICATOR } from '../../../src/chain/transaction/authenticator.ts';
import {
  readSigned,
  type SignedTransaction,
  signedTransaction,
  transactionData,
  transactionHash,
} from '../../../src/chain/transaction/signed.ts';
import { addressOf } from '../../../src/move/address.ts';
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

describe('the hash and authenticator of what is submitted', () => {
  it('are those of the decoded transaction, and nothing is found where bytes are missing', () => {
    fc.assert(
      fc.property(signedTransactionArbitrary, fc.nat(), (transaction, cut) => {
        const bytes = encode(signedTransaction, transaction);
        const { data, authenticator: given } = transaction;
        expect(readSigned(bytes)).toEqual({ hash: transactionHash(data), authenticator: given });
        expect(readSigned(Uint8Array.of(...bytes, 7))).toEqual({ hash: transactionHash(data), authenticator: given });
        expect(readSigned(bytes.subarray(0, cut % bytes.length))).toBeUndefined();
      }),
      { numRuns: runs(200) },
    );
  });

  // A million of them took two seconds of the thread that everything waits for.
  it('are found without making the arguments, types and modules that are passed over', () => {
    const copies = vi.spyOn(ByteReader.prototype, 'copy');
    const count = (action: Action): number => {
      const data = { sender: addressOf(5), sequenceNumber: 0n, chainId: 4n, maxGasAmount: 1n, action };
      const bytes = encode(signedTransaction, { data, authenticator: EMPTY_AUTHENTICATOR });
      copies.mockClear();
      expect(readSigned(bytes)?.hash).toEqual(transactionHash(data));
      return copies.mock.calls.length;
    };
    const many = new Array(1_000).fill(new Uint8Array(1)) as Uint8Array[];
    const type = {
      kind: 'struct',
      struct: { address: addressOf(1), module: 'm', name: 'S', typeArguments: [] },
    } as const;
    const call = { typeArguments: new Array(1_000).fill(type), arguments: many };
    try {
      expect(count({ kind: 'modules', modules: many })).toBeLessThan(10);
      expect(count({ kind: 'script', code: new Uint8Array(5), ...call })).toBeLessThan(10);
      expect(
        count({ kind: 'function', function: { address: addressOf(1), module: 'm', name: 'f' }, ...call }),
      ).toBeLessThan(10);
    } finally {
      copies.mockRestore();
    }
  });
});
