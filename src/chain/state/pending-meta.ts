/**
 * Changes that are not in the trees of a state yet: an object's fields are those of the last tree, overlaid with what
 * changed since. The root of such a tree is computed when it is first read.
 *
 * Changes are added in the order of their transactions, and only to the newest state. Reading an earlier state computes its
 * roots and reads its trees.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { assert } from '../../base/error.ts';
import type { Address } from '../../move/address.ts';
import type { StructTag } from '../../move/type-tag.ts';
import type { FieldKey } from '../object/field-key.ts';
import type { ObjectId } from '../object/object-id.ts';
import type { ObjectMeta, ObjectState } from '../object/object-state.ts';

/** The changed fields of an object, shared by its trees from one transaction to the next. */
export class PendingFields {
  /** The root of the tree without them. */
  readonly base: Uint8Array;
  /** The only tree with all of them. */
  newest: PendingTree | undefined;
  /** By the end of the key: a text of the whole key would have to be made for each look-up. */
  readonly #changed = new Map<number, ChangedField>();

  constructor(base: Uint8Array) {
    this.base = base;
  }

  /** Null for a field that was removed, undefined for one that is as in the tree. */
  find(key: FieldKey): ObjectState | null | undefined {
    return this.#known(key)?.object;
  }

  set(key: FieldKey, object: ObjectState | null): void {
    const known = this.#known(key);
    if (known !== undefined) {
      known.object = object;
      return;
    }
    const end = endOf(key);
    this.#changed.set(end, { key, object, next: this.#changed.get(end) });
  }

  #known(key: FieldKey): ChangedField | undefined {
    let field = this.#changed.get(endOf(key));
    while (field !== undefined && !equalBytes(field.key, key)) field = field.next;
    return field;
  }
}

interface ChangedField {
  readonly key: FieldKey;
  /** Null if it was removed. */
  object: ObjectState | null;
  /** Another field whose key has the same end. */
  readonly next: ChangedField | undefined;
}

/** The last bits of a key, as many as a small integer of V8 holds. Keys are hashes or addresses, which differ there. */
function endOf(key: FieldKey): number {
  return ((key[28]! << 24) | (key[29]! << 16) | (key[30]! << 8) | key[31]!) & 0x3fff_ffff;
}

/** The tree of an object's fields after a transaction whose changes are pending. */
export class PendingTree {
  /** Its fields until the root is computed, then its root. */
  #content: PendingFields | Uint8Array;
  readonly #make: () => void;

  constructor(fields: PendingFields, make: () => void) {
    this.#content = fields;
    this.#make = make;
    fields.newest = this;
  }

  /** Computed together with those of all pending transactions. */
  get root(): Uint8Array {
    if (this.#content instanceof PendingFields) this.#make();
    assert(!(this.#content instanceof PendingFields), 'the root of a tree is computed with the pending changes');
    return this.#content;
  }

  set root(made: Uint8Array) {
    this.#content = made;
  }

  /** Its fields, while they are read here and not in the tree of `root`. */
  get fields(): PendingFields | undefined {
    const content = this.#content;
    return content instanceof PendingFields && content.newest === this ? content : undefined;
  }
}

/** The metadata of an object whose fields have pending changes. */
export class PendingMeta implements ObjectMeta {
  id: ObjectId;
  owner: Address;
  flag: number;
  size: bigint;
  createdAt: bigint;
  updatedAt: bigint;
  objectType: StructTag;
  #tree: PendingTree | Uint8Array | undefined;

  constructor(
    { id, owner, flag, size, createdAt, updatedAt, objectType }: Omit<ObjectMeta, 'stateRoot'>,
    tree: PendingTree | Uint8Array | undefined,
  ) {
    this.id = id;
    this.owner = owner;
    this.flag = flag;
    this.size = size;
    this.createdAt = createdAt;
    this.updatedAt = updatedAt;
    this.objectType = objectType;
    this.#tree = tree;
  }

  get stateRoot(): Uint8Array | undefined {
    return this.#tree instanceof PendingTree ? this.#tree.root : this.#tree;
  }

  set stateRoot(root: Uint8Array | undefined) {
    this.#tree = root;
  }

  /** As those of `PendingTree`. */
  get fields(): PendingFields | undefined {
    return this.#tree instanceof PendingTree ? this.#tree.fields : undefined;
  }

  /** Whether `other` has, or had, this very tree of fields. */
  hasFieldsOf(other: ObjectMeta): boolean {
    return other instanceof PendingMeta && other.#tree === this.#tree;
  }

  copy(): PendingMeta {
    return new PendingMeta(this, this.#tree);
  }
}

/** The fields of an object with pending changes, as `PendingTree#fields`; undefined otherwise. */
export function pendingFields(meta: ObjectMeta): PendingFields | undefined {
  return meta instanceof PendingMeta ? meta.fields : undefined;
}
