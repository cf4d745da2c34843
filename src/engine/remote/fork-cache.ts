/**
 * What is kept of the nodes that are forked, in the form in which it is stored: tree nodes under their hashes, which all
 * forks of a machine share; everything else under the point of the chain of which it says something.
 * @module
 */
import { join } from 'node:path';
import { decode, encode } from '../../base/bcs.ts';
import { decodeUtf8, encodeUtf8, fromHex, textOfBytes, toHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type Head, head as headCodec, readHead } from '../../chain/ledger/head.ts';
import { childrenOf, nodeBytes } from '../../chain/state/node-row.ts';
import { executionInfo } from '../../chain/transaction/execution-info.ts';
import { COLUMN, columnKey } from '../../store/column.ts';
import type { KeyRange, Row } from '../../store/store.ts';
import { type StoredRow, StoredRows, segmentOf, storedRecords } from './stored-rows.ts';
import type { WireForkPoint } from './wire.ts';

/** The point of the last fork. */
const LAST = 'point last';

/** The last record of a file, which a file that was cut off lacks. */
const WHOLE = 'whole';

/** Named rows: a folder, or a file. */
export interface NamedRows {
  get(name: string): StoredRow | undefined;
  put(rows: readonly NamedRow[]): void;
  forget(name: string): void;
  names(): Iterable<string>;
}

export interface NamedRow {
  readonly name: string;
  readonly value: Uint8Array | undefined;
}

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
   * @throws {EngineError} `store-failed`
   */
  static open(folder: string, url: string): ForkCache {
    const own = toHex(sha3(encodeUtf8(url)).subarray(0, 8));
    return new ForkCache(new StoredRows(join(folder, 'nodes')), new StoredRows(join(folder, own)));
  }

  /** The point that was found at a place before; for the head, the last one. */
  point(at: Place): WireForkPoint | undefined {
    return this.#pointNamed(pointName(at));
  }

  #pointNamed(name: string): WireForkPoint | undefined {
    const text = this.#others.get(name)?.value;
    return text === undefined ? undefined : (JSON.parse(decodeUtf8(text) ?? 'null') as WireForkPoint);
  }

  keepPoint(at: Place, { order, stateRoot }: Head, point: WireForkPoint): void {
    const value = encodeUtf8(JSON.stringify(point));
    const names = new Set([LAST, ...[at, order, stateRoot].map(pointName)]);
    this.#others.put([...names].map((name) => ({ name, value })));
  }

  /**
   * What a file of `pack` holds, and the node that it came from.
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
   * All that forks at a place have read, as the bytes of a file; by default, at the place where the last one began.
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
    const value = encodeUtf8(JSON.stringify(point));
    const names = new Set([undefined, head.order, head.stateRoot].map(pointName));
    const points = [...names].map((name) => ({ name, value }));
    return segmentOf([...points, ...cache.rows(), ...cache.nodes(), { name: WHOLE, value: encodeUtf8(remote) }]);
  }

  /** The rows at one point. */
  at(head: Head): PointCache {
    return new PointCache(this.#nodes, this.#others, head);
  }
}

function pointName(at: Place): string {
  return `point ${at === undefined ? 'head' : typeof at === 'bigint' ? at : toHexPrefixed(at)}`;
}

/** What is kept of one point of a chain. */
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

  keep(rows: readonly { readonly key: Uint8Array; readonly value: Uint8Array | undefined }[]): void {
    const isNode = ({ key }: { readonly key: Uint8Array }): boolean => key[0] === COLUMN.node;
    const nodes = rows.filter(isNode);
    const others = rows.filter((row) => !isNode(row));
    if (nodes.length > 0) this.#nodes.put(nodes.map(({ key, value }) => ({ name: textOfBytes(key), value })));
    if (others.length > 0) this.#others.put(others.map(({ key, value }) => ({ name: this.#name(key), value })));
  }

  forget(key: Uint8Array): void {
    if (key[0] === COLUMN.node) this.#nodes.forget(textOfBytes(key));
    else this.#others.forget(this.#name(key));
  }

  page(range: KeyRange): readonly Row[] | undefined {
    const stored = this.#others.get(this.#pageName(range))?.value;
    return stored && readPage(stored);
  }

  keepPage(range: KeyRange, rows: readonly Row[]): void {
    this.#others.put([{ name: this.#pageName(range), value: pageOf(rows) }]);
  }

  /** All that is kept of this point but tree nodes. */
  *rows(): Generator<NamedRow, void, undefined> {
    for (const name of this.#others.names()) {
      if (name.startsWith(this.#prefix)) yield { name, value: this.#others.get(name)!.value };
    }
  }

  /** The tree nodes that are kept of the state at this point, and of earlier ones that were read. */
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
    return `${this.#prefix}page ${[...keys, reverse, limit].join(' ')}`;
  }
}

const LENGTH_BYTES = 4;

function pageOf(rows: readonly Row[]): Uint8Array {
  const parts = rows.flatMap(({ key, value }) => [key, value]);
  const page = new Uint8Array(parts.reduce((length, part) => length + LENGTH_BYTES + part.length, 0));
  const view = new DataView(page.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length, true);
    page.set(part, at + LENGTH_BYTES);
    at += LENGTH_BYTES + part.length;
  }
  return page;
}

function readPage(page: Uint8Array): readonly Row[] {
  const view = new DataView(page.buffer, page.byteOffset, page.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < page.length; ) {
    const from = at + LENGTH_BYTES;
    at = from + view.getUint32(at, true);
    parts.push(page.subarray(from, at));
  }
  if (parts.length % 2 !== 0) throw new EngineError('corrupt', 'a stored page of a fork ends within a row');
  return Array.from({ length: parts.length / 2 }, (_, index) => ({
    key: parts[2 * index]!,
    value: parts[2 * index + 1]!,
  }));
}
