/**
 * Events as programs get them: names readable, data decoded on demand.
 * @module
 */
import type { EventRecord } from '../chain/ledger/events.ts';
import type { Event } from '../chain/transaction/event.ts';
import { AddressValue } from '../chain/value/address.ts';
import { type DecodedValue, decodedValue } from '../chain/value/decoded.ts';
import { HashValue } from '../chain/value/hash.ts';
import { ObjectIdValue } from '../chain/value/object-id.ts';
import { Readable } from '../chain/value/readable.ts';
import { type StructTagValue, structTagValue } from '../chain/value/type-tag.ts';
import { annotate } from '../move/layout.ts';
import { structType } from '../move/type-tag.ts';
import type { Position } from '../store/column.ts';
import type { Decoder } from './reader.ts';

/** What the ledger knows of the transaction that emitted an event. */
export interface EventOrigin {
  readonly txHash: Uint8Array;
  readonly sender: Uint8Array;
  /** Milliseconds on the sequencer's clock. */
  readonly createdAt: bigint;
}

export class EventValue extends Readable implements Event {
  readonly handle: ObjectIdValue;
  readonly eventSeq: bigint;
  readonly eventType: StructTagValue;
  readonly eventData: Uint8Array;
  readonly eventIndex: bigint;

  constructor({ handle, eventSeq, eventType, eventData, eventIndex }: Event) {
    super();
    this.handle = new ObjectIdValue(handle);
    this.eventSeq = eventSeq;
    this.eventType = structTagValue(eventType);
    this.eventData = eventData;
    this.eventIndex = eventIndex;
  }
}

/** An event, its position, and what the ledger knows of its transaction. */
export class IndexedEvent extends Readable implements EventRecord, EventOrigin {
  readonly position: Position;
  readonly event: EventValue;
  readonly txHash: HashValue;
  readonly sender: AddressValue;
  readonly createdAt: bigint;
  readonly #decoder: Decoder;

  constructor({ position, event }: EventRecord, { txHash, sender, createdAt }: EventOrigin, decoder: Decoder) {
    super();
    this.position = position;
    this.event = new EventValue(event);
    this.txHash = new HashValue(txHash);
    this.sender = new AddressValue(sender);
    this.createdAt = createdAt;
    this.#decoder = decoder;
  }

  /**
   * The event's data as a JavaScript value (value/decoded.ts), by the modules of the state it was read from.
   * @throws {EngineError} `not-found` for a type that no module defines, or if the chain has been reverted since;
   * `limit-exceeded`, `malformed-bytes`.
   */
  get decoded(): DecodedValue {
    const { eventType, eventData } = this.event;
    return decodedValue(annotate(this.#decoder.layouts.layout(structType(eventType)), eventData));
  }
}
