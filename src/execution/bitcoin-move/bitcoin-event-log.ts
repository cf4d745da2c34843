/**
 * The events of one execution, in the order of emission.
 * @module
 */
import { type Codec, encodeInPlace } from '../../base/bcs/codec.ts';
import { namedObjectId, type ObjectId } from '../../chain/object/object-id.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import { BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag } from '../../move/type-tag.ts';

/** An event type of the Bitcoin package. */
export interface EventType<T> {
  readonly tag: StructTag;
  readonly codec: Codec<T>;
  /** The type's handle, on which its events are emitted. */
  readonly handle: ObjectId;
}

export function bitcoinEvent<T>(module: string, name: string, codec: Codec<T>): EventType<T> {
  const tag = structTag(BITCOIN_MOVE_ADDRESS, module, name);
  return { tag, codec, handle: namedObjectId(tag) };
}

/** Beyond this many events, several share one buffer: allocating an array takes as long as filling it. */
const OWN_ARRAYS_MAX = 64;
const CHUNK_BYTES = 16_384;

export class BitcoinEventLog {
  readonly events: TransactionEvent[] = [];
  #chunk = new Uint8Array(0);
  #at = 0;

  emit<T>({ tag, codec, handle }: EventType<T>, value: T): void {
    this.events.push({
      eventType: tag,
      eventData: this.#kept(encodeInPlace(codec, value)),
      eventIndex: BigInt(this.events.length),
      handle,
    });
  }

  /** A copy of `bytes`. */
  #kept(bytes: Uint8Array): Uint8Array {
    const { length } = bytes;
    if (this.events.length < OWN_ARRAYS_MAX || 4 * length > CHUNK_BYTES) return bytes.slice();
    if (this.#at + length > this.#chunk.length) {
      this.#chunk = new Uint8Array(CHUNK_BYTES);
      this.#at = 0;
    }
    const kept = this.#chunk.subarray(this.#at, this.#at + length);
    kept.set(bytes);
    this.#at += length;
    return kept;
  }
}
