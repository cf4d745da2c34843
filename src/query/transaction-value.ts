/**
 * Transactions as programs get them: every address, hash and type readable.
 * @module
 */
import type { TransactionRecord } from '../chain/ledger/transactions.ts';
import { type Action, type FunctionId, formatFunctionId } from '../chain/transaction/action.ts';
import type { ExecutionInfo } from '../chain/transaction/execution-info.ts';
import type { LedgerTransaction, LedgerTransactionData } from '../chain/transaction/ledger.ts';
import type { SequenceInfo } from '../chain/transaction/sequence-info.ts';
import { AddressValue } from '../chain/value/address.ts';
import { BitcoinHashValue } from '../chain/value/bitcoin-hash.ts';
import { printAsText } from '../chain/value/byte-value.ts';
import { BytesValue, HashValue } from '../chain/value/hash.ts';
import { Readable } from '../chain/value/readable.ts';
import { readableStatus } from '../chain/value/status.ts';
import { typeTagValue } from '../chain/value/type-tag.ts';

/** A transaction of the ledger with its outcome, readable as text. */
export class TransactionValue extends Readable implements TransactionRecord {
  readonly order: bigint;
  readonly transaction: LedgerTransaction;
  readonly executionInfo: ExecutionInfo;

  constructor({ order, transaction, executionInfo }: TransactionRecord) {
    super();
    this.order = order;
    this.transaction = {
      data: readableData(transaction.data),
      sequenceInfo: readableSequenceInfo(transaction.sequenceInfo),
    };
    this.executionInfo = readableExecutionInfo(executionInfo);
  }

  /** The hash by which the transaction is found. */
  get hash(): Uint8Array {
    return this.executionInfo.txHash;
  }
}

/** A function; as text, `<address>::<module>::<name>`. */
class FunctionIdValue implements FunctionId {
  readonly address: AddressValue;
  readonly module: string;
  readonly name: string;

  constructor({ address, module, name }: FunctionId) {
    this.address = new AddressValue(address);
    this.module = module;
    this.name = name;
  }

  toString(): string {
    return formatFunctionId(this);
  }

  toJSON(): string {
    return this.toString();
  }
}

printAsText(FunctionIdValue);

function readableData(data: LedgerTransactionData): LedgerTransactionData {
  switch (data.kind) {
    case 'l1-block':
      return { ...data, blockHash: bitcoinHash(data.blockHash) };
    case 'l1-transaction':
      return { ...data, blockHash: bitcoinHash(data.blockHash), txid: bitcoinHash(data.txid) };
    case 'l2-transaction': {
      const { sender, action } = data.data;
      const readable = { ...data.data, sender: new AddressValue(sender), action: readableAction(action) };
      return { ...data, data: readable };
    }
  }
}

/** Anything that is not the length of a hash stays plain bytes. */
function bitcoinHash(bytes: Uint8Array): Uint8Array {
  return bytes.length === 32 ? new BitcoinHashValue(bytes) : new BytesValue(bytes);
}

function readableAction(action: Action): Action {
  switch (action.kind) {
    case 'function':
      return {
        ...action,
        function: new FunctionIdValue(action.function),
        typeArguments: action.typeArguments.map(typeTagValue),
      };
    case 'script':
      return { ...action, typeArguments: action.typeArguments.map(typeTagValue) };
    case 'modules':
      return action;
  }
}

function readableSequenceInfo(info: SequenceInfo): SequenceInfo {
  return {
    ...info,
    txAccumulatorRoot: new HashValue(info.txAccumulatorRoot),
    txAccumulatorFrozenSubtreeRoots: info.txAccumulatorFrozenSubtreeRoots.map((root) => new HashValue(root)),
  };
}

/** Also used for the execution part of a receipt. */
function readableExecutionInfo(info: ExecutionInfo): ExecutionInfo {
  return {
    ...info,
    txHash: new HashValue(info.txHash),
    stateRoot: new HashValue(info.stateRoot),
    eventRoot: new HashValue(info.eventRoot),
    status: readableStatus(info.status),
  };
}
