import { EngineError } from '../../base/error.ts';
/**
 * The messages between a fork and its origin, another node: JSON-RPC with bytes as hex text.
 *
 * A fork reads rows in the form of a store (store/column.ts), as of one point of the chain, which is named by the order
 * of its last transaction and the state root after it.
 * @module
 */

/** Version of these messages; nodes of different versions refuse each other. */
export const ROWS_VERSION = 1;

/** Keys in one request. */
export const ROW_KEYS_MAX = 512;

/** Bytes of the rows in one answer, except for a single row that is longer. */
export const ROWS_ANSWER_BYTES_MAX = 4_194_304;

/** Rows of one page of a list. */
export const RANGE_ROWS_MAX = 1_000;

/** The error for an untrue answer of a node. */
export function untrueAnswer(remote: string, what: string, cause?: unknown): EngineError {
  const message = `${remote} sent what is not true: ${what}; it is not used, and nothing was done with it`;
  return new EngineError('remote-untrue', message, { details: { remote, what }, cause });
}

/** The methods of an origin. */
export const FORK_POINT_METHOD = 'movelet_getForkPoint';
export const ROWS_METHOD = 'movelet_getRows';
export const RANGE_METHOD = 'movelet_getRange';

export interface WirePoint {
  readonly order: string;
  readonly state_root: string;
}

/** Where a fork begins. */
export interface WireForkPoint {
  readonly version: number;
  /** Set for the point of a Rooch node, which was converted to this form. */
  readonly kind?: 'rooch';
  /** BCS of the head after the transaction. */
  readonly head: string;
  /** The rows of these columns, if there are any. */
  readonly clock_offset: string | null;
  readonly history: string | null;
  /** Whether the point has lists: those of objects and fields exist only for the present. */
  readonly has_lists: boolean;
  /** Rows that a status reads. */
  readonly more: readonly WireRow[];
}

/** Hints with a request, by which the origin sends more rows than were requested. */
export interface WireAhead {
  /** For a tree node: the key of the leaf that the walk leads to, and the depth of the node. */
  readonly sought?: string | undefined;
  readonly depth?: number | undefined;
  /** BCS of the data of the transaction being executed: its reads are sent along. */
  readonly transaction?: string | undefined;
  /** Whether the fork has the nodes of the chain's genesis. */
  readonly has_genesis?: boolean | undefined;
}

/** A key, and its value if there is one. */
export type WireRow = readonly [key: string, value: string | null];

/** The values of the requested keys, in their order, and rows that are likely to be read next. */
export interface WireRows {
  readonly values: readonly (string | null)[];
  readonly more: readonly WireRow[];
}

/** Bounds of a range, as `KeyRange` has them. */
export interface WireRange {
  readonly gte?: string | undefined;
  readonly gt?: string | undefined;
  readonly lte?: string | undefined;
  readonly lt?: string | undefined;
  readonly reverse?: boolean | undefined;
  readonly limit: number;
}

export interface WirePage {
  readonly rows: readonly WireRow[];
  readonly more: readonly WireRow[];
}
