/**
 * The door `movelet/types`: the chain's types with their codecs, text forms and derivations.
 *
 * A codec has the name of its type in lower case; `encode(codec, value)` and `decode(codec, bytes)` go both ways.
 * @module
 */
export { type AccumulatorInfo, accumulatorInfo } from './accumulator/accumulator.ts';
export { type Codec, decode, encode } from './bcs/codec.ts';
export { fromHex, toHex, toHexPrefixed } from './bytes/hex.ts';
export {
  type Address,
  formatAddress,
  formatAddressBech32,
  formatAddressShort,
  parseAddress,
} from './move/address.ts';
export type { MoveValue, StructValue } from './move/annotate.ts';
export { annotate } from './move/annotate.ts';
export type { Layout, LayoutSource, StructLayout } from './move/layout.ts';
export {
  canonicalType,
  displayType,
  parseStructTag,
  parseTypeTag,
  type StructTag,
  type TypeTag,
  typeTag,
} from './move/type-tag.ts';
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
export { type ObjectMeta, objectMeta } from './object/object-meta.ts';
export { type ObjectState, objectState } from './object/object-state.ts';
export { type Action, action, type FunctionCall, type FunctionId, parseFunctionId } from './transaction/action.ts';
export { type Authenticator, authenticator } from './transaction/authenticator.ts';
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
  type SignedTransaction,
  signedTransaction,
  type TransactionData,
  transactionData,
  transactionHash,
} from './transaction/signed.ts';
export { type Proof, proofCodec, verifyProof } from './tree/proof.ts';
