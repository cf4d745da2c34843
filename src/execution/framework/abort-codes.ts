/**
 * What the abort codes of the framework's modules mean: the names of the constants in its sources, and the comments on
 * them. Compiled modules have only the numbers. They are those of the reference network's framework, so they name its
 * aborts too.
 * @module
 */
import { ABORT_CODES } from './compiled/abort-codes.ts';

/** What stands for a code in a module of the framework, such as `0x3::coin`. */
export function abortCode(
  module: string,
  code: bigint | number,
): Partial<readonly [constant: string, comment?: string]> {
  return ABORT_CODES[module]?.[Number(code)] ?? [];
}
