/**
 * The rows that a store must have, derived from its transactions, and their comparison with those that it has: every row
 * of the store is examined once, in any column.
 *
 * Rows that follow byte for byte from others are kept whole. Of tree nodes, only the order at which they were last
 * written is kept, since their bytes must hash to their key. Everything else is derived from transactions, their infos,
 * change sets and events, so only the keys of these are checked here.
 * @module
 */

import { bytesOfText, equalBytes, fromHex, textOfBytes, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { changeSetFormat } from '../../chain/ledger/change-sets.ts';
import { readStateRoot } from '../../chain/ledger/transactions.ts';
import type { ChangedTrees } from '../../chain/state/apply.ts';
import { detachedOperations, nodeBytes, nodeFormat, nodeOrder, staleOperations } from '../../chain/state/node-row.ts';
import {
  COLUMN,
  type ColumnName,
  columnKey,
  keyTail,
  POSITION_BYTES,
  readOrder,
  readPosition,
} from '../../store/column.ts';
import { MemoryStore } from '../../store/memory.ts';
import type { KeyRange, Operation, ReadableStore, Row } from '../../store/store.ts';
import { decodeNode } from '../../store/tree/reader.ts';

/** Reports a problem, with the operation that would repair it if other rows determine that. */
export type Report = (problem: string, remedy?: Operation) => void;

/** Columns whose keys begin with the order of a transaction, and what they hold. */
const LEDGER_COLUMNS: readonly ColumnName[] = ['transaction', 'executionInfo', 'changeSet'];
const ORDER_BYTES = 8;
const BLOCK_HASH_BYTES = 32;
const HASH_BYTES = 32;

const NAMES: ReadonlyMap<number, ColumnName> = new Map(
  Object.entries(COLUMN).map(([name, prefix]) => [prefix, name as ColumnName]),
);

export class ExpectedRows {
  readonly #isBounded: boolean;
  readonly #format: number;
  /** Rows that are expected byte for byte. Later commits look up in it what earlier ones wrote. */
  readonly rows: MemoryStore = new MemoryStore();
  /** By hash, as text: the order at which the node was last written. */
  readonly #nodes = new Map<string, bigint>();
  /** By order: how many rows hold the change set, if more than one. */
  readonly #changeSetParts = new Map<bigint, number>();
  /** The last time that a control set, in milliseconds. */
  #timeSet: bigint | undefined;
  #isReplayed = true;
  #nodeRows = 0;
  /** Of the node rows, those that are expected: foreign ones do not make up for missing ones. */
  #expectedNodeRows = 0;
  #derivedRows = 0;

  /**
   * `isBounded`: the history is bounded. Which nodes, lists of stale nodes and rows of roots exist then depends on the
   * grouping of transactions and the progress of pruning, so only the content of each is checked. `format`: the data
   * format that the head names.
   */
  constructor(isBounded: boolean, format: number) {
    this.#isBounded = isBounded;
    this.#format = format;
  }

  /** Rows that follow from others, counted as they are met. */
  get derivedRows(): number {
    return this.#derivedRows;
  }

  /** Rows of tree nodes, counted as they are met. */
  get nodeRows(): number {
    return this.#nodeRows;
  }

  /** Expects what a commit of `order` writes besides its nodes. */
  async add(operations: readonly Operation[]): Promise<void> {
    const expected = this.#isBounded ? operations.filter(({ key }) => key[0] !== COLUMN.stateRoot) : operations;
    await this.rows.batch(expected);
  }

  /** Expects the nodes that a commit wrote; undefined if that is not known, so other nodes are allowed. */
  async addNodes(order: bigint, replay: ChangedTrees | undefined): Promise<void> {
    if (this.#isBounded) return;
    if (replay === undefined) {
      this.#isReplayed = false;
      return;
    }
    for (const { hash } of replay.fresh) this.#nodes.set(textOfBytes(hash), order);
    await this.rows.batch([...staleOperations(order, replay.stale), ...detachedOperations(order, replay.detached)]);
  }

  /** Expects the change set of `order` to be in `count` rows. */
  addChangeSetParts(order: bigint, count: number): void {
    if (count > 1) this.#changeSetParts.set(order, count);
  }

  /** Allows for a clock that was moved, in the transaction that set this time. */
  addTimeSet(milliseconds: bigint): void {
    this.#timeSet = milliseconds;
  }

  /** The number of rows expected so far, without those of the ledger. */
  get size(): number {
    return this.rows.size + this.#nodes.size;
  }

  /** Examines every row of the store; `onRow` is called with the number of rows examined. */
  async compare(store: ReadableStore, lastOrder: bigint, report: Report, onRow: (seen: number) => void): Promise<void> {
    let found = 0;
    let seen = 0;
    for (let after: Uint8Array | undefined = new Uint8Array(0); after !== undefined; ) {
      try {
        for await (const row of store.scan({ gt: after })) {
          found += this.#compareRow(store, row, lastOrder, report);
          onRow(++seen);
        }
        after = undefined;
      } catch (error) {
        after = damagedKey(error);
        report((error as EngineError).message, after && this.#restored(after));
      }
    }
    if (found < this.rows.size) await this.#reportMissing(store, report);
    if (this.#isReplayed && this.#expectedNodeRows < this.#nodes.size) this.#reportMissingNodes(store, report);
  }

  /** Returns 1 for a row that was expected byte for byte. */
  #compareRow(store: ReadableStore, row: Row, lastOrder: bigint, report: Report): number {
    const column = NAMES.get(row.key[0] ?? -1);
    const name = `the ${column ?? 'unknown'} row ${toHex(row.key)}`;
    if (column === undefined) report(`${name} is in no column`);
    else if (column === 'inscriptionBytes') {
      if (row.key.length !== 1 + BLOCK_HASH_BYTES || row.value.length !== 8)
        report(`${name} belongs to nothing`, removed(row));
    } else if (column === 'clockOffset') {
      if (row.key.length !== 1 || !this.#isClockOffset(row.value)) report(`${name} follows from no time that was set`);
    } else if (column === 'node') this.#compareNode(store, row, name, report);
    else if (this.#isBounded && column === 'stateRoot') this.#compareRoot(store, row, lastOrder, name, report);
    else if (this.#isBounded && isList(column)) {
      this.#derivedRows++;
      if (!isHashList(row, lastOrder)) report(`${name} belongs to nothing`, removed(row));
    } else if (column === 'head' || column === 'history') {
      if (row.key.length !== 1) report(`${name} belongs to nothing`, removed(row));
    } else if (LEDGER_COLUMNS.includes(column) || column === 'event') {
      // Not removed: if the head were an older one, these would be the transactions after it.
      if (!this.#isLedgerKey(column, keyTail(row.key, 0), lastOrder)) report(`${name} belongs to nothing`);
      if (column === 'changeSet' && row.key.length === 1 + ORDER_BYTES)
        this.#checkForm(changeSetFormat(row.value), name, report);
    } else return this.#compareDerived(row, column, name, report);
    return 0;
  }

  /** The row of a root must name a transaction that led to that root. */
  #compareRoot(store: ReadableStore, { key, value }: Row, lastOrder: bigint, name: string, report: Report): void {
    this.#derivedRows++;
    const order = value.length === ORDER_BYTES ? readOrder(value, 0) : undefined;
    const root =
      order === undefined || order > lastOrder ? undefined : guarded(report, () => readStateRoot(store, order));
    if (root === undefined || !equalBytes(root, keyTail(key, 0))) report(`${name} is wrong`);
  }

  /** Whether the clock showed a valid time when it was moved to the time that was set. */
  #isClockOffset(value: Uint8Array): boolean {
    return this.#timeSet !== undefined && value.length === 8 && readOrder(value, 0) <= this.#timeSet;
  }

  #isLedgerKey(column: ColumnName, tail: Uint8Array, lastOrder: bigint): boolean {
    if (tail.length < ORDER_BYTES || readOrder(tail, 0) > lastOrder) return false;
    if (column === 'event') return tail.length === POSITION_BYTES;
    if (tail.length === ORDER_BYTES) return true;
    if (column !== 'changeSet' || tail.length !== POSITION_BYTES) return false;
    const { order, index: part } = readPosition(tail, 0);
    return part > 0 && part < (this.#changeSetParts.get(order) ?? 1);
  }

  #compareDerived({ key, value }: Row, column: ColumnName, name: string, report: Report): number {
    this.#derivedRows++;
    const right = this.rows.get(key);
    if (right === undefined) {
      // If a change set could not be replayed, it is not known what it made stale or detached.
      if (!isList(column) || this.#isReplayed) report(`${name} belongs to nothing`, written(key, undefined));
      return 0;
    }
    if (!equalBytes(right, value)) report(`${name} is wrong`, written(key, right));
    return 1;
  }

  #compareNode(store: ReadableStore, { key, value }: Row, name: string, report: Report): void {
    this.#nodeRows++;
    const hash = keyTail(key, 0);
    const order = this.#nodes.get(textOfBytes(hash));
    if (order !== undefined) this.#expectedNodeRows++;
    if (value.length <= ORDER_BYTES) {
      report(`${name} is too short`);
      return;
    }
    this.#checkForm(nodeFormat(value), name, report);
    guarded(report, () => decodeNode(nodeBytes(store, value, hash), hash));
    if (!this.#isReplayed || this.#isBounded) return;
    if (order === undefined) report(`${name} belongs to nothing`, written(key, undefined));
    else if (nodeOrder(value) !== order)
      report(`${name} says it was written at ${nodeOrder(value)} instead of ${order}`);
  }

  /** The repair of a row that fails its checksum; undefined if no other row determines its content. */
  #restored(key: Uint8Array): Operation | undefined {
    const value = this.rows.get(key);
    return value && written(key, value);
  }

  #checkForm(format: number, name: string, report: Report): void {
    if (format > this.#format)
      report(`${name} has a form of data format ${format}, and the head names ${this.#format}`);
  }

  async #reportMissing(store: ReadableStore, report: Report): Promise<void> {
    for await (const { key, value } of this.rows.scan({})) {
      if (isThere(store, key)) continue;
      report(`the ${NAMES.get(key[0]!) ?? 'unknown'} row ${toHex(key)} is missing`, written(key, value));
    }
  }

  #reportMissingNodes(store: ReadableStore, report: Report): void {
    for (const text of this.#nodes.keys()) {
      const hash = bytesOfText(text);
      if (!isThere(store, columnKey('node', hash))) report(`the tree node ${toHexPrefixed(hash)} is missing`);
    }
  }
}

const removed = ({ key }: Row): Operation => written(key, undefined);

/** The operation that makes a row what it must be. */
function written(key: Uint8Array, value: Uint8Array | undefined): Operation {
  return value === undefined ? { type: 'delete', key } : { type: 'put', key, value };
}

const isList = (column: ColumnName): boolean => column === 'staleNodes' || column === 'detachedTrees';

function isHashList({ key, value }: Row, lastOrder: bigint): boolean {
  const tail = keyTail(key, 0);
  const isKey = tail.length === ORDER_BYTES || tail.length === POSITION_BYTES;
  return isKey && readOrder(tail, 0) <= lastOrder && value.length > 0 && value.length % HASH_BYTES === 0;
}

/** The key of a row that could not be read, after which a scan continues; undefined if the error does not name it. */
function damagedKey(error: unknown): Uint8Array | undefined {
  if (!(error instanceof EngineError)) throw error;
  const { key } = error.details;
  return typeof key === 'string' ? fromHex(key) : undefined;
}

/** Whether there is a row, damaged or not. */
function isThere(store: ReadableStore, key: Uint8Array): boolean {
  try {
    return store.get(key) !== undefined;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'corrupt') return true;
    throw error;
  }
}

/** The rows of a range up to the first that cannot be read, which is a problem of the store. */
export async function* guardedRows(
  store: ReadableStore,
  range: KeyRange,
  report: Report,
): AsyncGenerator<Row, void, undefined> {
  try {
    yield* store.scan(range);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    report(error.message);
  }
}

/** Runs `read`; a damaged row is a problem of the store, not a failure of the check. */
export function guarded<T>(report: Report, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    report(error.message);
    return undefined;
  }
}
