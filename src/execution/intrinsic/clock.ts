/**
 * `0x2::timestamp`: the chain's clock.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { TIMESTAMP, TIMESTAMP_ID } from '../bitcoin-move/object-type.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { isBorrowable } from './borrowable.ts';

const SECOND_MS = 1_000n;

/** Whole seconds; undefined if Move code could not read the clock. */
export function secondsOf(objects: ObjectRuntime): bigint | undefined {
  const clock = objects.load(TIMESTAMP_ID);
  return isBorrowable(clock, TIMESTAMP.tag) ? decode(TIMESTAMP.codec, clock.value.bytes()) / SECOND_MS : undefined;
}
