/**
 * movelet_getForkPoint, movelet_getRows, movelet_getRange: reads of forks of this chain on other machines (src/engine/remote).
 *
 * They exist only on an adapter with `serveNodes`: rows are no secret, but reading a chain row by row costs more than
 * queries do.
 * @module
 */

import { encode } from '../../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { FORK_IDLE_MS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { head as headCodec } from '../../chain/ledger/head.ts';
import type { OriginRow } from '../../engine/remote/origin.ts';
import { ServedRows } from '../../engine/remote/served-rows.ts';
import {
  RANGE_ROWS_MAX,
  ROW_KEYS_MAX,
  ROWS_ANSWER_BYTES_MAX,
  ROWS_VERSION,
  type WireAhead,
  type WirePoint,
  type WireRange,
  type WireRow,
} from '../../engine/remote/wire.ts';
import { columnKey } from '../../store/column.ts';
import type { RpcChain, RpcEngine, RpcView } from './engine.ts';
import { immediate, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import * as param from './param.ts';

/** Fork points held at once, each with the rows that commits have replaced since. */
export const HELD_POINTS_MAX = 8;

/** Rows of a page with which the rows that they name are sent. */
const ROWS_NAMED_MAX = 100;

/** A held view, and when it was last used, on the clock of `performance`. */
interface HeldPoint {
  readonly view: RpcView;
  usedAt: number;
}

/** Views of the points at which forks began, by order and root; released once unused for FORK_IDLE_MS_MAX. */
export class HeldPoints {
  readonly #engine: Pick<RpcEngine, 'at'>;
  readonly #byName = new Map<string, HeldPoint>();
  #sweep: ReturnType<typeof setInterval> | undefined;

  constructor(engine: Pick<RpcEngine, 'at'>) {
    this.#engine = engine;
  }

  /** Holds a view of the head. */
  begin(): RpcView {
    const view = this.#engine.at();
    const { order, stateRoot } = view.inside.reader.head;
    const name = nameOf(order, stateRoot);
    const known = this.find(order, stateRoot);
    if (known !== undefined) {
      view[Symbol.dispose]();
      return known;
    }
    this.#byName.set(name, { view, usedAt: performance.now() });
    const [oldest] = this.#byName.keys();
    if (this.#byName.size > HELD_POINTS_MAX && oldest !== undefined) this.#release(oldest);
    this.#sweep ??= setInterval(() => this.#releaseIdle(), FORK_IDLE_MS_MAX / 10);
    (this.#sweep as { unref?: () => void }).unref?.();
    return view;
  }

  find(order: bigint, stateRoot: Uint8Array): RpcView | undefined {
    const name = nameOf(order, stateRoot);
    const held = this.#byName.get(name);
    if (held === undefined) return undefined;
    held.usedAt = performance.now();
    // Least recently used first.
    this.#byName.delete(name);
    this.#byName.set(name, held);
    return held.view;
  }

  close(): void {
    for (const name of [...this.#byName.keys()]) this.#release(name);
  }

  #releaseIdle(): void {
    const latest = performance.now() - FORK_IDLE_MS_MAX;
    for (const [name, { usedAt }] of this.#byName) if (usedAt <= latest) this.#release(name);
  }

  #release(name: string): void {
    this.#byName.get(name)?.view[Symbol.dispose]();
    this.#byName.delete(name);
    if (this.#byName.size > 0) return;
    clearInterval(this.#sweep);
    this.#sweep = undefined;
  }
}

function nameOf(order: bigint, stateRoot: Uint8Array): string {
  return `${order} ${toHexPrefixed(stateRoot)}`;
}

interface Point {
  readonly order: bigint;
  readonly state_root: Uint8Array;
}

const point = param.object<Point>({ order: param.member(param.u64Param), state_root: param.member(param.hash) });

const ahead = param.object({
  sought: param.memberOr(param.hash),
  depth: param.memberOr(param.u32Param, 0),
  transaction: param.memberOr(param.hex),
  has_genesis: param.memberOr(param.boolean, false),
});

const bound = param.memberOr(param.hex);
const range = param.object({
  gte: bound,
  gt: bound,
  lte: bound,
  lt: bound,
  reverse: param.memberOr(param.boolean, false),
  limit: param.member(param.u32Param),
});

interface Served {
  readonly chain: RpcChain;
  readonly rows: ServedRows;
}

/** The rows of a point: of its held view, otherwise of the head. */
function servedAt(context: MethodContext, { order, state_root: root }: Point, hasGenesis = false): Served {
  const held = context.origin?.find(order, root)?.inside;
  if (held !== undefined) {
    const { head, rows } = held.reader;
    return { chain: held, rows: new ServedRows({ head, rows, isHeld: true }, hasGenesis) };
  }
  const chain = param.chainAt(context, { order, stateRoot: undefined });
  const { head } = chain.reader;
  if (!equalBytes(head.stateRoot, root)) {
    throw new EngineError(
      'not-found',
      `expected a point of this chain, got order ${order} with the root ${toHexPrefixed(root)}: the chain was reverted, or is another one`,
    );
  }
  const { rows } = context.chain.reader;
  return { chain, rows: new ServedRows({ head, rows, isHeld: false }, hasGenesis) };
}

/** Collects rows for an answer, each once, until there is no room. */
class AnswerRows {
  readonly rows: WireRow[] = [];
  readonly #context: Pick<MethodContext, 'room'>;
  readonly #known = new Set<string>();
  #bytes = 0;

  constructor(context: Pick<MethodContext, 'room'>) {
    this.#context = context;
  }

  /** Adds a requested row. */
  text(key: Uint8Array, value: Uint8Array | undefined): string | null {
    this.#known.add(toHexPrefixed(key));
    this.#bytes += key.length + (value?.length ?? 0);
    return value === undefined ? null : this.#context.room.hex(value);
  }

  /** Adds rows that were not requested, as long as there is room. */
  addAll(rows: Iterable<OriginRow>): void {
    for (const { key, value } of rows) {
      if (this.#bytes >= ROWS_ANSWER_BYTES_MAX) return;
      const name = toHexPrefixed(key);
      if (!this.#known.has(name)) this.rows.push([name, this.text(key, value)]);
    }
  }
}

export interface ForkOriginMethods {
  readonly getForkPoint: Method<[option?: param.GivenPlace | null], JsonObject>;
  readonly getRows: Method<[point: WirePoint, keys: readonly string[], ahead?: WireAhead | null], JsonObject>;
  readonly getRange: Method<[point: WirePoint, range: WireRange], JsonObject>;
}

const POINT = param.required('point', point, 'order and state_root: the point at which the fork begins');
/** Stands for a state root in the examples. */
const EXAMPLE_ROOT = '11'.repeat(32);
const EXAMPLE_POINT = { order: '0', state_root: `0x${EXAMPLE_ROOT}` };

export const forkOriginMethods: ForkOriginMethods = {
  getForkPoint: immediate({
    description:
      'Where a fork of this chain on another machine begins: at the head, whose lists are then kept for ten minutes after each use, or at an earlier order or state root. Needs serveNodes.',
    params: [param.placeOption],
    result: { type: 'object', title: 'fork point' },
    example: [],
    errors: ['not-found', 'pruned'],
    handle: (context, [place]: readonly [param.StateOption]) => {
      const view = heldAt(context, place);
      const chain = view?.inside ?? param.chainAt(context, place);
      const { head } = chain.reader;
      const rows = view?.inside.reader.rows ?? context.chain.reader.rows;
      const rowOf = (column: 'clockOffset' | 'history'): string | null => {
        const row = rows.get(columnKey(column));
        return row === undefined ? null : toHexPrefixed(row);
      };
      const served = new ServedRows({ head, rows, isHeld: view !== undefined }, false);
      const answer = new AnswerRows(context);
      for (const key of chain.reads()) {
        answer.addAll(served.read([key]));
        answer.addAll(served.after(key, undefined));
      }
      return {
        version: ROWS_VERSION,
        head: toHexPrefixed(encode(headCodec, head)),
        clock_offset: rowOf('clockOffset'),
        history: rowOf('history'),
        has_lists: view !== undefined,
        more: answer.rows,
      };
    },
  }),
  getRows: immediate({
    description:
      'Rows of the store by their keys, as of a fork point, and others that a fork is likely to read next; the fork verifies them as far as possible. Needs serveNodes.',
    params: [
      POINT,
      param.required('keys', param.array(param.hex, ROW_KEYS_MAX), 'keys of rows (src/store/column.ts)'),
      param.options('ahead', ahead, 'what is read: the key of a leaf, and the depth of the node'),
    ],
    result: { type: 'object', title: 'rows' },
    example: [EXAMPLE_POINT, [`0x10${EXAMPLE_ROOT}`]],
    errors: ['not-found', 'pruned', 'limit-exceeded'],
    handle: (context, [where, keys, { sought, depth, transaction, has_genesis: hasGenesis }]) => {
      const { chain, rows } = servedAt(context, where, hasGenesis);
      const answer = new AnswerRows(context);
      const values = keys.map((key, index) => param.at(`[${index}]`, () => answer.text(key, rows.value(key))));
      const way = sought === undefined ? undefined : { key: sought, depth };
      for (const key of keys) answer.addAll(rows.after(key, way));
      if (transaction !== undefined) answer.addAll(rows.read(chain.reads(transaction)));
      return { values, more: answer.rows };
    },
  }),
  getRange: method({
    description: 'A page of one of the lists of the store, as of a fork point. Needs serveNodes.',
    params: [POINT, param.required('range', range, 'gte or gt, lte or lt, reverse, and limit')],
    result: { type: 'object', title: 'page of rows' },
    example: [EXAMPLE_POINT, { gte: '0x52', lt: '0x53', limit: 1 }],
    errors: ['not-found', 'pruned', 'not-supported', 'limit-exceeded'],
    handle: async (context, [where, asked]) => {
      if (asked.limit < 1 || asked.limit > RANGE_ROWS_MAX)
        throw param.unexpected(`a limit from 1 to ${RANGE_ROWS_MAX}`, asked.limit);
      const served = servedAt(context, where).rows;
      const page = await served.range(asked);
      const answer = new AnswerRows(context);
      const rows = page.map(({ key, value }) => [toHexPrefixed(key), answer.text(key, value)] as const);
      for (const row of page.slice(0, ROWS_NAMED_MAX)) answer.addAll(served.named(row));
      return { rows, more: answer.rows };
    },
  }),
};

/** The held view of a fork point; undefined for an earlier state that is not held. */
function heldAt(context: MethodContext, place: param.StateOption): RpcView | undefined {
  const { origin } = context;
  if (origin === undefined) return undefined;
  if (place.order === undefined && place.stateRoot === undefined) return origin.begin();
  const { head } = param.chainAt(context, place).reader;
  const now = context.chain.reader.head;
  return origin.find(head.order, head.stateRoot) ?? (head.order === now.order ? origin.begin() : undefined);
}
