/**
 * The node that a fork reads from: requests as functions, answers as rows.
 * @module
 */
import { equalBytes, fromHex, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { EngineError } from '../../base/error.ts';
import type { HttpAddress } from '../../base/http-address.ts';
import { type Head, readHead } from '../../chain/ledger/head.ts';
import { type AccumulatorInfo, append } from '../../store/accumulator/accumulator.ts';
import { COLUMN } from '../../store/column.ts';
import type { KeyRange, Row, Way } from '../../store/store.ts';
import type { Place } from './fork-cache.ts';
import { NodeClient } from './node-client.ts';
import type { ForkPoint } from './remote-store.ts';
import {
  FORK_POINT_METHOD,
  RANGE_METHOD,
  ROWS_METHOD,
  ROWS_VERSION,
  untrueAnswer,
  type WireAhead,
  type WireForkPoint,
  type WirePage,
  type WirePoint,
  type WireRow,
  type WireRows,
} from './wire.ts';

/** A key, and its value if it has one. */
export interface OriginRow {
  readonly key: Uint8Array;
  readonly value: Uint8Array | undefined;
}

/** What a fork knows of its next reads. */
export interface Ahead {
  readonly way: Way | undefined;
  /** BCS of the data of the transaction that is executed. */
  readonly transaction: Uint8Array | undefined;
  /** Whether the nodes of the chain's genesis are here. */
  readonly hasGenesis: boolean;
}

/** The answer for some keys. */
export interface OriginRows {
  readonly values: readonly (Uint8Array | undefined)[];
  readonly more: readonly OriginRow[];
}

/** Where the rows of a point come from. */
export interface RowOrigin {
  readonly requests: number;
  rows(keys: readonly Uint8Array[], ahead: Ahead): OriginRows;
  range(range: KeyRange): Promise<{ readonly rows: readonly Row[]; readonly more: readonly OriginRow[] }>;
  close(): void;
}

/** The node of a fork. */
export interface NodeOrigin extends RowOrigin {
  /** The point at which a fork begins. */
  point(at: Place): Promise<WireForkPoint>;
  /** Sets the point of all further rows. */
  begin(head: Head): void;
}

const MOVELET = {
  kind: 'a movelet node',
  withoutMethod:
    "serves no rows to forks: start it with --serve-nodes, or make its adapter by createRpc(engine, { serveNodes: true }); a Rooch node can be forked by fork: { kind: 'rooch' }, without roots",
};

/** A node that is asked over HTTP. */
export class ForkOrigin implements NodeOrigin {
  readonly #node: NodeClient;
  #point: WirePoint | undefined;

  constructor(address: HttpAddress, timeoutMs: number) {
    this.#node = new NodeClient(address, timeoutMs, MOVELET);
  }

  get requests(): number {
    return this.#node.requests;
  }

  async point(at: Place): Promise<WireForkPoint> {
    const place =
      at === undefined ? {} : typeof at === 'bigint' ? { order: String(at) } : { stateRoot: toHexPrefixed(at) };
    return (await this.#node.request(FORK_POINT_METHOD, [place])) as WireForkPoint;
  }

  begin({ order, stateRoot }: Head): void {
    this.#point = { order: String(order), state_root: toHexPrefixed(stateRoot) };
    // The node itself has named the point.
    this.#node.adviceIfMissing =
      '; if it has another chain now, keep what is read of it in another folder, or nowhere (fork.cache)';
  }

  /**
   * Blocks this thread.
   * @throws {EngineError} `transport-failed`, `limit-exceeded`, `closed`; what the node refuses
   */
  rows(keys: readonly Uint8Array[], { way, transaction, hasGenesis }: Ahead): OriginRows {
    const ahead: WireAhead = {
      has_genesis: hasGenesis,
      ...(way && { sought: toHexPrefixed(way.key), depth: way.depth }),
      ...(transaction && { transaction: toHexPrefixed(transaction) }),
    };
    const answer = this.#node.ask(ROWS_METHOD, [this.#point, keys.map(toHexPrefixed), ahead]) as WireRows;
    return this.#node.read(() => ({
      values: keys.map((_, index) => bytesOf(answer.values[index])),
      more: answer.more.map(rowOf),
    }));
  }

  async range({ reverse, limit, ...bounds }: KeyRange): ReturnType<RowOrigin['range']> {
    const given = Object.entries(bounds).flatMap(([name, key]) =>
      key === undefined ? [] : [[name, toHexPrefixed(key)]],
    );
    const range = { ...Object.fromEntries(given), reverse: reverse === true, limit };
    const page = (await this.#node.request(RANGE_METHOD, [this.#point, range])) as WirePage;
    return this.#node.read(() => ({
      rows: page.rows.map(([key, value]) => ({ key: fromHex(key), value: fromHex(value ?? '') })),
      more: page.more.map(rowOf),
    }));
  }

  close(): void {
    this.#node.close();
  }
}

/**
 * Parses a point that a node named.
 * @throws {EngineError} `not-supported` for another version, `remote-untrue` for one that contradicts itself or is not
 * the requested one
 */
export function readForkPoint(given: WireForkPoint, at: Place, name: string): ForkPoint {
  if (given?.version !== ROWS_VERSION) {
    throw new EngineError(
      'not-supported',
      `${name} serves rows of version ${given?.version ?? 'none'}, and this movelet reads version ${ROWS_VERSION}: use the same version of movelet on both sides`,
    );
  }
  const head = readHead({ get: () => fromHex(given.head) })!;
  const { accumulator, order, stateRoot } = head;
  const isSound = accumulator.numLeaves === order + 1n && equalBytes(rootOf(accumulator), accumulator.root);
  if (!isSound) throw untrueAnswer(name, 'the accumulator of its head contradicts itself');
  const isAsked = at === undefined || (typeof at === 'bigint' ? at === order : equalBytes(at, stateRoot));
  if (!isAsked) throw untrueAnswer(name, 'the point is another one than was asked for');
  return {
    head,
    clockOffset: given.clock_offset === null ? undefined : fromHex(given.clock_offset),
    history: given.history === null ? undefined : fromHex(given.history),
    hasLists: given.has_lists === true,
    more: given.more.map(rowOf).filter(({ key, value }) => value !== undefined || key[0] !== COLUMN.node),
  };
}

/** The root that follows from the other parts of an accumulator; no bytes if they contradict each other. */
function rootOf(accumulator: AccumulatorInfo): Uint8Array {
  try {
    return append(accumulator, []).info.root;
  } catch {
    return new Uint8Array(0);
  }
}

function bytesOf(text: string | null | undefined): Uint8Array | undefined {
  if (text === undefined) throw new TypeError('a value is missing');
  return text === null ? undefined : fromHex(text);
}

function rowOf([key, value]: WireRow): OriginRow {
  return { key: fromHex(key), value: bytesOf(value) };
}
