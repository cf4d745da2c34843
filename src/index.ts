/**
 * The public surface of movelet: the engine, its errors, and the types that its methods take and give.
 *
 * Other entry points have the rest: `movelet/rpc` (JSON-RPC, over HTTP, WebSocket, stdio and MessagePorts),
 * `movelet/rooch` (the official SDK in process, suites of the reference), `movelet/transaction` (signing, codecs),
 * `movelet/proof` (proofs verified without an engine), `movelet/bitcoin` (blocks for tests, the follower of a node),
 * `movelet/compile`, `movelet/testing`, `movelet/vitest`, `movelet/store` and `movelet/log`.
 * @module
 */
export { EngineError, type EngineErrorOptions, ERROR_CODES, type ErrorCode } from './base/error.ts';
export type { HashInput } from './base/hash/hash-input.ts';
export type { Log, LogEntry } from './base/log.ts';
export { type AddressInput, toBech32, toBitcoinAddress } from './bitcoin/address.ts';
export type { BitcoinHashInput } from './bitcoin/hash.ts';
export type { InscriptionIdInput } from './bitcoin/inscription.ts';
export type { OutPointInput } from './bitcoin/outpoint.ts';
export type { FieldKeyInput } from './chain/object/field-key.ts';
export type { ObjectIdInput } from './chain/object/object-id.ts';
export type { EventProof } from './chain/proof/event-proof.ts';
export { type ProvenState, type StateProof, type StateProofStep, verifyStateProof } from './chain/proof/state-proof.ts';
export type { TransactionKind, TransactionProof } from './chain/proof/transaction-proof.ts';
export type { DecodedStruct, DecodedValue } from './chain/value/decoded.ts';
export type { PlainJson, Readable } from './chain/value/readable.ts';
export type { StatusOf } from './chain/value/status.ts';
export type { ChainTime } from './engine/chain-time.ts';
export type { Controls, FieldEdit, ObjectEdit } from './engine/controls.ts';
export { Engine, type PruneOptions } from './engine/engine.ts';
export type { Clock, EngineOptions, ForkOptions } from './engine/engine-options.ts';
export type { HeadChange } from './engine/listener.ts';
export { record } from './engine/recordings.ts';
export type { RemoteForkOptions } from './engine/remote/open-remote.ts';
export { type ReplayOptions, replay } from './engine/replay.ts';
export type { Snapshot } from './engine/snapshots.ts';
export type { ModulesInput, SignedInput } from './engine/submission.ts';
export type { BlockReference } from './execution/bitcoin-move/known-block.ts';
export { DEV_ACCOUNTS, DEV_MNEMONIC, DEV_SEQUENCER, type DevAccount } from './execution/framework/accounts.ts';
export { GAS_COIN_TYPE } from './execution/framework/coin.ts';
export { addSources, type ModuleSource } from './execution/module-sources.ts';
export type { TraceCall } from './execution/trace/call.ts';
export type { AccessOperation, TraceAccess, TraceEvent } from './execution/trace/effects.ts';
export type { ExplainedFailure } from './execution/trace/explain-failure.ts';
export type { TraceValue } from './execution/trace/kept-value.ts';
export type { StackFrame } from './execution/trace/place.ts';
export type { GasProfile } from './execution/trace/profile.ts';
export type { FunctionGas, Trace, TraceFailure, TraceTextOptions } from './execution/trace/trace.ts';
export type { CommitLog, LogHead, LogRecord, ReadOptions } from './log/commit-log.ts';
export type { LogRole } from './log/membership.ts';
export type { Recording, RecordOptions } from './log/recording/recording.ts';
export type { StructTagInput, TypeTagInput } from './move/type-tag.ts';
export type { InscriptionsLeftOut, Notice } from './pipeline/feed.ts';
export type { NextBlockOptions } from './pipeline/ingest/block-turn.ts';
export type { IngestOptions } from './pipeline/ingest/options.ts';
export type { RescanOptions, RescanProgress, RescanResult } from './pipeline/ingest/rescan.ts';
export type { PruneProgress } from './pipeline/pruner.ts';
export type { ChangeKind, Receipt, ReceiptChange, ReceiptEvent, StructType } from './pipeline/receipt.ts';
export type { Account, TransactionOptions } from './query/account.ts';
export type { BitcoinStatus, BlockPlace, InscriptionFilter, UtxoFilter } from './query/bitcoin.ts';
export type {
  CallOptions,
  ChainView,
  SimulatedCall,
  SimulationInput,
  TraceOptions,
  TransactionInput,
} from './query/chain-view.ts';
export type { ComparedMembers, MemberChange, StateChange, StateChangeKind } from './query/change.ts';
export type { DiffedState, DiffOptions, StateDiff } from './query/diff.ts';
export type { EventFilter } from './query/event.ts';
export type { FieldPage, FieldPageOptions } from './query/field.ts';
export type { ActionInput, TypedCall } from './query/function-call.ts';
export type { ObjectFilter, TypedTable } from './query/object.ts';
export type { HistoryOptions, ObjectVersion } from './query/object-version.ts';
export type { Page, PageOptions } from './query/page.ts';
export type { RootOrOrder } from './query/reader.ts';
export type { AccessPathInput } from './query/state.ts';
export type {
  CacheUsage,
  FollowerStatus,
  ForkStatus,
  HistoryStatus,
  LogAppends,
  LogStatus,
  ServiceStatus,
  Status,
  Usage,
} from './query/status.ts';
export type { OrderedChangeSet, OrderRange, TimeRange, TransactionFilter } from './query/transaction.ts';
export type {
  AccumulatorValue,
  ActionValue,
  Balance,
  BlockHeaderValue,
  BlockValue,
  EventValue,
  ExecutionInfoValue,
  FieldValue,
  HeadValue,
  IndexedEvent,
  IndexedField,
  IndexedObject,
  Ingested,
  LedgerTransactionValue,
  MinedBlockValue,
  ObjectMetaValue,
  ObjectValue,
  OwnedInscription,
  OwnedUtxo,
  SequenceInfoValue,
  TransactionValue,
  WithText,
} from './query/values.ts';
export type { ViewCall, ViewOptions, ViewResult, ViewStatus, ViewValue } from './query/view.ts';
export type { IntegerInput, ViewArgument } from './query/view-argument.ts';
export type { Position } from './store/column.ts';
export type { Durability } from './store/level.ts';
