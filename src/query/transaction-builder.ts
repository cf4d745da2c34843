/**
 * The entry point `movelet/transaction`: builds, signs, encodes and checks transactions, for programs without an SDK; and
 * the codecs of the chain's types. A codec is named like its type, in lower case; `encode(codec, value)` and
 * `decode(codec, bytes)` go both ways.
 *
 * ```ts
 * import { bitcoinSigner, buildTransaction, callFunction, encodeTransaction } from 'movelet/transaction';
 *
 * const signer = bitcoinSigner(privateKey);
 * const action = callFunction(
 *   { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [to, 1_000n] },
 *   await rpc.request('rooch_getModuleABI', ['0x3', 'transfer']),
 * );
 * const data = buildTransaction({ sender: signer.address, sequenceNumber: 0n, chainId: 4n, action });
 * const bytes = encodeTransaction(signer.sign(data));     // for engine.execute, or as hex for rooch_executeRawTransaction
 * ```
 *
 * In process it is shorter: `engine.accounts` sign for themselves and know the chain. Nothing here holds or reads a
 * state; results depend on the arguments alone.
 * @module
 */
import '../base/hash/all-noble.ts';
import {
  A_U64,
  argumentError,
  assertBytes,
  assertFits,
  assertMembers,
  assertMethods,
  assertObject,
  assertText,
  eachOf,
} from '../base/argument.ts';
import { type Codec, decode as decodeBytes, encodeGiven } from '../base/bcs.ts';
import { MAX_GAS_AMOUNT_DEFAULT } from '../base/config.ts';
import { EngineError } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { type Action, type FunctionAction, type FunctionId, formatFunctionId } from '../chain/transaction/action.ts';
import { type SignedTransaction, signedTransaction, type TransactionData } from '../chain/transaction/signed.ts';
import { type Address, formatAddressShort } from '../move/address.ts';
import type { TypeTag } from '../move/type-tag.ts';
import { declaredType } from './declared-type.ts';
import { type AbiParameter, type CallInput, checkedAction, encodeCallBy, encodePlainCall } from './function-call.ts';

export type { Codec } from '../base/bcs.ts';
export { fromHex, toHex, toHexPrefixed } from '../base/bytes/bytes.ts';
export { type AccessPath, formatAccessPath, parseAccessPath } from '../chain/object/access-path.ts';
export {
  type ObjectChange,
  objectChange,
  type StateChangeSet,
  stateChangeSet,
  type ValueChange,
} from '../chain/object/change-set.ts';
export {
  deriveFieldKey,
  type FieldKey,
  formatFieldKey,
  parseFieldKey,
  resourceFieldKey,
  stringFieldKey,
} from '../chain/object/field-key.ts';
export {
  accountNamedObjectId,
  accountObjectId,
  childObjectId,
  customObjectId,
  formatObjectId,
  namedObjectId,
  type ObjectId,
  objectId,
  parseObjectId,
} from '../chain/object/object-id.ts';
export { type ObjectMeta, type ObjectState, objectMeta, objectState } from '../chain/object/object-state.ts';
export type { MessageForm } from '../chain/signature/bitcoin-message.ts';
export {
  type BitcoinSigner,
  type BitcoinSignerOptions,
  bitcoinSigner,
  multisignSigner,
  type SessionSigner,
  type Signer,
  sessionSigner,
} from '../chain/signature/signer.ts';
export { sessionAuthenticationKey, type VerifiedSigner, verifyAuthenticator } from '../chain/signature/verify.ts';
export {
  type Action,
  action,
  type FunctionAction,
  type FunctionCall,
  type FunctionId,
  parseFunctionId,
} from '../chain/transaction/action.ts';
export type { SessionScheme } from '../chain/transaction/auth-payload.ts';
export { type Event, event, type TransactionEvent, transactionEvent } from '../chain/transaction/event.ts';
export {
  type ExecutionInfo,
  executionInfo,
  type KeptStatus,
  keptStatus,
} from '../chain/transaction/execution-info.ts';
export { type LedgerTransaction, ledgerTransaction, ledgerTransactionHash } from '../chain/transaction/ledger.ts';
export { type SequenceInfo, sequenceInfo } from '../chain/transaction/sequence-info.ts';
export {
  type Authenticator,
  authenticator,
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
  transactionData,
  transactionHash,
} from '../chain/transaction/signed.ts';
export {
  type Address,
  formatAddress,
  formatAddressBech32,
  formatAddressShort,
  parseAddress,
} from '../move/address.ts';
export type { Layout, LayoutSource, MoveValue, StructLayout, StructValue } from '../move/layout.ts';
export { annotate } from '../move/layout.ts';
export {
  canonicalType,
  displayType,
  parseStructTag,
  parseTypeTag,
  type StructTag,
  type TypeTag,
  typeTag,
} from '../move/type-tag.ts';
export { type AccumulatorInfo, accumulatorInfo } from '../store/accumulator/accumulator.ts';
export { type Proof, proofCodec, verifyProof } from '../store/tree/proof.ts';
export type { CallInput } from './function-call.ts';

/** A transaction to be built. */
export interface TransactionPlan {
  readonly sender: AddressInput;
  /** The account's next sequence number: `0x2::account::sequence_number`. */
  readonly sequenceNumber: bigint;
  readonly chainId: bigint;
  /** Gas units that it may use. Default: MAX_GAS_AMOUNT_DEFAULT. */
  readonly maxGasAmount?: bigint | undefined;
  readonly action: Action;
}

/** The part of a module's ABI that encoding a call needs: `rooch_getModuleABI` returns one, or null. */
export interface ModuleAbi {
  /** The module that it describes: a call of another module is refused. If left out, nothing is compared. */
  readonly address?: string | undefined;
  readonly name?: string | undefined;
  readonly functions: readonly {
    readonly name: string;
    readonly params: readonly string[];
    /** Their names in the source, as `chain_getModuleABI` returns them; used in messages. */
    readonly param_names?: readonly string[] | undefined;
  }[];
}

/**
 * The data of a transaction, for a signer.
 * @throws {EngineError} `invalid-argument` naming the wrong member
 */
export function buildTransaction(plan: TransactionPlan): TransactionData {
  assertObject(plan, 'plan', '{ sender, sequenceNumber, chainId, maxGasAmount, action }');
  assertMembers(plan, ['sender', 'sequenceNumber', 'chainId', 'maxGasAmount', 'action']);
  const { sequenceNumber, chainId, maxGasAmount = MAX_GAS_AMOUNT_DEFAULT, action } = plan;
  for (const [name, value] of Object.entries({ sequenceNumber, chainId, maxGasAmount })) assertFits(value, name, A_U64);
  checkedAction(action);
  return { sender: toAddress(plan.sender, 'sender'), sequenceNumber, chainId, maxGasAmount, action };
}

/**
 * A call of a function.
 * @param abi of the function's module, by which JavaScript values are encoded as arguments. Without it each argument is
 * its BCS, as bytes. Null, which a node returns if there is no such module, is rejected.
 * @throws {EngineError} `not-found` for a module or function that does not exist; `invalid-argument` naming the
 * argument, or the modules if the ABI is that of another one
 */
export function callFunction(call: CallInput, abi?: ModuleAbi | null): FunctionAction {
  assertObject(call, 'call', 'a call { function, typeArguments, arguments }');
  if (abi === null) {
    const { function: id } = call;
    const name = typeof id === 'string' ? id : formatFunctionId(id);
    throw new EngineError('not-found', `function: there is no module for ${name}, its ABI is null`);
  }
  if (abi !== undefined) {
    assertObject(abi, 'abi', 'the ABI of a module, as rooch_getModuleABI answers');
    if (!Array.isArray(abi.functions)) throw argumentError('abi', 'an ABI with functions', abi);
  }
  if (abi === undefined) return { kind: 'function', ...encodePlainCall(call) };
  return { kind: 'function', ...encodeCallBy((id, typeArguments) => parametersOf(abi, id, typeArguments), call) };
}

function parametersOf(abi: ModuleAbi, id: FunctionId, typeArguments: readonly TypeTag[]): AbiParameter[] {
  assertOfModule(abi, id);
  const { name } = id;
  const found = abi.functions.find((declared) => declared.name === name);
  if (found !== undefined) {
    const names = found.param_names ?? [];
    return found.params.map((text, index) => ({ type: declaredType(text, typeArguments), name: names[index] }));
  }
  throw new EngineError('not-found', `function: the ABI has no ${name} that can be called from outside`);
}

/** Another module may have a function of the same name, whose parameters would be taken for those of the one called. */
function assertOfModule(abi: ModuleAbi, { address, module }: FunctionId): void {
  const owner = abi.address === undefined ? address : toAddress(abi.address, 'abi.address');
  const { name = module } = abi;
  assertText(name, 'abi.name', 'the name of a module');
  const [called, described] = [moduleText(address, module), moduleText(owner, name)];
  if (called === described) return;
  const message = `abi: expected the ABI of ${called}, whose function is called, got that of ${described}`;
  throw new EngineError('invalid-argument', message, {
    details: { path: 'abi', expected: `the ABI of ${called}`, received: described },
  });
}

function moduleText(address: Address, module: string): string {
  return `${formatAddressShort(address)}::${module}`;
}

/** Modules to be published, or upgraded, in one package: the compiled bytes of each. */
export function publishModules(modules: readonly Uint8Array[]): Action {
  const checked = eachOf(modules, 'modules', (module, name) => {
    assertBytes(module, name);
    return module;
  });
  return { kind: 'modules', modules: checked };
}

/** The BCS of a signed transaction, as nodes take it. */
export function encodeTransaction(signed: SignedTransaction): Uint8Array {
  return encodeGiven(signedTransaction, signed, 'signed');
}

/**
 * The canonical bytes of `value`.
 * @throws {EngineError} `invalid-argument` for a value that is not of the codec's type
 */
export function encode<T>(codec: Codec<T>, value: T): Uint8Array {
  assertMethods(codec, 'codec', 'a codec with read and write', ['write', 'read']);
  return encodeGiven(codec, value, 'value');
}

/**
 * The value that `bytes` encode, with none left over.
 * @throws {EngineError} `malformed-bytes` for bytes of another type, a non-canonical form, or trailing bytes;
 * `invalid-argument` if `bytes` is not bytes
 */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  assertMethods(codec, 'codec', 'a codec with read and write', ['write', 'read']);
  assertBytes(bytes, 'bytes');
  return decodeBytes(codec, bytes);
}
