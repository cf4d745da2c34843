/**
 * The events of one session, in the order in which they were emitted.
 *
 * Their data lies in one piece of memory: an array of more than 64 bytes by itself costs more than to encode an event.
 * @module
 */
import type { StructTag } from '../move/type-tag.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { TransactionEvent } from '../transaction/event.ts';

const SCRATCH_BYTES_MIN = 4 * 1024;
const SCRATCH_BYTES_MAX = 64 * 1024;

/** What the next session's events are written to, unless a session at work has it. */
let scratch: Uint8Array | undefined;

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
  #finished: readonly TransactionEvent[] | undefined;

  /** `data` is the BCS of the event's Move value; it is copied. */
  emit(eventType: StructTag, handle: ObjectId, data: Uint8Array): void {
    const start = this.#length;
    const end = start + data.length;
    this.#room(end).set(data, start);
    this.#length = end;
    this.#logged.push({ eventType, handle, end });
  }

  /** All of them; no more may be emitted. */
  finish(): readonly TransactionEvent[] {
    this.#finished ??= this.#list();
    return this.#finished;
  }

  #list(): readonly TransactionEvent[] {
    const written = this.#bytes;
    if (written === undefined) return [];
    const bytes = written.slice(0, this.#length);
    if (written.length <= SCRATCH_BYTES_MAX) scratch = written;
    this.#bytes = undefined;
    let start = 0;
    return this.#logged.map(({ eventType, handle, end }, index) => {
      const eventData = bytes.subarray(start, end);
      start = end;
      return { eventType, eventData, eventIndex: BigInt(index), handle };
    });
  }

  /** Memory for `needed` bytes at least, with what was written. */
  #room(needed: number): Uint8Array {
    let bytes = this.#bytes ?? scratch ?? new Uint8Array(SCRATCH_BYTES_MIN);
    if (this.#bytes === undefined) scratch = undefined;
    if (needed > bytes.length) {
      const grown = new Uint8Array(Math.max(needed, bytes.length * 2));
      grown.set(bytes);
      bytes = grown;
    }
    this.#bytes = bytes;
    return bytes;
  }
}
