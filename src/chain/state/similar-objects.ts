/**
 * Encodes runs of objects that differ only in the last part of their id and in their value, as when a transaction
 * creates tens of thousands: the metadata is encoded once, and then copied with another id.
 * @module
 */
import { encode } from '../../base/bcs/codec.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import { uleb128Length } from '../../base/bytes/writer.ts';
import { type ObjectMeta, objectMeta } from '../object/object-meta.ts';

const PART_BYTES = 32;

/** How many kinds of objects are remembered: objects made by several blocks may alternate, and so may two types. */
const KINDS_MAX = 8;

/** Metadata that many objects share, except for the last part of their id. */
interface Kind {
  readonly meta: ObjectMeta;
  readonly bytes: Uint8Array;
  /** The offset of the last part of the id. */
  readonly partAt: number;
}

export class SimilarObjects {
  readonly #kinds: Kind[] = [];
  #oldest = 0;
  /** Created with the first object: most transactions have none. */
  #bytes = new Uint8Array(0);

  /** The BCS of an object, as the codec of object states writes it: a view that is valid until the next call. */
  encode(meta: ObjectMeta, value: Uint8Array): Uint8Array {
    const { bytes: metaBytes, partAt } = this.#kinds.find((kind) => areSimilar(kind.meta, meta)) ?? this.#add(meta);
    const valueAt = metaBytes.length + uleb128Length(value.length);
    const length = valueAt + value.length;
    if (length > this.#bytes.length) this.#bytes = new Uint8Array(2 * length);
    const bytes = this.#bytes;
    bytes.set(metaBytes);
    bytes.set(meta.id[meta.id.length - 1]!, partAt);
    let at = metaBytes.length;
    let rest = value.length;
    for (; rest >= 0x80; rest >>>= 7) bytes[at++] = (rest & 0x7f) | 0x80;
    bytes[at] = rest;
    bytes.set(value, valueAt);
    return bytes.subarray(0, length);
  }

  #add(meta: ObjectMeta): Kind {
    const kind = { meta, bytes: encode(objectMeta, meta), partAt: 1 + PART_BYTES * (meta.id.length - 1) };
    this.#kinds[this.#oldest] = kind;
    this.#oldest = (this.#oldest + 1) % KINDS_MAX;
    return kind;
  }
}

/** Whether two objects have the same parent, and the same metadata except for the last part of the id. */
function areSimilar(one: ObjectMeta, other: ObjectMeta): boolean {
  return (
    one.objectType === other.objectType &&
    isSame(one.owner, other.owner) &&
    one.flag === other.flag &&
    one.size === other.size &&
    one.createdAt === other.createdAt &&
    one.updatedAt === other.updatedAt &&
    isSameRoot(one.stateRoot, other.stateRoot) &&
    areSiblings(one.id, other.id)
  );
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one === other || equalBytes(one, other);
}

function isSameRoot(one: Uint8Array | undefined, other: Uint8Array | undefined): boolean {
  return one === undefined || other === undefined ? one === other : isSame(one, other);
}

function areSiblings(one: ObjectMeta['id'], other: ObjectMeta['id']): boolean {
  if (one.length !== other.length || one.length === 0) return false;
  for (let index = 0; index < one.length - 1; index++) if (!isSame(one[index]!, other[index]!)) return false;
  return true;
}
