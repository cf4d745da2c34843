/** Transactions: what they ask for, who signed them, and their place in the ledger. */
import fc from 'fast-check';
import type { Location } from '../../src/chain/transaction/execution-info.ts';
import type { L1Block, L1Transaction, LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import type {
  Action,
  Authenticator,
  Event,
  ExecutionInfo,
  FunctionCall,
  FunctionId,
  KeptStatus,
  LedgerTransaction,
  SequenceInfo,
  SignedTransaction,
  TransactionData,
  TransactionEvent,
} from '../../src/query/transaction-builder.ts';
import { objectIdArbitrary } from './object.ts';
import {
  addressArbitrary,
  bytes32Arbitrary,
  bytesArbitrary,
  identifierArbitrary,
  u16Arbitrary,
  u64Arbitrary,
} from './primitive.ts';
import { structTagArbitrary, typeTagArbitrary } from './type-tag.ts';

export const functionIdArbitrary: fc.Arbitrary<FunctionId> = fc.record({
  address: addressArbitrary,
  module: identifierArbitrary,
  name: identifierArbitrary,
});

const typeArguments = fc.array(typeTagArbitrary, { maxLength: 2 });
const byteStrings = fc.array(bytesArbitrary, { maxLength: 3 });

export const functionCallArbitrary: fc.Arbitrary<FunctionCall> = fc.record({
  function: functionIdArbitrary,
  typeArguments,
  arguments: byteStrings,
});

export const actionArbitrary: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ kind: fc.constant('script' as const), code: bytesArbitrary, typeArguments, arguments: byteStrings }),
  functionCallArbitrary.map((call): Action => ({ kind: 'function', ...call })),
  byteStrings.map((modules): Action => ({ kind: 'modules', modules })),
);

export const transactionDataArbitrary: fc.Arbitrary<TransactionData> = fc.record({
  sender: addressArbitrary,
  sequenceNumber: u64Arbitrary,
  chainId: u64Arbitrary,
  maxGasAmount: u64Arbitrary,
  action: actionArbitrary,
});

export const authenticatorArbitrary: fc.Arbitrary<Authenticator> = fc.record({
  validatorId: fc.oneof(fc.bigInt({ min: 0n, max: 4n }), u64Arbitrary),
  payload: bytesArbitrary,
});

export const signedTransactionArbitrary: fc.Arbitrary<SignedTransaction> = fc.record({
  data: transactionDataArbitrary,
  authenticator: authenticatorArbitrary,
});

export const l1BlockArbitrary: fc.Arbitrary<L1Block> = fc.record({
  chainId: u64Arbitrary,
  blockHeight: u64Arbitrary,
  blockHash: bytes32Arbitrary,
});

export const l1TransactionArbitrary: fc.Arbitrary<L1Transaction> = fc.record({
  chainId: u64Arbitrary,
  blockHash: bytes32Arbitrary,
  txid: bytes32Arbitrary,
});

export const ledgerTransactionDataArbitrary: fc.Arbitrary<LedgerTransactionData> = fc.oneof(
  l1BlockArbitrary.map((block): LedgerTransactionData => ({ kind: 'l1-block', ...block })),
  l1TransactionArbitrary.map((transaction): LedgerTransactionData => ({ kind: 'l1-transaction', ...transaction })),
  signedTransactionArbitrary.map((signed): LedgerTransactionData => ({ kind: 'l2-transaction', ...signed })),
);

export const sequenceInfoArbitrary: fc.Arbitrary<SequenceInfo> = fc.record({
  txOrder: u64Arbitrary,
  txOrderSignature: bytesArbitrary,
  txAccumulatorRoot: bytes32Arbitrary,
  txTimestamp: u64Arbitrary,
  txAccumulatorFrozenSubtreeRoots: fc.array(bytes32Arbitrary, { maxLength: 4 }),
  txAccumulatorNumLeaves: u64Arbitrary,
  txAccumulatorNumNodes: u64Arbitrary,
});

export const ledgerTransactionArbitrary: fc.Arbitrary<LedgerTransaction> = fc.record({
  data: ledgerTransactionDataArbitrary,
  sequenceInfo: sequenceInfoArbitrary,
});

export const transactionEventArbitrary: fc.Arbitrary<TransactionEvent> = fc.record({
  eventType: structTagArbitrary,
  eventData: bytesArbitrary,
  eventIndex: u64Arbitrary,
  handle: objectIdArbitrary,
});

export const eventArbitrary: fc.Arbitrary<Event> = fc.record({
  handle: objectIdArbitrary,
  eventSeq: u64Arbitrary,
  eventType: structTagArbitrary,
  eventData: bytesArbitrary,
  eventIndex: u64Arbitrary,
});

export const locationArbitrary: fc.Arbitrary<Location> = fc.oneof(
  fc.record({ kind: fc.constant('module' as const), address: addressArbitrary, name: identifierArbitrary }),
  fc.constant<Location>({ kind: 'script' }),
);

export const keptStatusArbitrary: fc.Arbitrary<KeptStatus> = fc.oneof(
  fc.constantFrom<KeptStatus>({ kind: 'executed' }, { kind: 'out-of-gas' }, { kind: 'miscellaneous-error' }),
  fc.record({ kind: fc.constant('move-abort' as const), location: locationArbitrary, code: u64Arbitrary }),
  fc.record({
    kind: fc.constant('execution-failure' as const),
    location: locationArbitrary,
    function: u16Arbitrary,
    codeOffset: u16Arbitrary,
  }),
);

export const executionInfoArbitrary: fc.Arbitrary<ExecutionInfo> = fc.record({
  txHash: bytes32Arbitrary,
  stateRoot: bytes32Arbitrary,
  size: u64Arbitrary,
  eventRoot: bytes32Arbitrary,
  gasUsed: u64Arbitrary,
  status: keptStatusArbitrary,
});
