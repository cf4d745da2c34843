/**
 * State proofs: that an object stands in a state, or does not, for somebody who knows nothing but the state root.
 *
 * The state is a tree of trees, so a proof has one step for each part of the object's id: the proof of the part in one
 * tree, and the object found there, whose own state root is where the next step begins. A proof of absence ends at the
 * first step that finds nothing. Source: moveos/smt/src/jellyfish_merkle of the reference.
 * @module
 */
import { assertObject, eachOf } from './argument.ts';
import { decode, encode } from './bcs/codec.ts';
import { equalBytes } from './bytes/compare.ts';
import { EngineError } from './error.ts';
import { type ObjectId, parentObjectId } from './object/object-id.ts';
import { type ObjectState, objectState } from './object/object-state.ts';
import type { State } from './state/state.ts';
import { type Proof, verifyProof } from './tree/proof.ts';
import { EMPTY_ROOT } from './tree/tree.ts';
import { type HashInput, HashValue, toHash } from './value/hash.ts';
import { ObjectIdValue, toObjectId } from './value/object-id.ts';
import { Readable } from './value/readable.ts';

/** The proof for one tree: that of the root object, or of an object that holds the next. */
export interface StateProofStep {
  readonly proof: Proof;
  /** BCS of the object state in the leaf; undefined where the step shows that there is none. */
  readonly value: Uint8Array | undefined;
}

/** Shows that an object, or a field, is in the state with this root, or that it is not. */
export interface StateProof {
  readonly stateRoot: Uint8Array;
  readonly id: ObjectId;
  /** One for each part of the id, outermost first, up to the first absent one. */
  readonly steps: readonly StateProofStep[];
}

class StateProofValue extends Readable implements StateProof {
  readonly stateRoot: HashValue;
  readonly id: ObjectIdValue;
  readonly steps: readonly StateProofStep[];

  constructor({ stateRoot, id, steps }: StateProof) {
    super();
    this.stateRoot = new HashValue(stateRoot);
    this.id = new ObjectIdValue(id);
    this.steps = steps;
  }
}

/**
 * Proves that `id` exists in `state`, or that it does not.
 * @throws {EngineError} `invalid-argument` for the root object, which is in no tree.
 */
export function proveState(state: State, id: ObjectId): StateProof {
  if (id.length === 0)
    throw new EngineError('invalid-argument', 'the root object stands in no tree: its proof is the root');
  const steps: StateProofStep[] = [];
  for (let depth = 1; depth <= id.length; depth++) {
    const parent = state.object(parentObjectId(id.slice(0, depth)) ?? []);
    const root = parent?.meta.stateRoot ?? EMPTY_ROOT;
    const object = state.object(id.slice(0, depth));
    const proof = state.tree.prove(root, id[depth - 1]!);
    steps.push({ proof, value: object === undefined ? undefined : encode(objectState, object) });
    if (object === undefined) break;
  }
  return new StateProofValue({ stateRoot: state.root, id, steps });
}

/** What a proof shows: the object, or that there is none. */
export type ProvenState = { readonly kind: 'present'; readonly object: ObjectState } | { readonly kind: 'absent' };

/**
 * What `proof` shows about its id under `stateRoot`; undefined when it shows nothing. Reads no state.
 * @throws {EngineError} `invalid-argument` for what is no proof in form, or no state root.
 */
export function verifyStateProof(proof: StateProof, stateRoot: HashInput): ProvenState | undefined {
  assertObject(proof, 'proof', 'a proof, as engine.prove gives it');
  const id = toObjectId(proof.id, 'proof.id');
  const steps = eachOf(proof.steps, 'proof.steps', (step, name) => {
    assertObject(step, name, '{ proof, value }');
    return step;
  });
  let root = toHash(stateRoot, 'stateRoot', 'a state root');
  let object: ObjectState | undefined;
  for (const [depth, step] of steps.entries()) {
    const key = id[depth];
    if (key === undefined || !verifyProof(step.proof, root, key, step.value)) return undefined;
    if (step.value === undefined) return depth === steps.length - 1 ? { kind: 'absent' } : undefined;
    object = decodeObject(step.value);
    if (object === undefined || !equalBytes(object.meta.id[depth] ?? EMPTY_ROOT, key)) return undefined;
    root = object.meta.stateRoot ?? EMPTY_ROOT;
  }
  if (object === undefined || steps.length !== id.length) return undefined;
  return { kind: 'present', object };
}

function decodeObject(value: Uint8Array): ObjectState | undefined {
  try {
    return decode(objectState, value);
  } catch (error) {
    // Bytes that are no object prove nothing about one.
    if (error instanceof EngineError && error.code === 'malformed-bytes') return undefined;
    throw error;
  }
}
