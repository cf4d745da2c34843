/**
 * State proofs: that a state has an object or a field, or lacks it, for a verifier who trusts only the state root.
 *
 * The state is a tree of trees, so a proof has one step for each part of the object's id: the proof of the part in one
 * tree, and the object found there, whose own state root is where the next step begins. A field is the last part of such
 * an id, so its proof goes through the object that holds it. A proof of absence ends at the first step that finds
 * nothing.
 * Source: moveos/smt/src/jellyfish_merkle of the reference.
 * @module
 */
import { argumentError, assertBytes, assertObject, eachOf } from '../../base/argument.ts';
import { bytes, bytes32, type Codec, decode, option, struct, vector } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { unlessRefused } from '../../base/error.ts';
import { type HashInput, toHash } from '../../base/hash/hash-input.ts';
import { EMPTY_ROOT } from '../../store/tree/node.ts';
import { type Proof, proofCodec, verifyProof } from '../../store/tree/proof.ts';
import type { FieldKeyInput } from '../object/field-key.ts';
import {
  equalObjectIds,
  formatObjectId,
  type ObjectId,
  type ObjectIdInput,
  objectId,
  objectOrFieldId,
  toObjectId,
} from '../object/object-id.ts';
import { type ObjectState, objectState } from '../object/object-state.ts';
import { type PlainJson, plainJson, Readable } from '../value/readable.ts';

/** The proof for one tree: that of the root object, or of an object that holds the next. */
export interface StateProofStep {
  readonly proof: Proof;
  /** BCS of the object state in the leaf; undefined if the step shows its absence. */
  readonly value: Uint8Array | undefined;
}

/** Shows that the state with this root has an object or a field, or lacks it. */
export interface StateProof {
  readonly kind: 'state';
  readonly stateRoot: Uint8Array;
  /** The object's id; for a field, the object's id followed by the field's key. */
  readonly id: ObjectId;
  /** One for each part of the id, outermost first, up to the first absent one. */
  readonly steps: readonly StateProofStep[];
}

export const stateProof: Codec<Omit<StateProof, 'kind'>> = struct<Omit<StateProof, 'kind'>>({
  stateRoot: bytes32,
  id: objectId,
  steps: vector(struct<StateProofStep>({ proof: proofCodec, value: option(bytes) })),
});

export class StateProofValue extends Readable implements StateProof {
  readonly kind = 'state';
  readonly stateRoot: Uint8Array;
  readonly id: ObjectId;
  readonly steps: readonly StateProofStep[];

  constructor({ stateRoot, id, steps }: Omit<StateProof, 'kind'>) {
    super();
    this.stateRoot = stateRoot.slice();
    this.id = id.map((part) => part.slice());
    this.steps = steps;
  }

  override toJSON(): PlainJson {
    return plainJson({ ...this, id: formatObjectId(this.id) });
  }
}

/** What a proof shows: the object, or its absence. */
export type ProvenState = { readonly kind: 'present'; readonly object: ObjectState } | { readonly kind: 'absent' };

/**
 * What `proof` shows about its id under `stateRoot`; undefined if it shows nothing. Reads no state.
 *
 * If the proof comes from another party, pass the requested `id`, and `fieldKey` for a field of that object: a proof of
 * anything else then shows nothing.
 * (If an object is absent, so are its fields: the rest of such an id needs no proof.)
 * @throws {EngineError} `invalid-argument` for anything that does not have the form of a proof, or of a state root.
 */
export function verifyStateProof(
  proof: StateProof,
  stateRoot: HashInput,
  id?: ObjectIdInput,
  fieldKey?: FieldKeyInput,
): ProvenState | undefined {
  assertObject(proof, 'proof', 'a proof of a state, as engine.prove gives it');
  if (proof.kind !== 'state') throw argumentError('proof.kind', "'state'", proof.kind);
  const named = toObjectId(proof.id, 'proof.id');
  assertBytes(proof.stateRoot, 'proof.stateRoot');
  const steps = eachOf(proof.steps, 'proof.steps', (step, name) => {
    assertObject(step, name, '{ proof, value }');
    return step;
  });
  let root = toHash(stateRoot, 'stateRoot', 'a state root');
  if (!equalBytes(proof.stateRoot, root)) return undefined;
  if (id !== undefined && !equalObjectIds(objectOrFieldId(toObjectId(id, 'id'), fieldKey), named)) return undefined;
  if (id === undefined && fieldKey !== undefined) throw argumentError('id', 'the object of fieldKey', id);
  let object: ObjectState | undefined;
  for (const [depth, step] of steps.entries()) {
    const key = named[depth];
    if (key === undefined || !verifyProof(step.proof, root, key, step.value)) return undefined;
    if (hasIdleNeighbour(step)) return undefined;
    if (step.value === undefined) return depth === steps.length - 1 ? { kind: 'absent' } : undefined;
    object = decodeObject(step.value);
    if (object === undefined || !equalBytes(object.meta.id[depth] ?? EMPTY_ROOT, key)) return undefined;
    root = object.meta.stateRoot ?? EMPTY_ROOT;
  }
  if (object === undefined || steps.length !== named.length) return undefined;
  return { kind: 'present', object };
}

/** Whether a step holds bytes that the proof does not depend on, and that anyone could change. */
function hasIdleNeighbour({ proof, value }: StateProofStep): boolean {
  return proof.neighbour !== undefined && (value !== undefined || proof.leaf === undefined);
}

/** Bytes that do not decode as an object prove nothing about one. */
function decodeObject(value: Uint8Array): ObjectState | undefined {
  return unlessRefused(() => decode(objectState, value), 'malformed-bytes');
}
