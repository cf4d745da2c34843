/**
 * The meaning of the abort codes of the framework's modules: the names and comments of the constants in its sources.
 * Compiled modules have only the numbers. The codes are those of the reference network's framework, so its aborts are
 * named too.
 * @module
 */
import { ABORT_CODES } from './compiled/abort-codes.ts';

/** The constant of a code in a module of the framework, such as `0x3::coin`. */
export function abortCode(
  module: string,
  code: bigint | number,
): Partial<readonly [constant: string, comment?: string]> {
  return ABORT_CODES[module]?.[Number(code)] ?? [];
}
