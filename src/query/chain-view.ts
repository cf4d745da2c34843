/**
 * The chain at one state: everything that can be read of it.
 *
 * An engine is a view of its head, which moves with each commit. `at()` pins it: a page and what is needed to render it
 * (layouts, display rules, addresses) then match, even while blocks are ingested. `at(order)` and `at(root)` are views of
 * earlier states. A state is identified by its root and never changes, so these hold nothing; they refuse lists, which
 * come from indexes of the head only.
 * @module
 */

import { argumentError } from '../base/argument.ts';
import { reportAtCaller } from '../base/caller.ts';
import { EngineError } from '../base/error.ts';
import { type HashInput, toStateRoot } from '../base/hash/hash-input.ts';
import type { AddressInput } from '../bitcoin/address.ts';
import type { ObjectIdInput } from '../chain/object/object-id.ts';
import type { State } from '../chain/state/state.ts';
import type { SignedTransaction, TransactionData } from '../chain/transaction/signed.ts';
import type { DecodedValue } from '../chain/value/decoded.ts';
import { plainJson } from '../chain/value/readable.ts';
import type { BlockRules } from '../execution/bitcoin-move/block-check.ts';
import { GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import type { Trace } from '../execution/trace/trace.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { StructTagInput } from '../move/type-tag.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { ReadableStore } from '../store/store.ts';
import { BalanceQueries, type CoinPlaces } from './balance.ts';
import type { BitcoinQueries } from './bitcoin.ts';
import type { DiffOptions, StateDiff } from './diff.ts';
import { EventQueries } from './event.ts';
import { FieldQueries } from './field.ts';
import type { ActionInput, CallInput, TypedCall } from './function-call.ts';
import { ObjectQueries, type ObjectTools } from './object.ts';
import type { HistoryQueries } from './object-version.ts';
import { ProofQueries } from './proof.ts';
import {
  earlierSource,
  notAtRoot,
  type PinnedSource,
  pinnedSource,
  type Reader,
  type ReaderSource,
  type RootOrOrder,
  stateOfTypes,
} from './reader.ts';
import { StateQueries } from './state.ts';
import type { Status } from './status.ts';
import { TransactionQueries } from './transaction.ts';
import { HeadValue, type Makers, RECORDS, type Records, type Values } from './values.ts';
import type { ViewOptions, ViewResult } from './view.ts';

/** Options of an unsigned call. */
export interface CallOptions {
  /** Gas units. Default: the most that the chain lets a transaction ask for. */
  readonly maxGasAmount?: bigint | undefined;
}

/** A call on behalf of an account. */
export interface SimulatedCall extends CallOptions {
  readonly sender: AddressInput;
  readonly action: ActionInput;
}

/**
 * What `simulate` takes: a signed transaction, which is validated; unsigned transaction data, or its BCS, which is
 * presumed to be valid; or a call.
 */
export type SimulationInput = SignedTransaction | TransactionData | Uint8Array | SimulatedCall;

/** A transaction, by its hash as text or bytes, or by its order. */
export type TransactionInput = HashInput | bigint;

/** Whether the run is also traced. */
export interface TraceOptions {
  /** Default: false. A traced run takes three to four times as long, with the same outcome. */
  readonly trace?: boolean | undefined;
}

/** What another thread needs to read the same view (src/engine/workers). */
export interface ViewBasis {
  /** Rows of the store, valid while the view is pinned. */
  readonly rows: Pick<ReadableStore, 'get'>;
  /** Milliseconds that a view function or a dry run may take. */
  readonly viewMsMax: number;
  /** Milliseconds on the sequencer's clock, if there is one. */
  readonly now: bigint | undefined;
  /** The engine's settings for its steps. */
  readonly settings: { readonly blocks: BlockRules; readonly verifySignatures: boolean; readonly gasGift: boolean };
}

/** What an engine provides to its views. What runs Move is loaded late (execution.ts). */
export interface ViewTools extends ObjectTools {
  readonly places: CoinPlaces;
  bitcoin<Results extends Values | Records>(source: ReaderSource, make: Makers<Results>): BitcoinQueries<Results>;
  view(source: ReaderSource, call: CallInput, options: ViewOptions | undefined): ViewResult<readonly unknown[]>;
  diff(before: ReaderSource, after: ReaderSource, options: DiffOptions | undefined): StateDiff;
  status(reader: Reader, bitcoin: BitcoinQueries<Values | Records>): Status;
  basis(): Omit<ViewBasis, 'rows'>;
  simulate(source: ReaderSource, transaction: SimulationInput, options: TraceOptions | undefined): Receipt;
  trace(source: ReaderSource, transaction: TransactionInput): Trace;
  /** The keys of the rows that a dry run reads, or a status; `data` is the BCS of a transaction's data. */
  reads(source: ReaderSource, data: Uint8Array | undefined): Iterable<Uint8Array>;
}

/** The chain at one state. Its queries return `Results`: values for programs, or records of bytes for internal use. */
export class ChainView<Results extends Values | Records = Values> {
  static {
    reportAtCaller(ChainView);
  }

  readonly #source: ReaderSource;
  readonly #tools: ViewTools;
  readonly #make: Makers<Results>;
  #states: StateQueries<Results> | undefined;
  #balances: BalanceQueries<Results> | undefined;
  #transactions: TransactionQueries<Results> | undefined;
  #events: EventQueries<Results> | undefined;
  #objects: ObjectQueries<Results> | undefined;
  #fields: FieldQueries<Results> | undefined;
  #bitcoin: BitcoinQueries<Results> | undefined;
  #proofs: ProofQueries | undefined;

  /** @internal */
  constructor(source: ReaderSource, tools: ViewTools, make: Makers<Results>) {
    this.#source = source;
    this.#tools = tools;
    this.#make = make;
  }

  /** The same state, with results as records of bytes. @internal */
  get inside(): RecordView {
    return new RecordView(this.#source, this.#tools);
  }

  /** The chain after the commit that left this state. */
  get head(): HeadValue {
    return HeadValue.of(this.#source.current().head);
  }

  get chainId(): bigint {
    return this.#source.current().head.chainId;
  }

  /** States by access path. */
  get states(): StateQueries<Results> {
    this.#states ??= new StateQueries(this.#source, this.#make);
    return this.#states;
  }

  /**
   * How much of a coin an account holds, in the coin's smallest unit; 0 if either is unknown.
   * @param coinType default: the coin that pays for gas
   * @throws {EngineError} `invalid-argument`
   */
  balance(owner: AddressInput, coinType: StructTagInput = GAS_COIN_TYPE): bigint {
    return this.balances.amount(owner, coinType);
  }

  /** Balances of accounts. */
  get balances(): BalanceQueries<Results> {
    this.#balances ??= new BalanceQueries(this.#source, this.#make, this.#tools.places);
    return this.#balances;
  }

  /** Transactions by hash, order and filter. */
  get transactions(): TransactionQueries<Results> {
    this.#assertIndexed('a list of transactions');
    this.#transactions ??= new TransactionQueries(this.#source, this.#make);
    return this.#transactions;
  }

  /** Events by handle and filter. */
  get events(): EventQueries<Results> {
    this.#assertIndexed('a list of events');
    this.#events ??= new EventQueries(this.#source, this.#make);
    return this.#events;
  }

  /** Objects by filter. */
  get objects(): ObjectQueries<Results> {
    this.#objects ??= new ObjectQueries(this.#source, this.#make, this.#tools);
    return this.#objects;
  }

  /** Fields of registered objects by their values. */
  get fields(): FieldQueries<Results> {
    this.#assertIndexed('a list of fields by their values');
    this.#fields ??= new FieldQueries(this.#source, this.#make);
    return this.#fields;
  }

  /** UTXOs, inscriptions and blocks. */
  get bitcoin(): BitcoinQueries<Results> {
    this.#bitcoin ??= this.#tools.bitcoin(this.#source, this.#make);
    return this.#bitcoin;
  }

  /** Proofs of objects, fields, transactions and events, which `movelet/proof` verifies without an engine. */
  get proofs(): ProofQueries {
    this.#proofs ??= new ProofQueries(this.#source);
    return this.#proofs;
  }

  status(): Status {
    return this.#tools.status(this.#source.current(), this.bitcoin);
  }

  /**
   * The chain as it is now, whatever is committed or reverted later; or at an earlier state, named by its root or by the
   * order of the transaction that left it, where lists that come from an index throw. A view of the head takes memory
   * until it is disposed of.
   *
   * ```ts
   * using chain = engine.at();
   * const coins = await chain.balances.list(alice);
   * const before = engine.at(receipt.order - 1n).balances.get(alice, '0x3::gas_coin::RGas');
   * ```
   * @throws {EngineError} `not-found` for a root that the chain never had or an order beyond the head, `pruned` for a state
   * that it no longer keeps; `invalid-argument`, `closed`.
   */
  at(rootOrOrder?: RootOrOrder): ChainView<Results> & Disposable {
    const source: PinnedSource =
      rootOrOrder === undefined
        ? pinnedSource(this.#source)
        : { ...earlierSource(this.#source, rootOrOrder), release: () => {} };
    return new PinnedView(source, this.#tools, this.#make);
  }

  /**
   * The difference from this state to another one, of this chain or of one with a common past, such as a fork: objects
   * and fields, before and after. `String(diff)` is for people. The cost grows with the difference.
   *
   * ```ts
   * console.log(String(engine.at(receipt.order - 1n).diff(engine.at(receipt.order))));
   * ```
   * @throws {EngineError} `invalid-argument`, `state-not-loaded`
   */
  diff(after: ChainView<Values | Records>, options?: DiffOptions): StateDiff {
    if (!(after instanceof ChainView)) throw argumentError('after', 'an engine, or a view of one', after);
    return this.#tools.diff(this.#source, after.#source, options);
  }

  /**
   * Runs a Move function and returns its results as JavaScript values. It may have any visibility and may read
   * everything. Arguments are JavaScript values, encoded by the parameters' Move types (`query/view-argument.ts`).
   *
   * ```ts
   * const [balance] = engine.view({ function: '0x3::gas_coin::balance', arguments: [account] });
   * ```
   * @throws {EngineError} `view-failed` for a function that fails or would change something, with its status and what
   * happened in `details`; as `tryView`.
   */
  view<Results extends readonly unknown[] = readonly DecodedValue[]>(call: TypedCall<Results>): Results {
    const { status, failure, returned } = this.tryView(call);
    if (returned !== undefined) return returned;
    const message = status.kind === 'error' ? status.message : (failure?.message ?? status.kind);
    throw new EngineError('view-failed', message, {
      details: { status: plainJson(status), failure: plainJson(failure) },
    });
  }

  /**
   * As `view`, but how the function ended is a value: `status`, `failure` in words, the typed `values`, and with
   * `{ trace: true }` a `trace`.
   * @throws {EngineError} `not-found` for an unknown module, `invalid-argument`, `state-not-loaded`, `limit-exceeded`,
   * `deadline-exceeded`.
   */
  tryView<Results extends readonly unknown[] = readonly DecodedValue[]>(
    call: TypedCall<Results>,
    options?: ViewOptions,
  ): ViewResult<Results> {
    return this.#tools.view(this.#source, call, options) as ViewResult<Results>;
  }

  /**
   * What a transaction or a call would do if it came next. Nothing is written.
   * @param options `{ trace: true }` for `trace` in the receipt: what it would do, call by call
   * @throws {EngineError} as `Engine.execute` and `Engine.executeAs`; `deadline-exceeded` for one that takes longer than
   * `viewMsMax`.
   */
  simulate(transaction: SimulationInput, options?: TraceOptions): Receipt {
    return this.#tools.simulate(this.#source, transaction, options);
  }

  /**
   * What a transaction of this chain did, call by call: it is run again on the state before it, with the same outcome.
   *
   * ```ts
   * console.log(engine.trace(receipt.hash));                  // an indented text, with the gas of each call
   * writeFileSync('gas.json', JSON.stringify(engine.trace(receipt.order).profile()));    // for https://www.speedscope.app
   * ```
   * @throws {EngineError} `not-found`, `not-supported` for one that ran no Move code (genesis, Bitcoin blocks and
   * transactions, controls other than minting), `corrupt` if it ends differently, `pruned`, `state-not-loaded`,
   * `deadline-exceeded`.
   */
  trace(transaction: TransactionInput): Trace {
    return this.#tools.trace(this.#source, transaction);
  }

  /** @throws {EngineError} `not-supported` at an earlier state; `what` begins the message */
  #assertIndexed(what: string): void {
    if (this.#source.isEarlier === true) throw notAtRoot(what);
  }
}

/** A view that stays as it is until it is disposed of. */
class PinnedView<Results extends Values | Records> extends ChainView<Results> implements Disposable {
  readonly #source: PinnedSource;

  constructor(source: PinnedSource, tools: ViewTools, make: Makers<Results>) {
    super(source, tools, make);
    this.#source = source;
  }

  [Symbol.dispose](): void {
    this.#source.release();
  }
}

/** A view for internal use: its results are the records as they were read. */
export class RecordView extends ChainView<Records> {
  readonly #source: ReaderSource;
  readonly #tools: ViewTools;

  constructor(source: ReaderSource, tools: ViewTools) {
    super(source, tools, RECORDS);
    this.#source = source;
    this.#tools = tools;
  }

  get state(): State {
    return this.#source.current().state;
  }

  get reader(): Reader {
    return this.#source.current();
  }

  get basis(): ViewBasis {
    return { rows: this.#source.current().rows, ...this.#tools.basis() };
  }

  override at(rootOrOrder: RootOrOrder): RecordView & Disposable {
    const view = new RecordView(earlierSource(this.#source, rootOrOrder), this.#tools);
    return Object.assign(view, { [Symbol.dispose]: () => {} });
  }

  /**
   * The keys of the rows that a transaction, given by its BCS, and its commit would read if it came next. It is not
   * validated; if it is refused or takes too long, the keys up to then. Without `data`, the keys that `status` reads.
   */
  reads(data?: Uint8Array): Iterable<Uint8Array> {
    return this.#tools.reads(this.#source, data);
  }

  /**
   * The version that `blame` finds, in a limited number of steps: if these are not enough it is undefined, and
   * `nextCursor` says where to continue.
   */
  lastVersion(id: ObjectIdInput, cursor?: bigint): ReturnType<HistoryQueries['last']> {
    return this.#tools.history(this.#source).last(id, cursor);
  }

  /**
   * The layouts of types by the modules of this state or of an earlier root; by those of this state if that was pruned.
   * @throws {EngineError} `not-found` for a root that the chain never had, `invalid-argument`.
   */
  layouts(root?: HashInput): LayoutSource {
    const reader = this.#source.current();
    return reader.layouts(stateOfTypes(reader, toStateRoot(root, 'root')));
  }
}
