/**
 * Whether the store can hold the result of a transaction.
 *
 * Move code can create what this engine's stores cannot hold: types nested deeper than their binary form allows, ids
 * with too many parts, values that exceed a row. The reference notices while writing and rolls the transaction back.
 * Here the check is part of the execution, so the sender pays for the gas and learns the reason.
 * @module
 */
import { encodeShortLived } from '../base/bcs/codec.ts';
import { EngineError } from '../base/error.ts';
import type { ChangedFields, StateChangeSet } from '../chain/object/change-set.ts';
import type { ObjectId } from '../chain/object/object-id.ts';
import { OBJECT_ID_DEPTH_MAX } from '../chain/object/object-id.ts';
import type { TransactionEvent } from '../chain/transaction/event.ts';
import { type StructTag, structType, typeTag } from '../move/type-tag.ts';
import { type Failure, refuse, ThrownFailure } from '../vm/failure.ts';
import { StatusCode } from '../vm/status.ts';

/**
 * Objects that one transaction may change plus events that it may emit. Each makes seven rows at most, so the
 * commit stays below COMMIT_OPERATIONS_MAX; at the usual gas limit an event costs 20,000 units, which pays for 50,000.
 */
export const TRANSACTION_WRITES_MAX = 50_000;

/** Bytes of values and events that one transaction may write: together they are one row, as its change set. */
export const TRANSACTION_WRITE_BYTES_MAX: number = 32 * 1024 * 1024;

/** Why the store cannot hold these changes and events, or undefined. */
export function unstorable(changeSet: StateChangeSet, events: readonly TransactionEvent[]): Failure | undefined {
  try {
    const tally = new Tally();
    tally.changes(changeSet.changes);
    for (const { eventType, eventData, handle } of events) tally.add(eventType, handle, eventData.length);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ThrownFailure) return thrown.failure;
    throw thrown;
  }
}

class Tally {
  #writes = 0;
  #bytes = 0;

  changes(changes: ChangedFields): void {
    for (const [, { meta, value, fields }] of changes) {
      this.add(meta.objectType, meta.id, value === undefined || value.kind === 'delete' ? 0 : value.value.length);
      this.changes(fields);
    }
  }

  add(type: StructTag, id: ObjectId, bytes: number): void {
    this.#writes++;
    this.#bytes += bytes;
    if (this.#writes > TRANSACTION_WRITES_MAX) {
      throw limit(`objects changed and events emitted: at most ${TRANSACTION_WRITES_MAX} (TRANSACTION_WRITES_MAX)`);
    }
    if (this.#bytes > TRANSACTION_WRITE_BYTES_MAX) {
      throw limit(`bytes of values and events: at most ${TRANSACTION_WRITE_BYTES_MAX} (TRANSACTION_WRITE_BYTES_MAX)`);
    }
    if (id.length > OBJECT_ID_DEPTH_MAX) {
      throw limit(`an object id of ${id.length} parts: at most ${OBJECT_ID_DEPTH_MAX} (OBJECT_ID_DEPTH_MAX)`);
    }
    assertType(type);
  }
}

/** Objects share their types, so each type is checked once. */
const storable = new WeakSet<StructTag>();

function assertType(type: StructTag): void {
  if (storable.has(type)) return;
  try {
    encodeShortLived(typeTag, structType(type));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'invalid-argument') throw error;
    throw limit(`the type of an object or event: ${error.message} (TYPE_TAG_DEPTH_MAX)`);
  }
  storable.add(type);
}

function limit(message: string): ThrownFailure {
  return refuse(StatusCode.STORAGE_LIMIT_REACHED, `more than a transaction may store: ${message}`);
}
