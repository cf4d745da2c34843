/**
 * The events of one session, in the order in which they were emitted.
 * @module
 */
import type { StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { TransactionEvent } from '../transaction/event.ts';

export class EventLog {
  readonly #events: TransactionEvent[] = [];

  /** `data` is the BCS of the event's Move value. */
  emit(eventType: StructTag, handle: ObjectId, data: Uint8Array): void {
    this.#events.push({ eventType, eventData: data, eventIndex: BigInt(this.#events.length), handle });
  }

  get events(): readonly TransactionEvent[] {
    return this.#events;
  }
}
