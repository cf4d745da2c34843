/**
 * The objects of the inscriptions that one transaction moves or creates.
 *
 * A transaction may move a hundred thousand. They are read in tree order, so that each branch is read once; in any
 * other order most branches would have left memory by the time the next inscription needs them. Neighbours share the
 * arrays they have in common, and an object is dropped once it has moved.
 *
 * The inscription state that each transaction of a block passes on to the next: counts, the reward so far, and the
 * inscriptions that went to fees.
 *
 * All of it is one record, which every transaction reads and rewrites, though only the coinbase decodes the
 * inscriptions in it: with hundreds of them, decoding and encoding took longer than everything else. If many
 * inscriptions went to fees, each of the thousands of transactions that follow would write them again, so those beyond
 * the record's limit are stored separately, under the transaction that paid them, until the coinbase takes them. No
 * block so far has come near that limit. In one that does, roots within the block differ from the reference's, but
 * those after the coinbase do not. Source: inscription_updater.move of the reference.
 *
 * The effects of a transaction's inscription moves on the state: each creation and each transfer writes its object once
 * and emits its events, and an inscription that is not kept is removed with its fields.
 *
 * Ordinals rules (`bitcoin/ordinals.ts`) decide where inscriptions move; this carries the moves out. Source:
 * inscription_updater.move and ord.move of the reference.
 * @module
 */

import { decode, encodeInPlace } from '../../base/bcs.ts';
import { ByteColumn } from '../../base/bytes/byte-column.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { INSCRIPTION_UPDATER_BYTES_MAX } from '../../base/config.ts';
import { assert } from '../../base/error.ts';
import { getOrInsert } from '../../base/get-or-insert.ts';
import { NO_ADDRESS, nodeAddressOf } from '../../bitcoin/address.ts';
import { PENDING_TXIDS_KEY, type PendingBlock } from '../../bitcoin/block-store.ts';
import {
  INSCRIPTION_EVENT_BURN,
  INSCRIPTION_EVENT_NEW,
  inscriptionCreatedEvent,
  inscriptionEvent,
  inscriptionTempStateDropEvent,
  inscriptionTransferredEvent,
} from '../../bitcoin/event.ts';
import {
  CHARM,
  type InscriptionHead,
  type InscriptionId,
  readInscriptionHead,
  withInscriptionHead,
} from '../../bitcoin/inscription.ts';
import {
  appendFlotsams,
  countsOf,
  type Flotsam,
  INSCRIPTION_UPDATER_KEY,
  type InscriptionRoom,
  type InscriptionUpdater,
  NO_FLOTSAMS,
  type PackedFlotsams,
  startBlock,
  storedUpdater,
  unpackFlotsams,
} from '../../bitcoin/inscription-updater.ts';
import { INSCRIPTION_STORE_KEY } from '../../bitcoin/object-key.ts';
import type { InscriptionCreation, InscriptionMove, InscriptionTransfer, SpentOutput } from '../../bitcoin/ordinals.ts';
import { equalOutPoints, type OutPoint, type SealedObject } from '../../bitcoin/outpoint.ts';
import type { BitcoinTransaction } from '../../bitcoin/transaction.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectState } from '../../chain/object/object-state.ts';
import { type Address, BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { type BitcoinEventLog, bitcoinEvent, emitQueued, queuedEvent } from './event-queue.ts';
import { pendingBlockId } from './l1-block.ts';
import { INSCRIPTION_STORE_ID, inscriptionObjectId } from './object-id.ts';
import {
  dropTemporaryArea,
  FLOTSAMS_BY_TXID,
  INSCRIPTION,
  INSCRIPTION_BY_SEQUENCE,
  INSCRIPTION_STORE,
  PENDING_TXIDS,
  UPDATER,
} from './object-type.ts';

/** The object of an inscription that moves or appears. */
interface InscriptionObject {
  readonly id: ObjectId;
  /** The first part of its value, if it came with an input. */
  readonly head: InscriptionHead | undefined;
  /** The object as in the state, if it existed before and was only read since. */
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

  /** The inscriptions of a spent output, as far as there is room. */
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

  /** The inscriptions that went to fees, including new ones, as far as there is room. */
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
    const unread = (): InscriptionObject => ({ id: inscriptionObjectId(id), head: undefined, before: undefined });
    return getOrInsert(this.#objects, id, unread);
  }

  /** Drops the cached data of an inscription that has moved. */
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

export class InscriptionTransit {
  readonly #runtime: ObjectRuntime;
  readonly #height: number;
  readonly #id: ObjectId;
  readonly #isCoinbase: boolean;
  /** The inscriptions that earlier transactions paid as fees, as in the record. */
  #flotsams: PackedFlotsams = NO_FLOTSAMS;

  constructor(runtime: ObjectRuntime, { blockHash, blockHeight }: PendingBlock, isCoinbase: boolean) {
    this.#runtime = runtime;
    this.#height = Number(blockHeight);
    this.#id = pendingBlockId(blockHash);
    this.#isCoinbase = isCoinbase;
  }

  /**
   * Takes the state passed on by earlier transactions. The coinbase gets all inscriptions that went to fees, as far as
   * there is room; the others get none.
   */
  take(inscriptions: MovingInscriptions): InscriptionUpdater {
    const runtime = this.#runtime;
    const store = runtime.get(INSCRIPTION_STORE_ID, INSCRIPTION_STORE);
    assert(store !== undefined, 'the chain has a store of inscriptions');
    const isUnderWay = runtime.hasField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY);
    if (!isUnderWay) return this.#withFloated(startBlock(this.#height, store), inscriptions);
    const { flotsams, ...updater } = runtime.removeField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY);
    this.#flotsams = flotsams;
    return this.#withFloated({ ...updater, flotsams: [] }, inscriptions);
  }

  /**
   * Passes `after` on to the next transaction; nothing after the coinbase, which is last.
   * @param tracksFees whether to pass on inscriptions that went to fees; without the block's other fees, their places
   *   are unknown.
   */
  put(after: InscriptionUpdater, txid: Uint8Array, tracksFees: boolean): void {
    const runtime = this.#runtime;
    runtime.set(INSCRIPTION_STORE_ID, INSCRIPTION_STORE, countsOf(after));
    if (this.#isCoinbase) return;
    const before = tracksFees ? this.#flotsams : NO_FLOTSAMS;
    const paid = tracksFees ? after.flotsams : [];
    let left = { ...after, flotsams: appendFlotsams(before, paid) };
    if (paid.length > 0 && encodeInPlace(storedUpdater, left).length > INSCRIPTION_UPDATER_BYTES_MAX) {
      runtime.addField(this.#id, FLOTSAMS_BY_TXID, txid, paid);
      left = { ...after, flotsams: before };
    }
    runtime.addField(this.#id, UPDATER, INSCRIPTION_UPDATER_KEY, left);
  }

  #withFloated(updater: InscriptionUpdater, inscriptions: MovingInscriptions): InscriptionUpdater {
    if (!this.#isCoinbase) return updater;
    return { ...updater, flotsams: inscriptions.floated([...unpackFlotsams(this.#flotsams), ...this.#takeAside()]) };
  }

  /** Takes the separately stored inscriptions, in the order of the transactions that paid them. */
  #takeAside(): Flotsam[] {
    const runtime = this.#runtime;
    const aside: Flotsam[] = [];
    // The list of txids is the only field left.
    if (runtime.meta(this.#id)?.size === 1n) return aside;
    for (const txid of runtime.getField(this.#id, PENDING_TXIDS, PENDING_TXIDS_KEY) ?? []) {
      if (!runtime.hasField(this.#id, FLOTSAMS_BY_TXID, txid)) continue;
      for (const flotsam of runtime.removeField(this.#id, FLOTSAMS_BY_TXID, txid)) aside.push(flotsam);
    }
    return aside;
  }
}

const CREATED = bitcoinEvent('inscription_updater', 'InscriptionCreatedEvent', inscriptionCreatedEvent);
const TRANSFERRED = bitcoinEvent('inscription_updater', 'InscriptionTransferredEvent', inscriptionTransferredEvent);
const AREA_DROPPED = queuedEvent(bitcoinEvent('ord', 'TempStateDropEvent', inscriptionTempStateDropEvent));
const METAPROTOCOL = queuedEvent(bitcoinEvent('ord', 'InscriptionEvent', inscriptionEvent));

/** The execution whose inscriptions change. */
interface ChangeSetting {
  readonly runtime: ObjectRuntime;
  readonly events: BitcoinEventLog;
  readonly inscriptions: MovingInscriptions;
  readonly recipients: Recipients;
  readonly blockHeight: bigint;
}

export class InscriptionChanges {
  readonly #setting: ChangeSetting;

  constructor(setting: ChangeSetting) {
    this.#setting = setting;
  }

  /** Carries out the moves, in order. */
  apply(moves: readonly InscriptionMove[]): void {
    for (const move of moves) {
      if (move.kind === 'create') this.#create(move);
      else this.#transfer(move);
    }
  }

  /** Removes the inscriptions that came with an input and went to an output that is not kept. */
  lose(spent: readonly SpentOutput[], moves: readonly InscriptionMove[]): void {
    const { runtime, inscriptions } = this.#setting;
    const kept = new Set(moves.map((move) => (move.kind === 'transfer' ? move.id : undefined)));
    for (const { id: inscription } of spent.flatMap((output) => output.inscriptions)) {
      if (kept.has(inscription)) continue;
      const { id } = inscriptions.of(inscription);
      this.#dropArea(id, inscription);
      const { sequenceNumber } = runtime.remove(id, INSCRIPTION);
      runtime.removeField(INSCRIPTION_STORE_ID, INSCRIPTION_BY_SEQUENCE, sequenceNumber);
    }
  }

  /** The inscriptions that each output seals. */
  sealedByOutput(moves: readonly InscriptionMove[]): ReadonlyMap<number, readonly SealedObject[]> {
    const sealed = new Map<number, SealedObject[]>();
    for (const move of moves) {
      if (move.sealOutput === undefined) continue;
      const { id } = this.#setting.inscriptions.of(move.kind === 'create' ? move.inscription.id : move.id);
      getOrInsert(sealed, move.sealOutput, () => []).push(id);
    }
    return sealed;
  }

  #create(move: InscriptionCreation): void {
    const { inscription, placed } = move;
    const { runtime, events, inscriptions, blockHeight } = this.#setting;
    const { id } = inscriptions.of(inscription.id);
    runtime.addPlainField(INSCRIPTION_STORE_ID, INSCRIPTION_BY_SEQUENCE, inscription.sequenceNumber, inscription.id);
    runtime.addPlain(id, INSCRIPTION, inscription, this.#ownerOf(move));
    this.#announce(inscription.metaprotocol, inscription.sequenceNumber, id, INSCRIPTION_EVENT_NEW);
    events.emit(CREATED, {
      blockHeight,
      charms: inscription.charms,
      inscriptionId: inscription.id,
      location: placed,
      parentInscriptionIds: inscription.parents,
      sequenceNumber: inscription.sequenceNumber,
    });
  }

  #transfer(move: InscriptionTransfer): void {
    const { runtime, events, inscriptions, blockHeight } = this.#setting;
    const { id, head: known, before } = inscriptions.of(move.id);
    const value = before?.value ?? runtime.getBytes(id, INSCRIPTION.tag);
    assert(value !== undefined, 'an inscription that moves exists');
    const head = known ?? readInscriptionHead(value);
    const charms = move.isBurned ? head.charms | CHARM.burned : head.charms;
    const moved = withInscriptionHead(value, { ...head, location: move.placed, charms });
    if (before === undefined) {
      this.#dropArea(id, move.id);
      runtime.setBytesAndTransfer(id, INSCRIPTION.tag, moved, this.#ownerOf(move));
    } else {
      runtime.givePlain(before.meta, moved, this.#ownerOf(move));
      inscriptions.moved(move.id);
    }
    if (move.isBurned) {
      this.#announce(decode(INSCRIPTION.codec, value).metaprotocol, head.sequenceNumber, id, INSCRIPTION_EVENT_BURN);
    }
    events.emit(TRANSFERRED, {
      blockHeight,
      inscriptionId: move.id,
      newLocation: move.placed,
      oldLocation: move.old,
      sequenceNumber: head.sequenceNumber,
      isBurned: move.isBurned,
    });
  }

  /** Drops the values that Move code has put on an inscription. */
  #dropArea(id: ObjectId, inscription: InscriptionId): void {
    const { runtime, events } = this.#setting;
    for (const name of dropTemporaryArea(runtime, id)) {
      emitQueued(runtime, events, AREA_DROPPED, name, { inscriptionObjectId: id, inscriptionId: inscription });
    }
  }

  /** Emits an event on the queue of an inscription's metaprotocol, if it has one. */
  #announce(metaprotocol: string | undefined, sequenceNumber: number, id: ObjectId, eventType: number): void {
    if (metaprotocol === undefined) return;
    const { runtime, events } = this.#setting;
    const event = { metaprotocol, sequenceNumber, inscriptionObjectId: id, eventType };
    emitQueued(runtime, events, METAPROTOCOL, metaprotocol, event);
  }

  #ownerOf({ ownerOutput }: InscriptionMove): Address {
    return ownerOutput === undefined ? BITCOIN_MOVE_ADDRESS : this.#setting.recipients.of(ownerOutput);
  }
}

/** The accounts paid by the outputs of one transaction, each looked up once. */
export class Recipients {
  readonly #outputs: BitcoinTransaction['outputs'];
  /** By output. */
  readonly #known: (Address | undefined)[] = [];

  constructor({ outputs }: BitcoinTransaction) {
    this.#outputs = outputs;
  }

  /** The node address that an output pays; the Bitcoin package's own if its script has no address. */
  of(vout: number): Address {
    const known = this.#known[vout];
    if (known !== undefined) return known;
    const recipient = this.#outputs[vout]?.recipient ?? NO_ADDRESS;
    // Outputs to one account are often adjacent, and comparing is a hundred times faster than hashing.
    const before = this.#known[vout - 1];
    const isSame = before !== undefined && equalBytes(recipient, this.#outputs[vout - 1]!.recipient);
    const address = isSame ? before : recipient.length === 0 ? BITCOIN_MOVE_ADDRESS : nodeAddressOf(recipient);
    this.#known[vout] = address;
    return address;
  }
}
