/**
 * The chain at an earlier state, given by a root or an order: every read that a state alone can answer.
 *
 * A state is identified by its root and never changes, so nothing is held for it: each read looks it up, as cheaply as
 * the present one. Lists come from indexes, which cover only the present, so they are refused.
 * @module
 */
import { argumentError } from '../argument.ts';
import { equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import type { Head } from '../ledger/head.ts';
import { keptRootOrder, readHistory } from '../ledger/history.ts';
import { readStateRootOrder, readTransaction, type TransactionRecord } from '../ledger/transactions.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { StateProof } from '../proof/state-proof.ts';
import type { State } from '../state/state.ts';
import type { ReadableStore } from '../store/store.ts';
import type { DecodedValue } from '../value/decoded.ts';
import type { FieldKeyInput } from '../value/field-key.ts';
import { type HashInput, HashValue, toHash } from '../value/hash.ts';
import type { ObjectIdInput } from '../value/object-id.ts';
import { BalanceQueries, type CoinPlaces } from './balance.ts';
import type { BitcoinQueries } from './bitcoin.ts';
import type { TypedCall } from './function-call.ts';
import { ProofQueries } from './proof.ts';
import type { Reader, ReaderSource } from './reader.ts';
import { StateQueries } from './state.ts';
import type { ViewQueries, ViewResult } from './view.ts';

/** An earlier state: its root, or the order of the transaction that left it. */
export type RootOrOrder = HashInput | bigint;

/** What an engine provides to its earlier states. */
export interface PastTools {
  readonly source: ReaderSource;
  readonly places: CoinPlaces;
  readonly bitcoin: (source: ReaderSource) => BitcoinQueries;
  readonly views: (source: ReaderSource) => ViewQueries;
}

const EXPECTED = 'a state root (64 hex digits, with or without 0x, or 32 bytes), or an order (a bigint)';

/**
 * The transaction that left the named state; for a root that occurred more than once, the last one.
 * @throws {EngineError} `not-found` for a root the chain never had, or an order beyond the head; `pruned` for a root it
 * does not keep; `invalid-argument`
 */
export function transactionAt({ rows, head }: Reader, place: RootOrOrder, name: string): TransactionRecord {
  if (typeof place !== 'bigint' && typeof place !== 'string' && !(place instanceof Uint8Array)) {
    throw argumentError(name, EXPECTED, place);
  }
  if (typeof place === 'bigint') {
    if (place >= 0n && place <= head.order) return readTransaction(rows, place);
    throw new EngineError('not-found', `${name}: expected an order from 0 to ${head.order}, got ${place}`);
  }
  const root = toHash(place, name, 'a state root');
  const order = readHistory(rows) === undefined ? readStateRootOrder(rows, root) : keptRootOrder(rows, root);
  if (order !== undefined) return readTransaction(rows, order);
  throw new EngineError('not-found', `${name}: expected a state root of this chain, got ${new HashValue(root)}`);
}

/** What `reader` would be if the chain ended with this transaction. */
function readerAt(reader: Reader, { order, transaction, executionInfo }: TransactionRecord): Reader {
  const { stateRoot, size } = executionInfo;
  const { sequenceInfo: info } = transaction;
  const head: Head = {
    ...reader.head,
    order,
    stateRoot,
    size,
    accumulator: {
      root: info.txAccumulatorRoot,
      frozenSubtreeRoots: info.txAccumulatorFrozenSubtreeRoots,
      numLeaves: info.txAccumulatorNumLeaves,
      numNodes: info.txAccumulatorNumNodes,
    },
    timestamp: info.txTimestamp,
  };
  return { ...reader, head, rows: new StateRows(reader.rows), state: reader.stateAt(stateRoot) };
}

/** Rows by key only: the rows of an index reflect only the present. */
class StateRows implements ReadableStore {
  readonly #rows: ReadableStore;

  constructor(rows: ReadableStore) {
    this.#rows = rows;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#rows.get(key);
  }

  range(): never {
    throw notAtRoot('a list');
  }

  scan(): never {
    throw notAtRoot('a list');
  }
}

/** The refusal of a query that needs an index; `what` begins the message. */
function notAtRoot(what: string): EngineError {
  return new EngineError(
    'not-supported',
    `${what} comes from an index, which is of the present only: expected no earlier root or order; objects by their ids, fields, balances, views and proofs can be had at one`,
  );
}

/** The chain at an earlier state. */
export class Past {
  /** The order of the transaction that left the state. */
  readonly order: bigint;
  readonly stateRoot: HashValue;
  /** States by access path. */
  readonly states: StateQueries;
  /** Balances of accounts, one by one. */
  readonly balances: BalanceQueries;
  /** UTXOs, inscriptions and blocks, one by one. */
  readonly bitcoin: BitcoinQueries;
  /** Proofs of objects and fields under this root, and of transactions and events up to it. */
  readonly proofs: ProofQueries;
  readonly #source: ReaderSource;
  readonly #tools: PastTools;

  constructor(place: RootOrOrder, tools: PastTools) {
    const { source } = tools;
    const record = transactionAt(source.current(), place, 'rootOrOrder');
    this.order = record.order;
    this.stateRoot = new HashValue(record.executionInfo.stateRoot);
    this.#source = pastSource(source, record);
    // Fails at once if the state is not kept.
    this.#source.current();
    this.#tools = tools;
    this.states = new StateQueries(this.#source);
    this.balances = new BalanceQueries(this.#source, tools.places);
    this.bitcoin = tools.bitcoin(this.#source);
    this.proofs = new ProofQueries(this.#source);
  }

  /** The state itself, with the metadata of objects and their bytes. */
  get state(): State {
    return this.#source.current().state;
  }

  /** The layouts of types by the modules of this state. */
  get layouts(): LayoutSource {
    const { layouts, state } = this.#source.current();
    return layouts(state);
  }

  /** Runs a Move function for its results, as `Engine.view`. */
  view<Results extends readonly unknown[] = readonly DecodedValue[]>(call: TypedCall<Results>): ViewResult<Results> {
    return this.#tools.views(this.#source).call(call);
  }

  /** Proves that an object or a field was in this state, or that it was not, as `Engine.prove`. */
  prove(id: ObjectIdInput, fieldKey?: FieldKeyInput): StateProof {
    return this.proofs.object(id, fieldKey);
  }

  /** @throws {EngineError} `not-supported`: it is an index, which is of the present only. */
  get objects(): never {
    throw notAtRoot('a list of objects');
  }

  /** @throws {EngineError} `not-supported`: it is an index, which is of the present only. */
  get fields(): never {
    throw notAtRoot('a list of fields by their values');
  }

  /** @throws {EngineError} `not-supported`: it is an index, which is of the present only. */
  get transactions(): never {
    throw notAtRoot('a list of transactions');
  }

  /** @throws {EngineError} `not-supported`: it is an index, which is of the present only. */
  get events(): never {
    throw notAtRoot('a list of events');
  }
}

/**
 * A source whose readers end with the transaction of `record`, for as long as the chain has it: after a revert there
 * may be another one at its order, or none.
 */
function pastSource(source: ReaderSource, record: TransactionRecord): ReaderSource {
  const { order } = record;
  const { stateRoot, txHash } = record.executionInfo;
  let last: { readonly of: Reader; readonly reader: Reader } | undefined;
  const at = (reader: Reader): Reader => {
    if (last?.of === reader) return last.reader;
    const now = order > reader.head.order ? undefined : readTransaction(reader.rows, order).executionInfo;
    if (now === undefined || !equalBytes(now.txHash, txHash) || !equalBytes(now.stateRoot, stateRoot)) {
      throw new EngineError('not-found', `the state of order ${order} is gone: the chain was reverted to before it`);
    }
    last = { of: reader, reader: readerAt(reader, record) };
    return last.reader;
  };
  return {
    current: () => at(source.current()),
    read: (query) => source.read((reader) => query(at(reader))),
    present: () => source.present(),
  };
}
