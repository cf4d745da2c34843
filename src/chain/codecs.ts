/**
 * The entry point `movelet/transaction`: the chain's types with their codecs, text forms and derivations.
 *
 * A codec has the name of its type, in lower case; `encode(codec, value)` and `decode(codec, bytes)` go both ways.
 * @module
 */
import { assertBytes, assertMethods } from '../base/argument.ts';
import { type Codec, decode as decodeBytes, encodeGiven } from '../base/bcs.ts';

export type { Codec } from '../base/bcs.ts';
export { fromHex, toHex, toHexPrefixed } from '../base/bytes/bytes.ts';
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
export { type AccessPath, formatAccessPath, parseAccessPath } from './object/access-path.ts';
export {
  type ObjectChange,
  objectChange,
  type StateChangeSet,
  stateChangeSet,
  type ValueChange,
} from './object/change-set.ts';
export {
  deriveFieldKey,
  type FieldKey,
  formatFieldKey,
  parseFieldKey,
  resourceFieldKey,
  stringFieldKey,
} from './object/field-key.ts';
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
} from './object/object-id.ts';
export { type ObjectMeta, type ObjectState, objectMeta, objectState } from './object/object-state.ts';
export { type Action, action, type FunctionCall, type FunctionId, parseFunctionId } from './transaction/action.ts';
export { type Event, event, type TransactionEvent, transactionEvent } from './transaction/event.ts';
export {
  type ExecutionInfo,
  executionInfo,
  type KeptStatus,
  keptStatus,
} from './transaction/execution-info.ts';
export { type LedgerTransaction, ledgerTransaction, ledgerTransactionHash } from './transaction/ledger.ts';
export { type SequenceInfo, sequenceInfo } from './transaction/sequence-info.ts';
export {
  type Authenticator,
  authenticator,
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
  transactionData,
  transactionHash,
} from './transaction/signed.ts';

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
