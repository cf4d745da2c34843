/**
 * The rows of a group of commits on a chain that keeps all of its history. A tree node that the group replaces, and
 * that it or the group before made, is stored as a delta to the node that took its place.
 *
 * The state root changes with each commit, so its deltas lead from one version to the next. One node in eight, chosen
 * by hash, is stored whole: reading one of the others takes another seven reads on average.
 *
 * It is not known here which of a commit's nodes replaced which, and any node may be the base of a delta. Nodes are
 * replaced in the order in which others are made, so the next similar one is taken.
 * @module
 */

import { textOfBytes } from '../base/bytes/byte-text.ts';
import { deltaRow, isBranchRow, isDelta, nodeOrder } from '../chain/state/node-row.ts';
import { COLUMN, columnKeyAt } from '../store/column.ts';
import { operationsOf, type Rows } from '../store/row-batch.ts';
import type { Operation } from '../store/store.ts';
import type { GroupRows } from './group-rows.ts';

const HASH_BYTES = 32;

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

  get(key: Uint8Array): Uint8Array | undefined {
    const node = key[0] === COLUMN.node ? this.#nodes.get(textOfBytes(key)) : undefined;
    return node === undefined ? this.#rows.get(key) : node.value;
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
      // Copied, since a row shares its memory with all others of its commit.
      if (!isDelta(value)) this.#earlier.set(text, value.slice());
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
