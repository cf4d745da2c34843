import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { formatFunctionId, functionCall, functionId } from '../../../src/chain/transaction/action.ts';
import { location } from '../../../src/chain/transaction/execution-info.ts';
import {
  BITCOIN_CHAIN_ID,
  type L1Block,
  type L1Transaction,
  l1Block,
  l1Transaction,
  ledgerTransactionData,
} from '../../../src/chain/transaction/ledger.ts';
import { orderWitness } from '../../../src/chain/transaction/sequence-info.ts';
import { EMPTY_AUTHENTICATOR, hashedSigned } from '../../../src/chain/transaction/signed.ts';
import { addressOf } from '../../../src/move/address.ts';
import {
  type Action,
  action,
  authenticator,
  type ExecutionInfo,
  event,
  executionInfo,
  formatAddressBech32,
  type KeptStatus,
  keptStatus,
  ledgerTransaction,
  ledgerTransactionHash,
  parseFunctionId,
  parseStructTag,
  type SequenceInfo,
  type SignedTransaction,
  sequenceInfo,
  signedTransaction,
  transactionData,
  transactionEvent,
  transactionHash,
} from '../../../src/query/transaction-builder.ts';
import {
  actionArbitrary,
  authenticatorArbitrary,
  eventArbitrary,
  executionInfoArbitrary,
  functionCallArbitrary,
  functionIdArbitrary,
  keptStatusArbitrary,
  l1BlockArbitrary,
  l1TransactionArbitrary,
  ledgerTransactionArbitrary,
  ledgerTransactionDataArbitrary,
  locationArbitrary,
  sequenceInfoArbitrary,
  signedTransactionArbitrary,
  transactionDataArbitrary,
  transactionEventArbitrary,
} from '../../arbitraries/transaction.ts';
import { describeCodec } from '../../base/bcs/codec-laws.ts';
import { runs } from '../../effort.ts';
import { expectRefusal } from '../../refusal.ts';
import { readValueVectors, readVectors } from '../../vectors.ts';

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

describeCodec('FunctionId', functionId, functionIdArbitrary);
describeCodec('FunctionCall', functionCall, functionCallArbitrary);
describeCodec('MoveAction', action, actionArbitrary);

describe('the bytes of actions (spec/state.md 6.2)', () => {
  const owner = `${'0'.repeat(63)}3`;
  it.each<[Action, string]>([
    [{ kind: 'script', code: Uint8Array.of(0xa1), typeArguments: [{ kind: 'bool' }], arguments: [] }, '0001a1010000'],
    [
      {
        kind: 'function',
        function: { address: addressOf(3), module: 'm', name: 'f' },
        typeArguments: [{ kind: 'u8' }, { kind: 'address' }],
        arguments: [Uint8Array.of(7), new Uint8Array(0)],
      },
      `01${owner}016d016602010402010700`,
    ],
    [{ kind: 'modules', modules: [Uint8Array.of(1, 2), Uint8Array.of(3)] }, '02020201020103'],
  ])('of %j', (value, hex) => {
    expect(toHex(encode(action, value))).toBe(hex);
    expect(decode(action, fromHex(hex))).toEqual(value);
  });

  it('there are three kinds', () => {
    expectRefusal(() => decode(action, fromHex('03')), 'malformed-bytes', 'MoveAction has no variant number 3');
  });
});

describe('the text of function ids (spec/rpc.md 2.1)', () => {
  const full = `0x${'0'.repeat(63)}3`;
  it.each([
    ['0x3::m::f', `${full}::m::f`],
    [`${full}::m::f`, `${full}::m::f`],
    [`${full.slice(2)}::m::f`, `${full}::m::f`],
    ['0x0003::m_1::_f', `${full}::m_1::_f`],
    // The reference refuses bech32m here; design/wire.md takes every form of an address everywhere.
    [`${formatAddressBech32(addressOf(3))}::m::f`, `${full}::m::f`],
  ])('reads %s', (text, expected) => {
    expect(formatFunctionId(parseFunctionId(text))).toBe(expected);
  });

  it.each([
    ['', 'expected a function <address>::<module>::<function>, got ""'],
    ['0x3', 'expected a function'],
    ['0x3::m', 'expected a function'],
    ['0x3::m::f::g', 'expected a function'],
    ['0x3::m::', 'expected a function'],
    ['0x3::::f', 'expected a function'],
    ['0x3::1m::f', 'expected a function'],
    ['0x3::m::f<u8>', 'expected a function'],
    ['0x3:: m::f', 'expected a function'],
    ['0x3:m:f', 'expected a function'],
    ['::m::f', 'expected an address'],
    ['3::m::f', 'expected an address'],
    ['0xg::m::f', 'expected an address'],
  ])('refuses %j', (text, message) => {
    expectRefusal(() => parseFunctionId(text), 'invalid-argument', message);
  });

  it('is read back', () => {
    fc.assert(
      fc.property(functionIdArbitrary, (id) => {
        expect(parseFunctionId(formatFunctionId(id))).toEqual(id);
      }),
    );
  });
});

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

describeCodec('AbortLocation', location, locationArbitrary);
describeCodec('KeptVMStatus', keptStatus, keptStatusArbitrary);
describeCodec('TransactionExecutionInfo', executionInfo, executionInfoArbitrary);

describe('kept statuses (spec/state.md 6.5)', () => {
  const owner = `${'0'.repeat(63)}2`;
  const place = { kind: 'module', address: addressOf(2), name: 'm' } as const;
  it.each<[string, KeptStatus, string]>([
    ['executed', { kind: 'executed' }, '00'],
    ['out of gas', { kind: 'out-of-gas' }, '01'],
    ['abort in a module', { kind: 'move-abort', location: place, code: 5n }, `0200${owner}016d0500000000000000`],
    ['abort in a script', { kind: 'move-abort', location: { kind: 'script' }, code: 5n }, '02010500000000000000'],
    [
      'execution failure',
      { kind: 'execution-failure', location: { kind: 'script' }, function: 258, codeOffset: 3 },
      '030102010300',
    ],
    ['miscellaneous error', { kind: 'miscellaneous-error' }, '04'],
  ])('%s', (_name, status, hex) => {
    expect(toHex(encode(keptStatus, status))).toBe(hex);
    expect(decode(keptStatus, fromHex(hex))).toEqual(status);
  });

  it('are five', () => {
    expectRefusal(() => decode(keptStatus, fromHex('05')), 'malformed-bytes', 'KeptVMStatus has no variant number 5');
    expectRefusal(() => decode(location, fromHex('02')), 'malformed-bytes', 'AbortLocation has no variant number 2');
  });
});

describe('execution infos', () => {
  it('of the test network genesis (spec/state.md 11.6)', () => {
    interface GenesisVector {
      readonly tx_hash: string;
      readonly state_root: string;
      readonly size: number;
      readonly event_root: string;
      readonly execution_info_bcs: string;
      readonly execution_info_id: string;
    }
    const { genesis_test } = readVectors<{ genesis_test: GenesisVector }>('state-model.json');
    const info: ExecutionInfo = {
      txHash: fromHex(genesis_test.tx_hash),
      stateRoot: fromHex(genesis_test.state_root),
      size: BigInt(genesis_test.size),
      eventRoot: fromHex(genesis_test.event_root),
      gasUsed: 0n,
      status: { kind: 'executed' },
    };
    const bytes = encode(executionInfo, info);
    expect(bytes).toHaveLength(218);
    expect(toHexPrefixed(bytes)).toBe(genesis_test.execution_info_bcs);
    expect(toHexPrefixed(sha3(bytes))).toBe(genesis_test.execution_info_id);
    expect(decode(executionInfo, bytes)).toEqual(info);
  });

  it('agree with the independent model', () => {
    interface ExecutionVector {
      readonly bcs: Uint8Array;
      readonly id: Uint8Array;
      readonly value: ExecutionInfo;
    }
    const { executionInfos } = readValueVectors<{ executionInfos: readonly ExecutionVector[] }>(
      'random-encodings.json',
    );
    expect(new Set(executionInfos.map(({ value }) => value.status.kind)).size).toBe(5);
    for (const { bcs, id, value } of executionInfos) {
      expect(toHex(encode(executionInfo, value))).toBe(toHex(bcs));
      expect(sha3(encode(executionInfo, value))).toEqual(id);
      expect(decode(executionInfo, bcs)).toEqual(value);
    }
  });
});

describeCodec('TransactionSequenceInfo', sequenceInfo, sequenceInfoArbitrary);

interface StateModel {
  readonly genesis_test: { readonly tx_hash: string; readonly sequence_info_bcs: string };
  readonly l1: {
    readonly order_witness: { readonly tx_hash: string; readonly tx_order: number; readonly sha3: string };
  };
}

const { genesis_test, l1 } = readVectors<StateModel>('state-model.json');

describe('sequence infos', () => {
  it('of the test network genesis (spec/state.md 11.6)', () => {
    const hash = fromHex(genesis_test.tx_hash);
    const info: SequenceInfo = {
      txOrder: 0n,
      txOrderSignature: new Uint8Array(0),
      txAccumulatorRoot: hash,
      txTimestamp: 1_714_777_860_000n,
      txAccumulatorFrozenSubtreeRoots: [hash],
      txAccumulatorNumLeaves: 1n,
      txAccumulatorNumNodes: 1n,
    };
    const bytes = fromHex(genesis_test.sequence_info_bcs);
    expect(bytes).toHaveLength(168);
    expect(decode(sequenceInfo, bytes)).toEqual(info);
    expect(toHexPrefixed(encode(sequenceInfo, info))).toBe(genesis_test.sequence_info_bcs);
  });

  it('agree with the independent model', () => {
    interface SequenceVector {
      readonly bcs: Uint8Array;
      readonly value: SequenceInfo;
    }
    const { sequenceInfos } = readValueVectors<{ sequenceInfos: readonly SequenceVector[] }>('random-encodings.json');
    for (const { bcs, value } of sequenceInfos) {
      expect(toHex(encode(sequenceInfo, value))).toBe(toHex(bcs));
      expect(decode(sequenceInfo, bcs)).toEqual(value);
    }
  });

  it('are signed over the hash and the order (spec/state.md 11.7)', () => {
    const { tx_hash, tx_order, sha3 } = l1.order_witness;
    expect(toHexPrefixed(orderWitness(fromHex(tx_hash), BigInt(tx_order)))).toBe(sha3);
  });
});

describeCodec('TransactionEvent', transactionEvent, transactionEventArbitrary);
describeCodec('Event', event, eventArbitrary);

describe('the bytes of events (spec/state.md section 7)', () => {
  const one = `${'0'.repeat(63)}1`;
  const type = `${one}016d014500`;
  const shared = { eventType: parseStructTag('0x1::m::E'), eventData: Uint8Array.of(7, 8), eventIndex: 2n };

  it('as a transaction emits them: type, data, index, handle', () => {
    expect(toHex(encode(transactionEvent, { ...shared, handle: [addressOf(1)] }))).toBe(
      `${type}020708020000000000000001${one}`,
    );
  });

  it('as the ledger keeps them: handle, sequence number, type, data, index', () => {
    expect(toHex(encode(event, { ...shared, handle: [addressOf(1)], eventSeq: 3n }))).toBe(
      `01${one}0300000000000000${type}0207080200000000000000`,
    );
  });
});
