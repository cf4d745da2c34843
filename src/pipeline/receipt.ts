/**
 * Receipts: what the submitter of a transaction gets once it is committed.
 *
 * Events and changes are decoded by the modules of the state after the transaction, and only when they are read: a
 * receipt that is not read costs a few fields. Printed or turned into JSON, a receipt shows everything.
 * @module
 */
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { ChangedFields, ObjectChange } from '../chain/object/change-set.ts';
import { formatFieldKey } from '../chain/object/field-key.ts';
import { formatObjectId } from '../chain/object/object-id.ts';
import { isDynamicField } from '../chain/object/object-state.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import { type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { LazyReadable, plainJson } from '../chain/value/readable.ts';
import { type StatusOf, statusValue } from '../chain/value/status.ts';
import { type ExplainedFailure, explainFailure, type FindCallStack } from '../execution/trace/explain-failure.ts';
import type { TraceValue } from '../execution/trace/kept-value.ts';
import type { Trace } from '../execution/trace/trace.ts';
import { formatAddress } from '../move/address.ts';
import { annotate, type LayoutSource } from '../move/layout.ts';
import { type StructTag, structName, structType, toStructTag } from '../move/type-tag.ts';
import type { ModuleLookup } from '../vm/binary/module.ts';
import type { Commit } from './commit.ts';

/** What a receipt is decoded with. Used on demand, as long as the state exists. */
export interface ReceiptSource {
  /** Layouts by the modules of the state after the transaction. */
  layouts(): LayoutSource;
  readonly findModule: ModuleLookup;
  /** The calls that led to the failure, from a traced run. */
  readonly findCallStack: FindCallStack;
}

/** An event of a receipt. */
export class ReceiptEvent extends LazyReadable {
  readonly type: string;
  readonly handle: string;
  /** Position within the handle's events, from 0. */
  readonly sequence: bigint;
  /** Position within the transaction, from 0. */
  readonly index: number;
  /** BCS. */
  readonly bytes: Uint8Array;
  readonly #type: StructTag;
  readonly #layouts: () => LayoutSource;
  #value: DecodedValue | undefined;

  constructor({ event, position }: EventRecord, layouts: () => LayoutSource) {
    super();
    this.type = structName(event.eventType);
    this.#type = event.eventType;
    this.handle = formatObjectId(event.handle);
    this.sequence = event.eventSeq;
    this.index = position.index;
    this.bytes = event.eventData.slice();
    this.#layouts = layouts;
  }

  /**
   * The event as a JavaScript value.
   * @throws {EngineError} `limit-exceeded` for one that is too large to show
   */
  get value(): DecodedValue {
    this.#value ??= decodedValue(annotate(this.#layouts().layout(structType(this.#type)), this.bytes));
    return this.#value;
  }

  override shown(): object {
    const { type, handle, sequence, index, value } = this;
    return { type, handle, sequence, index, value };
  }
}

/** `touched`: metadata or fields changed, the value did not. */
export type ChangeKind = 'created' | 'modified' | 'touched' | 'removed';

const CHANGE_KINDS = { new: 'created', modify: 'modified', delete: 'removed' } as const;

/** An object, or a dynamic field, that a transaction wrote or removed. */
export class ReceiptChange extends LazyReadable {
  readonly kind: ChangeKind;
  readonly id: string;
  readonly type: string;
  readonly owner: string;
  /** Whether it is a dynamic field: its parent's id is its own without the last 64 digits, which are its key. */
  readonly isField: boolean;
  /** Of a dynamic field. */
  readonly key: string | undefined;
  /** BCS of the new value; undefined if there is none, or if the old one stayed. */
  readonly bytes: Uint8Array | undefined;
  readonly #type: StructTag;
  readonly #layouts: () => LayoutSource;
  #value: DecodedValue | undefined;

  constructor({ meta, value }: ObjectChange, layouts: () => LayoutSource) {
    super();
    this.kind = value === undefined ? 'touched' : CHANGE_KINDS[value.kind];
    this.id = formatObjectId(meta.id);
    this.type = structName(meta.objectType);
    this.#type = meta.objectType;
    this.owner = formatAddress(meta.owner);
    this.isField = isDynamicField(meta);
    this.key = this.isField ? formatFieldKey(meta.id.at(-1)!) : undefined;
    this.bytes = value === undefined || value.kind === 'delete' ? undefined : value.value.slice();
    this.#layouts = layouts;
  }

  /**
   * The new value; for a dynamic field, `{ name, value }`. Undefined if `bytes` is.
   * @throws {EngineError} `limit-exceeded` for one that is too large to show
   */
  get value(): DecodedValue | undefined {
    if (this.bytes === undefined) return undefined;
    this.#value ??= decodedValue(annotate(this.#layouts().layout(structType(this.#type)), this.bytes));
    return this.#value;
  }

  override shown(): object {
    const { kind, id, type, owner, isField, value } = this;
    return { kind, id, type, owner, isField, value };
  }
}

declare const VALUE: unique symbol;

/** A Move type with a TypeScript type for its decoded values, as written by `movelet types`. */
export type StructType<T> = string & {
  /** Never present: it tells the compiler the type of the values. */
  readonly [VALUE]?: T;
};

/** The result of a transaction that has a place in the ledger. */
export class Receipt extends LazyReadable {
  /** Its place in the ledger; genesis has 0. */
  readonly order: bigint;
  readonly hash: string;
  /** Who sent it; `0x0` for blocks, their transactions and controls. */
  readonly sender: string;
  /** Root of the state after the transaction. */
  readonly stateRoot: string;
  /** How it ended; `failure` says it in words. */
  readonly status: StatusOf<KeptStatus>;
  /** In gas units, of which `maxGasAmount` is the bound. */
  readonly gasUsed: bigint;
  /** Whether existing modules were replaced. */
  readonly isUpgrade: boolean;
  /** What it did, call by call, if a trace was requested. */
  readonly trace: Trace | undefined;
  readonly #commit: Commit;
  readonly #source: ReceiptSource;
  #events: readonly ReceiptEvent[] | undefined;
  #changes: readonly ReceiptChange[] | undefined;
  #explained: ExplainedFailure | undefined;

  constructor(commit: Commit, source: ReceiptSource, trace?: Trace) {
    super();
    const { order, transaction, executionInfo } = commit.record;
    this.order = order;
    this.sender = formatAddress(transactionSender(transaction.data));
    this.hash = toHexPrefixed(executionInfo.txHash);
    this.stateRoot = toHexPrefixed(executionInfo.stateRoot);
    this.status = statusValue(executionInfo.status);
    this.gasUsed = executionInfo.gasUsed;
    this.isUpgrade = commit.isUpgrade;
    this.trace = trace;
    this.#commit = commit;
    this.#source = source;
  }

  /** The commit that it tells of. @internal */
  get inside(): Commit {
    return this.#commit;
  }

  /** In the order in which they were emitted. */
  get events(): readonly ReceiptEvent[] {
    this.#events ??= this.#commit.events.map((record) => new ReceiptEvent(record, () => this.#source.layouts()));
    return this.#events;
  }

  /**
   * The values of the events of one type, in the order in which they were emitted.
   * @throws {EngineError} `invalid-argument` for text that is not a Move type
   */
  eventsOf<T>(type: StructType<T>): readonly T[];
  eventsOf(type: string): readonly DecodedValue[];
  eventsOf(type: string): readonly unknown[] {
    const asked = structName(toStructTag(type, 'type'));
    return this.events.filter((event) => event.type === asked).map(({ value }) => value);
  }

  /**
   * The value of the one event of a type.
   * @throws {EngineError} `not-found` naming the types that there are, if there is none; `invalid-argument` if there are
   * several, or for text that is not a Move type
   */
  event<T>(type: StructType<T>): T;
  event(type: string): DecodedValue;
  event(type: string): unknown {
    const asked = structName(toStructTag(type, 'type'));
    const found = this.events.filter((event) => event.type === asked);
    return this.#only(found, `event of the type ${asked}`, [...new Set(this.events.map((event) => event.type))]).value;
  }

  /**
   * The id of the one object of a type that the transaction created.
   *
   * ```ts
   * const counter = receipt.created('0x42::counter::Counter');
   * ```
   * @throws {EngineError} `not-found` naming the types that were created, if there is none; `invalid-argument` naming the
   * ids if there are several, or for text that is not a Move type
   */
  created(type: string): string {
    const asked = structName(toStructTag(type, 'type'));
    const made = this.changes.filter(({ kind, isField }) => kind === 'created' && !isField);
    const found = made.filter((change) => change.type === asked);
    return this.#only(found, `created object of the type ${asked}`, [...new Set(made.map((change) => change.type))]).id;
  }

  #only<T extends ReceiptEvent | ReceiptChange>(found: readonly T[], what: string, others: readonly string[]): T {
    const [one] = found;
    if (one === undefined) {
      const reason = this.failure === undefined ? '' : `; the transaction failed: ${this.failure.message}`;
      const there = others.length === 0 ? 'none of any type' : others.join(', ');
      throw new EngineError('not-found', `type: expected one ${what}, and there is ${there}${reason}`);
    }
    if (found.length === 1) return one;
    const named = found.map((each) => ('id' in each ? each.id : `event ${each.index}`)).join(', ');
    throw new EngineError('invalid-argument', `type: expected one ${what}, and there are ${found.length}: ${named}`);
  }

  /**
   * This receipt, for those who want an exception when the action failed: `(await engine.executeAs(...)).orThrow()`.
   * @throws {EngineError} `transaction-failed` with the failure in words, unless it was executed
   */
  orThrow(): this {
    if (this.status.kind === 'executed') return this;
    const message = this.failure?.message ?? this.status.kind.replaceAll('-', ' ');
    const details = { order: this.order.toString(), status: plainJson(this.status), failure: plainJson(this.failure) };
    throw new EngineError('transaction-failed', message, { details });
  }

  /** Each object before what is below it, by ascending keys. */
  get changes(): readonly ReceiptChange[] {
    this.#changes ??= flatten(this.#commit.changeSet.changes, () => this.#source.layouts());
    return this.#changes;
  }

  /** What Move code printed with `0x1::debug::print`, even if the action failed; the first PRINTS_MAX values. */
  get prints(): readonly TraceValue[] {
    return this.#commit.prints ?? [];
  }

  /** Why the action failed; undefined if it succeeded. */
  get failure(): ExplainedFailure | undefined {
    const { failure } = this.#commit;
    if (failure === undefined) return undefined;
    const { trace } = this;
    const { findModule, findCallStack } = this.#source;
    this.#explained ??= explainFailure(
      failure,
      findModule,
      trace === undefined ? findCallStack : () => trace.failure?.callStack,
    );
    return this.#explained;
  }

  override shown(): object {
    const { order, hash, sender, stateRoot, status, gasUsed, isUpgrade, failure, events, changes, trace, prints } =
      this;
    const printed = prints.length === 0 ? {} : { prints };
    const traced = trace === undefined ? {} : { trace };
    return {
      order,
      hash,
      sender,
      stateRoot,
      status,
      gasUsed,
      isUpgrade,
      failure,
      events,
      changes,
      ...printed,
      ...traced,
    };
  }
}

function flatten(changes: ChangedFields, layouts: () => LayoutSource): ReceiptChange[] {
  return [...changes].flatMap(([, change]) => [new ReceiptChange(change, layouts), ...flatten(change.fields, layouts)]);
}
