/**
 * Receipts: what the submitter of a transaction gets once it is committed.
 *
 * Events and changes are decoded by the modules of the state after the transaction, and only when they are read: a
 * receipt that is not read costs a few fields. Those of the action come first; what the framework did around it is apart.
 * As JSON, a receipt says everything; as text, and in `console.log`, what a reader wants to know.
 * @module
 */

import { decode } from '../base/bcs.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { isUnknownHash } from '../base/hash/unknown-hash.ts';
import { transactionSender } from '../chain/index/transactions.ts';
import type { EventRecord } from '../chain/ledger/events.ts';
import type { ObjectChange } from '../chain/object/change-set.ts';
import { formatFieldKey } from '../chain/object/field-key.ts';
import { formatObjectId, type ObjectId } from '../chain/object/object-id.ts';
import { isDynamicField, type ObjectState } from '../chain/object/object-state.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import { transactionTitle } from '../chain/transaction/ledger.ts';
import { type DecodedStruct, type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import {
  type Getters,
  LazyReadable,
  memberOrNull,
  ownGetters,
  plainJson,
  printAs,
  readable,
} from '../chain/value/readable.ts';
import { rootMember } from '../chain/value/root-member.ts';
import { type StatusOf, statusValue } from '../chain/value/status.ts';
import { type CoinInfo, coinInfo, coinInfoId } from '../execution/framework/coin.ts';
import {
  type ExplainedFailure,
  explainFailure,
  type FindCallStack,
  failureLines,
} from '../execution/trace/explain-failure.ts';
import { type TraceValue, valueText } from '../execution/trace/kept-value.ts';
import { shortLine, shortText } from '../execution/trace/short-text.ts';
import type { Trace } from '../execution/trace/trace.ts';
import { formatAddress } from '../move/address.ts';
import { annotate, type LayoutSource } from '../move/layout.ts';
import { type StructTag, structName, structType, typeMatcher } from '../move/type-tag.ts';
import type { ModuleLookup } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { type Parted, partedChanges, partedEvents } from './bookkeeping.ts';
import { CoinMoves, coinMoveLines } from './coin-moves.ts';
import type { Commit } from './commit.ts';
import { changedStructs } from './publish.ts';

/** What a receipt is decoded with. Used on demand, as long as the state exists. */
export interface ReceiptSource {
  /** Layouts by the modules of the state after the transaction. */
  layouts(): LayoutSource;
  readonly findModule: ModuleLookup;
  /** An object of that state. */
  findObject(id: ObjectId): ObjectState | undefined;
  /** Modules as they were before the transaction; none if the chain no longer keeps that state. */
  readonly findBefore: ModuleLookup;
  /** The calls that led to the failure, from a traced run. */
  readonly findCallStack: FindCallStack;
}

/** An event of a receipt. */
export class ReceiptEvent extends LazyReadable {
  readonly type: string;
  readonly handle: string;
  /** Position within the handle's events, from 0. */
  declare readonly sequence: bigint;
  /** Position within the transaction, from 0. */
  readonly index: number;
  /** BCS. */
  readonly bytes: Uint8Array;
  /**
   * The event as a JavaScript value.
   * @throws {EngineError} `limit-exceeded` for one that is too large to show
   */
  declare readonly value: DecodedValue;
  readonly #type: StructTag;
  readonly #event: EventRecord['event'];
  readonly #layouts: () => LayoutSource;
  #value: DecodedValue | undefined;

  static readonly #getters: Getters<ReceiptEvent, 'sequence' | 'value'> = {
    sequence() {
      return this.#event.eventSeq;
    },
    value() {
      this.#value ??= decodedValue(annotate(this.#layouts().layout(structType(this.#type)), this.bytes));
      return this.#value;
    },
  };

  constructor({ event, position }: EventRecord, layouts: () => LayoutSource) {
    super();
    this.type = structName(event.eventType);
    this.#type = event.eventType;
    this.handle = formatObjectId(event.handle);
    this.index = position.index;
    this.bytes = event.eventData.slice();
    this.#event = event;
    this.#layouts = layouts;
    ownGetters(this, ReceiptEvent.#getters);
  }

  override shown(): object {
    const { type, handle, sequence, index, value } = this;
    return { type, handle, sequence, index, value };
  }
}

/** `touched`: metadata or fields changed, the value did not. */
export type ChangeKind = 'created' | 'modified' | 'touched' | 'removed';

const CHANGE_KINDS = { new: 'created', modify: 'modified', delete: 'removed' } as const;

/** Digits of a field's key, with which its id ends. */
const KEY_DIGITS = 64;

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
  /**
   * The new value; for a dynamic field, `{ name, value }`. Undefined if `bytes` is.
   * @throws {EngineError} `limit-exceeded` for one that is too large to show
   */
  declare readonly value: DecodedValue | undefined;
  readonly #type: StructTag;
  readonly #layouts: () => LayoutSource;
  #value: DecodedValue | undefined;

  static readonly #getters: Getters<ReceiptChange, 'value'> = {
    value() {
      if (this.bytes === undefined) return undefined;
      this.#value ??= decodedValue(annotate(this.#layouts().layout(structType(this.#type)), this.bytes));
      return this.#value;
    },
  };

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
    ownGetters(this, ReceiptChange.#getters);
  }

  /** The object that it is, or that it is a field of. @internal */
  get holder(): string {
    return this.isField ? this.id.slice(0, -KEY_DIGITS) : this.id;
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
  static {
    reportAtCaller(Receipt);
  }

  /** Its place in the ledger; genesis has 0. */
  readonly order: bigint;
  readonly hash: string;
  /** Who sent it; `0x0` for blocks, their transactions and controls. */
  readonly sender: string;
  /** Root of the state after the transaction. */
  declare readonly stateRoot: string;
  /** How it ended; `failure` says it in words. */
  readonly status: StatusOf<KeptStatus>;
  /** In gas units, of which `maxGasAmount` is the bound. */
  readonly gasUsed: bigint;
  /** Whether existing modules were replaced. */
  readonly isUpgrade: boolean;
  /** What it did, call by call, if a trace was requested. */
  readonly trace: Trace | undefined;
  /** Why the action failed; undefined if it succeeded. */
  declare readonly failure: ExplainedFailure | undefined;
  /** Those of the action, in the order in which they were emitted. */
  declare readonly events: readonly ReceiptEvent[];
  /** Those of the action: each object before what is below it, by ascending keys. */
  declare readonly changes: readonly ReceiptChange[];
  /**
   * What the framework did around the action: the fee was taken, refunded and shared out, the transaction counted, the
   * clock set. An object that the action wrote too is among its changes.
   */
  declare readonly framework: { readonly events: readonly ReceiptEvent[]; readonly changes: readonly ReceiptChange[] };
  /** What Move code printed with `0x1::debug::print`, even if the action failed; the first PRINTS_MAX values. */
  declare readonly prints: readonly TraceValue[];
  readonly #commit: Commit;
  readonly #source: ReceiptSource;
  #events: Parted<ReceiptEvent> | undefined;
  #changes: Parted<ReceiptChange> | undefined;
  #explained: ExplainedFailure | undefined;
  #warnings: readonly string[] | undefined;

  static readonly #getters: Getters<Receipt, 'stateRoot' | 'failure' | 'events' | 'changes' | 'framework' | 'prints'> =
    {
      stateRoot() {
        return toHexPrefixed(this.#commit.record.executionInfo.stateRoot);
      },
      failure() {
        this.#explained ??= this.#explain();
        return this.#explained;
      },
      events() {
        return this.#partedEvents.own;
      },
      changes() {
        return this.#partedChanges.own;
      },
      framework() {
        return readable({ events: this.#partedEvents.around, changes: this.#partedChanges.around });
      },
      prints() {
        return this.#commit.prints ?? [];
      },
    };

  constructor(commit: Commit, source: ReceiptSource, trace?: Trace) {
    super();
    const { order, transaction, executionInfo } = commit.record;
    this.order = order;
    this.sender = formatAddress(transactionSender(transaction.data));
    this.hash = toHexPrefixed(executionInfo.txHash);
    this.status = statusValue(executionInfo.status);
    this.gasUsed = executionInfo.gasUsed;
    this.isUpgrade = commit.isUpgrade;
    this.trace = trace;
    this.#commit = commit;
    this.#source = source;
    ownGetters(this, Receipt.#getters);
    // Whatever is pending has a root, which is only made when it is read.
    if (commit.isPending !== true && isUnknownHash(executionInfo.stateRoot)) {
      rootMember(this, 'stateRoot', executionInfo.stateRoot);
    }
  }

  /** The commit that it tells of. @internal */
  get inside(): Commit {
    return this.#commit;
  }

  /** Structs whose fields an upgrade changed: the chain accepts that, and values stored before no longer decode. */
  get warnings(): readonly string[] {
    if (!this.isUpgrade || this.status.kind !== 'executed') return [];
    this.#warnings ??= changedStructs(this.#commit.record.transaction.data, readModule, this.#source.findBefore);
    return this.#warnings;
  }

  get #partedEvents(): Parted<ReceiptEvent> {
    this.#events ??= mapParts(partedEvents(this.#commit), (record) => new ReceiptEvent(record, this.#layouts));
    return this.#events;
  }

  get #partedChanges(): Parted<ReceiptChange> {
    this.#changes ??= mapParts(partedChanges(this.#commit), (change) => new ReceiptChange(change, this.#layouts));
    return this.#changes;
  }

  readonly #layouts = (): LayoutSource => this.#source.layouts();

  readonly #coinInfo = (coin: StructTag): CoinInfo | undefined => {
    const object = this.#source.findObject(coinInfoId(coin));
    return object && decode(coinInfo, object.value);
  };

  /**
   * The values of the events of one type, in the order in which they were emitted.
   * @param type whole, or its end: `counter::Added`
   * @throws {EngineError} `invalid-argument` for text that is not a Move type
   */
  eventsOf<T>(type: StructType<T>): readonly T[];
  eventsOf(type: string): readonly DecodedValue[];
  eventsOf(type: string): readonly unknown[] {
    const matches = typeMatcher(type, 'type');
    return this.events.filter((event) => matches(event.type)).map(({ value }) => value);
  }

  /**
   * The value of the one event of a type.
   * @param type as in `eventsOf`
   * @throws {EngineError} `not-found` naming the types that there are, if there is none; `invalid-argument` if there are
   * several, or for text that is not a Move type
   */
  event<T>(type: StructType<T>): T;
  event(type: string): DecodedValue;
  event(type: string): unknown {
    const matches = typeMatcher(type, 'type');
    const found = this.events.filter((event) => matches(event.type));
    return this.#only(found, `event of the type ${type}`, [...new Set(this.events.map((event) => event.type))]).value;
  }

  /**
   * The id of the one object of a type that the action created.
   *
   * ```ts
   * const counter = receipt.created('counter::Counter');
   * ```
   * @param type as in `eventsOf`
   * @throws {EngineError} `not-found` naming the types that were created, if there is none; `invalid-argument` naming the
   * ids if there are several, or for text that is not a Move type
   */
  created(type: string): string {
    const matches = typeMatcher(type, 'type');
    const made = this.changes.filter(({ kind, isField }) => kind === 'created' && !isField);
    const found = made.filter((change) => matches(change.type));
    return this.#only(found, `created object of the type ${type}`, [...new Set(made.map((change) => change.type))]).id;
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
   * @throws {EngineError} `transaction-failed` with what was sent and why it failed, unless it was executed
   */
  orThrow(): this {
    const { error } = this;
    if (error === undefined) return this;
    throw error;
  }

  /** What `orThrow` throws. @internal */
  get error(): EngineError | undefined {
    const { status, failure, order } = this;
    if (status.kind === 'executed') return undefined;
    const { message = status.kind.replaceAll('-', ' '), abortMeaning, source } = failure ?? {};
    const what = transactionTitle(this.#commit.record.transaction.data);
    const said = [what, source, message, abortMeaning].filter((part) => part !== undefined).join(': ');
    const details = { order: order.toString(), status: plainJson(status), failure: plainJson(failure) };
    return new EngineError('transaction-failed', shortText(said), { details });
  }

  #explain(): ExplainedFailure | undefined {
    const { failure } = this.#commit;
    if (failure === undefined) return undefined;
    const { trace } = this;
    const { findModule, findCallStack } = this.#source;
    return explainFailure(failure, findModule, trace === undefined ? findCallStack : () => trace.failure?.callStack);
  }

  override shown(): object {
    const { order, hash, sender, status, gasUsed, isUpgrade, failure, events, changes, framework } = this;
    const { prints, trace, warnings } = this;
    const stateRoot = memberOrNull(this, 'stateRoot');
    const own = { order, hash, sender, stateRoot, status, gasUsed, isUpgrade, failure, events, changes, framework };
    const warned = warnings.length > 0 && { warnings };
    return { ...own, ...warned, ...(prints.length > 0 && { prints }), ...(trace && { trace }) };
  }

  /**
   * What happened, in a few lines: how it ended, the balances of accounts, the action's events and its other changes. Long
   * ids are cut in the middle.
   */
  override toString(): string {
    const { order, gasUsed, status, failure, framework, prints } = this;
    const { data } = this.#commit.record.transaction;
    const ended = status.kind === 'executed' ? 'executed' : 'failed';
    const about = `${framework.events.length} events, ${framework.changes.length} changes`;
    const moves = new CoinMoves([this.#commit]);
    const lines = [
      `transaction ${order} ${ended}: ${transactionTitle(data)}, gas ${gasUsed}`,
      ...(failure === undefined ? [] : failureLines(failure)),
      ...this.warnings.map((warning) => `warning: ${warning}`),
      ...coinMoveLines(moves.list(), this.#coinInfo),
      ...prints.map((value) => `print ${value}`),
      ...this.events.map(({ type, value }) => `event ${type} ${valueText(value)}`),
      ...this.changes.filter((change) => !moves.stores.has(change.holder)).map(changeLine),
      ...(this.#commit.ofAction === undefined ? [] : [`around it: ${about} (receipt.framework)`]),
    ];
    return lines.map((line, index) => `${index === 0 ? '' : '  '}${shortLine(line)}`).join('\n');
  }
}

printAs(Receipt, String);

function changeLine({ kind, id, holder, type, isField, key, value }: ReceiptChange): string {
  const { name, value: held } = (value ?? {}) as DecodedStruct;
  if (!isField) return `${kind} ${type} ${id}${value === undefined ? '' : ` ${valueText(value)}`}`;
  if (name === undefined || held === undefined) return `${kind} field ${key} of ${holder}`;
  return `${kind} field ${valueText(name)} of ${holder}: ${valueText(held)}`;
}

function mapParts<T, R>({ own, around }: Parted<T>, map: (item: T) => R): Parted<R> {
  let mapped: R[] | undefined;
  return {
    own: own.map(map),
    // Few look at what the framework did.
    get around() {
      mapped ??= around.map(map);
      return mapped;
    },
  };
}
