/**
 * Records for the suite: they have the form of real ones, but belong to a chain that never ran.
 * @module
 */
import { encode } from '../../base/bcs/codec.ts';
import { concatBytes } from '../../base/bytes/compare.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import type { LogHead } from '../log-head.ts';
import { RECORD_VERSION, recordBody } from '../record.ts';
import { headAfter, summaryOf } from '../record-summary.ts';

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

/** The head after the last of some records. */
export function headOf(records: readonly Uint8Array[]): LogHead {
  return headAfter(summaryOf(records.at(-1)!));
}
