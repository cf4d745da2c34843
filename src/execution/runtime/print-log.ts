/**
 * What Move code printed with `0x1::debug::print` in one execution, for its developers. It is not part of the outcome:
 * nothing is stored, and the output remains when the action fails.
 * @module
 */
import { TRACE_VALUE_BYTES_MAX } from '../../base/config.ts';
import { encodeUpTo } from '../../vm/value/short-encoding.ts';
import type { Type } from '../../vm/value/type.ts';

/** Values that one execution may print: any after them are left out. */
export const PRINTS_MAX = 100;

/** A value that was printed. */
export interface Printed {
  readonly type: Type;
  /** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX. */
  readonly bytes: Uint8Array | undefined;
}

export class PrintLog {
  /** The first PRINTS_MAX, in order. */
  readonly printed: Printed[] = [];

  /** @param type may be a reference, to the value that is printed */
  add(type: Type, value: unknown): void {
    if (this.printed.length >= PRINTS_MAX) return;
    this.printed.push({ type, bytes: encodeUpTo(type, value, TRACE_VALUE_BYTES_MAX) });
  }

  /** The execution starts over. */
  clear(): void {
    this.printed.length = 0;
  }
}
