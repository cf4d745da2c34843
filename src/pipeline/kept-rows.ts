/**
 * How the rows of a group of commits reach the store, by how much history is kept.
 *
 * **On a chain with a bounded history**, only the state after the whole group is kept, since
 * no reader sees part of a batch: a tree node that the group both creates and replaces is never written, and the
 * intermediate roots get no row.
 *
 * Of what a group does to a node, only the first and the last step count:
 *
 * | before the group | after it | what is written |
 * | --- | --- | --- |
 * | absent | absent | nothing |
 * | absent | there | the node, with the order that made it last |
 * | there | absent | that it is stale, in the list of the first order of the group that has one |
 * | there | there | nothing: the earlier row stays, with its order |
 *
 * A node was there before the group if the first step replaces it, and is there after the group if the last step
 * creates it. So the row of a node has a lower order than any list that calls it stale, unless the node has come back;
 * then it has a higher one. Pruning (pruner.ts) relies on that.
 *
 * A tree that a commit detaches is dismantled as far as the group made it. Nodes from before the group stay as they
 * are, and the topmost of them are listed as roots of detached trees.
 *
 * **On a chain that keeps all of its history**, a tree node that the group replaces, and
 * that it or the group before made, is stored as a delta to the node that took its place.
 *
 * The state root changes with each commit, so its deltas lead from one version to the next. One node in eight, chosen
 * by hash, is stored whole: reading one of the others takes another seven reads on average.
 *
 * It is not known here which of a commit's nodes replaced which, and any node may be the base of a delta. Nodes are
 * replaced in the order in which others are made, so the next similar one is taken.
 * @module
 */
import { shortLivedBytes } from '../base/bytes/arena.ts';
import { joinBytes, textOfBytes } from '../base/bytes/bytes.ts';
import { readHistory } from '../chain/ledger/history.ts';
import {
  childrenOf,
  deltaRow,
  detachedOperations,
  isBranchRow,
  isDelta,
  nodeBytes,
  nodeOrder,
  staleOperations,
} from '../chain/state/node-row.ts';
import { COLUMN, columnKey, columnKeyAt, keyTail, readOrder } from '../store/column.ts';
import { operationsOf, type Rows } from '../store/row-batch.ts';
import { isRevertible, type Operation, type Store, type Way } from '../store/store.ts';
import type { GroupRows } from './group-rows.ts';

const HASH_BYTES = 32;

type Put = Extract<Operation, { readonly type: 'put' }>;

/** The effect of a group on a node so far. */
interface NodeChange {
  readonly key: Uint8Array;
  /** Whether the node was there before the group. */
  wasThere: boolean;
  /** Its row, if the group has made it and not replaced it since. */
  made: Put | undefined;
  /** The commit that made it last, by its number. */
  madeBy: number;
  /** Whether it is there now. */
  isThere: boolean;
  /** Whether everything that was below it before the group went with it. */
  readonly isTree: boolean;
  /** The first commit of the group that made it or replaced it. */
  readonly metBy: number;
}

class BoundedRows implements GroupRows {
  readonly keepsNodes = false;
  readonly #rows: GroupRows;
  /** By the key as text. */
  #nodes = new Map<string, NodeChange>();
  /** How many commits were added so far. */
  #commits = 0;
  /** The row of the last commit's root. */
  #root: Operation | undefined;
  /** The first order that replaced nodes. */
  #staleFrom: bigint | undefined;

  constructor(rows: GroupRows) {
    this.#rows = rows;
  }

  get(key: Uint8Array, way?: Way): Uint8Array | undefined {
    if (key[0] === COLUMN.node) {
      const made = this.#nodes.get(textOfBytes(key))?.made;
      if (made !== undefined) return made.value;
    }
    return this.#rows.get(key, way);
  }

  add(rows: Rows): void {
    this.#commits++;
    const others: Operation[] = [];
    for (const operation of operationsOf(rows)) {
      if (operation.type === 'delete') others.push(operation);
      else if (operation.key[0] === COLUMN.node) this.#make(operation);
      else if (operation.key[0] === COLUMN.staleNodes) this.#replace(operation);
      else if (operation.key[0] === COLUMN.detachedTrees) this.#detach(operation);
      else if (operation.key[0] === COLUMN.stateRoot) this.#root = operation;
      else others.push(operation);
    }
    this.#rows.add(others);
  }

  async write(last: Rows, order: bigint): Promise<void> {
    const kept: Operation[] = this.#root === undefined ? [] : [this.#root];
    const stale: Uint8Array[] = [];
    const detached: Uint8Array[] = [];
    for (const { key, wasThere, isThere, made, isTree } of this.#nodes.values()) {
      if (!wasThere && made !== undefined) kept.push(made);
      else if (wasThere && !isThere) (isTree ? detached : stale).push(keyTail(key, 0));
    }
    if (this.#staleFrom !== undefined) {
      kept.push(...staleOperations(this.#staleFrom, { bytes: joinBytes(stale) }));
      kept.push(...detachedOperations(this.#staleFrom, detached));
    }
    this.#nodes = new Map();
    this.#root = undefined;
    this.#staleFrom = undefined;
    this.#rows.add(kept);
    await this.#rows.write(last, order);
  }

  #make(row: Put): void {
    const text = textOfBytes(row.key);
    const known = this.#nodes.get(text);
    if (known === undefined) {
      const by = this.#commits;
      const change = { key: row.key, wasThere: false, isThere: true, made: row, madeBy: by, isTree: false, metBy: by };
      this.#nodes.set(text, change);
      return;
    }
    known.made = row;
    known.madeBy = this.#commits;
    known.isThere = true;
  }

  #replace({ key: listKey, value: hashes }: Put): void {
    this.#staleFrom ??= readOrder(keyTail(listKey, 0), 0);
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      const key = columnKeyAt('node', hashes, at);
      const text = textOfBytes(key);
      const known = this.#nodes.get(text);
      if (known === undefined) {
        this.#nodes.set(text, this.#goneBefore(key, false));
      } else this.#remove(known);
    }
  }

  #detach({ key: listKey, value: roots }: Put): void {
    this.#staleFrom ??= readOrder(keyTail(listKey, 0), 0);
    const waiting: Uint8Array[] = [];
    for (let at = 0; at < roots.length; at += HASH_BYTES) waiting.push(roots.subarray(at, at + HASH_BYTES));
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      const key = columnKey('node', hash);
      const text = textOfBytes(key);
      const known = this.#nodes.get(text);
      const row = known?.made?.value;
      if (known === undefined) {
        this.#nodes.set(text, this.#goneBefore(key, true));
      } else if (row !== undefined) {
        const children = childrenOf(hash, nodeBytes(this, row, hash));
        // Of a tree that the commit makes again, all that is below was made again, too.
        this.#remove(known);
        waiting.push(...children);
      }
    }
  }

  /** A node from before the group that a commit replaced, or whose tree it detached. */
  #goneBefore(key: Uint8Array, isTree: boolean): NodeChange {
    return { key, wasThere: true, isThere: false, made: undefined, madeBy: 0, isTree, metBy: this.#commits };
  }

  /** Takes a node away, unless the commit that replaces it in one tree creates it in another. */
  #remove(known: NodeChange): void {
    if (known.made !== undefined && known.madeBy === this.#commits) {
      // What the commit replaces was there before it, though it was first met as one that the commit makes. So were the
      // nodes below it, each of which is met, too: those that are still there after the group keep their rows.
      if (known.metBy === this.#commits) known.wasThere = true;
      return;
    }
    known.made = undefined;
    known.isThere = false;
  }
}

/** One in this many nodes is not stored as a delta. */
const WHOLE_NODES = 8;

/** How many of the nodes that a commit made are compared with one that it replaced. */
const CANDIDATES_MAX = 16;

/** The row of a node that the group made or changed. */
interface NodeRow {
  readonly key: Uint8Array;
  value: Uint8Array;
  /** The commit of the group that made it; 0 for one of the group before. */
  commit: number;
}

export class ReplacedNodes implements GroupRows {
  readonly keepsNodes = true;
  readonly #rows: GroupRows;
  /** By the key as text. */
  #nodes = new Map<string, NodeRow>();
  /** Rows of nodes that the group before made and stored whole, likewise: reading them from the store takes longer. */
  #earlier = new Map<string, Uint8Array>();
  /** The last order of that group. */
  #earlierOrder: bigint | undefined;
  /** The branches made by the commit whose rows are being added. */
  #branches: NodeRow[] = [];
  #leaves: NodeRow[] = [];
  /** The commit whose rows are being added, from 1 within the group. */
  #commit = 1;

  constructor(rows: GroupRows) {
    this.#rows = rows;
  }

  get(key: Uint8Array, way?: Way): Uint8Array | undefined {
    const node = key[0] === COLUMN.node ? this.#nodes.get(textOfBytes(key)) : undefined;
    return node === undefined ? this.#rows.get(key, way) : node.value;
  }

  add(rows: Rows): void {
    const others: Operation[] = [];
    for (const operation of operationsOf(rows)) {
      if (operation.type === 'put' && operation.key[0] === COLUMN.node) {
        this.#make(operation.key, operation.value);
        continue;
      }
      others.push(operation);
      if (this.#branches.length + this.#leaves.length === 0) continue;
      if (operation.type === 'put' && operation.key[0] === COLUMN.staleNodes) this.#replace(operation.value);
      this.#branches = [];
      this.#leaves = [];
      this.#commit++;
    }
    this.#rows.add(others);
  }

  async write(last: Rows, order: bigint): Promise<void> {
    const rows: Operation[] = [];
    this.#earlier = new Map();
    this.#earlierOrder = order;
    for (const [text, { key, value }] of this.#nodes) {
      rows.push({ type: 'put', key, value });
      if (isDelta(value)) continue;
      // Copied, since a row shares its memory with all others of its commit; the next group replaces the copies.
      const copy = shortLivedBytes(value.length);
      copy.set(value);
      this.#earlier.set(text, copy);
    }
    this.#nodes = new Map();
    this.#commit = 1;
    this.#rows.add(rows);
    // The next group may be filled meanwhile.
    await this.#rows.write(last, order);
  }

  #make(key: Uint8Array, value: Uint8Array): void {
    // A commit that was written alone, in between, may have made any of the nodes again.
    if (this.#nodes.size === 0 && nodeOrder(value) - 1n !== this.#earlierOrder) this.#earlier = new Map();
    const text = textOfBytes(key);
    let node = this.#nodes.get(text);
    if (node === undefined) {
      node = { key, value, commit: this.#commit };
      this.#nodes.set(text, node);
    } else {
      node.value = value;
      node.commit = this.#commit;
    }
    (isBranchRow(value) ? this.#branches : this.#leaves).push(node);
  }

  #replace(hashes: Uint8Array): void {
    let [branch, leaf] = [0, 0];
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      if (hashes[at]! % WHOLE_NODES === 0) continue;
      const key = columnKeyAt('node', hashes, at);
      const text = textOfBytes(key);
      const made = this.#nodes.get(text);
      // A node that a commit makes in one tree and replaces in another stays as it is.
      if (made !== undefined && (made.commit === this.#commit || isDelta(made.value))) continue;
      const value = made === undefined ? this.#earlier.get(text) : made.value;
      if (value === undefined || isDelta(value)) continue;
      const node = made ?? { key, value, commit: 0 };
      if (isBranchRow(value)) branch = storeDelta(node, this.#branches, branch);
      else leaf = storeDelta(node, this.#leaves, leaf);
      if (made === undefined && node.value !== value) this.#nodes.set(text, node);
    }
  }
}

/** Makes `node` a delta to one of `made`, preferably one from `from` on; returns the index after the one taken. */
function storeDelta(node: NodeRow, made: readonly NodeRow[], from: number): number {
  const count = Math.min(CANDIDATES_MAX, made.length);
  for (let tried = 0; tried < count; tried++) {
    const place = (from + tried) % made.length;
    const base = made[place]!;
    const delta = deltaRow(node.value, base.value, base.key);
    if (delta === undefined) continue;
    node.value = delta;
    return (place + 1) % made.length;
  }
  return from;
}

/** `rows` without those that are not kept. In memory nothing is filtered: a row costs less there than the filtering. */
export function keptRows(store: Store, rows: GroupRows): GroupRows {
  if (readHistory(store)?.kept !== undefined) return new BoundedRows(rows);
  return isRevertible(store) ? rows : new ReplacedNodes(rows);
}
