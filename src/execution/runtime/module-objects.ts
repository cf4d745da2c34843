/**
 * The modules of a session as objects: each is a field of its package, under its name, and each package an object in
 * the module store, under its address.
 * @module
 */
import { encode } from '../../base/bcs/codec.ts';
import { bytes, string, u64 } from '../../base/bcs/primitive.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { STRING_TYPE, stringFieldKey } from '../../chain/object/field-key.ts';
import { formatObjectId, MODULE_STORE_ID, PACKAGE_TYPE } from '../../chain/object/object-id.ts';
import { type Address, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { structTag, structType } from '../../move/type-tag.ts';
import { StatusCode } from '../../vm/status.ts';
import { FieldType } from './field-type.ts';
import { ObjectFailure } from './object-failure.ts';
import type { RuntimeObject } from './runtime-object.ts';

const MODULE_FIELD: FieldType<string, Uint8Array> = new FieldType(
  { tag: STRING_TYPE, codec: string },
  { tag: structType(structTag(MOVEOS_STD_ADDRESS, 'move_module', 'MoveModule')), codec: bytes },
);

export class ModuleObjects {
  readonly #root: RuntimeObject;

  /** `root`: the root object of the session. */
  constructor(root: RuntimeObject) {
    this.#root = root;
  }

  /**
   * The bytes of a module that the session has read or written; undefined for any other, for which the state is asked.
   * A removed module that has not been added again is still the one of the state, as in the reference.
   */
  held(address: Address, name: string): Uint8Array | undefined {
    const packageObject = this.#root.knownField(MODULE_STORE_ID[0]!)?.knownField(address);
    if (packageObject === undefined) return undefined;
    const field = packageObject.knownField(stringFieldKey(name));
    return field?.exists === true ? MODULE_FIELD.decode(field.value.bytes()) : undefined;
  }

  /** Modules that the session added or replaced. */
  changed(): { readonly address: Address; readonly name: string }[] {
    const store = this.#root.knownField(MODULE_STORE_ID[0]!);
    if (store === undefined) return [];
    const changed: { readonly address: Address; readonly name: string }[] = [];
    for (const packageObject of store.knownFields()) {
      for (const field of packageObject.knownFields()) {
        if (field.value.effect === 'none' || !field.exists) continue;
        const name = string.read(new ByteReader(field.value.bytes()));
        changed.push({ address: packageObject.id[1]!, name });
      }
    }
    return changed;
  }

  /**
   * Publishes a module as genesis does, without Move code: the package is created if it is missing, and belongs to its
   * address.
   * @throws {ObjectFailure} MISSING_DATA if there is no module store
   */
  publish(address: Address, name: string, code: Uint8Array): void {
    const store = this.#store();
    const packageObject = store.field(address);
    if (!packageObject.exists) {
      packageObject.create(PACKAGE_TYPE, (place) => place.fillBytes(encode(u64, 0n)));
      packageObject.setOwner(address);
      store.resize(1n);
    }
    const key = MODULE_FIELD.key(name);
    const field = packageObject.field(key);
    if (field.exists) {
      packageObject.removeField(key, MODULE_FIELD.tag, () => undefined);
      if (field.handle.exists) field.handle.takeOut();
    }
    field.create(MODULE_FIELD.tag, (place) => place.fillBytes(MODULE_FIELD.encode(name, code)));
    packageObject.resize(1n);
  }

  #store(): RuntimeObject {
    const store = this.#root.field(MODULE_STORE_ID[0]!);
    if (store.exists) return store;
    const id = formatObjectId(MODULE_STORE_ID);
    throw new ObjectFailure(StatusCode.MISSING_DATA, `the object ${id} does not exist`);
  }
}
