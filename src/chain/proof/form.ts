/**
 * The two forms in which proofs travel: bytes (a tag for the kind, then BCS) and JSON.
 *
 * The JSON form is what `JSON.stringify(proof)` writes: hashes and bytes as lower-case hex text with `0x`, integers of
 * 64 bits as decimal text, undefined members left out. Both forms are canonical: only the one form of the proof that is
 * returned is accepted, so no byte of it can be changed unnoticed.
 * @module
 */
import { argumentError, assertBytes, assertObject } from '../../base/argument.ts';
import { type Codec, decode, encodeGiven, payload, variant } from '../../base/bcs.ts';
import { fromHex } from '../../base/bytes/bytes.ts';
import type { Proof, ProofLeaf } from '../../store/tree/proof.ts';
import { type EventProof, eventProof, readableEventProof } from './event-proof.ts';
import { type StateProof, type StateProofStep, StateProofValue, stateProof } from './state-proof.ts';
import {
  readableTransactionProof,
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
  const given = typeof json === 'string' ? parsed(json) : json;
  const { kind } = members(given, 'json', ['kind'], true);
  switch (kind) {
    case 'state':
      return stateOf(given);
    case 'transaction':
      return transactionOf(given);
    case 'event':
      return eventOf(given);
    default:
      throw argumentError('json.kind', "'state', 'transaction' or 'event'", kind);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw argumentError('json', 'the JSON form of a proof', text, cause);
  }
}

function stateOf(json: unknown): StateProof {
  const given = members(json, 'json', ['kind', 'stateRoot', 'id', 'steps']);
  const id = hexOf(given['id'], 'json.id');
  if (id.length % 32 !== 0) throw argumentError('json.id', 'an object id of parts of 32 bytes', given['id']);
  return new StateProofValue({
    stateRoot: hexOf(given['stateRoot'], 'json.stateRoot', 32),
    id: Array.from({ length: id.length / 32 }, (_, part) => id.slice(part * 32, part * 32 + 32)),
    steps: listOf(given['steps'], 'json.steps', stepOf),
  });
}

function stepOf(json: unknown, name: string): StateProofStep {
  const { proof, value } = members(json, name, ['proof', 'value']);
  return { proof: treeProofOf(proof, `${name}.proof`), value: optional(value, `${name}.value`, hexOf) };
}

function treeProofOf(json: unknown, name: string): Proof {
  const { leaf, siblings, neighbour } = members(json, name, ['leaf', 'siblings', 'neighbour']);
  return {
    leaf: optional(leaf, `${name}.leaf`, leafOf),
    siblings: hashesOf(siblings, `${name}.siblings`),
    neighbour: optional(neighbour, `${name}.neighbour`, hexOf),
  };
}

function leafOf(json: unknown, name: string): ProofLeaf {
  const { key, valueHash } = members(json, name, ['key', 'valueHash']);
  return { key: hexOf(key, `${name}.key`, 32), valueHash: hexOf(valueHash, `${name}.valueHash`, 32) };
}

const TRANSACTION = ['kind', 'accumulatorRoot', 'numLeaves', 'order', 'transactionKind', 'content', 'siblings'];

function transactionOf(json: unknown): TransactionProof {
  const given = members(json, 'json', TRANSACTION);
  const kind = given['transactionKind'];
  if (kind !== 'l1-block' && kind !== 'l1-transaction' && kind !== 'l2-transaction') {
    throw argumentError('json.transactionKind', "'l1-block', 'l1-transaction' or 'l2-transaction'", kind);
  }
  return readableTransactionProof({
    accumulatorRoot: hexOf(given['accumulatorRoot'], 'json.accumulatorRoot', 32),
    numLeaves: decimalOf(given['numLeaves'], 'json.numLeaves'),
    order: decimalOf(given['order'], 'json.order'),
    transactionKind: kind satisfies TransactionKind,
    content: hexOf(given['content'], 'json.content'),
    siblings: hashesOf(given['siblings'], 'json.siblings'),
  });
}

function eventOf(json: unknown): EventProof {
  const given = members(json, 'json', ['kind', 'eventRoot', 'eventCount', 'eventIndex', 'eventData', 'siblings']);
  return readableEventProof({
    eventRoot: hexOf(given['eventRoot'], 'json.eventRoot', 32),
    eventCount: countOf(given['eventCount'], 'json.eventCount'),
    eventIndex: countOf(given['eventIndex'], 'json.eventIndex'),
    eventData: hexOf(given['eventData'], 'json.eventData'),
    siblings: hashesOf(given['siblings'], 'json.siblings'),
  });
}

/** The members of a JSON object, which must not have others unless it `mayHaveMore`. */
function members(
  json: unknown,
  name: string,
  known: readonly string[],
  mayHaveMore = false,
): Readonly<Record<string, unknown>> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw argumentError(name, `an object with ${known.join(', ')}`, json);
  }
  const other = Object.keys(json).find((member) => !known.includes(member));
  if (other !== undefined && !mayHaveMore) {
    throw argumentError(`${name}.${other}`, `one of ${known.join(', ')}`, other);
  }
  return json as Readonly<Record<string, unknown>>;
}

function optional<T>(json: unknown, name: string, read: (json: unknown, name: string) => T): T | undefined {
  return json === undefined ? undefined : read(json, name);
}

function listOf<T>(json: unknown, name: string, read: (json: unknown, name: string) => T): T[] {
  if (!Array.isArray(json)) throw argumentError(name, 'an array', json);
  return json.map((item: unknown, index) => read(item, `${name}[${index}]`));
}

function hashesOf(json: unknown, name: string): Uint8Array[] {
  return listOf(json, name, (item, at) => hexOf(item, at, 32));
}

function hexOf(json: unknown, name: string, length?: number): Uint8Array {
  if (
    typeof json !== 'string' ||
    !/^0x(?:[0-9a-f]{2})*$/.test(json) ||
    (length ?? json.length / 2 - 1) !== json.length / 2 - 1
  ) {
    throw argumentError(name, `${length ?? 'any number of'} bytes as lower-case hex text with 0x`, json);
  }
  return fromHex(json);
}

function decimalOf(json: unknown, name: string): bigint {
  const number = typeof json === 'string' && /^(?:0|[1-9]\d{0,19})$/.test(json) ? BigInt(json) : undefined;
  if (number === undefined || BigInt.asUintN(64, number) !== number) {
    throw argumentError(name, 'an integer from 0 to 2^64 - 1 as decimal text', json);
  }
  return number;
}

function countOf(json: unknown, name: string): number {
  if (typeof json !== 'number' || json >>> 0 !== json) {
    throw argumentError(name, 'a whole number from 0 to 4294967295', json);
  }
  return json;
}
