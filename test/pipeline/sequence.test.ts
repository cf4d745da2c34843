/** Sequencing: the place that a transaction takes, and those that take a second one. */
import { describe, expect, it } from 'vitest';
import { DATA_FORMAT_VERSION } from '../../src/base/config.ts';
import type { Head } from '../../src/chain/ledger/head.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { VALIDATOR_BITCOIN } from '../../src/chain/transaction/signed.ts';
import { addressOf } from '../../src/move/address.ts';
import { sequence } from '../../src/pipeline/sequence.ts';
import { EMPTY_ACCUMULATOR } from '../../src/store/accumulator/accumulator.ts';
import { columnKey, orderBytes } from '../../src/store/column.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { EMPTY_ROOT } from '../../src/store/tree/tree.ts';

const HASH = new Uint8Array(32).fill(7);
const HEAD: Head = {
  formatVersion: DATA_FORMAT_VERSION,
  genesisHash: HASH,
  chainId: 4n,
  order: 5n,
  stateRoot: EMPTY_ROOT,
  size: 0n,
  accumulator: EMPTY_ACCUMULATOR,
  timestamp: 1_000n,
  unloadedRoots: [],
};
const BLOCK: LedgerTransactionData = { kind: 'l1-block', chainId: 0n, blockHeight: 1n, blockHash: HASH };
const TRANSACTION: LedgerTransactionData = {
  kind: 'l2-transaction',
  data: {
    sender: addressOf(0x42),
    sequenceNumber: 0n,
    chainId: 4n,
    maxGasAmount: 1n,
    action: { kind: 'modules', modules: [] },
  },
  authenticator: { validatorId: VALIDATOR_BITCOIN, payload: new Uint8Array(0) },
};
const BITCOIN: LedgerTransactionData = { kind: 'l1-transaction', chainId: 0n, blockHash: HASH, txid: HASH };

/** Rows of a chain in which the transaction with this hash has order 3. */
const known = new MemoryStore();
known.apply([{ type: 'put', key: columnKey('transactionOrder', HASH), value: orderBytes(3n) }]);

describe('a transaction that has an order', () => {
  it.each([['l2', TRANSACTION] as const, ['l1', BITCOIN] as const])('takes no second one: %s', (_, data) => {
    expect(() => sequence(known, HEAD, { data, hash: HASH }, 0n, undefined)).toThrow(
      expect.objectContaining({ code: 'transaction-rejected', details: expect.objectContaining({ txOrder: '3' }) }),
    );
    expect(sequence(new MemoryStore(), HEAD, { data, hash: HASH }, 0n, undefined).sequenceInfo.txOrder).toBe(6n);
  });

  it('takes another one if it is a Bitcoin block, which may be replaced and win again', () => {
    expect(sequence(known, HEAD, { data: BLOCK, hash: HASH }, 0n, undefined).sequenceInfo.txOrder).toBe(6n);
  });
});
