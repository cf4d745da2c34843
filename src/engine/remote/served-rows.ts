/**
 * The rows of one point of a chain, as an origin gives them to its forks.
 *
 * If the rows of that very point are held, all of them serve. Otherwise those of a later point do: rows that never
 * change, up to the point, and counts that follow from them. The indexes of that time are then unknown, so there are no
 * lists of objects and of fields.
 * @module
 */

import { decode } from '../../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError } from '../../base/error.ts';
import { objectRow } from '../../chain/index/objects.ts';
import { countEventsBefore } from '../../chain/ledger/events.ts';
import type { Head } from '../../chain/ledger/head.ts';
import { signedRow } from '../../chain/ledger/transactions.ts';
import { stringFieldKey } from '../../chain/object/field-key.ts';
import { type ObjectId, objectId, packageObjectId } from '../../chain/object/object-id.ts';
import { type ObjectState, objectState } from '../../chain/object/object-state.ts';
import { hasFields } from '../../chain/state/apply.ts';
import { nodeBytes, nodeOrder, nodeSource, wholeNodeRow } from '../../chain/state/node-row.ts';
import { moduleOfField } from '../../chain/state/state.ts';
import { proveLeaf } from '../../store/accumulator/proof.ts';
import {
  COLUMN,
  columnKey,
  keyTail,
  orderBytes,
  POSITION_BYTES,
  positionBytes,
  readOrder,
} from '../../store/column.ts';
import { rangeAfter } from '../../store/key-range.ts';
import { STORE_KEY_BYTES_MAX } from '../../store/limits.ts';
import type { KeyRange, ReadableStore, Row, Way } from '../../store/store.ts';
import { Leaf } from '../../store/tree/node.ts';
import { type PathNode, pathNodes } from '../../store/tree/path.ts';
import { decodeNode } from '../../store/tree/reader.ts';
import type { NodeSource } from '../../store/tree/tree.ts';
import { dependenciesOf } from '../../vm/binary/module.ts';
import { readModule } from '../../vm/binary/read.ts';
import type { OriginRow } from './origin.ts';

/** Events of a transaction that are sent along with one of them. */
const EVENTS_ALONG_MAX = 256;

/** Modules that are sent along with one that needs them. */
const MODULES_ALONG_MAX = 256;

/** A point of a chain, and the rows of that point or a later one. */
export interface ServedPoint {
  readonly head: Head;
  readonly rows: ReadableStore;
  /** Whether the rows are those of that very point. */
  readonly isHeld: boolean;
}

/** A leaf that a walk has found. */
interface FoundLeaf {
  readonly hash: Uint8Array;
  readonly object: ObjectState;
}

export class ServedRows {
  readonly #point: ServedPoint;
  readonly #nodes: NodeSource;
  readonly #hasGenesis: boolean;

  /** @param hasGenesis whether the fork has the nodes of the chain's genesis, so that they are not sent along */
  constructor(point: ServedPoint, hasGenesis: boolean) {
    this.#point = point;
    this.#nodes = nodeSource(point.rows);
    this.#hasGenesis = hasGenesis;
  }

  /**
   * The row of a key.
   * @throws {EngineError} `invalid-argument` for a key that is none of a row that forks read; `corrupt`
   */
  value(key: Uint8Array): Uint8Array | undefined {
    assertServedKey(key);
    const { rows, head, isHeld } = this.#point;
    const isLater = (order: bigint): boolean => order > head.order;
    switch (key[0]) {
      case COLUMN.node: {
        const row = rows.get(key);
        if (row === undefined) return undefined;
        // A node that was written again later also existed before.
        const order = nodeOrder(row);
        return wholeNodeRow(isLater(order) ? head.order : order, nodeBytes(rows, row, keyTail(key, 0)));
      }
      case COLUMN.transaction: {
        const value = isLater(readOrder(key, 1)) ? undefined : rows.get(key);
        return value && signedRow(rows, { key, value }).value;
      }
      case COLUMN.executionInfo:
      case COLUMN.changeSet:
      case COLUMN.event:
        return isLater(readOrder(key, 1)) ? undefined : rows.get(key);
      case COLUMN.transactionOrder:
      case COLUMN.stateRoot:
      case COLUMN.eventByHandle: {
        const value = rows.get(key);
        return value === undefined || isLater(readOrder(value, 0)) ? undefined : value;
      }
      case COLUMN.accumulatorNode:
        return rows.get(key);
      case COLUMN.eventHandle:
        return isHeld ? rows.get(key) : this.#eventCount(key);
      case COLUMN.object: {
        const value = rows.get(key);
        if (isHeld || value === undefined) return value;
        return isLater(decode(objectRow, value).order) ? undefined : value;
      }
      case COLUMN.inscriptionBytes:
      case COLUMN.fieldSortKey:
        return isHeld ? rows.get(key) : undefined;
      default:
        return undefined;
    }
  }

  /** How many events a handle had: their positions never change. */
  #eventCount(key: Uint8Array): Uint8Array | undefined {
    const reader = new ByteReader(key, 1);
    const handle = objectId.read(reader);
    reader.finish();
    const { rows, head } = this.#point;
    const count = countEventsBefore(rows, handle, { order: head.order + 1n, index: 0 });
    return count === 0n ? undefined : orderBytes(count);
  }

  /** Rows that are likely to be read after that of a key. */
  *after(key: Uint8Array, way: Way | undefined): Generator<OriginRow, void, undefined> {
    for (const row of this.#after(key, way)) if (!this.#isKnown(row.key)) yield row;
  }

  *#after(key: Uint8Array, way: Way | undefined): Generator<OriginRow, void, undefined> {
    switch (key[0]) {
      case COLUMN.node:
        if (way !== undefined) yield* this.#path(keyTail(key, 0), way);
        return;
      case COLUMN.transactionOrder: {
        const order = this.value(key);
        if (order !== undefined) yield* this.#transaction(readOrder(order, 0));
        return;
      }
      case COLUMN.transaction:
        yield* this.#transaction(readOrder(key, 1));
        return;
      case COLUMN.executionInfo:
        yield* this.#place(readOrder(key, 1));
        return;
      case COLUMN.event: {
        const order = readOrder(key, 1);
        yield this.#row(columnKey('executionInfo', orderBytes(order)));
        yield* this.#place(order);
        for (let index = 0; index < EVENTS_ALONG_MAX; index++) {
          const row = this.#row(columnKey('event', positionBytes({ order, index })));
          yield row;
          if (row.value === undefined) return;
        }
        return;
      }
      default:
    }
  }

  #row(key: Uint8Array): OriginRow {
    return { key, value: this.value(key) };
  }

  /**
   * The rest of the path to a leaf, and likely next reads: the root of its object's fields; for a module, its
   * dependencies.
   */
  *#path(hash: Uint8Array, way: Way): Generator<OriginRow, void, undefined> {
    const found = yield* this.#leaf(hash, way);
    if (found === undefined) return;
    const { object } = found;
    const { stateRoot } = object.meta;
    if (hasFields(stateRoot)) yield this.#row(columnKey('node', stateRoot));
    if (isModuleField(object)) yield* this.#dependencies(object);
  }

  /** The nodes on the way to a leaf, and the leaf's object. */
  *#leaf(hash: Uint8Array, { key, depth }: Way): Generator<OriginRow, FoundLeaf | undefined, undefined> {
    let last: PathNode | undefined;
    for (const node of pathNodes(this.#nodes, hash, key, depth)) {
      last = node;
      yield this.#row(columnKey('node', node.hash));
    }
    const leaf = last === undefined ? undefined : decodeNode(last.bytes, last.hash);
    if (last === undefined || !(leaf instanceof Leaf) || !equalBytes(leaf.key, key)) return undefined;
    return { hash: last.hash, object: decode(objectState, leaf.value) };
  }

  /** The dependencies of a module, including indirect ones, as far as the fork does not have them. */
  *#dependencies(field: ObjectState): Generator<OriginRow, void, undefined> {
    const known = new Set<string>();
    const waiting = [field];
    for (let next = waiting.pop(); next !== undefined && known.size < MODULES_ALONG_MAX; next = waiting.pop()) {
      for (const { address, name } of dependenciesOf(readModule(moduleOfField(next)))) {
        const id = `${toHexPrefixed(address)}::${name}`;
        if (known.has(id)) continue;
        known.add(id);
        const found = yield* this.#object([...packageObjectId(address), stringFieldKey(name)]);
        if (found !== undefined && !this.#isKnown(columnKey('node', found.hash))) waiting.push(found.object);
      }
    }
  }

  /** The nodes on the way to an object of the point, and its leaf. */
  *#object(id: ObjectId): Generator<OriginRow, FoundLeaf | undefined, undefined> {
    let root: Uint8Array | undefined = this.#point.head.stateRoot;
    let found: FoundLeaf | undefined;
    for (const key of id) {
      if (root === undefined) return undefined;
      found = yield* this.#leaf(root, { key, depth: 0 });
      root = found?.object.meta.stateRoot;
    }
    return found;
  }

  /** A transaction, its result, and what proves its place. */
  *#transaction(order: bigint): Generator<OriginRow, void, undefined> {
    if (order > this.#point.head.order) return;
    const at = orderBytes(order);
    yield this.#row(columnKey('transaction', at));
    yield this.#row(columnKey('executionInfo', at));
    yield* this.#place(order);
  }

  /** The proof of the place of a transaction. */
  *#place(order: bigint): Generator<OriginRow, void, undefined> {
    const { head, rows } = this.#point;
    if (order > head.order) return;
    const found: OriginRow[] = [];
    proveLeaf(
      (position) => {
        const key = columnKey('accumulatorNode', orderBytes(position));
        const value = rows.get(key);
        found.push({ key, value });
        return value;
      },
      head.accumulator,
      order,
    );
    yield* found;
  }

  /** The rows of these keys, which a dry run read. */
  *read(keys: Iterable<Uint8Array>): Generator<OriginRow, void, undefined> {
    for (const key of keys) if (key[0]! in KEY_BYTES && !this.#isKnown(key)) yield this.#row(key);
  }

  /** Whether the fork has a row: a node unchanged since genesis. */
  #isKnown(key: Uint8Array): boolean {
    if (!this.#hasGenesis || key[0] !== COLUMN.node) return false;
    const row = this.#point.rows.get(key);
    return row !== undefined && nodeOrder(row) === 0n;
  }

  /** Likely next reads after a row of a list: what it names. */
  *named({ key, value }: Row): Generator<OriginRow, void, undefined> {
    const at = (length: number): bigint => readOrder(key, key.length - length);
    switch (key[0]) {
      case COLUMN.transactionBySender:
      case COLUMN.transactionByTime:
        yield* this.after(columnKey('transaction', orderBytes(at(8))), undefined);
        return;
      case COLUMN.event:
      case COLUMN.eventByType:
      case COLUMN.eventBySender:
        yield* this.after(columnKey('event', key.subarray(key.length - POSITION_BYTES)), undefined);
        return;
      case COLUMN.objectByPosition:
      case COLUMN.objectByOwner:
      case COLUMN.objectByType:
      case COLUMN.objectByOwnerAndType:
        for (const row of this.#object(objectId.read(new ByteReader(value)))) if (!this.#isKnown(row.key)) yield row;
        return;
      default:
    }
  }

  /**
   * One page of a list.
   * @throws {EngineError} `invalid-argument` for a range that is not within one list; `pruned` for a list that is of the
   * present only, at an earlier point
   */
  async range(range: KeyRange): Promise<readonly Row[]> {
    const { rows, head, isHeld } = this.#point;
    const column = columnOf(range);
    if (isHeld) return rows.range(range);
    const orderAt = ORDERED_LISTS[column];
    if (orderAt === undefined) {
      throw new EngineError(
        'pruned',
        `the list of objects or fields at order ${head.order} is gone, since indexes are of the present: fork the node's head, and use the fork within ten minutes of its last read`,
      );
    }
    const orderOf = (key: Uint8Array): bigint => readOrder(key, key.length - orderAt);
    const limit = range.limit!;
    const found: Row[] = [];
    let rest = range;
    for (;;) {
      const page = await rows.range(rest);
      found.push(...page.filter(({ key }) => orderOf(key) <= head.order));
      if (page.length < limit || found.length >= limit) return found.slice(0, limit);
      rest = { ...rangeAfter(range, page.at(-1)!.key), limit };
    }
  }
}

/** Bytes of the keys of the rows that forks read, at least and at most. */
const KEY_BYTES: Readonly<Record<number, readonly [least: number, most: number]>> = {
  [COLUMN.node]: [33, 33],
  [COLUMN.changeSet]: [9, 13],
  [COLUMN.transaction]: [9, 9],
  [COLUMN.transactionOrder]: [33, 33],
  [COLUMN.executionInfo]: [9, 9],
  [COLUMN.accumulatorNode]: [9, 9],
  [COLUMN.stateRoot]: [33, 33],
  [COLUMN.inscriptionBytes]: [33, 33],
  [COLUMN.event]: [13, 13],
  [COLUMN.eventByHandle]: [10, STORE_KEY_BYTES_MAX],
  [COLUMN.eventHandle]: [2, STORE_KEY_BYTES_MAX],
  [COLUMN.object]: [2, STORE_KEY_BYTES_MAX],
  [COLUMN.fieldSortKey]: [2, STORE_KEY_BYTES_MAX],
};

/** @throws {EngineError} `invalid-argument` */
function assertServedKey(key: Uint8Array): void {
  const [least, most] = KEY_BYTES[key[0] ?? 0] ?? [0, -1];
  if (key.length >= least && key.length <= most) return;
  const got = key.length === 0 ? 'no bytes' : `${key.length} bytes of column ${key[0]}`;
  throw new EngineError('invalid-argument', `expected the key of a row that forks read, got ${got}`);
}

/** Whether an object is a field of a package that holds a module. */
function isModuleField({ meta }: ObjectState): boolean {
  const held = meta.objectType.typeArguments[1];
  return held?.kind === 'struct' && held.struct.name === 'MoveModule';
}

/** Lists that only grow, with the distance in bytes of the order from the end of a key. */
const ORDERED_LISTS: Readonly<Record<number, number>> = {
  [COLUMN.event]: POSITION_BYTES,
  [COLUMN.transactionBySender]: 8,
  [COLUMN.transactionByTime]: 8,
  [COLUMN.eventByType]: POSITION_BYTES,
  [COLUMN.eventBySender]: POSITION_BYTES,
};

const PRESENT_LISTS: readonly number[] = [
  COLUMN.objectByPosition,
  COLUMN.objectByOwner,
  COLUMN.objectByType,
  COLUMN.objectByOwnerAndType,
  COLUMN.fieldBySortKey,
];

function columnOf({ gte, gt, lte, lt }: KeyRange): number {
  const from = (gte ?? gt)?.[0];
  const end = lte ?? lt;
  // The end of a whole column is the first key of the next one.
  const isWhole = end?.length === 1 && from !== undefined && end[0] === from + 1 && lt !== undefined;
  const isList = from !== undefined && (from in ORDERED_LISTS || PRESENT_LISTS.includes(from));
  if (isList && (isWhole || end?.[0] === from)) return from;
  throw new EngineError(
    'not-supported',
    'a fork reads lists of its origin, and not all of its rows: a dump, a check or an archive of the whole chain is made where it is',
  );
}
