/**
 * The stored rows of forked nodes: tree nodes under their hashes, shared by all forks of a machine; everything else
 * under the point of the chain that it belongs to.
 * @module
 */

import { join } from 'node:path';
import { bytes, decode, encode, struct, vector } from '../../base/bcs.ts';
import { decodeUtf8, encodeUtf8, fromHex, textOfBytes, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Head, head as headCodec, readHead } from '../../chain/ledger/head.ts';
import { childrenOf, nodeBytes } from '../../chain/state/node-row.ts';
import { executionInfo } from '../../chain/transaction/execution-info.ts';
import { COLUMN, columnKey } from '../../store/column.ts';
import type { KeyRange, Row } from '../../store/store.ts';
import type { OriginRow } from './origin.ts';
import { type NamedRow, type StoredRow, StoredRows, segmentOf, storedRecords } from './stored-rows.ts';
import type { WireForkPoint } from './wire.ts';

/** The point of the last fork. */
const LAST = 'point last';

/** The last record of a file, which a truncated file lacks. */
const WHOLE = 'whole';

/** Named rows: a folder, or a file. */
export interface NamedRows {
  get(name: string): StoredRow | undefined;
  put(rows: readonly NamedRow[]): void;
  forget(name: string): void;
  names(): Iterable<string>;
}

const storedPage = vector(struct<Row>({ key: bytes, value: bytes }));

/** Where a fork begins: after the transaction at an order, at a state root, or at the head. */
export type Place = bigint | Uint8Array | undefined;

/** The rows of one node, and the tree nodes of all. */
export class ForkCache {
  readonly #nodes: NamedRows;
  readonly #others: NamedRows;

  constructor(nodes: NamedRows, others: NamedRows) {
    this.#nodes = nodes;
    this.#others = others;
  }

  /**
   * The cache in a folder.
   * @param url of the node
   * @param report called if rows cannot be written any more
   * @throws {EngineError} `store-failed`
   */
  static open(folder: string, url: string, report: (problem: EngineError) => void): ForkCache {
    const own = toHex(sha3(encodeUtf8(url)).subarray(0, 8));
    return new ForkCache(new StoredRows(join(folder, 'nodes'), report), new StoredRows(join(folder, own), report));
  }

  /** The point that was found at a place earlier; for the head, the last one. */
  point(at: Place): WireForkPoint | undefined {
    return this.#pointNamed(pointName(at));
  }

  #pointNamed(name: string): WireForkPoint | undefined {
    const text = this.#others.get(name)?.value;
    return text === undefined ? undefined : (JSON.parse(decodeUtf8(text) ?? 'null') as WireForkPoint);
  }

  keepPoint(at: Place, { order, stateRoot }: Head, point: WireForkPoint): void {
    const value = encodeUtf8(JSON.stringify(point));
    this.#others.put([{ name: LAST, value }, ...pointRows([at, order, stateRoot], value)]);
  }

  /**
   * Reads a file of `pack`, with the name of its node.
   * @throws {EngineError} `malformed-bytes` for other bytes
   */
  static ofFile(file: Uint8Array): { readonly cache: ForkCache; readonly remote: string } {
    const rows = new Map<string, StoredRow>();
    for (const { name, value } of storedRecords(file)) rows.set(name, { value });
    const whole = rows.get(WHOLE)?.value;
    if (whole === undefined) throw new EngineError('malformed-bytes', 'expected a whole file of movelet fork');
    const kept: NamedRows = {
      get: (name) => rows.get(name),
      put: () => {},
      forget: (name) => rows.delete(name),
      names: () => rows.keys(),
    };
    return { cache: new ForkCache(kept, kept), remote: decodeUtf8(whole) ?? '' };
  }

  /**
   * All rows that forks at a place have read, as the bytes of a file; by default, at the place of the last fork.
   * @param remote the node, for messages
   * @throws {EngineError} `not-found` if nothing is kept of that place
   */
  pack(at: Place, remote: string): Uint8Array {
    const point = at === undefined ? this.#pointNamed(LAST) : this.point(at);
    if (point === undefined) {
      throw new EngineError('not-found', `nothing was read of ${remote} at that place: open a fork of it first`);
    }
    const head = readHead({ get: () => fromHex(point.head) })!;
    const cache = this.at(head);
    const points = pointRows([undefined, head.order, head.stateRoot], encodeUtf8(JSON.stringify(point)));
    return segmentOf([...points, ...cache.rows(), ...cache.nodes(), { name: WHOLE, value: encodeUtf8(remote) }]);
  }

  at(head: Head): PointCache {
    return new PointCache(this.#nodes, this.#others, head);
  }
}

function pointRows(places: readonly Place[], value: Uint8Array): NamedRow[] {
  return [...new Set(places.map(pointName))].map((name) => ({ name, value }));
}

function pointName(at: Place): string {
  return `point ${at === undefined ? 'head' : typeof at === 'bigint' ? at : toHexPrefixed(at)}`;
}

/** The stored rows of one point of a chain. */
export class PointCache {
  readonly #nodes: NamedRows;
  readonly #others: NamedRows;
  readonly #prefix: string;
  readonly #root: Uint8Array;

  constructor(nodes: NamedRows, others: NamedRows, head: Head) {
    this.#nodes = nodes;
    this.#others = others;
    this.#root = head.stateRoot;
    this.#prefix = textOfBytes(sha3(encode(headCodec, head)).subarray(0, 16));
  }

  row(key: Uint8Array): StoredRow | undefined {
    return key[0] === COLUMN.node ? this.#nodes.get(textOfBytes(key)) : this.#others.get(this.#name(key));
  }

  keep(rows: readonly OriginRow[]): void {
    const nodes = rows.filter(({ key }) => key[0] === COLUMN.node);
    const others = rows.filter(({ key }) => key[0] !== COLUMN.node);
    this.#nodes.put(nodes.map(({ key, value }) => ({ name: textOfBytes(key), value })));
    this.#others.put(others.map(({ key, value }) => ({ name: this.#name(key), value })));
  }

  forget(key: Uint8Array): void {
    if (key[0] === COLUMN.node) this.#nodes.forget(textOfBytes(key));
    else this.#others.forget(this.#name(key));
  }

  page(range: KeyRange): readonly Row[] | undefined {
    const stored = this.#others.get(this.#pageName(range))?.value;
    return stored && decode(storedPage, stored);
  }

  keepPage(range: KeyRange, rows: readonly Row[]): void {
    this.#others.put([{ name: this.#pageName(range), value: encode(storedPage, rows) }]);
  }

  /** All stored rows of this point except tree nodes. */
  *rows(): Generator<NamedRow, void, undefined> {
    for (const name of this.#others.names()) {
      if (name.startsWith(this.#prefix)) yield { name, value: this.#others.get(name)!.value };
    }
  }

  /** The stored tree nodes of the state at this point, and of earlier states that were read. */
  *nodes(): Generator<NamedRow, void, undefined> {
    const waiting = [this.#root];
    for (const { name, value } of this.rows()) {
      const isResult = name.charCodeAt(this.#prefix.length) === COLUMN.executionInfo;
      if (isResult && value !== undefined) waiting.push(decode(executionInfo, value).stateRoot);
    }
    const seen = new Set<string>();
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      const name = textOfBytes(columnKey('node', hash));
      const value = this.#nodes.get(name)?.value;
      if (value === undefined || seen.has(name)) continue;
      seen.add(name);
      yield { name, value };
      waiting.push(...childrenOf(hash, nodeBytes({ get: () => undefined }, value, hash)));
    }
  }

  #name(key: Uint8Array): string {
    return this.#prefix + textOfBytes(key);
  }

  #pageName({ reverse = false, limit, ...bounds }: KeyRange): string {
    const keys = ['gte', 'gt', 'lte', 'lt'].map((name) => {
      const key = bounds[name as keyof typeof bounds];
      return key === undefined ? '' : toHex(key);
    });
    return `${this.#prefix}list ${[...keys, reverse, limit].join(' ')}`;
  }
}
