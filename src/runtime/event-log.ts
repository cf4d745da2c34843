/**
 * The events of one session, in the order in which they were emitted.
 *
 * Their data lies in one piece of memory: an array of more than 64 bytes by itself costs more than to encode an event.
 * @module
 */
import type { StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { TransactionEvent } from '../transaction/event.ts';

/** Room for the events of a transfer of coins. */
const ROOM_BYTES = 1536;

interface LoggedEvent {
  readonly eventType: StructTag;
  readonly handle: ObjectId;
  /** Where the data of the next event begins. */
  readonly end: number;
}

export class EventLog {
  readonly #logged: LoggedEvent[] = [];
  #bytes: Uint8Array | undefined;
  #length = 0;
  #events: readonly TransactionEvent[] | undefined;

  /** `data` is the BCS of the event's Move value; it is copied. */
  emit(eventType: StructTag, handle: ObjectId, data: Uint8Array): void {
    const start = this.#length;
    const end = start + data.length;
    this.#room(end).set(data, start);
    this.#length = end;
    this.#logged.push({ eventType, handle, end });
    this.#events = undefined;
  }

  get events(): readonly TransactionEvent[] {
    this.#events ??= this.#list();
    return this.#events;
  }

  #list(): readonly TransactionEvent[] {
    const bytes = this.#bytes ?? new Uint8Array(0);
    let start = 0;
    return this.#logged.map(({ eventType, handle, end }, index) => {
      const eventData = bytes.subarray(start, end);
      start = end;
      return { eventType, eventData, eventIndex: BigInt(index), handle };
    });
  }

  /** The memory, with `needed` bytes at least. */
  #room(needed: number): Uint8Array {
    const bytes = this.#bytes;
    if (bytes !== undefined && needed <= bytes.length) return bytes;
    const grown = new Uint8Array(Math.max(needed, ROOM_BYTES, (bytes?.length ?? 0) * 2));
    if (bytes !== undefined) grown.set(bytes);
    this.#bytes = grown;
    return grown;
  }
}
