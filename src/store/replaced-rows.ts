/**
 * What a batch replaces in a database.
 * @module
 */

import { textOfBytes } from '../base/bytes/bytes.ts';
import { BYTE_ENCODINGS, type Database, type DatabaseSnapshot, databaseError } from './database.ts';
import { SCAN_PAGE_ROWS_MAX } from './limits.ts';
import { sealValue } from './row-checksum.ts';
import type { Operation } from './store.ts';

/** A key and the row stored under it, in stored form: with its checksum, so that a damaged row stays a damaged one. */
export interface Replaced {
  readonly key: Uint8Array;
  readonly stored: Uint8Array | undefined;
}

/**
 * What the operations replace, read from the database before they are applied, unless they state it themselves. If a
 * key has several entries, the first one counts.
 * @throws {EngineError} `store-failed`
 */
export async function replacedRows(
  database: Database,
  operations: readonly Operation[],
  snapshot?: DatabaseSnapshot,
): Promise<Replaced[]> {
  const unknown = operations.filter((operation) => !isKnown(operation));
  return [...(await storedRows(database, unknown, snapshot)), ...operations.filter(isKnown).map(known)];
}

/**
 * The rows under the keys of the operations. Each is read once, in key order, so that each block of a table is read
 * once.
 * @throws {EngineError} `store-failed`
 */
export async function storedRows(
  database: Database,
  operations: readonly Operation[],
  snapshot?: DatabaseSnapshot,
): Promise<Replaced[]> {
  const distinct = new Map<string, Uint8Array>();
  for (const { key } of operations) distinct.set(textOfBytes(key), key);
  const keys = [...distinct.keys()].sort().map((text) => distinct.get(text)!);
  const options = snapshot === undefined ? BYTE_ENCODINGS : { ...BYTE_ENCODINGS, snapshot };
  const rows: Replaced[] = [];
  try {
    for (let from = 0; from < keys.length; from += SCAN_PAGE_ROWS_MAX) {
      const some = keys.slice(from, from + SCAN_PAGE_ROWS_MAX);
      const found = await database.getMany(some, options);
      for (const [index, key] of some.entries()) rows.push({ key, stored: found[index] });
    }
  } catch (error) {
    throw databaseError(error, 'read the database');
  }
  return rows;
}

function isKnown(operation: Operation): boolean {
  return operation.replaced !== undefined || (operation.type === 'put' && operation.isNew === true);
}

/** What an operation itself states. Of several on one key, only the first knows what was there before all of them. */
function known({ key, replaced }: Operation): Replaced {
  return { key, stored: replaced === undefined ? undefined : sealValue(key, replaced) };
}
