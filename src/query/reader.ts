/**
 * The chain as of one commit, which queries read.
 *
 * Queries that page through an index wait between reads, so they get a reader that commits do not change: rows, objects
 * and head always match. Pages are rendered with the same reader.
 *
 * An earlier state is named by a root or an order; reading it costs as little as reading the head's.
 * @module
 */
import { argumentError } from '../base/argument.ts';
import { equalBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { type HashInput, toHash } from '../base/hash/hash-input.ts';
import type { Head } from '../chain/ledger/head.ts';
import { keptRootOrder, readHistory } from '../chain/ledger/history.ts';
import { readStateRootOrder, readTransaction, type TransactionRecord } from '../chain/ledger/transactions.ts';
import type { State } from '../chain/state/state.ts';
import { accumulatorAfter } from '../chain/transaction/sequence-info.ts';
import type { MachineCache } from '../execution/runtime/machine-cache.ts';
import type { LayoutSource } from '../move/layout.ts';
import type { ReadableStore } from '../store/store.ts';

/** The chain at one head. */
export interface Reader {
  readonly head: Head;
  readonly rows: ReadableStore;
  readonly state: State;
  /**
   * The state at an earlier root.
   * @throws {EngineError} `not-found` if the chain never had that root, `pruned` if it no longer keeps it.
   */
  stateAt(root: Uint8Array): State;
  /** The layouts of types by the modules of a state. */
  layouts(state: State): LayoutSource;
  /** The machines that run the code of states. */
  machines(): MachineCache;
}

/** A reader that commits do not change until it is released. */
export interface HeldReader {
  readonly reader: Reader;
  readonly release: () => void;
}

/** What a view reads from: the head of an engine, one commit, or an earlier state. */
export interface ReaderSource {
  /** Whether it is an earlier state, of which there are no index rows. */
  readonly isEarlier?: boolean;
  /** The chain that synchronous reads see. */
  current(): Reader;
  /** The same, for asynchronous reads. */
  hold(): HeldReader;
  /** The chain at the time of the call, for results that are decoded later. */
  present(): Reader;
}

export type PinnedSource = ReaderSource & Pick<HeldReader, 'release'>;

/** Pins what `source` returns now; asynchronous reads may outlast the release. */
export function pinnedSource(source: ReaderSource): PinnedSource {
  const { reader, release: releaseAll } = source.hold();
  let isReleased = false;
  let holders = 1;
  const letGo = (): void => {
    if (--holders === 0) releaseAll();
  };
  const pinned = (): Reader => {
    if (!isReleased) return reader;
    throw new EngineError('closed', 'this view was disposed of: take another one by engine.at()');
  };
  return {
    isEarlier: source.isEarlier === true,
    current: pinned,
    hold: () => {
      const held = { reader: pinned(), release: letGo };
      holders++;
      return held;
    },
    present: () => source.present(),
    release: () => {
      if (!isReleased) letGo();
      isReleased = true;
    },
  };
}

/** Runs `query` on a reader that commits do not change. */
export async function readHeld<T>(source: ReaderSource, query: (reader: Reader) => Promise<T>): Promise<T> {
  const { reader, release } = source.hold();
  try {
    return await query(reader);
  } finally {
    release();
  }
}

/** The state at a root, without a look-up if it is the head's. */
export function stateOf(reader: Reader, root: Uint8Array | undefined): State {
  return root === undefined || equalBytes(root, reader.head.stateRoot) ? reader.state : reader.stateAt(root);
}

/**
 * The state at a root, for the types of values made there; the head's if that was pruned. A module upgrade keeps struct
 * layouts, so the head's modules describe every earlier type in the same way.
 */
export function stateOfTypes(reader: Reader, root: Uint8Array | undefined): State {
  try {
    return stateOf(reader, root);
  } catch (error) {
    if (error instanceof EngineError && error.code === 'pruned') return reader.state;
    throw error;
  }
}

/**
 * Decodes values read at one state, possibly later: by the modules of that state while it is kept, then by the head's. A
 * root identifies its state forever, so nothing is held; after a revert the root may be `not-found`.
 */
export class Decoder {
  readonly #source: ReaderSource;
  readonly #state: Pick<State, 'root'>;

  constructor(source: ReaderSource, state: Pick<State, 'root'>) {
    this.#source = source;
    this.#state = state;
  }

  get layouts(): LayoutSource {
    const reader = this.#source.present();
    return reader.layouts(reader.state === this.#state ? reader.state : stateOfTypes(reader, this.#state.root));
  }
}

/** An earlier state: its root, or the order of the transaction that left it. */
export type RootOrOrder = HashInput | bigint;

const EXPECTED = 'a state root (64 hex digits, with or without 0x, or 32 bytes), or an order (a bigint)';

/**
 * The transaction that left the named state; for a root that occurred more than once, the last one.
 * @throws {EngineError} `not-found` for a root the chain never had, or an order beyond the head; `pruned` for a root it
 * does not keep; `invalid-argument`
 */
function transactionAt({ rows, head }: Reader, place: RootOrOrder, name: string): TransactionRecord {
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
  throw new EngineError('not-found', `${name}: expected a state root of this chain, got ${toHexPrefixed(root)}`);
}

/** What `reader` would be if the chain ended with this transaction. */
function readerAt(reader: Reader, { order, transaction, executionInfo }: TransactionRecord): Reader {
  const { stateRoot, size } = executionInfo;
  const { sequenceInfo: info } = transaction;
  const { formatVersion, genesisHash, chainId, unloadedRoots } = reader.head;
  const place = { order, stateRoot, size, accumulator: accumulatorAfter(info), timestamp: info.txTimestamp };
  return {
    head: { formatVersion, genesisHash, chainId, ...place, unloadedRoots },
    rows: rowsByKey(reader.rows),
    state: reader.stateAt(stateRoot),
    stateAt: (root) => reader.stateAt(root),
    layouts: (state) => reader.layouts(state),
    machines: () => reader.machines(),
  };
}

/** Rows by key only: the rows of an index are those of the head. */
function rowsByKey(rows: ReadableStore): ReadableStore {
  const refuse = (): never => {
    throw notAtRoot('a list');
  };
  return { get: (key, way) => rows.get(key, way), range: refuse, scan: refuse };
}

/** The error for a query that needs an index; `what` begins the message. */
export function notAtRoot(what: string): EngineError {
  return new EngineError(
    'not-supported',
    `${what} comes from an index, which covers only the head: expected no earlier root or order; objects by their ids, fields, balances, views and proofs can be read at one`,
  );
}

/**
 * A source whose readers end with the transaction that left the named state, for as long as the chain has it: after a
 * revert there may be another one at its order, or none.
 * @throws {EngineError} as `transactionAt`
 */
export function earlierSource(source: ReaderSource, place: RootOrOrder): ReaderSource {
  const record = transactionAt(source.current(), place, 'rootOrOrder');
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
  // Fails immediately if the state is not kept.
  at(source.current());
  return {
    isEarlier: true,
    current: () => at(source.current()),
    hold: () => {
      const { reader, release } = source.hold();
      try {
        return { reader: at(reader), release };
      } catch (error) {
        release();
        throw error;
      }
    },
    present: () => source.present(),
  };
}
