/**
 * The two forms in which proofs travel: bytes (a tag for the kind, then BCS) and JSON.
 *
 * The JSON form is what `JSON.stringify(proof)` writes: hashes and bytes as lower-case hex text with `0x`, integers of
 * 64 bits as decimal text, undefined members left out. Both forms are canonical: only the one form of the proof that is
 * returned is accepted, so no byte of a proof can change unnoticed.
 * @module
 */
import {
  argumentError,
  assertBytes,
  assertFits,
  assertObject,
  ifGiven,
  listOf,
  oneOf,
  readByKind,
  readMembers,
} from '../../base/argument.ts';
import { type Codec, decode, encodeGiven, payload, variant } from '../../base/bcs.ts';
import { fromHex } from '../../base/bytes/bytes.ts';
import type { Proof, ProofLeaf } from '../../store/tree/proof.ts';
import { type EventProof, eventProof, readableEventProof } from './event-proof.ts';
import { type StateProof, type StateProofStep, StateProofValue, stateProof } from './state-proof.ts';
import {
  readableTransactionProof,
  TRANSACTION_KIND,
  type TransactionKind,
  type TransactionProof,
  transactionProof,
} from './transaction-proof.ts';

/** A proof of any kind; `kind` tells which. */
export type ChainProof = StateProof | TransactionProof | EventProof;

const chainProof: Codec<ChainProof> = variant<ChainProof>('ChainProof', [
  payload<ChainProof, 'state'>('state', stateProof),
  payload<ChainProof, 'transaction'>('transaction', transactionProof),
  payload<ChainProof, 'event'>('event', eventProof),
]);

/**
 * A proof as bytes.
 * @throws {EngineError} `invalid-argument` for anything but a proof
 */
export function encodeProof(proof: ChainProof): Uint8Array {
  assertObject(proof, 'proof', 'a proof');
  return encodeGiven(chainProof, proof, 'proof');
}

/**
 * The proof that bytes hold, not yet verified.
 * @throws {EngineError} `malformed-bytes` if the bytes are not a proof; `invalid-argument` for anything but bytes
 */
export function decodeProof(bytes: Uint8Array): ChainProof {
  assertBytes(bytes, 'bytes');
  return readable(decode(chainProof, bytes));
}

function readable(proof: ChainProof): ChainProof {
  switch (proof.kind) {
    case 'state':
      return new StateProofValue(proof);
    case 'transaction':
      return readableTransactionProof(proof);
    case 'event':
      return readableEventProof(proof);
  }
}

/**
 * The proof in a JSON form, given as text or parsed, not yet verified.
 * @throws {EngineError} `invalid-argument` naming the member that is not in its canonical form
 */
export function proofOfJson(json: unknown): ChainProof {
  const given = (typeof json === 'string' ? parsed(json) : json) as { readonly kind: string };
  assertObject(given, 'json', 'an object with kind');
  assertFits(given.kind, 'json.kind', KIND);
  return readable(readByKind(given, 'json', FORMS));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw argumentError('json', 'the JSON form of a proof', text, cause);
  }
}

const FORMS = {
  state: { stateRoot: hash, id: objectId, steps: listOf(step) },
  transaction: {
    accumulatorRoot: hash,
    numLeaves: decimal,
    order: decimal,
    transactionKind,
    content: hex,
    siblings: listOf(hash),
  },
  event: { eventRoot: hash, eventCount: count, eventIndex: count, eventData: hex, siblings: listOf(hash) },
};
const KIND = oneOf(Object.keys(FORMS));

function step(json: object, name: string): StateProofStep {
  return readMembers(json, name, { proof: treeProof, value: ifGiven(hex) });
}

function treeProof(json: object, name: string): Proof {
  return readMembers(json, name, { leaf: ifGiven(leaf), siblings: listOf(hash), neighbour: ifGiven(hex) });
}

function leaf(json: object, name: string): ProofLeaf {
  return readMembers(json, name, { key: hash, valueHash: hash });
}

function objectId(json: unknown, name: string): Uint8Array[] {
  const id = hex(json, name);
  if (id.length % 32 !== 0) throw argumentError(name, 'an object id of parts of 32 bytes', json);
  return Array.from({ length: id.length / 32 }, (_, part) => id.slice(part * 32, part * 32 + 32));
}

function transactionKind(json: unknown, name: string): TransactionKind {
  assertFits(json, name, TRANSACTION_KIND);
  return json as TransactionKind;
}

function hash(json: unknown, name: string): Uint8Array {
  return bytesOf(json, name, 32);
}

function hex(json: unknown, name: string): Uint8Array {
  return bytesOf(json, name);
}

function bytesOf(json: unknown, name: string, length?: number): Uint8Array {
  if (
    typeof json !== 'string' ||
    !/^0x(?:[0-9a-f]{2})*$/.test(json) ||
    (length !== undefined && json.length !== 2 + 2 * length)
  ) {
    throw argumentError(name, `${length ?? 'any number of'} bytes as lower-case hex text with 0x`, json);
  }
  return fromHex(json);
}

function decimal(json: unknown, name: string): bigint {
  const number = typeof json === 'string' && /^(?:0|[1-9]\d{0,19})$/.test(json) ? BigInt(json) : undefined;
  if (number === undefined || BigInt.asUintN(64, number) !== number) {
    throw argumentError(name, 'an integer from 0 to 2^64 - 1 as decimal text', json);
  }
  return number;
}

function count(json: unknown, name: string): number {
  if (typeof json !== 'number' || json >>> 0 !== json) {
    throw argumentError(name, 'a whole number from 0 to 4294967295', json);
  }
  return json;
}
