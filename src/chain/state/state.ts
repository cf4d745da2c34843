/**
 * The state at one root: objects, their fields, resources and modules, read synchronously.
 *
 * The state is a tree of trees. The global tree holds the top-level objects; an object's leaf names the root of the
 * tree of its fields, and so on. An object is found by walking its id from the root object down. A State is immutable,
 * and usable as long as the nodes of its root are kept.
 *
 * A read takes one walk for each part of the id. The decoded form stays with the leaf, so a warm read decodes nothing.
 * Source: moveos/moveos-types/src/state_resolver.rs of the reference.
 * @module
 */
import { argumentError, assertFits, assertObject, wholeNumber } from '../../base/argument.ts';
import { bytes, type Codec, decode, string } from '../../base/bcs.ts';
import { equalBytes, toHexPrefixed } from '../../base/bytes/bytes.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { EngineError } from '../../base/error.ts';
import { type AddressInput, toAddress } from '../../bitcoin/address.ts';
import type { Address } from '../../move/address.ts';
import { type StructTagInput, toStructTag } from '../../move/type-tag.ts';
import type { Leaf, Tree } from '../../store/tree/tree.ts';
import {
  type FieldKey,
  type FieldKeyInput,
  resourceFieldKey,
  stringFieldKey,
  toFieldKey,
} from '../object/field-key.ts';
import {
  accountObjectId,
  formatObjectId,
  type ObjectId,
  type ObjectIdInput,
  packageObjectId,
  toObjectId,
} from '../object/object-id.ts';
import { type ObjectMeta, type ObjectState, objectState, rootObjectMeta } from '../object/object-state.ts';
import { type PendingFields, pendingFields } from './pending-meta.ts';

/** Accounts whose packages a state caches: the framework has four. */
export const PACKAGES_KEPT_MAX = 8;

/** A field of an object. */
export interface Field {
  readonly key: FieldKey;
  readonly object: ObjectState;
}

interface FieldRange {
  /** Exclusive; the walk starts at the first key after it. */
  readonly after: FieldKeyInput | undefined;
  readonly limit: number;
}

/** The root object has an empty Move struct as its value: one hidden bool. */
const ROOT_VALUE = Uint8Array.of(0);

/** The objects of the chain at one root. */
export class State {
  /** Number of fields of the root object, which no hash covers. */
  readonly size: bigint;
  /**
   * Caches of values derived from the state.
   * @internal
   */
  readonly derived: { gasSchedule?: unknown; machine?: unknown } = {};
  readonly #tree: Tree;
  readonly #rootObject: ObjectState;
  readonly #unloadedRoots: readonly Uint8Array[];
  /** Cached packages: a machine loads many modules of few accounts, and the walk to a package is long. */
  readonly #packages: { readonly account: Address; readonly object: ObjectState }[] = [];

  /**
   * @param unloadedRoots roots of trees that a partial chain lacks
   * @internal
   */
  constructor(tree: Tree, root: Uint8Array | ObjectMeta, size: bigint, unloadedRoots: readonly Uint8Array[] = []) {
    this.#tree = tree;
    this.size = size;
    this.#rootObject = { meta: 'stateRoot' in root ? root : rootObjectMeta(root, size), value: ROOT_VALUE };
    this.#unloadedRoots = unloadedRoots;
  }

  get root(): Uint8Array {
    return this.#rootObject.meta.stateRoot!;
  }

  /**
   * The root object's metadata.
   * @internal
   */
  get rootMeta(): ObjectMeta {
    return this.#rootObject.meta;
  }

  /**
   * The tree that this state reads, for writing the next one.
   * @internal
   */
  get tree(): Tree {
    return this.#tree;
  }

  /**
   * The object `id`, or undefined. The root object is built from the root and its size; it is not stored.
   * @throws {EngineError} `state-not-loaded` if a partial chain lacks the tree, `corrupt` if a node or its content does not
   * match its hash.
   */
  object(id: ObjectIdInput): ObjectState | undefined {
    let object = this.#rootObject;
    for (const part of Array.isArray(id) ? (id as ObjectId) : toObjectId(id, 'id')) {
      if (!(part instanceof Uint8Array)) throw argumentError('id', 'an object id of parts of 32 bytes', id);
      const child = this.childOf(object.meta, part);
      if (child === undefined) return undefined;
      object = child;
    }
    return object;
  }

  /** The field `key` of the object `parent`, or undefined if either is absent. */
  field(parent: ObjectIdInput, key: FieldKeyInput): ObjectState | undefined {
    const object = this.object(Array.isArray(parent) ? (parent as ObjectId) : toObjectId(parent, 'parent'));
    const read = toFieldKey(key, 'key');
    return object === undefined ? undefined : this.childOf(object.meta, read);
  }

  /** An account's resource of a type: the dynamic field object that holds it. */
  resource(account: AddressInput, type: StructTagInput): ObjectState | undefined {
    return this.field(accountObjectId(toAddress(account, 'account')), resourceFieldKey(toStructTag(type, 'type')));
  }

  /** The bytes of a module, or undefined. */
  module(account: AddressInput, name: string): Uint8Array | undefined {
    const field = this.moduleField(account, name);
    return field === undefined ? undefined : moduleOfField(field);
  }

  /**
   * The field that holds a module: the same JavaScript object as long as the module does not change and its leaf stays
   * in memory.
   * @internal
   */
  moduleField(account: AddressInput, name: string): ObjectState | undefined {
    const object = this.#package(toAddress(account, 'account'));
    return object === undefined ? undefined : this.childOf(object.meta, stringFieldKey(name));
  }

  /** The object whose fields are the modules of an account. */
  #package(account: Address): ObjectState | undefined {
    const known = this.#packages.find((kept) => equalBytes(kept.account, account));
    if (known !== undefined) return known.object;
    const object = this.object(packageObjectId(account));
    if (object !== undefined && this.#packages.length < PACKAGES_KEPT_MAX) {
      this.#packages.push({ account, object });
    }
    return object;
  }

  /**
   * Fields of `parent` in ascending order of their keys; none if the object is absent.
   * @throws {EngineError} as `object`
   */
  fields(parent: ObjectIdInput, page: FieldRange): Field[] {
    assertObject(page, 'page', '{ after, limit }');
    assertFits(page.limit, 'page.limit', wholeNumber(0));
    const after = page.after === undefined ? undefined : toFieldKey(page.after, 'page.after');
    const object = this.object(toObjectId(parent, 'parent'));
    const found: Field[] = [];
    if (object === undefined) return found;
    for (const field of this.fieldsOf(object.meta, after)) {
      if (found.length >= page.limit) break;
      if (after !== undefined && equalBytes(field.key, after)) continue;
      found.push(field);
    }
    return found;
  }

  /**
   * The field `key` of an object with this metadata, of which only id and root matter; undefined if absent.
   * @internal
   */
  childOf(parent: ObjectMeta, key: FieldKey): ObjectState | undefined {
    const pending = pendingFields(parent);
    if (pending !== undefined) return this.fieldOf(pending, parent.id, key);
    const { stateRoot } = parent;
    if (stateRoot === undefined) return undefined;
    if (this.#unloadedRoots.length > 0) this.assertLoaded(parent);
    return this.#stored(stateRoot, parent.id, key);
  }

  /**
   * The field `key` of the object `parent`, some fields of which have pending changes.
   * @internal
   */
  fieldOf(pending: PendingFields, parent: ObjectId, key: FieldKey): ObjectState | undefined {
    const changed = pending.find(key);
    return changed === undefined ? this.#stored(pending.base, parent, key) : (changed ?? undefined);
  }

  #stored(root: Uint8Array, parent: ObjectId, key: FieldKey): ObjectState | undefined {
    const leaf = this.#tree.getLeaf(root, key);
    return leaf === undefined ? undefined : readLeaf(leaf, parent);
  }

  /**
   * The fields of an object with this metadata, by ascending key from `from` (included), read lazily.
   * @internal
   */
  *fieldsOf(parent: ObjectMeta, from?: FieldKey): Generator<Field, void, undefined> {
    const { stateRoot } = parent;
    if (stateRoot === undefined) return;
    this.assertLoaded(parent);
    for (const leaf of this.#tree.iterate(stateRoot, from)) {
      yield { key: leaf.key, object: readLeaf(leaf, parent.id) };
    }
  }

  /**
   * Whether the fields of an object can be read: false only for imported trees on a partial chain.
   * @internal
   */
  isLoaded({ stateRoot }: ObjectMeta): boolean {
    return stateRoot === undefined || !this.#unloadedRoots.some((unloaded) => equalBytes(unloaded, stateRoot));
  }

  /**
   * @throws {EngineError} `state-not-loaded` for an object whose fields a partial chain does not hold
   * @internal
   */
  assertLoaded(meta: ObjectMeta): void {
    if (this.isLoaded(meta)) return;
    const stateRoot = toHexPrefixed(meta.stateRoot ?? new Uint8Array(0));
    throw new EngineError(
      'state-not-loaded',
      `the fields of ${formatObjectId(meta.id)} are not part of this chain's data: its tree ${stateRoot} was imported by the network and is not in the genesis file`,
      { details: { objectId: formatObjectId(meta.id), stateRoot } },
    );
  }
}

/** Decodes a leaf once, and checks that its object's id belongs at this position. */
export function readLeaf(leaf: Leaf, parent: ObjectId): ObjectState {
  if (leaf.decoded !== undefined) return leaf.decoded as ObjectState;
  let object: ObjectState;
  try {
    object = decode(objectState, leaf.value);
  } catch (cause) {
    throw new EngineError('corrupt', `the leaf ${toHexPrefixed(leaf.key)} does not hold an object`, { cause });
  }
  const { id } = object.meta;
  const own = id[id.length - 1];
  // Building the message costs as much as the rest, so it is built only when it is needed.
  if (own === undefined || id.length !== parent.length + 1 || !equalBytes(own, leaf.key)) {
    const message = `the leaf ${toHexPrefixed(leaf.key)} of ${formatObjectId(parent)} holds the object ${formatObjectId(id)}`;
    throw new EngineError('invariant-violation', message);
  }
  leaf.decoded = object;
  return object;
}

/** The bytes of the module that a field of the module store holds. */
export function moduleOfField(field: ObjectState): Uint8Array {
  return dynamicFieldValue(field, string, bytes);
}

/**
 * The value part of a dynamic field whose name and value have these codecs.
 * @throws {EngineError} `malformed-bytes`
 */
export function dynamicFieldValue<N, V>(field: ObjectState, name: Codec<N>, value: Codec<V>): V {
  const reader = new ByteReader(field.value);
  name.read(reader);
  const result = value.read(reader);
  reader.finish();
  return result;
}
