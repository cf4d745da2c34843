/**
 * The chain at one moment: all queries see the state and rows as of one commit, whatever is committed in the meantime.
 *
 * A page and whatever is needed to render it (layouts, display rules, addresses) come from the same moment, so they
 * match even while blocks are ingested. JSON-RPC answers each request from one moment; `engine.moment` gives one to a
 * program.
 * @module
 */
import type { BlockRules } from '../bitcoin-move/block-check.ts';
import type { Head } from '../ledger/head.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { State } from '../state/state.ts';
import type { ReadableStore } from '../store/store.ts';
import type { DecodedValue } from '../value/decoded.ts';
import { type HashInput, toStateRoot } from '../value/hash.ts';
import type { ObjectIdInput } from '../value/object-id.ts';
import { BalanceQueries } from './balance.ts';
import type { BitcoinQueries } from './bitcoin.ts';
import type { DiffOptions, DiffSide, StateDiff } from './diff.ts';
import { EventQueries } from './event.ts';
import { FieldQueries } from './field.ts';
import type { TypedCall } from './function-call.ts';
import { ObjectQueries } from './object.ts';
import type { HistoryOptions, HistoryQueries, ObjectVersion } from './object-version.ts';
import type { Page } from './page.ts';
import { Past, type PastTools, type RootOrOrder } from './past.ts';
import { ProofQueries } from './proof.ts';
import { type Reader, type ReaderSource, sourceAt, stateOf, stateOfTypes } from './reader.ts';
import { StateQueries } from './state.ts';
import type { Status } from './status.ts';
import { TransactionQueries } from './transaction.ts';
import type { ViewOptions, ViewResult } from './view.ts';

/** What another thread needs to read the same moment (src/workers). */
export interface MomentBasis {
  /** Rows of the store, valid while the moment is held. */
  readonly rows: Pick<ReadableStore, 'get'>;
  /** Milliseconds that a view or a dry run may take. */
  readonly viewMsMax: number;
  /** Milliseconds on the sequencer's clock, if there is one. */
  readonly now: bigint | undefined;
  /** The engine's settings for its steps. */
  readonly settings: { readonly blocks: BlockRules; readonly verifySignatures: boolean };
}

/** The code that compares states; it is loaded with the machine (execution.ts). */
export interface ChangeTools {
  readonly HistoryQueries: new (source: ReaderSource) => HistoryQueries;
  diffStates(before: DiffSide, after: DiffSide, options?: DiffOptions): StateDiff;
}

/** What an engine provides to its moments. */
export interface MomentTools extends PastTools {
  readonly changes: ChangeTools;
  readonly status: (chain: Moment) => Status;
  readonly basis: () => Omit<MomentBasis, 'rows'>;
}

/** The chain as of one commit: every read sees that commit, whatever is committed in the meantime. */
export class Moment {
  /** States by access path. */
  readonly states: StateQueries;
  /** Balances of accounts. */
  readonly balances: BalanceQueries;
  /** Transactions by hash, order and filter. */
  readonly transactions: TransactionQueries;
  /** Events by handle and filter. */
  readonly events: EventQueries;
  /** Objects by filter. */
  readonly objects: ObjectQueries;
  /** Fields of registered objects by their values. */
  readonly fields: FieldQueries;
  /** UTXOs, inscriptions and blocks. */
  readonly bitcoin: BitcoinQueries;
  /** Proofs of objects, fields, transactions and events. */
  readonly proofs: ProofQueries;
  readonly #reader: Reader;
  readonly #source: ReaderSource;
  readonly #tools: MomentTools;

  constructor(reader: Reader, tools: MomentTools) {
    const source = sourceAt(reader, tools.source);
    this.#source = source;
    this.#reader = reader;
    this.#tools = tools;
    this.states = new StateQueries(source);
    this.balances = new BalanceQueries(source, tools.places);
    this.transactions = new TransactionQueries(source);
    this.events = new EventQueries(source);
    this.objects = new ObjectQueries(source);
    this.fields = new FieldQueries(source);
    this.bitcoin = tools.bitcoin(source);
    this.proofs = new ProofQueries(source);
  }

  /** The chain after its last commit. */
  get head(): Head {
    return this.#reader.head;
  }

  get chainId(): bigint {
    return this.#reader.head.chainId;
  }

  /** What another thread needs to read the same moment. */
  get basis(): MomentBasis {
    return { rows: this.#reader.rows, ...this.#tools.basis() };
  }

  status(): Status {
    return this.#tools.status(this);
  }

  /**
   * The chain at an earlier state: a root, or an order.
   * @throws {EngineError} `not-found`, `pruned`, `invalid-argument`.
   */
  at(rootOrOrder: RootOrOrder): Past {
    return new Past(rootOrOrder, { ...this.#tools, source: this.#source });
  }

  /** The differences between two states, as `Engine.diff`; `after` defaults to the state of the moment. */
  diff(before: RootOrOrder, after: RootOrOrder = this.head.order, options?: DiffOptions): StateDiff {
    const side = (place: RootOrOrder): DiffSide => ({ source: this.#source, at: { place } });
    return this.#tools.changes.diffStates(side(before), side(after), options);
  }

  /** The versions of an object or a field, as `Engine.history`. */
  async history(id: ObjectIdInput, options?: HistoryOptions): Promise<Page<ObjectVersion, bigint>> {
    return new this.#tools.changes.HistoryQueries(this.#source).versions(id, options);
  }

  /**
   * The version that `Engine.blame` finds, in a limited number of steps: if they do not suffice it is undefined, and
   * `nextCursor` says where to continue.
   */
  lastVersion(id: ObjectIdInput, cursor?: bigint): ReturnType<HistoryQueries['last']> {
    return new this.#tools.changes.HistoryQueries(this.#source).last(id, cursor);
  }

  /**
   * The state of the moment, or at an earlier root.
   * @throws {EngineError} `not-found` for a root the chain never had, `pruned`, `invalid-argument`.
   */
  stateAt(root?: HashInput): State {
    return stateOf(this.#reader, toStateRoot(root, 'root'));
  }

  /** The layouts of types, by the modules of that state, or of the moment's if it was pruned. */
  layouts(root?: HashInput): LayoutSource {
    return this.#reader.layouts(stateOfTypes(this.#reader, toStateRoot(root, 'root')));
  }

  /** Runs a Move function for its results, as `Engine.view`. */
  view<Results extends readonly unknown[] = readonly DecodedValue[]>(
    call: TypedCall<Results>,
    stateRoot?: HashInput,
    options?: ViewOptions,
  ): ViewResult<Results> {
    return this.#tools.views(this.#source).call(call, stateRoot, options);
  }
}
