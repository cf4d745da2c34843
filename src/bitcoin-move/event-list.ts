/**
 * The events of one execution, in the order in which they are emitted.
 * @module
 */
import { type Codec, encode } from '../bcs/codec.ts';
import { BITCOIN_MOVE_ADDRESS } from '../move/address.ts';
import { type StructTag, structTag } from '../move/type-tag.ts';
import { namedObjectId, type ObjectId } from '../object/object-id.ts';
import type { TransactionEvent } from '../transaction/event.ts';

/** A type of events of the Bitcoin package. */
export interface EventType<T> {
  readonly tag: StructTag;
  readonly codec: Codec<T>;
  /** The handle of the type: what it is emitted on. */
  readonly handle: ObjectId;
}

export function bitcoinEvent<T>(module: string, name: string, codec: Codec<T>): EventType<T> {
  const tag = structTag(BITCOIN_MOVE_ADDRESS, module, name);
  return { tag, codec, handle: namedObjectId(tag) };
}

export class EventList {
  readonly events: TransactionEvent[] = [];

  emit<T>({ tag, codec, handle }: EventType<T>, value: T): void {
    this.events.push({
      eventType: tag,
      eventData: encode(codec, value),
      eventIndex: BigInt(this.events.length),
      handle,
    });
  }
}
