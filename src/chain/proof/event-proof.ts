/**
 * Event proofs: that a transaction emitted an event's data at a position, for a verifier who trusts the transaction's event
 * root and number of events. The execution info of a transaction has the root, a receipt has the events.
 *
 * The event root is that of an accumulator over the hashes of the events' data. Like the reference's, it covers neither
 * the events' types nor their handles, so the proof shows neither.
 *
 * Without the number of events, data of 64 bytes could be two hashes of the accumulator.
 * Source: moveos/moveos-types/src/transaction.rs of the reference.
 * @module
 */

import { argumentError, assertBytes, assertFits, assertObject, eachOf, wholeNumber } from '../../base/argument.ts';
import { bytes, bytes32, type Codec, struct, u32, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { type HashInput, toHash } from '../../base/hash/hash-input.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { verifyLeaf } from '../../store/accumulator/proof.ts';
import { readable } from '../value/readable.ts';

/** Shows that an event's data is the one at an index of a transaction. */
export interface EventProof {
  readonly kind: 'event';
  readonly eventRoot: Uint8Array;
  /** Events of the transaction. */
  readonly eventCount: number;
  /** Position within the transaction, from 0. */
  readonly eventIndex: number;
  /** BCS of the event's Move value. */
  readonly eventData: Uint8Array;
  /** The hash of the other half at each level, lowest first. */
  readonly siblings: readonly Uint8Array[];
}

export const eventProof: Codec<Omit<EventProof, 'kind'>> = struct<Omit<EventProof, 'kind'>>({
  eventRoot: bytes32,
  eventCount: u32,
  eventIndex: u32,
  eventData: bytes,
  siblings: vector(bytes32),
});

/** A proof with hashes of its own, in readable form. */
export function readableEventProof(proof: Omit<EventProof, 'kind'>): EventProof {
  const { eventRoot, siblings } = proof;
  const own = siblings.map((sibling) => sibling.slice());
  return readable({ kind: 'event', ...proof, eventRoot: eventRoot.slice(), siblings: own });
}

/** What a proof shows: data that a transaction emitted. */
export interface ProvenEvent {
  readonly eventIndex: number;
  readonly eventData: Uint8Array;
}

/** The trusted facts about a transaction's events. */
export interface TrustedEvents {
  readonly eventRoot: HashInput;
  readonly eventCount: number;
}

/**
 * The event that `proof` shows among the events of a transaction; undefined if it shows none. Reads no ledger.
 * @throws {EngineError} `invalid-argument` for anything that does not have the form of a proof, or of an event root and
 * number
 */
export function verifyEventProof(proof: EventProof, events: TrustedEvents): ProvenEvent | undefined {
  assertForm(proof);
  assertObject(events, 'events', '{ eventRoot, eventCount }');
  const root = toHash(events.eventRoot, 'events.eventRoot', 'an event root');
  assertFits(events.eventCount, 'events.eventCount', COUNT);
  const { eventRoot, eventCount, eventIndex, eventData, siblings } = proof;
  if (!equalBytes(eventRoot, root) || eventCount !== events.eventCount) return undefined;
  const isShown = verifyLeaf({ siblings }, root, sha3(eventData), BigInt(eventIndex), BigInt(eventCount));
  return isShown ? { eventIndex, eventData } : undefined;
}

const COUNT = wholeNumber(0, 0xffff_ffff);

function assertForm(proof: EventProof): void {
  assertObject(proof, 'proof', 'a proof of an event, as engine.proofs.event gives it');
  if (proof.kind !== 'event') throw argumentError('proof.kind', "'event'", proof.kind);
  assertBytes(proof.eventRoot, 'proof.eventRoot');
  assertFits(proof.eventCount, 'proof.eventCount', COUNT);
  assertFits(proof.eventIndex, 'proof.eventIndex', COUNT);
  assertBytes(proof.eventData, 'proof.eventData');
  eachOf(proof.siblings, 'proof.siblings', (sibling, name) => assertBytes(sibling, name));
}
