/**
 * What the tests of the suite compare, and its records: they have the form of real ones, but belong to a chain that never
 * ran.
 * @module
 */

import { encode } from '../../base/bcs.ts';
import { concatBytes, equalBytes } from '../../base/bytes/bytes.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type CommitLog, equalLogHeads, type LogHead, type LogRecord } from '../commit-log.ts';
import { headAfter, RECORD_VERSION, recordBody, summaryOf } from '../record.ts';

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

const SIGNATURE_BYTES = 98;

/** A record that follows `after`, different for each content, with `bytes` bytes of padding. */
export function sampleRecord(after: LogHead, content: string, bytes = 100): Uint8Array {
  const name = sha3(new TextEncoder().encode(content));
  const order = after.order + 1n;
  const body = encode(recordBody, {
    order,
    epoch: after.epoch,
    previous: after.digest,
    now: order * 1_000n,
    clockOffset: undefined,
    block: new Uint8Array(bytes).fill(name[0]!),
    transaction: {
      data: { kind: 'l1-block', chainId: 0n, blockHeight: order, blockHash: name },
      sequenceInfo: {
        txOrder: order,
        txOrderSignature: new Uint8Array(0),
        txAccumulatorRoot: name,
        txTimestamp: order * 1_000n,
        txAccumulatorFrozenSubtreeRoots: [],
        txAccumulatorNumLeaves: order,
        txAccumulatorNumNodes: order,
      },
    },
    executionInfo: {
      txHash: name,
      stateRoot: sha3(name),
      size: 1n,
      eventRoot: name,
      gasUsed: 0n,
      status: { kind: 'executed' },
    },
    changeSet: { stateRoot: sha3(name), globalSize: 1n, changes: [] },
    events: [],
    rows: [],
  });
  return concatBytes(
    Uint8Array.of(RECORD_VERSION),
    body,
    Uint8Array.of(SIGNATURE_BYTES),
    new Uint8Array(SIGNATURE_BYTES),
  );
}

/** `count` records that follow `after` and each other. */
export function sampleRecords(after: LogHead, content: string, count: number): readonly Uint8Array[] {
  const records: Uint8Array[] = [];
  let head = after;
  for (let index = 0; index < count; index++) {
    const record = sampleRecord(head, `${content}-${index}`);
    records.push(record);
    head = headAfter(summaryOf(record));
  }
  return records;
}

export function headOf(records: readonly Uint8Array[]): LogHead {
  return headAfter(summaryOf(records.at(-1)!));
}
