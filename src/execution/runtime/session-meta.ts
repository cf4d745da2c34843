/**
 * The metadata of an object within a session. It goes through the same states as the value but, unlike the value, is
 * still readable once the object is removed.
 *
 * An object that is removed and added again starts over. If it is removed once more, it has no metadata and therefore
 * no change: the state keeps it as it was. That is a bug of the reference, kept because roots must agree. Source:
 * moveos/moveos-object-runtime/src/runtime_object_meta.rs of the reference.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import type { ObjectId } from '../../chain/object/object-id.ts';
import type { ObjectMeta } from '../../chain/object/object-state.ts';
import { PendingMeta } from '../../chain/state/pending-meta.ts';
import { SYSTEM_ADDRESS } from '../../move/address.ts';
import { equalStructs, type StructTag } from '../../move/type-tag.ts';
import { StatusCode } from '../../vm/status.ts';
import { refusal } from './object-failure.ts';

/** `cached` came from the state, `fresh` was created in the session, `deleted` belonged to a removed object. */
type MetaState = 'none' | 'fresh' | 'cached' | 'deleted';

export class SessionMeta {
  readonly #original: ObjectMeta | undefined;
  #current: ObjectMeta | undefined;
  #state: MetaState;
  /** The tag that the object's type was last found to equal. */
  #knownType: StructTag | undefined;

  /** `original`: as the state has it. */
  constructor(original: ObjectMeta | undefined) {
    this.#original = original;
    this.#current = original;
    this.#state = original === undefined ? 'none' : 'cached';
  }

  /** As the state has it. */
  get original(): ObjectMeta | undefined {
    return this.#original;
  }

  /** As it is now; a removed object still has its last. */
  get current(): ObjectMeta | undefined {
    return this.#current;
  }

  /** Whether the object exists or existed. */
  get isKnown(): boolean {
    return this.#state !== 'none';
  }

  get isFresh(): boolean {
    return this.#state === 'fresh';
  }

  /** Whether it was read from the state and nothing was done to it. */
  get isAsRead(): boolean {
    return this.#state === 'cached' && this.#current === this.#original;
  }

  /** Whether `meta`, the current metadata, is of this type; the same type is compared once. */
  isOfType(meta: ObjectMeta, type: StructTag): boolean {
    if (this.#knownType === type) return true;
    const isEqual = isOfType(meta, type);
    if (isEqual) this.#knownType = type;
    return isEqual;
  }

  /** The object was created with this metadata. */
  create(meta: ObjectMeta): void {
    this.#state = 'fresh';
    this.#current = meta;
    this.#knownType = undefined;
  }

  /** The object was removed. */
  remove(): void {
    if (this.#state !== 'fresh') {
      this.#state = 'deleted';
      return;
    }
    this.#state = 'none';
    this.#current = undefined;
    this.#knownType = undefined;
  }

  /**
   * Replaces the current metadata, `meta`, by a copy, which the caller may change immediately.
   * @throws {ObjectFailure} MISSING_DATA for a removed object
   */
  edit(meta: ObjectMeta): ChangeableMeta {
    if (this.#state === 'deleted') throw refusal(StatusCode.MISSING_DATA, meta.id, 'is removed');
    const changed = copyOfMeta(meta);
    this.#current = changed;
    return changed;
  }

  /** Whether `meta` differs from the state's. */
  differs(meta: ObjectMeta): boolean {
    const original = this.#original;
    if (this.#state !== 'cached' || original === undefined) return true;
    return meta !== original && !equalChangeable(meta, original);
  }
}

/** Metadata that is not shared yet. */
type ChangeableMeta = { -readonly [Name in keyof ObjectMeta]: ObjectMeta[Name] };

/** A copy to change. Its properties are written out: spreading takes half a microsecond, this a twentieth. */
export function copyOfMeta(meta: ObjectMeta): ChangeableMeta {
  if (meta instanceof PendingMeta) return meta.copy();
  const { id, owner, flag, stateRoot, size, createdAt, updatedAt, objectType } = meta;
  return { id, owner, flag, stateRoot, size, createdAt, updatedAt, objectType };
}

/** By object type (the object kept with the state): the tag of a runtime type that was found to be equal. */
const lastEqual = new WeakMap<StructTag, StructTag>();

/** Whether an object's type is `type`. */
export function isOfType({ objectType }: ObjectMeta, type: StructTag): boolean {
  if (objectType === type || lastEqual.get(objectType) === type) return true;
  const isEqual = equalStructs(objectType, type);
  if (isEqual) lastEqual.set(objectType, type);
  return isEqual;
}

/** Whether the parts of an object's metadata that a session may change are equal. */
function equalChangeable(left: ObjectMeta, right: ObjectMeta): boolean {
  return (
    left.size === right.size &&
    left.flag === right.flag &&
    equalBytes(left.owner, right.owner) &&
    left.updatedAt === right.updatedAt &&
    left.createdAt === right.createdAt &&
    haveSameFields(left, right)
  );
}

function haveSameFields(left: ObjectMeta, right: ObjectMeta): boolean {
  if (left instanceof PendingMeta && left.hasFieldsOf(right)) return true;
  const [one, other] = [left.stateRoot, right.stateRoot];
  return one === other || (one !== undefined && other !== undefined && equalBytes(one, other));
}

/** The metadata of a new object: no owner, no fields, and no times until the transaction ends. */
export function freshMeta(id: ObjectId, objectType: StructTag): ObjectMeta {
  return {
    id,
    owner: SYSTEM_ADDRESS,
    flag: 0,
    stateRoot: undefined,
    size: 0n,
    createdAt: 0n,
    updatedAt: 0n,
    objectType,
  };
}
