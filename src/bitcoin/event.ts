/**
 * Events of the Bitcoin package, as their BCS. Each codec's comment names the Move type.
 *
 * Events of UTXOs, of dropped temporary state and of metaprotocols go through a queue: an index sees each wrapped in an
 * `OffChainEvent` that names the queue.
 * Source: frameworks/bitcoin-move/sources/bitcoin.move, utxo.move and ord.move of the reference.
 * @module
 */
import { bool, bytes32, type Codec, option, string, struct, u8, u16, u32, u64, vector } from '../base/bcs.ts';
import { type InscriptionId, inscriptionId } from './inscription.ts';
import { type OutPoint, objectParts, outPoint, type SatPoint, type SealedObject, satPoint } from './outpoint.ts';

/** `0x4::bitcoin::UTXONotExistsEvent` */
export const utxoNotExistsEvent: Codec<{
  readonly outpoint: OutPoint;
}> = struct({ outpoint: outPoint });

/** `0x4::bitcoin::RepeatCoinbaseTxEvent` */
export const repeatCoinbaseTxEvent: Codec<{
  readonly txid: Uint8Array;
  readonly vout: number;
  readonly blockHeight: bigint;
}> = struct({
  txid: bytes32,
  vout: u32,
  blockHeight: u64,
});

/** `0x4::pending_block::ReorgEvent` */
export const reorgEvent: Codec<{
  readonly blockHeight: bigint;
  readonly blockHash: Uint8Array;
  readonly success: boolean;
}> = struct({
  blockHeight: u64,
  blockHash: bytes32,
  success: bool,
});

/** `0x4::inscription_updater::InscriptionCreatedEvent` */
export const inscriptionCreatedEvent: Codec<{
  readonly blockHeight: bigint;
  readonly charms: number;
  readonly inscriptionId: InscriptionId;
  /** Where it was placed, even if it is unbound. */
  readonly location: SatPoint | undefined;
  readonly parentInscriptionIds: readonly InscriptionId[];
  readonly sequenceNumber: number;
}> = struct({
  blockHeight: u64,
  charms: u16,
  inscriptionId,
  location: option(satPoint),
  parentInscriptionIds: vector(inscriptionId),
  sequenceNumber: u32,
});

/** `0x4::inscription_updater::InscriptionTransferredEvent` */
export const inscriptionTransferredEvent: Codec<{
  readonly blockHeight: bigint;
  readonly inscriptionId: InscriptionId;
  readonly newLocation: SatPoint;
  readonly oldLocation: SatPoint;
  readonly sequenceNumber: number;
  readonly isBurned: boolean;
}> = struct({
  blockHeight: u64,
  inscriptionId,
  newLocation: satPoint,
  oldLocation: satPoint,
  sequenceNumber: u32,
  isBurned: bool,
});

/** A queue's event as an index sees it. */
export interface OffChainEvent<E> {
  readonly queueName: string;
  /** The event's place in the queue; undefined for a queue without subscribers. */
  readonly sequenceNumber: bigint | undefined;
  readonly event: E;
}

/** `0x2::event_queue::OffChainEvent<E>` */
export function offChainEvent<E>(event: Codec<E>): Codec<OffChainEvent<E>> {
  return struct<OffChainEvent<E>>({ queueName: string, sequenceNumber: option(u64), event });
}

/** `0x4::utxo::ReceiveUTXOEvent`; the queue is the receiver, 64 digits without `0x`. */
export const receiveUtxoEvent: Codec<{
  readonly txid: Uint8Array;
  readonly sender: Uint8Array | undefined;
  readonly receiver: Uint8Array;
  readonly value: bigint;
}> = struct({
  txid: bytes32,
  sender: option(bytes32),
  receiver: bytes32,
  value: u64,
});

/** `0x4::utxo::SpendUTXOEvent`; the queue is the sender, 64 digits without `0x`. */
export const spendUtxoEvent: Codec<{
  readonly txid: Uint8Array;
  readonly sender: Uint8Array;
  readonly receiver: Uint8Array | undefined;
  readonly value: bigint;
}> = struct({
  txid: bytes32,
  sender: bytes32,
  receiver: option(bytes32),
  value: u64,
});

/** `0x4::utxo::TempStateDropEvent`; the queue is the type name of the dropped state. */
export const utxoTempStateDropEvent: Codec<{
  readonly utxoObjectId: SealedObject;
  readonly outpoint: OutPoint;
  readonly value: bigint;
}> = struct({
  utxoObjectId: objectParts,
  outpoint: outPoint,
  value: u64,
});

/** `0x4::ord::TempStateDropEvent`; the queue is the type name of the dropped state. */
export const inscriptionTempStateDropEvent: Codec<{
  readonly inscriptionObjectId: SealedObject;
  readonly inscriptionId: InscriptionId;
}> = struct({ inscriptionObjectId: objectParts, inscriptionId });

export const INSCRIPTION_EVENT_NEW = 0;
export const INSCRIPTION_EVENT_BURN = 1;

/** `0x4::ord::InscriptionEvent`; the queue is the metaprotocol. */
export const inscriptionEvent: Codec<{
  readonly metaprotocol: string;
  readonly sequenceNumber: number;
  readonly inscriptionObjectId: SealedObject;
  /** `INSCRIPTION_EVENT_NEW` or `INSCRIPTION_EVENT_BURN`. */
  readonly eventType: number;
}> = struct({
  metaprotocol: string,
  sequenceNumber: u32,
  inscriptionObjectId: objectParts,
  eventType: u8,
});
