/**
 * The objects of the inscriptions that one transaction moves or creates.
 *
 * A transaction may move a hundred thousand. They are read in tree order, so that each branch is read once; in any
 * other order most branches would have left memory by the time the next inscription needs them. Neighbours share arrays
 * for what they have in common, and an object is dropped once it has moved.
 * @module
 */

import { ByteColumn } from '../../base/bytes/byte-column.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import { assert } from '../../base/error.ts';
import { type InscriptionHead, readInscriptionHead } from '../../bitcoin/inscription.ts';
import type { InscriptionId } from '../../bitcoin/inscription-id.ts';
import type { InscriptionRoom } from '../../bitcoin/inscription-room.ts';
import type { Flotsam } from '../../bitcoin/inscription-updater.ts';
import { INSCRIPTION_STORE_KEY } from '../../bitcoin/object-key.ts';
import { equalOutPoints, type OutPoint } from '../../bitcoin/outpoint.ts';
import type { SealedObject } from '../../bitcoin/utxo.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { inscriptionObjectId } from './object-id.ts';
import { INSCRIPTION } from './object-type.ts';

/** The object of an inscription that moves or appears. */
export interface InscriptionObject {
  readonly id: ObjectId;
  /** The beginning of its value, if it came with an input. */
  readonly head: InscriptionHead | undefined;
  /** The object as the state has it, if it existed before and was only read since. */
  readonly before: ObjectState | undefined;
}

/** From this many inscriptions on, read them in tree order. */
const READ_AHEAD_MIN = 256;

export class MovingInscriptions {
  readonly #runtime: ObjectRuntime;
  readonly #room: InscriptionRoom;
  /** By identity of the id objects they are moved with. */
  readonly #objects = new Map<InscriptionId, InscriptionObject>();

  /** `room`: what is left for moving inscriptions. */
  constructor(runtime: ObjectRuntime, room: InscriptionRoom) {
    this.#runtime = runtime;
    this.#room = room;
  }

  /** The inscriptions of a spent output, as many as there is room for. */
  carried(sealed: readonly SealedObject[], outpoint: OutPoint): readonly InscriptionHead[] {
    const carried: InscriptionHead[] = [];
    const ids = sealed.map(([, key]) => [INSCRIPTION_STORE_KEY, key!]);
    const ahead = this.#readAhead(ids);
    for (const [index, id] of ids.entries()) {
      const { before, value } = this.#read(id, ahead[index]);
      if (!this.#room.takeMoved(value.length)) {
        this.#room.leaveOut(sealed.length - index - 1);
        break;
      }
      const head = sharedHead(readInscriptionHead(value), outpoint, carried.at(-1)?.id.txid);
      this.#objects.set(head.id, { id, head, before });
      carried.push(head);
    }
    return carried;
  }

  /** The inscriptions that went to fees, new ones included, as many as there is room for. */
  floated(flotsams: readonly Flotsam[]): Flotsam[] {
    const ids = flotsams.map(({ id, revealed }) => (revealed === undefined ? inscriptionObjectId(id) : undefined));
    const ahead = this.#readAhead(ids);
    return flotsams.filter(({ id: inscription, revealed }, index) => {
      const id = ids[index];
      if (id === undefined) return revealed === undefined || this.#room.takeRevealed(revealed);
      const { before, value } = this.#read(id, ahead[index]);
      this.#objects.set(inscription, { id, head: undefined, before });
      return this.#room.takeMoved(value.length);
    });
  }

  /** The object of an inscription. Cached, since its id costs a hash and is needed three times. */
  of(id: InscriptionId): InscriptionObject {
    let object = this.#objects.get(id);
    if (object === undefined) {
      object = { id: inscriptionObjectId(id), head: undefined, before: undefined };
      this.#objects.set(id, object);
    }
    return object;
  }

  /** Drops what was read of an inscription, which has moved. */
  moved(id: InscriptionId): void {
    this.#objects.set(id, { id: this.of(id).id, head: undefined, before: undefined });
  }

  #read(id: ObjectId, ahead: ObjectState | undefined): { readonly before?: ObjectState; readonly value: Uint8Array } {
    const before = ahead ?? this.#runtime.plain(id, INSCRIPTION.tag);
    if (before !== undefined) return { before, value: before.value };
    const value = this.#runtime.getBytes(id, INSCRIPTION.tag);
    assert(value !== undefined, 'an inscription that moves exists');
    return { value };
  }

  /**
   * The objects of many inscriptions, by index. Reads only as many as the room, in bytes of values, allows; the others
   * are undefined, as are those without an id.
   */
  #readAhead(ids: readonly (ObjectId | undefined)[]): readonly (ObjectState | undefined)[] {
    if (ids.length < READ_AHEAD_MIN) return [];
    const objects = new Array<ObjectState | undefined>(ids.length).fill(undefined);
    const places: number[] = [];
    const keys = new ByteColumn();
    for (const [place, id] of ids.entries()) {
      if (id === undefined) continue;
      places.push(place);
      keys.add(id[1]!);
    }
    let left = this.#room.bytesLeft;
    for (const index of keys.sorted()) {
      const place = places[index]!;
      const object = this.#runtime.plain(ids[place]!, INSCRIPTION.tag);
      left -= object?.value.length ?? 0;
      if (left < 0) break;
      objects[place] = object;
    }
    return objects;
  }
}

/**
 * `head`, sharing arrays with its neighbours: an output may carry a hundred thousand inscriptions, all of which have
 * `outpoint` as their location, and most of which were revealed in the same transaction.
 */
function sharedHead(head: InscriptionHead, outpoint: OutPoint, txid: Uint8Array | undefined): InscriptionHead {
  const { id, location } = head;
  return {
    ...head,
    id: txid !== undefined && equalBytes(id.txid, txid) ? { txid, index: id.index } : id,
    location: equalOutPoints(location.outpoint, outpoint) ? { outpoint, offset: location.offset } : location,
  };
}
