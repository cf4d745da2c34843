/**
 * Collects the objects of a genesis by id and turns them into one change set, deriving sizes, parents and fresh ids.
 *
 * Each method that adds one knows where objects of that kind belong: a named one at the id of its type, a resource
 * under its account.
 * @module
 */
import { type Codec, encode } from '../../base/bcs/codec.ts';
import { string } from '../../base/bcs/primitive.ts';
import { concatBytes } from '../../base/bytes/compare.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { assert } from '../../base/error.ts';
import type { FieldChanges, ObjectChange, StateChangeSet } from '../../chain/object/change-set.ts';
import { deriveFieldKey, resourceFieldKey, STRING_TYPE } from '../../chain/object/field-key.ts';
import {
  accountObjectId,
  childObjectId,
  formatObjectId,
  freshAddress,
  namedObjectId,
  type ObjectId,
} from '../../chain/object/object-id.ts';
import { dynamicFieldType } from '../../chain/object/object-state.ts';
import { type Address, MOVEOS_STD_ADDRESS, SYSTEM_ADDRESS } from '../../move/address.ts';
import { canonicalStruct, type StructTag, structTag, structType, type TypeTag } from '../../move/type-tag.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { ACCOUNT_TYPE, account } from '../framework/account.ts';

export interface GenesisObject {
  readonly id: ObjectId;
  readonly type: StructTag;
  /** BCS of the Move value. */
  readonly value: Uint8Array;
  /** Default: the system. */
  readonly owner?: Address;
  /** Default: 0. */
  readonly flag?: number;
}

/** The one hidden bool of a Move struct without fields. */
export const EMPTY_STRUCT: Uint8Array = Uint8Array.of(0);

const TABLE_TYPE = structTag(MOVEOS_STD_ADDRESS, 'table', 'TablePlaceholder');

interface Entry {
  readonly object: GenesisObject;
  readonly fields: Map<string, Entry>;
}

export class GenesisObjects {
  readonly #timestamp: bigint;
  readonly #transactionHash: Uint8Array;
  readonly #root = new Map<string, Entry>();
  #freshIds = 0n;

  /** `timestamp`, in milliseconds, is the creation time of every object. */
  constructor(transactionHash: Uint8Array, timestamp: bigint) {
    this.#transactionHash = transactionHash;
    this.#timestamp = timestamp;
  }

  /** The next fresh id of the genesis transaction. */
  freshId(): ObjectId {
    return [freshAddress(this.#transactionHash, this.#freshIds++)];
  }

  /** Adds an object; its parent must have been added. */
  add(object: GenesisObject): void {
    const siblings = this.#fieldsOf(object.id.slice(0, -1));
    const own = object.id[object.id.length - 1];
    assert(own !== undefined, 'the root object is not a genesis object');
    assert(!siblings.has(toHex(own)), `the genesis object ${formatObjectId(object.id)} is added twice`);
    siblings.set(toHex(own), { object, fields: new Map() });
  }

  /** Adds a dynamic field of `parent`. */
  addField<N, V>(
    parent: ObjectId,
    name: { readonly type: TypeTag; readonly codec: Codec<N>; readonly value: N },
    value: { readonly type: TypeTag; readonly codec: Codec<V>; readonly value: V },
  ): void {
    const nameBytes = encode(name.codec, name.value);
    this.add({
      id: childObjectId(parent, deriveFieldKey(nameBytes, name.type)),
      type: dynamicFieldType(name.type, value.type),
      value: concatBytes(nameBytes, encode(value.codec, value.value)),
    });
  }

  /** Adds the only object of its type, at the id that the type gives. */
  addNamed(type: StructTag, value: Uint8Array, owner: Address, flag = 0): void {
    this.add({ id: namedObjectId(type), type, value, owner, flag });
  }

  /** Adds an account that has sent nothing yet. */
  addAccount(owner: Address): void {
    const value = encode(account, { address: owner, sequenceNumber: 0n });
    this.add({ id: accountObjectId(owner), type: ACCOUNT_TYPE, value, owner });
  }

  /** Adds a resource of an account; `value` as BCS. */
  addResource(owner: Address, type: StructTag, value: Uint8Array): void {
    this.add({
      id: childObjectId(accountObjectId(owner), resourceFieldKey(type)),
      type: dynamicFieldType(STRING_TYPE, structType(type)),
      value: concatBytes(encode(string, canonicalStruct(type)), value),
    });
  }

  /** Adds the handle object of a new, empty table, and returns its id. */
  addTable(): ObjectId {
    const id = this.freshId();
    this.add({ id, type: TABLE_TYPE, value: EMPTY_STRUCT });
    return id;
  }

  /** `uncounted`: top-level objects that existed before the transaction and do not count in the root's size. */
  changeSet(uncounted: number): StateChangeSet {
    const changes = this.#changes(this.#root);
    return { stateRoot: EMPTY_ROOT, globalSize: BigInt(changes.length - uncounted), changes };
  }

  #fieldsOf(id: ObjectId): Map<string, Entry> {
    let fields = this.#root;
    for (const part of id) {
      const entry = fields.get(toHex(part));
      assert(entry !== undefined, `the genesis object ${formatObjectId(id)} has fields but was not added`);
      fields = entry.fields;
    }
    return fields;
  }

  #changes(entries: Map<string, Entry>): FieldChanges {
    return [...entries.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, entry]) => [entry.object.id[entry.object.id.length - 1]!, this.#change(entry)]);
  }

  #change({ object, fields }: Entry): ObjectChange {
    const { id, type, value, owner = SYSTEM_ADDRESS, flag = 0 } = object;
    return {
      meta: {
        id,
        owner,
        flag,
        stateRoot: undefined,
        size: BigInt(fields.size),
        createdAt: this.#timestamp,
        updatedAt: this.#timestamp,
        objectType: type,
      },
      value: { kind: 'new', value },
      fields: this.#changes(fields),
    };
  }
}
