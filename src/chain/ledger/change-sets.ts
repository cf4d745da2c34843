/**
 * The change sets of the ledger's transactions.
 *
 * On a chain that keeps all history, a change set refers to the leaves that it made (referred-changes.ts). On any other
 * chain, and for the largest change sets, it is stored whole.
 *
 * A change set is one row, up to CHANGE_SET_PART_BYTES. A longer one is cut into parts of that length: the first is
 * stored under the order, the others under the order and their number. So a row of exactly that length is followed by
 * another part, and the last part is shorter, possibly empty. (A row that is longer than a part is a whole change set, in a
 * form that is no longer written.)
 *
 * The parts are made as they are read, so a change set of hundreds of megabytes is never in memory as bytes.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { joinBytes } from '../../base/bytes/compare.ts';
import { CHANGE_SET_CHANGES_AT_ONCE_MAX, CHANGE_SET_PART_BYTES } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { columnKey, orderBytes, partBytes } from '../../store/column.ts';
import type { RowBatch, RowWriting } from '../../store/row-batch.ts';
import type { Operation } from '../../store/store.ts';
import type { FreshNodes } from '../../store/tree/fresh-nodes.ts';
import type { NodeSource } from '../../store/tree/tree.ts';
import {
  type ChangedFields,
  encodeChangeSet,
  type StateChangeSetExt,
  stateChangeSetExt,
} from '../object/change-set.ts';
import { decodeReferring, isReferring, writeReferring } from './referred-changes.ts';
import type { RowReader } from './transactions.ts';

/** The longest stored change set that a query reads, in bytes: it takes ten times as much in memory. */
export const CHANGE_SET_READ_BYTES_MAX = 67_108_864;

/**
 * Writes the rows of a change set; one for all but the largest.
 * @param fresh the nodes that it made, if those are kept; then it refers to them.
 */
export function* writeChangeSet(
  batch: RowBatch,
  order: bigint,
  changeSet: StateChangeSetExt,
  fresh?: FreshNodes,
): RowWriting {
  let pieces: Iterable<Uint8Array>;
  if (isLarge(changeSet)) pieces = encodeChangeSet(changeSet);
  else {
    beginPart(batch, order, 0);
    const start = batch.writer.length;
    if (fresh === undefined) stateChangeSetExt.write(batch.writer, changeSet);
    else writeReferring(batch.writer, changeSet, fresh);
    if (batch.writer.length - start < CHANGE_SET_PART_BYTES) {
      batch.end();
      return;
    }
    pieces = [batch.takeBack()];
  }
  let index = 0;
  for (const value of partsOf(pieces)) {
    beginPart(batch, order, index++);
    batch.writer.bytes(value);
    batch.end();
    if (batch.isFull) yield;
  }
}

function beginPart(batch: RowBatch, order: bigint, index: number): void {
  batch.put('changeSet');
  batch.writer.u64BigEndian(order);
  if (index > 0) batch.writer.u32BigEndian(index);
  batch.value(true);
}

/**
 * The change set of the transaction at `order`, with the roots after it.
 * @param nodes finds the leaves to which it refers.
 * @param bytesMax the longest change set to read, in bytes, including those leaves.
 * @throws {EngineError} `corrupt` if one of its rows is missing or does not decode; `limit-exceeded`.
 */
export function readChangeSet(rows: RowReader, nodes: NodeSource, order: bigint, bytesMax?: number): StateChangeSetExt {
  return readSizedChangeSet(rows, nodes, order, bytesMax).changeSet;
}

/** As `readChangeSet`, with the length in bytes of what was read. */
export function readSizedChangeSet(
  rows: RowReader,
  nodes: NodeSource,
  order: bigint,
  bytesMax: number = Number.POSITIVE_INFINITY,
): { readonly changeSet: StateChangeSetExt; readonly length: number } {
  const parts: Uint8Array[] = [];
  let length = 0;
  const count = (more: number): void => {
    length += more;
    if (length <= bytesMax) return;
    throw new EngineError(
      'limit-exceeded',
      `the change set of order ${order} is longer than the ${bytesMax} bytes that are read at once (CHANGE_SET_READ_BYTES_MAX)`,
      { details: { order: String(order) } },
    );
  };
  for (const part of storedParts(rows, order)) {
    count(part.length);
    parts.push(part);
  }
  const name = `the changeSet row at order ${order}`;
  const [first] = parts;
  if (first === undefined) throw new EngineError('corrupt', `${name} is missing`);
  const row = parts.length === 1 ? first : joinBytes(parts);
  try {
    const changeSet = isReferring(row) ? decodeReferring(row, nodes, count) : decode(stateChangeSetExt, row);
    return { changeSet, length };
  } catch (cause) {
    if (cause instanceof EngineError && cause.code === 'limit-exceeded') throw cause;
    throw new EngineError('corrupt', `${name} does not decode`, { cause });
  }
}

/** How many rows hold the change set of `order`. */
export function countChangeSetParts(rows: RowReader, order: bigint): number {
  let count = 0;
  for (const _ of storedParts(rows, order)) count++;
  return count;
}

/** The operations that delete the change set of `order`; none if there is none. */
export function changeSetDeletions(rows: RowReader, order: bigint): Operation[] {
  const parts = countChangeSetParts(rows, order);
  return Array.from({ length: parts }, (_, index) => ({ type: 'delete', key: partKey(order, index) }));
}

function* storedParts(rows: RowReader, order: bigint): Iterable<Uint8Array> {
  for (let index = 0; ; index++) {
    const part = rows.get(partKey(order, index));
    if (part === undefined) return;
    yield part;
    if (part.length !== CHANGE_SET_PART_BYTES) return;
  }
}

function partKey(order: bigint, index: number): Uint8Array {
  const at = orderBytes(order);
  return index === 0 ? columnKey('changeSet', at) : columnKey('changeSet', at, partBytes(index));
}

/** Cuts the concatenation of `pieces` into parts; the last is shorter than the others. */
function* partsOf(pieces: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let part: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    let rest = piece;
    while (length + rest.length >= CHANGE_SET_PART_BYTES) {
      const taken = CHANGE_SET_PART_BYTES - length;
      yield joinBytes([...part, rest.subarray(0, taken)]);
      rest = rest.subarray(taken);
      part = [];
      length = 0;
    }
    part.push(rest);
    length += rest.length;
  }
  yield part.length === 1 ? part[0]! : joinBytes(part);
}

/** Whether there are more changes, counted at all depths, than may be encoded in one go. */
function isLarge({ stateChangeSet }: StateChangeSetExt): boolean {
  return countChanges(stateChangeSet.changes, 0) > CHANGE_SET_CHANGES_AT_ONCE_MAX;
}

function countChanges(changes: ChangedFields, before: number): number {
  let count = before + changes.length;
  if (count > CHANGE_SET_CHANGES_AT_ONCE_MAX) return count;
  for (const [, { fields }] of changes) {
    count = countChanges(fields, count);
  }
  return count;
}
