/**
 * One test of the suite.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import type { ErrorCode } from '../../base/error.ts';
import type { CommitLog, LogRecord } from '../commit-log.ts';
import { equalLogHeads, type LogHead } from '../log-head.ts';
import { summaryOf } from '../record-summary.ts';

/** The context passed to a test. */
export interface CaseContext {
  /** Opens the test's log again, as another process would; the log is empty at first. Closed after the test. */
  open(): Promise<CommitLog>;
  /** Number of random runs. */
  readonly runs: number;
  readonly seed: number;
}

export interface Case {
  readonly name: string;
  run(context: CaseContext): Promise<void>;
}

/** Asserts that a log holds exactly these records, beginning at this order. */
export async function expectRecords(log: CommitLog, records: readonly Uint8Array[], firstOrder = 1n): Promise<void> {
  const found = await recordsFrom(log, firstOrder);
  if (found.length !== records.length) throw new Error(`expected ${records.length} records, got ${found.length}`);
  for (const [index, { order, epoch, bytes }] of found.entries()) {
    const expected = firstOrder + BigInt(index);
    if (order !== expected) throw new Error(`expected the record of order ${expected}, got that of order ${order}`);
    const { epoch: own } = summaryOf(records[index]!);
    if (epoch !== own) throw new Error(`expected the epoch ${own} of the record of order ${order}, got ${epoch}`);
    if (!equalBytes(bytes, records[index]!)) throw new Error(`the record of order ${order} is not what was appended`);
  }
}

export async function recordsFrom(log: CommitLog, order: bigint): Promise<LogRecord[]> {
  const found: LogRecord[] = [];
  for await (const record of log.read(order)) found.push(record);
  return found;
}

export function expectHead(actual: LogHead, expected: LogHead, what: string): void {
  const isSame = equalLogHeads(actual, expected) && equalBytes(actual.stateRoot, expected.stateRoot);
  if (!isSame) throw new Error(`${what}: expected ${shown(expected)}, got ${shown(actual)}`);
}

function shown({ epoch, order, digest }: LogHead): string {
  return `epoch ${epoch}, order ${order}, digest ${digest.slice(0, 4).join('.')}`;
}

/** Asserts that `run` throws or rejects with an error of one of these codes. */
export async function expectError(codes: readonly ErrorCode[], run: () => unknown, what: string): Promise<void> {
  let found: unknown;
  try {
    await run();
  } catch (error) {
    found = error;
  }
  const got = found === undefined ? 'no error' : (found as { code?: unknown }).code;
  if (codes.some((code) => code === got)) return;
  throw new Error(`${what}: expected an error with code ${codes.join(' or ')}, got ${String(got ?? found)}`, {
    cause: found,
  });
}
