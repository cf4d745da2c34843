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

const SCRATCH_BYTES_MAX = 64 * 1024;

/** The writer for the next session's events, unless it is in use. */
let scratch: ByteWriter | undefined;

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
    const writer = this.#begin();
    const start = writer.length;
    codec.write(writer, value);
    const end = writer.length;
    this.#logged.push({ eventType, handle, end });
    return end - start;
  }

  /** Number of events so far. */
  get length(): number {
    return this.#logged.length;
  }

  #begin(): ByteWriter {
    if (this.#writer === undefined) {
      this.#writer = scratch ?? new ByteWriter(4 * 1024);
      scratch = undefined;
      this.#writer.clear();
    }
    return this.#writer;
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
    if (bytes.length <= SCRATCH_BYTES_MAX) scratch = writer;
    this.#writer = undefined;
    const events: TransactionEvent[] = [];
    let start = 0;
    for (const { eventType, handle, end } of this.#logged) {
      events.push({ eventType, eventData: bytes.subarray(start, end), eventIndex: BigInt(events.length), handle });
      start = end;
    }
    return events;
  }
}
