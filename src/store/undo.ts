/**
 * Undo rows: what the pieces of a large batch replaced, so that an unfinished one can be taken back.
 *
 * A piece (piece-batch.ts) is written together with one undo row for it, in one atomic batch; the last piece removes all
 * undo rows in the batch that makes the whole visible. So if there are undo rows, a large batch was not finished, and
 * applying them from the last to the first, and their entries likewise, restores the content from before it: the first
 * entry of a key counts. Each row is applied and removed in one atomic batch, so an interrupted sweep resumes where it
 * stopped. A store sweeps when it is opened, before anybody reads.
 *
 * Key: UNDO_PREFIX || sequence number of the row within its batch (4, big endian). Value: for each key of the piece
 * `key length (4) | length of the replaced row + 1 (4), 0 for none | key | replaced row in stored form`, little endian.
 * Stored form means with its checksum (row-checksum.ts): a row that was damaged before is put back as damaged.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import { BYTE_ENCODINGS, type Database, databaseError, iteratorOptions } from './database.ts';
import { RESERVED_PREFIX } from './key-range.ts';
import { LARGE_BATCH_PIECE_BYTES_MAX } from './limits.ts';
import type { Replaced } from './replaced-rows.ts';
import { openValue } from './row-checksum.ts';
import type { Operation } from './store.ts';

const ENTRY_HEADER_BYTES = 8;

export function undoKey(sequence: number): Uint8Array {
  const key = new Uint8Array(RESERVED_PREFIX.length + 4);
  key.set(RESERVED_PREFIX);
  new DataView(key.buffer).setUint32(RESERVED_PREFIX.length, sequence);
  return key;
}

/**
 * The undo rows of a piece: one, or several where what it replaces is long.
 * @param first sequence number of the first of them.
 */
export function undoOperations(replaced: readonly Replaced[], first: number): Operation[] {
  const rows: Operation[] = [];
  let entries: Replaced[] = [];
  let bytes = 0;
  const end = (): void => {
    rows.push({ type: 'put', key: undoKey(first + rows.length), value: encodeUndo(entries, bytes) });
    entries = [];
    bytes = 0;
  };
  for (const entry of replaced) {
    const { key } = entry;
    const length = ENTRY_HEADER_BYTES + key.length + (entry.stored?.length ?? 0);
    if (entries.length > 0 && bytes + length > LARGE_BATCH_PIECE_BYTES_MAX) end();
    entries.push(entry);
    bytes += length;
  }
  end();
  return rows;
}

/** Does what must be done around a write. */
export type UndoStep = (write: () => Promise<void>) => Promise<void>;

/**
 * Takes back what an unfinished large batch left, if anything; every step is on the disk before the next.
 * @param step performs each write
 * @throws {EngineError} `corrupt` for an undo row that is damaged, `store-failed`.
 */
export async function sweepUndo(database: Database, step: UndoStep = (write) => write()): Promise<void> {
  const range = { gte: undoKey(0), lte: undoKey(0xffff_ffff), reverse: true, limit: 1 };
  try {
    for (;;) {
      const [last] = await database.iterator(iteratorOptions(range, undefined)).all();
      if (last === undefined) return;
      const [key, stored] = last;
      const entries = decodeUndo(openValue(key, stored)).reverse();
      const batch = database.batch();
      for (const entry of entries) {
        if (entry.stored === undefined) batch.del(entry.key, BYTE_ENCODINGS);
        else batch.put(entry.key, entry.stored, BYTE_ENCODINGS);
      }
      batch.del(key, BYTE_ENCODINGS);
      await step(() => batch.write({ sync: true }));
    }
  } catch (error) {
    throw databaseError(error, 'take back an unfinished batch of the database');
  }
}

function encodeUndo(entries: readonly Replaced[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const { key, stored } of entries) {
    view.setUint32(at, key.length, true);
    view.setUint32(at + 4, stored === undefined ? 0 : stored.length + 1, true);
    at += ENTRY_HEADER_BYTES;
    bytes.set(key, at);
    at += key.length;
    if (stored === undefined) continue;
    bytes.set(stored, at);
    at += stored.length;
  }
  return bytes;
}

function decodeUndo(bytes: Uint8Array): Replaced[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries: Replaced[] = [];
  let at = 0;
  while (at + ENTRY_HEADER_BYTES <= bytes.length) {
    const keyEnd = at + ENTRY_HEADER_BYTES + view.getUint32(at, true);
    const mark = view.getUint32(at + 4, true);
    const end = keyEnd + Math.max(mark - 1, 0);
    entries.push({
      key: bytes.subarray(at + ENTRY_HEADER_BYTES, keyEnd),
      stored: mark === 0 ? undefined : bytes.subarray(keyEnd, end),
    });
    at = end;
  }
  if (at !== bytes.length)
    throw new EngineError('corrupt', 'an undo row of the database ends in the middle of an entry');
  return entries;
}
