/**
 * The objects that a Rooch node had at its state roots, as rows that a fork reads and keeps: an object by its id, and
 * pages of the fields of an object.
 * @module
 */
import { bool, bytes, type Codec, decode, struct, vector } from '../../base/bcs.ts';
import { concatBytes, equalBytes, textOfBytes } from '../../base/bytes/bytes.ts';
import { childObjectId, type ObjectId, objectId, objectIdBytes, ROOT_OBJECT_ID } from '../../chain/object/object-id.ts';
import { objectState } from '../../chain/object/object-state.ts';
import { EMPTY_ROOT, Leaf } from '../../store/tree/tree.ts';
import type { PinnedObjects } from './pinned-tree.ts';

/** First bytes of keys outside of any store: no column has them (store/column.ts). */
export const OBJECT_ROW = 0xf0;
export const FIELDS_ROW = 0xf1;

const HASH_BYTES = 32;

/** An object at a state root. */
export interface ObjectPlace {
  readonly state: Uint8Array;
  readonly id: ObjectId;
}

/** The key of an object; the value is that of its leaf. */
export function objectRowKey({ state, id }: ObjectPlace): Uint8Array {
  return concatBytes(Uint8Array.of(OBJECT_ROW), state, objectIdBytes(id));
}

/** The key of a page of the fields of an object, those after the key `after`. */
export function fieldsRowKey({ state, id }: ObjectPlace, after: Uint8Array | undefined): Uint8Array {
  return concatBytes(Uint8Array.of(FIELDS_ROW), state, objectIdBytes(id), after ?? new Uint8Array(0));
}

/** Reads a key of either kind. */
export function readObjectPlace(key: Uint8Array): ObjectPlace & { readonly after: Uint8Array | undefined } {
  const idAt = 1 + HASH_BYTES;
  const end = idAt + 1 + HASH_BYTES * key[idAt]!;
  return {
    state: key.slice(1, idAt),
    id: decode(objectId, key.subarray(idAt, end)),
    after: end === key.length ? undefined : key.slice(end),
  };
}

/** A page of fields in ascending order of their keys. */
export interface FieldsPage {
  /** Each as a leaf has it. */
  readonly objects: readonly Uint8Array[];
  readonly hasMore: boolean;
}

export const fieldsPage: Codec<FieldsPage> = struct<FieldsPage>({ objects: vector(bytes), hasMore: bool });

export class StoredObjects implements PinnedObjects {
  readonly #read: (key: Uint8Array) => Uint8Array | undefined;
  /** The objects with the field trees seen so far, by their roots. */
  readonly #parents = new Map<string, ObjectPlace>();
  /** A leaf is returned again, with what readers keep in it. */
  readonly #leaves = new Map<string, Leaf | undefined>();

  /** @param read gives the rows of the two kinds above */
  constructor(read: (key: Uint8Array) => Uint8Array | undefined) {
    this.#read = read;
  }

  /** Registers a state root of the node. */
  addState(root: Uint8Array): void {
    const name = textOfBytes(root);
    if (!this.#parents.has(name)) this.#parents.set(name, { state: root, id: ROOT_OBJECT_ID });
  }

  hasRoot(root: Uint8Array): boolean {
    return this.#parents.has(textOfBytes(root));
  }

  leaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    const parent = this.#parents.get(textOfBytes(root));
    if (parent === undefined) return undefined;
    const row = objectRowKey({ state: parent.state, id: childObjectId(parent.id, key) });
    const name = textOfBytes(row);
    if (!this.#leaves.has(name)) {
      const value = this.#read(row);
      this.#leaves.set(name, value && this.#leafOf(parent.state, value));
    }
    return this.#leaves.get(name);
  }

  *leaves(root: Uint8Array, after: Uint8Array | undefined): Generator<Leaf, void, undefined> {
    const parent = this.#parents.get(textOfBytes(root));
    let from = after;
    while (parent !== undefined) {
      const { objects, hasMore } = decode(fieldsPage, this.#read(fieldsRowKey(parent, from))!);
      for (const value of objects) {
        const leaf = this.#leafOf(parent.state, value);
        from = leaf.key;
        yield leaf;
      }
      if (!hasMore) return;
    }
  }

  #leafOf(state: Uint8Array, value: Uint8Array): Leaf {
    const { id, stateRoot } = decode(objectState, value).meta;
    const name = textOfBytes(stateRoot ?? EMPTY_ROOT);
    if (!this.#parents.has(name) && !equalBytes(stateRoot ?? EMPTY_ROOT, EMPTY_ROOT)) {
      this.#parents.set(name, { state, id });
    }
    return Leaf.of(id.at(-1)!, value);
  }
}
