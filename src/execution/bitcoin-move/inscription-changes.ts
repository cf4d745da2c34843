/**
 * What one transaction's inscription moves do to the state: each creation and each transfer writes its object once and
 * emits its events, and an inscription that nobody keeps is removed with its fields.
 *
 * Ordinals rules (`bitcoin/ordinals.ts`) decide where inscriptions move; this carries it out.
 * Source: inscription_updater.move and ord.move of the reference.
 * @module
 */
import { decode } from '../../base/bcs/codec.ts';
import { assert } from '../../base/error.ts';
import {
  INSCRIPTION_EVENT_BURN,
  INSCRIPTION_EVENT_NEW,
  inscriptionCreatedEvent,
  inscriptionEvent,
  inscriptionTempStateDropEvent,
  inscriptionTransferredEvent,
} from '../../bitcoin/event.ts';
import { CHARM, readInscriptionHead, withInscriptionHead } from '../../bitcoin/inscription.ts';
import type { InscriptionId } from '../../bitcoin/inscription-id.ts';
import type { InscriptionCreation, InscriptionMove, InscriptionTransfer, SpentOutput } from '../../bitcoin/ordinals.ts';
import type { SealedObject } from '../../bitcoin/utxo.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import { type Address, BITCOIN_MOVE_ADDRESS } from '../../move/address.ts';
import type { ObjectRuntime } from '../runtime/object-runtime.ts';
import { type BitcoinEventLog, bitcoinEvent } from './bitcoin-event-log.ts';
import { emitQueued, queuedEvent } from './event-queue.ts';
import type { MovingInscriptions } from './moving-inscriptions.ts';
import { INSCRIPTION_STORE_ID } from './object-id.ts';
import { INSCRIPTION, INSCRIPTION_BY_SEQUENCE } from './object-type.ts';
import type { Recipients } from './recipients.ts';
import { dropTemporaryArea } from './temporary-area.ts';

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
      const others = sealed.get(move.sealOutput);
      if (others === undefined) sealed.set(move.sealOutput, [id]);
      else others.push(id);
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

  /** Drops what Move code has put on an inscription. */
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
