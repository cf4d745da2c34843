/**
 * The events of one session, in the order in which they were emitted.
 *
 * Their data is in one buffer: allocating an array of more than 64 bytes costs more than encoding an event.
 * @module
 */
import type { Codec } from '../../base/bcs.ts';
import { ByteWriter } from '../../base/bytes/writer.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import type { StructTag } from '../../move/type-tag.ts';

/** Room for the events of an ordinary transaction. */
const BYTES_MIN = 1_024;

interface LoggedEvent {
  readonly eventType: StructTag;
  readonly handle: ObjectId;
  /** The end of its data. */
  readonly end: number;
}

export class EventLog {
  readonly #logged: LoggedEvent[] = [];
  #writer: ByteWriter | undefined;
  #finished: readonly TransactionEvent[] | undefined;

  /**
   * Adds the event of a Move value, which `codec` writes.
   * @returns bytes of its data
   */
  emit<T>(eventType: StructTag, handle: ObjectId, codec: Pick<Codec<T>, 'write'>, value: T): number {
    this.#writer ??= new ByteWriter(BYTES_MIN);
    const writer = this.#writer;
    const start = writer.length;
    codec.write(writer, value);
    const end = writer.length;
    this.#logged.push({ eventType, handle, end });
    return end - start;
  }

  /** How many there are so far. */
  get length(): number {
    return this.#logged.length;
  }

  /** All events; none may be emitted afterwards. */
  finish(): readonly TransactionEvent[] {
    this.#finished ??= this.#list();
    return this.#finished;
  }

  #list(): readonly TransactionEvent[] {
    const writer = this.#writer;
    if (writer === undefined) return [];
    const bytes = writer.finish();
    const events: TransactionEvent[] = [];
    let start = 0;
    for (const { eventType, handle, end } of this.#logged) {
      events.push({ eventType, eventData: bytes.subarray(start, end), eventIndex: BigInt(events.length), handle });
      start = end;
    }
    return events;
  }
}
