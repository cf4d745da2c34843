/**
 * Checks the arguments of a log's methods, the same for every kind of log.
 * @module
 */
import {
  assertBytes,
  assertFits,
  assertObject,
  assertOptions,
  type Expectation,
  eachOf,
  U64,
  wholeNumber,
} from '../base/argument.ts';
import type { ReadOptions } from './commit-log.ts';
import type { LogHead } from './log-head.ts';

const A_SIGNAL: Expectation = ['an AbortSignal', (value) => value instanceof AbortSignal];
const READ_OPTIONS = { max: wholeNumber(0), signal: A_SIGNAL };

/** @throws {EngineError} `invalid-argument` */
export function assertAppend(after: LogHead, records: readonly Uint8Array[]): void {
  assertObject(after, 'after', 'the head of a log');
  assertFits(after.epoch, 'after.epoch', U64);
  assertFits(after.order, 'after.order', U64);
  assertBytes(after.digest, 'after.digest', 32);
  assertBytes(after.stateRoot, 'after.stateRoot', 32);
  for (const [index, record] of eachOf(records, 'records', (item) => item).entries()) {
    assertBytes(record, `records[${index}]`);
  }
}

/** @throws {EngineError} `invalid-argument` */
export function assertRead(fromOrder: bigint, options: ReadOptions): void {
  assertFits(fromOrder, 'fromOrder', U64);
  assertOptions(options, READ_OPTIONS);
}

/** @throws {EngineError} `invalid-argument` */
export function assertPrune(beforeOrder: bigint): void {
  assertFits(beforeOrder, 'beforeOrder', U64);
}

/** @throws {EngineError} `invalid-argument` */
export function assertSignal(signal: AbortSignal): void {
  assertFits(signal, 'signal', A_SIGNAL);
}
