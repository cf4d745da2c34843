/**
 * The public surface of movelet: the engine, its errors, and the types that its methods take and give.
 *
 * Other entry points have the rest: `movelet/rpc` (JSON-RPC), `movelet/transport` (HTTP, WebSocket, stdio,
 * MessagePort),
 * `movelet/types` (codecs and parsers), `movelet/bitcoin`, `movelet/follower` (a Bitcoin Core node), `movelet/store`,
 * `movelet/proof` (proofs verified without an engine).
 * @module
 */

export type { BlockReference, KnownBlock } from './bitcoin-move/known-block.ts';
export type { ChainTime } from './chain-time.ts';
export type { CommitLog, LogRecord, ReadOptions } from './commit-log/commit-log.ts';
export type { LogHead } from './commit-log/log-head.ts';
export type { LogRole } from './commit-log/membership.ts';
export type { Controls, FieldEdit, ObjectEdit } from './controls.ts';
export { Engine } from './engine.ts';
export type { EngineOptions, ForkOptions } from './engine-options.ts';
export { EngineError, type EngineErrorOptions, ERROR_CODES, type ErrorCode } from './error.ts';
export { DEV_ACCOUNTS, DEV_MNEMONIC, DEV_SEQUENCER, type DevAccount } from './framework/accounts.ts';
export { GAS_COIN_TYPE } from './framework/coin.ts';
export type { NextBlockOptions } from './ingest/next-block.ts';
export type { IngestOptions } from './ingest/options.ts';
export type { RescanOptions, RescanProgress, RescanResult } from './ingest/rescan.ts';
export type { EventRecord } from './ledger/events.ts';
export type { Head } from './ledger/head.ts';
export type { TransactionRecord } from './ledger/transactions.ts';
export type { HeadChange } from './listener.ts';
export type { Log, LogEntry } from './log.ts';
export { addSources, type ModuleSource } from './module-sources.ts';
export type { InscriptionsLeftOut, Notice } from './pipeline/notice.ts';
export type { PruneProgress } from './pipeline/pruner.ts';
export type { ChangeKind, Receipt, ReceiptChange, ReceiptEvent, StructType } from './pipeline/receipt.ts';
export type { EventProof } from './proof/event-proof.ts';
export { type ProvenState, type StateProof, type StateProofStep, verifyStateProof } from './proof/state-proof.ts';
export type { TransactionKind, TransactionProof } from './proof/transaction-proof.ts';
export type { PruneOptions } from './prune.ts';
export type { Account, TransactionOptions } from './query/account.ts';
export type { Balance } from './query/balance.ts';
export type { BitcoinStatus, InscriptionFilter, OwnedInscription, OwnedUtxo, UtxoFilter } from './query/bitcoin.ts';
export type { ChainView } from './query/chain-view.ts';
export type { ComparedMembers, MemberChange, StateChange, StateChangeKind } from './query/change.ts';
export type { DiffedState, DiffOptions, StateDiff } from './query/diff.ts';
export type { RootOrOrder } from './query/earlier.ts';
export type { EventFilter } from './query/event.ts';
export type { IndexedEvent } from './query/event-value.ts';
export type { FieldPage, FieldPageOptions, IndexedField } from './query/field.ts';
export type { ActionInput, TypedCall } from './query/function-call.ts';
export type { HistoryStatus } from './query/history.ts';
export type { Ingested } from './query/ingested-value.ts';
export type { IndexedObject, ObjectFilter } from './query/object.ts';
export type { ObjectMetaValue, ObjectValue } from './query/object-value.ts';
export type { HistoryOptions, ObjectVersion } from './query/object-version.ts';
export type { Page, PageOptions } from './query/page.ts';
export type { AccessPathInput, FieldValue } from './query/state.ts';
export type { FollowerStatus, LogAppends, LogStatus, ServiceStatus, Status } from './query/status.ts';
export type { OrderedChangeSet, OrderRange, TimeRange, TransactionFilter } from './query/transaction.ts';
export type { TransactionValue } from './query/transaction-value.ts';
export type { CacheUsage, Usage } from './query/usage.ts';
export type { ViewCall, ViewOptions, ViewResult, ViewStatus, ViewValue } from './query/view.ts';
export type { IntegerInput, ViewArgument } from './query/view-argument.ts';
export type { Recording, RecordOptions } from './recording/recording.ts';
export { type ReplayOptions, replay } from './replay.ts';
export type { Snapshot } from './snapshots.ts';
export type { Field, State } from './state/state.ts';
export type { Position } from './store/column.ts';
export type { Durability } from './store/level.ts';
export type { CallOptions, SignedInput, SimulatedCall, SimulationInput } from './submission.ts';
export type { TraceCall } from './trace/call.ts';
export type { AccessOperation, TraceAccess, TraceEvent } from './trace/effects.ts';
export type { ExplainedFailure } from './trace/explain-failure.ts';
export type { TraceValue } from './trace/kept-value.ts';
export type { StackFrame } from './trace/place.ts';
export type { GasProfile } from './trace/profile.ts';
export type { TraceTextOptions } from './trace/text.ts';
export type { FunctionGas, Trace, TraceFailure } from './trace/trace.ts';
export type { TraceOptions, TransactionInput } from './tracing.ts';
export { type AddressInput, AddressValue } from './value/address.ts';
export {
  type BitcoinHashInput,
  BitcoinHashValue,
  type InscriptionIdInput,
  InscriptionIdValue,
  type OutPointInput,
  OutPointValue,
} from './value/bitcoin-hash.ts';
export type { DecodedStruct, DecodedValue } from './value/decoded.ts';
export type { FieldKeyInput } from './value/field-key.ts';
export { BytesValue, type HashInput, HashValue } from './value/hash.ts';
export { type ObjectIdInput, ObjectIdValue } from './value/object-id.ts';
export type { PlainJson, Readable } from './value/readable.ts';
export type { StructTagInput, StructTagValue, TypeTagInput } from './value/type-tag.ts';
