/**
 * Verifying a store: that every row is what the others say it must be.
 *
 * The transactions are gone through in their order: hashes, the accumulator and its nodes, event roots, the rows by
 * hash, root and handle. Every tree node must hash to its key, and the whole state at the head is walked. The columns
 * that can be derived are derived again, in memory, and compared row by row. What is found wrong is listed, up to
 * VERIFY_PROBLEMS_MAX; a row that fails its own checksum is one of the problems.
 *
 * Cost: every row is read once or twice; the derived columns stand in memory while they are compared.
 * @module
 */
import { append, EMPTY_ACCUMULATOR, eventRoot } from '../accumulator/accumulator.ts';
import { equalBytes } from '../bytes/compare.ts';
import { toHex } from '../bytes/hex.ts';
import { VERIFY_CACHE_NODES, VERIFY_PROBLEMS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { eventIndexOperations } from '../index/events.ts';
import { fieldIndexOperations, type RegisteredField, registeredFields } from '../index/fields.ts';
import { objectIndexOperations } from '../index/objects.ts';
import { transactionIndexOperations, transactionSender } from '../index/transactions.ts';
import { decodeEvent, type EventRecord, readEventCount, readEventPosition } from '../ledger/events.ts';
import { type Head, readHead } from '../ledger/head.ts';
import { readChangeSet, readStateRootOrder, readTransaction, readTransactionOrder } from '../ledger/transactions.ts';
import { formatObjectId, type ObjectId, ROOT_OBJECT_ID } from '../object/object-id.ts';
import type { ObjectState } from '../object/object-state.ts';
import { nodeSource } from '../state/node-row.ts';
import { State } from '../state/state.ts';
import {
  type ColumnName,
  columnKey,
  columnRange,
  DERIVED_COLUMNS,
  keyTail,
  orderBytes,
  readPosition,
} from '../store/column.ts';
import { MemoryStore } from '../store/memory.ts';
import type { ReadableStore } from '../store/store.ts';
import { ledgerTransactionHash } from '../transaction/ledger.ts';
import { NodeCache } from '../tree/cache.ts';
import { decodeNode } from '../tree/reader.ts';
import { EMPTY_ROOT, Tree } from '../tree/tree.ts';

export interface VerifyReport {
  readonly transactions: number;
  readonly nodes: number;
  /** Objects and fields of the state at the head. */
  readonly objects: number;
  /** Rows of the derived columns. */
  readonly derivedRows: number;
  /** Sentences, at most VERIFY_PROBLEMS_MAX. Empty for a sound store. */
  readonly problems: readonly string[];
}

/**
 * Checks everything that a store holds. Reads only; hand it a view of a store that is written meanwhile.
 * @throws {EngineError} `not-found` for a store without a chain, `format-unknown`.
 */
export async function verifyStore(store: ReadableStore): Promise<VerifyReport> {
  const head = readHead(store);
  if (head === undefined) throw new EngineError('not-found', 'the store holds no chain: its head row is missing');
  const verification = new Verification(store, head);
  return verification.run();
}

class Verification {
  readonly #store: ReadableStore;
  readonly #head: Head;
  readonly #problems: string[] = [];
  readonly #derived = new MemoryStore();
  #registered: readonly RegisteredField[] = [];

  constructor(store: ReadableStore, head: Head) {
    this.#store = store;
    this.#head = head;
  }

  async run(): Promise<VerifyReport> {
    await this.#transactions();
    const nodes = await this.#nodes();
    const objects = this.#state();
    const derivedRows = await this.#derivedColumns();
    return { transactions: Number(this.#head.order) + 1, nodes, objects, derivedRows, problems: this.#problems };
  }

  #report(problem: string): void {
    if (this.#problems.length < VERIFY_PROBLEMS_MAX) this.#problems.push(problem);
  }

  #check(condition: boolean, problem: string): void {
    if (!condition) this.#report(problem);
  }

  /** A damaged row is a problem of the store, not a failure of the check. */
  #guard<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#report(error.message);
      return undefined;
    }
  }

  async #transactions(): Promise<void> {
    const store = this.#store;
    let accumulator = EMPTY_ACCUMULATOR;
    let timestamp = 0n;
    for (let order = 0n; order <= this.#head.order; order++) {
      const record = this.#guard(() => readTransaction(store, order));
      if (record === undefined) continue;
      const { data, sequenceInfo } = record.transaction;
      const info = record.executionInfo;
      const at = `the transaction at order ${order}`;
      const hash = ledgerTransactionHash(data);
      this.#check(equalBytes(hash, info.txHash), `${at} does not hash to what its execution info says`);
      const found = readTransactionOrder(store, hash) ?? -1n;
      this.#check(found === order || (data.kind === 'l1-block' && found > order), `${at} is not found by its hash`);
      this.#check(
        readStateRootOrder(store, info.stateRoot) !== undefined,
        `the state root of order ${order} is not found`,
      );
      this.#check(sequenceInfo.txTimestamp >= timestamp, `${at} is earlier than the one before`);
      timestamp = sequenceInfo.txTimestamp;
      const appended = append(accumulator, [hash]);
      accumulator = appended.info;
      this.#check(
        equalBytes(sequenceInfo.txAccumulatorRoot, accumulator.root) &&
          sequenceInfo.txAccumulatorNumLeaves === accumulator.numLeaves,
        `${at} names another accumulator root than the hashes up to it give`,
      );
      for (const { position, hash: node } of appended.nodes) {
        const stored = this.#guard(() => store.get(columnKey('accumulatorNode', orderBytes(position))));
        this.#check(
          stored !== undefined && equalBytes(stored, node),
          `the accumulator node ${position} is wrong or missing`,
        );
      }
      const events = await this.#events(order);
      const root = eventRoot(events.map(({ event }) => event.eventData));
      this.#check(equalBytes(root, info.eventRoot), `the events of order ${order} do not give its event root`);
      const sender = transactionSender(data);
      const operations = [...transactionIndexOperations(record), ...eventIndexOperations(sender, events)];
      const change = this.#guard(() => readChangeSet(store, order).stateChangeSet);
      if (change !== undefined) {
        const isOwn = equalBytes(change.stateRoot, info.stateRoot) && change.globalSize === info.size;
        this.#check(isOwn, `the change set of order ${order} leads to another state than its execution info`);
        operations.push(...objectIndexOperations(this.#derived, order, change));
        operations.push(...fieldIndexOperations(this.#derived, this.#registered, change));
        this.#registered = registeredFields(this.#registered, change);
      }
      await this.#derived.batch(operations);
      if (order === this.#head.order) {
        this.#check(
          equalBytes(info.stateRoot, this.#head.stateRoot),
          'the head names another state root than its transaction',
        );
        this.#check(
          equalBytes(accumulator.root, this.#head.accumulator.root),
          'the head names another accumulator root',
        );
      }
    }
  }

  async #events(order: bigint): Promise<EventRecord[]> {
    const records: EventRecord[] = [];
    for await (const { key, value } of this.#store.scan(columnRange('event', orderBytes(order)))) {
      const position = readPosition(keyTail(key, 0), 0);
      const name = `event ${position.index} of order ${order}`;
      const event = this.#guard(() => decodeEvent(value, name));
      if (event === undefined) continue;
      records.push({ position, event });
      this.#check(event.eventIndex === BigInt(position.index), `${name} says it has index ${event.eventIndex}`);
      this.#check(event.eventSeq < readEventCount(this.#store, event.handle), `${name} is beyond its handle's count`);
      const found = this.#guard(() => readEventPosition(this.#store, event.handle, event.eventSeq));
      const isFound = found?.order === order && found.index === position.index;
      this.#check(isFound, `${name} is not found by its handle ${formatObjectId(event.handle)}`);
    }
    return records;
  }

  async #nodes(): Promise<number> {
    let nodes = 0;
    for await (const { key, value } of this.#store.scan(columnRange('node'))) {
      nodes++;
      const hash = keyTail(key, 0);
      this.#guard(() => decodeNode(value.subarray(8), hash));
    }
    return nodes;
  }

  /** Walks every tree of the state at the head; reading a node checks it against its hash. */
  #state(): number {
    const tree = new Tree(nodeSource(this.#store), new NodeCache({ nodesMax: VERIFY_CACHE_NODES }));
    const { stateRoot, size, unloadedRoots } = this.#head;
    const state = new State(tree, stateRoot, size, unloadedRoots);
    return this.#fields(state, ROOT_OBJECT_ID, undefined);
  }

  #fields(state: State, id: ObjectId, parent: ObjectState | undefined): number {
    let count = 0;
    let after: Uint8Array | undefined;
    let own = 0n;
    for (;;) {
      const page = this.#guard(() => state.fields(id, { after, limit: 256 }));
      if (page === undefined) return count;
      for (const { object } of page) {
        own++;
        count++;
        const root = object.meta.stateRoot;
        if (root === undefined || equalBytes(root, EMPTY_ROOT) || !state.isLoaded(object)) continue;
        count += this.#fields(state, object.meta.id, object);
      }
      const last = page[page.length - 1];
      if (last === undefined || page.length < 256) break;
      after = last.key;
    }
    if (parent !== undefined) {
      this.#check(
        own === parent.meta.size,
        `${formatObjectId(id)} says it has ${parent.meta.size} fields and has ${own}`,
      );
    }
    return count;
  }

  async #derivedColumns(): Promise<number> {
    let rows = 0;
    for (const column of DERIVED_COLUMNS) rows += await this.#derivedColumn(column);
    return rows;
  }

  async #derivedColumn(column: ColumnName): Promise<number> {
    let stored = 0;
    let expected = 0;
    try {
      for await (const { key, value } of this.#store.scan(columnRange(column))) {
        stored++;
        const right = this.#derived.get(key);
        this.#check(right !== undefined, `the ${column} row ${toHex(key)} belongs to nothing`);
        this.#check(right === undefined || equalBytes(right, value), `the ${column} row ${toHex(key)} is wrong`);
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.#report(error.message);
      return stored;
    }
    for await (const { key } of this.#derived.scan(columnRange(column))) {
      expected++;
      if (stored < expected)
        this.#check(this.#store.get(key) !== undefined, `the ${column} row ${toHex(key)} is missing`);
    }
    this.#check(stored === expected, `the ${column} column has ${stored} rows instead of ${expected}`);
    return stored;
  }
}
