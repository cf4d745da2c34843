/**
 * Checks the states that a chain with a bounded history keeps, node by node: every node that one of them reaches must
 * be in the store, and no list may name it for pruning before that state. The row with the progress of pruning must agree
 * with the lists that are left: if it is ahead of them, they are never pruned.
 *
 * Each node is read once, however many states share it. Pruning runs in the background, so there may be other nodes, as
 * long as a list names them or the tree that they are part of.
 *
 * Reading a node checks it against its hash, and each object must have as many fields as it says.
 * @module
 */
import { decode } from '../../base/bcs.ts';
import { equalBytes, textOfBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { HOST } from '../../base/host.ts';
import { FIELD_INDEXER_ID, fieldRowOperations, type RegisteredField } from '../../chain/index/fields.ts';
import { objectRowOperations, readObjectRow } from '../../chain/index/objects.ts';
import type { Head } from '../../chain/ledger/head.ts';
import type { History } from '../../chain/ledger/history.ts';
import { readStateRoot, readStateRootOrder } from '../../chain/ledger/transactions.ts';
import { formatObjectId, type ObjectId, objectId, ROOT_OBJECT_ID } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import {
  childrenOf,
  detachedNodes,
  hashParts,
  type ListColumn,
  nodeBytes,
  nodeOrder,
  nodeSource,
} from '../../chain/state/node-row.ts';
import type { State } from '../../chain/state/state.ts';
import { columnKey, columnRange, keyTail, readOrder } from '../../store/column.ts';
import type { Operation, ReadableStore } from '../../store/store.ts';
import { EMPTY_ROOT, type NodeSource, type TouchedNodes } from '../../store/tree/tree.ts';
import { guarded, guardedRows, type Report } from './expected-rows.ts';

const HASH_BYTES = 32;
const ORDER_BYTES = 8;

/** Whether the state after `order` can be read: states within a group of commits cannot. */
export function isKeptOrder(store: ReadableStore, order: bigint): boolean {
  const last = readStateRootOrder(store, readStateRoot(store, order));
  return last !== undefined && last >= order;
}

/** A node of a kept state. */
interface KeptNode {
  /** The order of its row. */
  readonly written: bigint;
  /** The newest kept state that has it. */
  readonly last: bigint;
}

export class KeptStates {
  readonly #store: ReadableStore;
  readonly #head: Head;
  readonly #report: Report;
  /** Nodes met so far, by the text of their hash. */
  readonly #nodes = new Map<string, KeptNode>();
  /** Those that a list has pruned after the last kept state that has them, likewise. */
  readonly #listed = new Set<string>();

  constructor(store: ReadableStore, head: Head, report: Report) {
    this.#store = store;
    this.#head = head;
    this.#report = report;
  }

  /** Checks all states that `history` keeps. `pause` is called between two of them. */
  async check(history: History, pause: () => Promise<void>): Promise<void> {
    const { oldest } = history;
    const { order: newest, stateRoot } = this.#head;
    // The newest first, so that each node is met in the last state that has it.
    this.#walk(stateRoot, newest);
    for (let order = newest; order >= oldest; order--) {
      const isKept = guarded(this.#report, () => isKeptOrder(this.#store, order));
      if (isKept === true) this.#walk(readStateRoot(this.#store, order), order);
      else if (order === oldest || order === newest) {
        this.#report(`the state after order ${order} is kept and has no row of its root`);
      }
      await pause();
    }
    await this.#checkStale(history);
    await this.#checkUnlisted();
    guarded(this.#report, () => this.#checkProgress(history));
  }

  #walk(root: Uint8Array, last: bigint): void {
    const waiting = [root];
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      const text = textOfBytes(hash);
      if (this.#nodes.has(text) || this.#isAbsent(hash)) continue;
      const row = guarded(this.#report, () => this.#store.get(columnKey('node', hash)));
      const written = row && guarded(this.#report, () => nodeOrder(row));
      this.#nodes.set(text, { written: written ?? this.#head.order, last });
      if (row === undefined) this.#report(`the tree node ${toHexPrefixed(hash)} is missing`);
      else waiting.push(...(guarded(this.#report, () => childrenOf(hash, nodeBytes(this.#store, row, hash))) ?? []));
    }
  }

  #isAbsent(root: Uint8Array): boolean {
    return equalBytes(root, EMPTY_ROOT) || this.#head.unloadedRoots.some((unloaded) => equalBytes(unloaded, root));
  }

  /** A node that was written before a list names it is in no state from there on. */
  async #checkStale({ next }: History): Promise<void> {
    for await (const { order, hash } of this.#entries('staleNodes')) {
      this.#checkListed(hash, order);
      if (order > 0n && order < next)
        this.#report(`pruning has passed order ${order}, and left its list of stale nodes`);
    }
    for await (const { order, hash: root } of this.#entries('detachedTrees')) {
      guarded(this.#report, () => {
        for (const key of detachedNodes(this.#store, root, order)) this.#checkListed(keyTail(key, 0), order);
      });
    }
  }

  #checkListed(hash: Uint8Array, order: bigint): void {
    const text = textOfBytes(hash);
    const node = this.#nodes.get(text);
    if (node === undefined || node.last < order) this.#listed.add(text);
    else if (node.written < order) {
      const state = node.last === this.#head.order ? 'the present state' : `the state after order ${node.last}`;
      this.#report(`the tree node ${toHexPrefixed(hash)} is listed as stale since order ${order}, and is of ${state}`);
    }
  }

  /** Unless a list names it, a node that is not in the present state is never pruned. */
  async #checkUnlisted(): Promise<void> {
    for await (const { key } of guardedRows(this.#store, columnRange('node'), this.#report)) {
      const hash = keyTail(key, 0);
      const text = textOfBytes(hash);
      const node = this.#nodes.get(text);
      if (node?.last === this.#head.order || this.#listed.has(text)) continue;
      this.#report(
        `the tree node ${toHexPrefixed(hash)} is not in the present state, and no list has it pruned`,
        node === undefined ? { type: 'delete', key } : undefined,
      );
    }
  }

  /** Pruning goes on from a place among what is left to prune. */
  #checkProgress({ oldest, next, staleDone }: History): void {
    const isPlace = next >= 1n && next <= oldest + 1n && oldest <= this.#head.order;
    const done = Number(staleDone) * HASH_BYTES;
    if (isPlace && (done === 0 || (next <= oldest && done <= this.#listBytes(next)))) return;
    this.#report(
      `the history row says that pruning is at entry ${staleDone} of order ${next}, which is not to be pruned: the oldest state that is kept is that after order ${oldest}`,
    );
  }

  /** The length of what is listed under an order. */
  #listBytes(order: bigint): number {
    let bytes = 0;
    for (const column of ['staleNodes', 'detachedTrees'] as const)
      for (const { value: hashes } of hashParts(this.#store, column, order)) bytes += hashes.length;
    return bytes;
  }

  /** What a column lists, up to the first row that cannot be read; the comparison of all rows reports that one. */
  async *#entries(column: ListColumn): AsyncGenerator<{ readonly order: bigint; readonly hash: Uint8Array }> {
    for await (const { key, value } of guardedRows(this.#store, columnRange(column), this.#report)) {
      const tail = keyTail(key, 0);
      if (tail.length < ORDER_BYTES) continue;
      const order = readOrder(tail, 0);
      for (let at = 0; at < value.length; at += HASH_BYTES) yield { order, hash: value.subarray(at, at + HASH_BYTES) };
    }
  }
}

/** The tree nodes for replaying change sets: those created since the last kept state, and those in the store. */
export class ReplayedNodes {
  readonly source: NodeSource;
  readonly #genesis = new Map<string, Uint8Array>();
  readonly #latest = new Map<string, Uint8Array>();

  constructor(store: ReadableStore) {
    const stored = nodeSource(store);
    this.source = (hash) => {
      const text = textOfBytes(hash);
      return this.#latest.get(text) ?? this.#genesis.get(text) ?? stored(hash);
    };
  }

  /** Takes the nodes that applying the change set of `order` created. */
  add(order: bigint, { fresh }: TouchedNodes): void {
    const nodes = order === 0n ? this.#genesis : this.#latest;
    for (const { hash, bytes } of fresh) nodes.set(textOfBytes(hash), bytes.slice());
  }

  /** Drops everything but genesis: the store has the state that was reached. */
  reachedKeptState(): void {
    this.#latest.clear();
  }
}

/** Rows of `store` that find objects and fields, and the rows that must accompany them. */
export async function* indexRows(
  store: ReadableStore,
  present: State,
  report: Report,
): AsyncGenerator<readonly Operation[], void, undefined> {
  for await (const { key } of guardedRows(store, columnRange('object'), report)) {
    const id = guarded(report, () => decode(objectId, keyTail(key, 0)));
    const row = id && guarded(report, () => readObjectRow(store, id));
    if (id === undefined || row === undefined) continue;
    const object = guarded(report, () => present.object(id));
    if (object !== undefined && !equalBytes(object.meta.owner, row.owner)) {
      report(`the index row of ${formatObjectId(id)} names another owner than the object`);
    }
    yield [...objectRowOperations(id, row)];
  }
  for await (const { key, value } of guardedRows(store, columnRange('fieldSortKey'), report)) {
    const id = guarded(report, () => decode(objectId, keyTail(key, 0)));
    if (id !== undefined) yield fieldRowOperations(id, value);
  }
}

/** The parents whose fields are indexed in a state. */
export function registeredAt(state: State): RegisteredField[] {
  const fields = state.fields(FIELD_INDEXER_ID, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  return fields.map(({ key, object }) => ({ key, value: object.value }));
}

/** How many fields are read at a time. */
const PAGE_FIELDS = 256;

/** How many fields are read before the event loop gets a turn. */
const PAUSE_FIELDS = 4_096;

/**
 * Walks all objects and fields of a state, and checks the sizes that objects claim. Returns how many there are.
 * @param onField called with the number of objects and fields seen
 */
export async function countFields(
  state: State,
  report: (problem: string) => void,
  onField: (seen: number) => void,
): Promise<number> {
  let seen = 0;
  const walk = async (id: ObjectId, size: bigint | undefined): Promise<void> => {
    let after: Uint8Array | undefined;
    let own = 0n;
    for (;;) {
      const page = guarded(report, () => state.fields(id, { after, limit: PAGE_FIELDS }));
      if (page === undefined) return;
      for (const { object } of page) {
        own++;
        // So that the walk can be stopped in between.
        if (++seen % PAUSE_FIELDS === 0) await nextTurn();
        onField(seen);
        if (hasFields(state, object)) await walk(object.meta.id, object.meta.size);
      }
      const last = page[page.length - 1];
      if (last === undefined || page.length < PAGE_FIELDS) break;
      after = last.key;
    }
    if (size !== undefined && own !== size) report(`${formatObjectId(id)} says it has ${size} fields and has ${own}`);
  };
  await walk(ROOT_OBJECT_ID, undefined);
  return seen;
}

/** Whether the object says that it has fields, and they are in the store. */
function hasFields(state: State, object: ObjectState): boolean {
  const { stateRoot, size } = object.meta;
  const isEmpty = stateRoot === undefined || equalBytes(stateRoot, EMPTY_ROOT);
  return !(isEmpty && size === 0n) && state.isLoaded(object.meta);
}

/** Lets the event loop do its other work first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => HOST.afterTurn(resolve));
}
