/**
 * Checks of the rows that an origin sends, against the point at which a fork begins.
 *
 * | rows | are checked by |
 * | --- | --- |
 * | nodes of the tree | their hashes: all below the state root follow from it |
 * | transactions, and the hashes in their results | the accumulator's root: what a transaction does, and its order |
 * | the data of events | the event root in their transaction's result |
 *
 * Nothing else follows from a root: results (status, gas, event root), signatures and times of transactions, types and
 * handles of events, counts, change sets and indexes are the origin's word.
 * @module
 */

import { decode } from '../../base/bcs.ts';
import { equalBytes, textOfBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { decodeEvent } from '../../chain/ledger/events.ts';
import type { Head } from '../../chain/ledger/head.ts';
import type { RowReader } from '../../chain/ledger/transactions.ts';
import { nodeBytes } from '../../chain/state/node-row.ts';
import { executionInfo } from '../../chain/transaction/execution-info.ts';
import { ledgerTransaction, ledgerTransactionHash } from '../../chain/transaction/ledger.ts';
import { eventRoot } from '../../store/accumulator/accumulator.ts';
import { proveLeaf } from '../../store/accumulator/proof.ts';
import { COLUMN, columnKey, keyTail, orderBytes, positionBytes, readOrder, readPosition } from '../../store/column.ts';
import { BRANCH_HEAD_BYTES, LEAF_TAG } from '../../store/tree/node.ts';
import { decodeNode } from '../../store/tree/reader.ts';
import { untrueAnswer } from './wire.ts';

const HASH_BYTES = 32;

/** Children of branches to remember: some 40 MB. The reader of a tree compares as well, without naming the origin. */
const CHILDREN_NOTED_MAX = 400_000;

export class RowCheck {
  readonly #head: Head;
  readonly #remote: string;
  readonly #rows: RowReader;
  readonly #forget: (key: Uint8Array) => void;
  /** The kind of each child according to its parent, by the child's hash. */
  readonly #parents = new Map<string, { readonly hash: Uint8Array; readonly saysLeaf: boolean }>();
  /** Orders whose events were all checked. */
  readonly #orders = new Set<bigint>();

  /**
   * @param rows further rows of the origin that a check needs, unchecked
   * @param forget called with the key of a row that passed its check and turns out to be wrong
   */
  constructor(head: Head, remote: string, rows: RowReader, forget: (key: Uint8Array) => void) {
    this.#head = head;
    this.#remote = remote;
    this.#rows = rows;
    this.#forget = forget;
  }

  /**
   * Checks the row of a key as far as possible.
   * @throws {EngineError} `remote-untrue` naming the origin and the row; what reading other rows throws
   */
  check(key: Uint8Array, value: Uint8Array | undefined): void {
    if (value === undefined) return;
    switch (key[0]) {
      case COLUMN.node:
        this.#node(keyTail(key, 0), value);
        break;
      case COLUMN.transaction:
        this.#hash(readOrder(key, 1), (order) => {
          const { data, sequenceInfo } = decode(ledgerTransaction, value);
          return sequenceInfo.txOrder === order ? ledgerTransactionHash(data) : undefined;
        });
        break;
      case COLUMN.executionInfo:
        this.#hash(readOrder(key, 1), () => decode(executionInfo, value).txHash);
        break;
      case COLUMN.event:
        this.#events(readPosition(key, 1).order);
        break;
      default:
    }
  }

  #node(hash: Uint8Array, row: Uint8Array): void {
    let bytes: Uint8Array;
    try {
      bytes = nodeBytes({ get: () => undefined }, row, hash);
      decodeNode(bytes, hash);
    } catch (cause) {
      throw this.#untrue(`the tree node ${toHexPrefixed(hash)} has other bytes than its hash says`, cause);
    }
    const isLeaf = bytes[0] === LEAF_TAG;
    const parent = this.#parents.get(textOfBytes(hash));
    if (parent !== undefined && parent.saysLeaf !== isLeaf) {
      this.#forget(columnKey('node', parent.hash));
      throw this.#untrue(`the tree node ${toHexPrefixed(parent.hash)} says wrongly which of its children are leaves`);
    }
    if (!isLeaf) this.#noteChildren(hash, bytes);
  }

  /** Remembers the children of a branch. Its hash does not always cover which of them are leaves. */
  #noteChildren(hash: Uint8Array, bytes: Uint8Array): void {
    const existence = bytes[1]! | (bytes[2]! << 8);
    const leaves = bytes[3]! | (bytes[4]! << 8);
    if (this.#parents.size > CHILDREN_NOTED_MAX) this.#parents.clear();
    let at = BRANCH_HEAD_BYTES;
    for (let nibble = 0; nibble < 16; nibble++) {
      if (((existence >>> nibble) & 1) === 0) continue;
      const child = textOfBytes(bytes.subarray(at, at + HASH_BYTES));
      this.#parents.set(child, { hash, saysLeaf: ((leaves >>> nibble) & 1) === 1 });
      at += HASH_BYTES;
    }
  }

  /** Checks that something hashes to the leaf of the accumulator at `order`. */
  #hash(order: bigint, hashOf: (order: bigint) => Uint8Array | undefined): void {
    const what = `the transaction at order ${order}`;
    let hash: Uint8Array | undefined;
    try {
      hash = hashOf(order);
    } catch (cause) {
      throw this.#untrue(`${what} does not decode`, cause);
    }
    if (hash !== undefined && equalBytes(hash, this.#leaf(order, what))) return;
    throw this.#untrue(`${what} is not the one in the accumulator`);
  }

  /** The hash of the transaction at `order`, proven under the accumulator's root. */
  #leaf(order: bigint, what: string): Uint8Array {
    const source = (position: bigint): Uint8Array | undefined =>
      this.#rows.get(columnKey('accumulatorNode', orderBytes(position)));
    try {
      if (proveLeaf(source, this.#head.accumulator, order) !== undefined) return source(order << 1n)!;
    } catch (cause) {
      if (cause instanceof EngineError && cause.code !== 'corrupt') throw cause;
      throw this.#untrue(`${what} has no place in the accumulator`, cause);
    }
    throw this.#untrue(`${what} is beyond order ${this.#head.order}, at which the fork begins`);
  }

  /** Checks all events of a transaction together: its event root covers all of them. */
  #events(order: bigint): void {
    if (this.#orders.has(order)) return;
    const what = `the events of order ${order}`;
    const info = this.#rows.get(columnKey('executionInfo', orderBytes(order)));
    if (info === undefined) throw this.#untrue(`${what} have no transaction`);
    this.check(columnKey('executionInfo', orderBytes(order)), info);
    const events = [];
    for (let index = 0; ; index++) {
      const row = this.#rows.get(columnKey('event', positionBytes({ order, index })));
      if (row === undefined) break;
      try {
        events.push(decodeEvent(row, `event ${index} of order ${order}`));
      } catch (cause) {
        throw this.#untrue(`${what} do not decode`, cause);
      }
    }
    if (!equalBytes(eventRoot(events), decode(executionInfo, info).eventRoot)) {
      throw this.#untrue(`${what} are not those of their transaction's event root`);
    }
    this.#orders.add(order);
  }

  #untrue(what: string, cause?: unknown): EngineError {
    return untrueAnswer(this.#remote, what, cause);
  }
}
