/**
 * The Error that the suite throws when a store does not comply; any test runner can show it.
 * @module
 */
import { toHex } from '../../base/bytes/hex.ts';
import type { ErrorCode } from '../../base/error.ts';
import type { Row } from '../store.ts';

/** Asserts that two lists of words are the same, naming the first that differs. */
function expectWords(actual: readonly string[], expected: readonly string[], what: string): void {
  const length = Math.max(actual.length, expected.length);
  for (let index = 0; index < length; index++) {
    if (actual[index] === expected[index]) continue;
    throw new Error(
      `${what}: expected ${expected[index] ?? 'nothing more'} at ${index} of ${expected.length}, got ${actual[index] ?? 'nothing more'}`,
    );
  }
}

export function expectRows(actual: readonly Row[], expected: readonly Row[], what: string): void {
  expectWords(actual.map(rowWord), expected.map(rowWord), what);
}

export function expectValue(actual: Uint8Array | undefined, expected: Uint8Array | undefined, what: string): void {
  expectWords([valueWord(actual)], [valueWord(expected)], what);
}

export function expectCount(actual: number, expected: number, what: string): void {
  expectWords([String(actual)], [String(expected)], what);
}

/** Asserts that `run` throws or rejects with an error of this code. */
export async function expectError(code: ErrorCode, run: () => unknown, what: string): Promise<void> {
  let found: unknown;
  try {
    await run();
  } catch (error) {
    found = error;
  }
  const got = found === undefined ? 'no error' : (found as { code?: unknown }).code;
  if (got === code) return;
  throw new Error(`${what}: expected an error with code '${code}', got ${String(got ?? found)}`, { cause: found });
}

function rowWord({ key, value }: Row): string {
  return `${toHex(key)}=${toHex(value)}`;
}

function valueWord(value: Uint8Array | undefined): string {
  return value === undefined ? 'no value' : `value ${toHex(value)}`;
}
