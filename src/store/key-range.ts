/**
 * What every store requires of ranges and batches, checked in one place.
 * @module
 */

import { A_BOOLEAN, A_U64, argumentError, assertMembers, assertObject, assertOptions } from '../base/argument.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import {
  STORE_BATCH_OPERATIONS_MAX,
  STORE_KEY_BYTES_MAX,
  STORE_RANGE_ROWS_MAX,
  STORE_VALUE_BYTES_MAX,
} from './limits.ts';
import type { BatchOptions, KeyRange, LargeBatch, Operation } from './store.ts';

const BOUNDS = ['gte', 'gt', 'lte', 'lt'] as const;
const RANGE_MEMBERS: readonly string[] = [...BOUNDS, 'reverse', 'limit'];

/** Prefix of the store's own keys (undo.ts), which readers never see: a zero byte and 'movelet'. */
export const RESERVED_PREFIX: Uint8Array = Uint8Array.of(0, 0x6d, 0x6f, 0x76, 0x65, 0x6c, 0x65, 0x74);

/**
 * Asserts that the bounds of a range make sense.
 * @throws {EngineError} `invalid-argument`.
 */
export function checkRange(range: KeyRange): void {
  assertObject(range, 'range', 'a range { gte, gt, lte, lt, reverse, limit }');
  assertMembers(range, RANGE_MEMBERS, 'range.');
  const { reverse } = range;
  for (const bound of BOUNDS) {
    const key = range[bound];
    if (key !== undefined && !(key instanceof Uint8Array)) throw argumentError(`range.${bound}`, 'a key of bytes', key);
  }
  if (reverse !== undefined && typeof reverse !== 'boolean')
    throw argumentError('range.reverse', 'true or false', reverse);
  if (range.gte !== undefined && range.gt !== undefined) {
    throw new EngineError('invalid-argument', 'range: expected one lower bound of a range, got both gte and gt');
  }
  if (range.lte !== undefined && range.lt !== undefined) {
    throw new EngineError('invalid-argument', 'range: expected one upper bound of a range, got both lte and lt');
  }
  const { limit } = range;
  if (limit !== undefined && (!Number.isSafeInteger(limit) || limit < 0)) {
    throw argumentError('range.limit', 'a whole number of rows', limit);
  }
}

/**
 * Asserts that a range is a page: its limit is given and bounded.
 * @returns the limit.
 * @throws {EngineError} `invalid-argument`, `limit-exceeded`.
 */
export function checkPage(range: KeyRange): number {
  checkRange(range);
  if (range.limit === undefined) {
    throw new EngineError(
      'invalid-argument',
      'range.limit: expected a limit, in rows, for one page of a range; scan takes none',
    );
  }
  if (range.limit > STORE_RANGE_ROWS_MAX) {
    throw aboveLimit(`a page of at most ${STORE_RANGE_ROWS_MAX} rows (STORE_RANGE_ROWS_MAX)`, range.limit);
  }
  return range.limit;
}

/**
 * Asserts that a batch can be applied, before anything is touched.
 * @throws {EngineError} `invalid-argument`, `limit-exceeded`.
 */
export function checkOperations(operations: readonly Operation[]): void {
  assertList(operations);
  if (operations.length > STORE_BATCH_OPERATIONS_MAX) {
    const expected = `at most ${STORE_BATCH_OPERATIONS_MAX} operations in a batch (STORE_BATCH_OPERATIONS_MAX)`;
    throw aboveLimit(expected, operations.length);
  }
  checkEachOperation(operations);
}

/**
 * Asserts that a store can take each of the operations, however many there are.
 * @throws {EngineError} `invalid-argument`, `limit-exceeded`.
 */
export function checkEachOperation(operations: readonly Operation[]): void {
  assertList(operations);
  for (let index = 0; index < operations.length; index++) {
    const operation: Operation | null | undefined = operations[index];
    const type: unknown = operation?.type;
    if (type !== 'put' && type !== 'delete') {
      throw argumentError(`operations[${index}]`, "an operation of type 'put' or 'delete'", operation);
    }
    checkKey(operation!.key, index);
    if (operation!.type === 'put') checkValue(operation!.value, index);
  }
}

function assertList(operations: readonly Operation[]): void {
  if (!Array.isArray(operations)) throw argumentError('operations', 'an array of operations', operations);
}

/** @throws {EngineError} `invalid-argument` if a key to read is not bytes. */
export function checkReadKey(key: Uint8Array): void {
  if (!(key instanceof Uint8Array)) throw argumentError('key', 'a key (a Uint8Array)', key);
}

const BATCH_OPTIONS = { sync: A_BOOLEAN, order: A_U64 };

/** @throws {EngineError} `invalid-argument` */
export function checkBatchOptions(options: BatchOptions): void {
  assertOptions(options, BATCH_OPTIONS);
}

/**
 * Asserts that no large batch is open, so that the store may be written by other means.
 * @throws {EngineError} `batch-open`.
 */
export function assertNoBatch(batch: LargeBatch | undefined): void {
  if (batch !== undefined) {
    throw new EngineError('batch-open', 'a large batch of the store has not ended: commit or abandon it first');
  }
}

/** The part of a range that remains after `key`. */
export function rangeAfter(range: KeyRange, key: Uint8Array): KeyRange {
  const { gte, gt, lte, lt, reverse } = range;
  return reverse === true ? { gte, gt, lt: key, reverse } : { gt: key, lte, lt };
}

function checkKey(key: Uint8Array, index: number): void {
  if (!(key instanceof Uint8Array) || key.length === 0) {
    throw argumentError(`operations[${index}].key`, `a key of 1 to ${STORE_KEY_BYTES_MAX} bytes`, key);
  }
  if (key.length > STORE_KEY_BYTES_MAX) {
    throw aboveLimit(`a key of at most ${STORE_KEY_BYTES_MAX} bytes (STORE_KEY_BYTES_MAX)`, key.length);
  }
  if (key[0] === 0 && equalBytes(key.subarray(0, RESERVED_PREFIX.length), RESERVED_PREFIX)) {
    throw new EngineError('invalid-argument', `expected a key, got one that begins as the store's own rows do`);
  }
}

function checkValue(value: Uint8Array, index: number): void {
  if (!(value instanceof Uint8Array)) {
    throw argumentError(`operations[${index}].value`, 'a value of bytes (a Uint8Array)', value);
  }
  if (value.length > STORE_VALUE_BYTES_MAX) {
    throw aboveLimit(`a value of at most ${STORE_VALUE_BYTES_MAX} bytes (STORE_VALUE_BYTES_MAX)`, value.length);
  }
}

function aboveLimit(expected: string, got: number): EngineError {
  return new EngineError('limit-exceeded', `expected ${expected}, got ${got}`);
}
