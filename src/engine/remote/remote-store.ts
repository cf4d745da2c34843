/**
 * The store of another node, read only, as of one point of its chain: the base of a fork, which is an overlay on it.
 *
 * A row is read from the first of these that has it: the rows read before; nodes that this process has anyway, such as
 * those of the genesis; rows on disk; and the origin, while this thread waits. Rows that the origin sends along,
 * because they are likely to be read next, are kept too. Every row is checked at its first use (row-check.ts), wherever
 * it comes from.
 *
 * Rows of a point never change, so nothing is ever invalid. Beyond a bound, the least recently held are dropped.
 * @module
 */

import { decode, encode } from '../../base/bcs.ts';
import { bytesOfText, textOfBytes, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { HEAD_KEY, type Head, head as headCodec } from '../../chain/ledger/head.ts';
import type { RowReader } from '../../chain/ledger/transactions.ts';
import { nodeSource, wholeNodeRow } from '../../chain/state/node-row.ts';
import { executionInfo } from '../../chain/transaction/execution-info.ts';
import { rootMember } from '../../chain/value/root-member.ts';
import type { ForkStatus } from '../../query/status.ts';
import { COLUMN, columnKey, keyTail, readOrder } from '../../store/column.ts';
import { checkPage, checkRange, rangeAfter } from '../../store/key-range.ts';
import { OverlayStore } from '../../store/memory.ts';
import type { KeyRange, RevertibleStore, Row, Store, StoreView, Way } from '../../store/store.ts';
import type { NodeCache } from '../../store/tree/cache.ts';
import { type NodeSource, Tree } from '../../store/tree/tree.ts';
import type { PointCache } from './fork-cache.ts';
import type { OriginRow, RowOrigin } from './origin.ts';
import { FIELDS_ROW, OBJECT_ROW, StoredObjects } from './pinned-objects.ts';
import { OverlaidTrees, PinnedTree } from './pinned-tree.ts';
import { RowCheck } from './row-check.ts';
import { RANGE_ROWS_MAX } from './wire.ts';

/** Bytes of rows that a fork holds in memory, besides the nodes in the cache of its engine. */
export const ROWS_HELD_BYTES_MAX: number = 128 * 2 ** 20;

/** Memory that V8 takes for a row besides its bytes. */
const ROW_OVERHEAD_BYTES = 200;

/** A row that was requested or sent along. */
interface HeldRow {
  readonly value: Uint8Array | undefined;
  isChecked: boolean;
  /** Whether it was on disk, or sent along. */
  readonly isHint: boolean;
}

const VERIFIED: ForkStatus['verified'] = {
  state: 'state root',
  transactions: 'accumulator root',
  events: "event root, on the node's word",
};

const UNVERIFIED: ForkStatus['unverified'] = [
  'results of transactions: status, gas and event root',
  'signatures and times of transactions',
  'types, handles and numbers of events',
  'change sets',
  'lists, and that something is in none of them',
];

/** Columns whose keys begin with an order. */
const ORDERED: readonly number[] = [COLUMN.transaction, COLUMN.executionInfo, COLUMN.changeSet];
const UNVERIFIED_OBJECTS: ForkStatus['unverified'] = [
  'objects, fields and modules, and that there are none: the node gives no proofs of them',
  'transactions, their order and their results',
  'numbers of events',
];

const NO_ROW: HeldRow = { value: undefined, isChecked: true, isHint: false };

/** The point at which a fork begins. */
export interface ForkPoint {
  readonly head: Head;
  readonly clockOffset: Uint8Array | undefined;
  readonly history: Uint8Array | undefined;
  /** Whether there are lists of objects and fields. */
  readonly hasLists: boolean;
  /** Rows that came with it. */
  readonly more: readonly OriginRow[];
}

/** A transaction about to be executed. */
export interface Expected {
  /** Gives the BCS of its data; undefined if there is none. */
  readonly transaction: () => Uint8Array | undefined;
  /**
   * Whether its sequence number is checked. Then the origin has not executed it: the account would be past that number.
   */
  readonly isValidated: boolean;
}

interface RemoteStoreOptions {
  readonly point: ForkPoint;
  /** Undefined for an offline fork. */
  readonly origin: RowOrigin | undefined;
  /** The node, for messages. */
  readonly name: string;
  /** Rows on disk. */
  readonly cache: PointCache | undefined;
  /** A chain of this process at its genesis: any chain may share tree nodes with it. */
  readonly genesis: RowReader | undefined;
  /** Whether that genesis is this chain's. */
  readonly hasGenesis: boolean;
  /** Whether the state root was given, not taken on the node's word. */
  readonly isPinned: boolean;
  /** Whether the node serves tree nodes; otherwise it serves objects, none of which is verified. Default: true. */
  readonly hasTree?: boolean;
}

export class RemoteStore implements Store {
  readonly kind = 'remote';
  readonly supports = { checkpoints: false, largeBatches: false, permanence: false } as const;
  readonly point: ForkPoint;
  readonly #origin: RowOrigin | undefined;
  /** The node, for messages. */
  readonly name: string;
  readonly #cache: PointCache | undefined;
  readonly #genesis: RowReader | undefined;
  readonly #hasGenesis: boolean;
  readonly #isPinned: boolean;
  /** Undefined where nothing can be checked. */
  readonly #check: RowCheck | undefined;
  readonly #objects: StoredObjects | undefined;
  readonly #changed = new OverlaidTrees();
  /** The rows of the point itself. */
  readonly #own = new Map<string, Uint8Array | undefined>();
  readonly #held = new Map<string, HeldRow>();
  #bytes = 0;
  #rowsFetched = 0;
  #rowsStored = 0;
  /** The transaction being executed, until a request has named it. */
  #expected: Expected['transaction'] | undefined;
  /** Whether the origin is known not to have the transaction being executed. */
  #isUnknown = false;
  #isClosed = false;

  constructor({ point, origin, name, cache, genesis, hasGenesis, isPinned, hasTree = true }: RemoteStoreOptions) {
    this.point = point;
    this.#origin = origin;
    this.name = name;
    this.#cache = cache;
    this.#genesis = genesis;
    this.#hasGenesis = hasGenesis;
    this.#isPinned = isPinned;
    const unchecked = { get: (key: Uint8Array) => this.#row(key, undefined).value };
    this.#check = hasTree ? new RowCheck(point.head, name, unchecked, (key) => this.#forget(key)) : undefined;
    this.#objects = hasTree ? undefined : new StoredObjects((key) => this.get(key));
    this.#objects?.addState(point.head.stateRoot);
    this.#takeAlong(point.more);
    this.#own.set(textOfBytes(HEAD_KEY), encode(headCodec, point.head));
    this.#own.set(textOfBytes(columnKey('clockOffset')), point.clockOffset);
    this.#own.set(textOfBytes(columnKey('history')), point.history);
  }

  /** Whether the node serves its tree, not only objects. */
  get hasTree(): boolean {
    return this.#objects === undefined;
  }

  /** The point and the trust that a fork of this chain is based on. */
  get status(): ForkStatus {
    const { order, stateRoot, accumulator } = this.point.head;
    const status: ForkStatus = {
      remote: this.name,
      kind: this.hasTree ? 'movelet' : 'rooch',
      order,
      stateRoot: toHexPrefixed(stateRoot),
      accumulatorRoot: '',
      trust: this.#isPinned && this.hasTree ? 'pinned' : 'remote',
      verified: this.hasTree ? VERIFIED : {},
      unverified: this.hasTree ? UNVERIFIED : UNVERIFIED_OBJECTS,
      hasLists: this.point.hasLists,
      isOffline: this.#origin === undefined,
      requests: this.#origin?.requests ?? 0,
      rowsFetched: this.#rowsFetched,
      rowsStored: this.#rowsStored,
    };
    rootMember(status, 'accumulatorRoot', accumulator.root);
    return status;
  }

  /**
   * Runs an execution. If it needs a row that is not here, the origin is told of the transaction, and sends all rows
   * that it reads.
   */
  execute<T>({ transaction, isValidated }: Expected, run: () => T): T {
    this.#expected = transaction;
    this.#isUnknown = isValidated;
    try {
      return run();
    } finally {
      this.#isUnknown = false;
    }
  }

  /** A tree over the nodes in `source`, which are those of a fork of this chain. */
  tree(source: NodeSource, cache: NodeCache): Tree {
    const objects = this.#objects;
    return objects === undefined ? new Tree(source, cache) : new PinnedTree(source, cache, objects, this.#changed);
  }

  get(key: Uint8Array, way?: Way): Uint8Array | undefined {
    this.#assertOpen();
    const name = textOfBytes(key);
    if (this.#own.has(name)) return this.#own.get(name);
    const { value } = this.#checked(key, this.#row(key, way), way);
    if (value !== undefined && key[0] === COLUMN.executionInfo) {
      this.#objects?.addState(decode(executionInfo, value).stateRoot);
    }
    return value;
  }

  /** Checks a row. One that was not just requested, and is wrong, is requested. */
  #checked(key: Uint8Array, row: HeldRow, way: Way | undefined, isLast = false): HeldRow {
    if (row.isChecked) return row;
    try {
      this.#check?.check(key, row.value);
    } catch (error) {
      if (!isUntrue(error)) throw error;
      this.#forget(key);
      const isProven = key[0] !== COLUMN.node;
      if (isProven) this.#forgetUnchecked();
      if (isLast || !(row.isHint || isProven)) throw error;
      return this.#checked(key, this.#ask(key, way), way, true);
    }
    row.isChecked = true;
    return row;
  }

  /** Forgets the parts of a proof, any of which may be wrong. */
  #forgetUnchecked(): void {
    for (const [name, { isChecked }] of this.#held) {
      const key = bytesOfText(name);
      if (!isChecked && key[0] !== COLUMN.node) this.#forget(key);
    }
  }

  #forget(key: Uint8Array): void {
    this.#letGo(textOfBytes(key));
    this.#cache?.forget(key);
  }

  /** A row that may not be checked yet. */
  #row(key: Uint8Array, way: Way | undefined): HeldRow {
    const found = this.#held.get(textOfBytes(key));
    if (found !== undefined) return found;
    if (this.#isUnknown && key[0] === COLUMN.transactionOrder) return NO_ROW;
    const known = this.hasTree ? this.#knownRow(key) : undefined;
    if (known !== undefined) return this.#hold(key, { value: known, isChecked: true, isHint: false });
    const stored = this.#cache?.row(key);
    if (stored !== undefined) {
      this.#rowsStored++;
      return this.#hold(key, { value: stored.value, isChecked: false, isHint: true });
    }
    return this.#ask(key, way);
  }

  /** A row that this process has: a tree node, or one of the genesis transaction. */
  #knownRow(key: Uint8Array): Uint8Array | undefined {
    const rows = this.#genesis;
    if (rows === undefined) return undefined;
    if (key[0] === COLUMN.node) {
      const node = nodeSource(rows)(keyTail(key, 0));
      return node && wholeNodeRow(0n, node);
    }
    const isOrdered = ORDERED.includes(key[0]!);
    return this.#hasGenesis && isOrdered && readOrder(key, 1) === 0n ? rows.get(key) : undefined;
  }

  #ask(key: Uint8Array, way: Way | undefined): HeldRow {
    if (this.#origin === undefined) throw this.#offline(rowName(key));
    const transaction = this.#expected?.();
    this.#expected = undefined;
    const { values, more } = this.#origin.rows([key], { way, transaction, hasGenesis: this.#hasGenesis });
    const [value] = values;
    if (value === undefined && key[0] === COLUMN.node) throw this.#noNode(keyTail(key, 0));
    this.#takeAlong(more, { key, value });
    return this.#hold(key, { value, isChecked: false, isHint: false });
  }

  async range(range: KeyRange): Promise<readonly Row[]> {
    this.#assertOpen();
    const limit = checkPage(range);
    const rows: Row[] = [];
    for await (const page of this.#pages(range, limit)) rows.push(...page);
    return rows;
  }

  async *scan(range: KeyRange): AsyncIterable<Row> {
    this.#assertOpen();
    checkRange(range);
    for await (const page of this.#pages(range, range.limit ?? Number.POSITIVE_INFINITY)) yield* page;
  }

  async *#pages(range: KeyRange, limit: number): AsyncIterable<readonly Row[]> {
    let rest = range;
    for (let left = limit; left > 0; ) {
      const want = Math.min(left, RANGE_ROWS_MAX);
      const rows = await this.#page({ ...rest, limit: want });
      yield rows;
      if (rows.length < want) return;
      left -= rows.length;
      rest = rangeAfter(range, rows.at(-1)!.key);
    }
  }

  async #page(range: KeyRange): Promise<readonly Row[]> {
    const stored = this.#cache?.page(range);
    if (stored !== undefined) return stored;
    if (this.#origin === undefined) throw this.#offline('a page of a list');
    const { rows, more } = await this.#origin.range(range);
    this.#takeAlong(more);
    this.#cache?.keepPage(range, rows);
    return rows;
  }

  async batch(): Promise<void> {
    throw new EngineError('read-only', 'the chain of another node is never written to: write to a fork of it');
  }

  view(): StoreView {
    this.#assertOpen();
    return {
      get: (key, way) => this.get(key, way),
      range: (range) => this.range(range),
      scan: (range) => this.scan(range),
      // The last fork that reads it is closed.
      release: () => void this.close(),
    };
  }

  fork(): RevertibleStore {
    return OverlayStore.over(this.view());
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#held.clear();
    this.#origin?.close();
  }

  /** Keeps the rows of an answer. */
  #takeAlong(more: readonly OriginRow[], asked?: OriginRow): void {
    const known = more.filter(({ key, value }) => value !== undefined || key[0] !== COLUMN.node);
    for (const { key, value } of known) {
      if (!this.#held.has(textOfBytes(key))) this.#hold(key, { value, isChecked: false, isHint: true });
    }
    const rows = asked === undefined ? known : [asked, ...known];
    this.#rowsFetched += rows.length;
    this.#cache?.keep(rows);
  }

  #hold(key: Uint8Array, row: HeldRow): HeldRow {
    const name = textOfBytes(key);
    this.#letGo(name);
    this.#held.set(name, row);
    this.#bytes += sizeOf(name, row);
    for (const oldest of this.#held.keys()) {
      if (this.#bytes <= ROWS_HELD_BYTES_MAX || oldest === name) break;
      this.#letGo(oldest);
    }
    return row;
  }

  #letGo(name: string): void {
    const row = this.#held.get(name);
    if (row === undefined) return;
    this.#held.delete(name);
    this.#bytes -= sizeOf(name, row);
  }

  #offline(what: string): EngineError {
    return new EngineError(
      'offline',
      `the fork of ${this.name} at order ${this.point.head.order} is offline, and ${what} has not been read before: open it once without offline and do the same`,
      { details: { remote: this.name, order: String(this.point.head.order), what } },
    );
  }

  #noNode(hash: Uint8Array): EngineError {
    if (!this.hasTree) {
      return new EngineError(
        'not-supported',
        `the versions of an object, and whatever else follows the nodes of the tree: a fork of a Rooch node has none of them; fork a movelet that has the chain, or read the object at two orders`,
        { details: { remote: this.name } },
      );
    }
    const text = toHex(hash);
    return new EngineError(
      'pruned',
      `${this.name} no longer has the tree node 0x${text} of the state at order ${this.point.head.order}, at which the fork begins: it keeps less of its past; fork a later order`,
      { details: { remote: this.name, hash: `0x${text}`, order: String(this.point.head.order) } },
    );
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new EngineError('closed', 'the fork is closed');
  }
}

function sizeOf(name: string, { value }: HeldRow): number {
  return name.length + (value?.length ?? 0) + ROW_OVERHEAD_BYTES;
}

const ROW_NAMES: Readonly<Record<number, string>> = {
  [COLUMN.node]: 'the tree node',
  [COLUMN.transaction]: 'the transaction at order',
  [COLUMN.executionInfo]: 'the result at order',
  [COLUMN.changeSet]: 'the change set of order',
  [COLUMN.event]: 'the event at',
  [OBJECT_ROW]: 'the object',
  [FIELDS_ROW]: 'the fields of',
};

function isUntrue(error: unknown): boolean {
  return error instanceof EngineError && error.code === 'remote-untrue';
}

function rowName(key: Uint8Array): string {
  const name = ROW_NAMES[key[0]!] ?? `the row of column ${key[0]}`;
  return `${name} 0x${toHex(keyTail(key, 0))}`;
}
