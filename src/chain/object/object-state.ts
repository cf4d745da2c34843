/**
 * An object in a leaf of the state tree: its metadata and the BCS of its Move value.
 * Source: state.rs and moveos_std/object.rs of the reference's moveos/moveos-types/src.
 * @module
 */
import { bytes, type Codec, encode, hashText, option, repeated, struct, u8, u64 } from '../../base/bcs.ts';
import { equalBytes } from '../../base/bytes/bytes.ts';
import { malformedBytes } from '../../base/error.ts';
import { type Address, address, isSystemAddress, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { type StructTag, structTag, type TypeTag, typeTag } from '../../move/type-tag.ts';
import { type ObjectId, objectId, ROOT_OBJECT_ID } from './object-id.ts';

/** Cached types of objects. */
const OBJECT_TYPES_KNOWN_MAX = 32;

export const FLAG_SHARED = 1;
export const FLAG_FROZEN = 2;

/** The metadata of an object. */
export interface ObjectMeta {
  readonly id: ObjectId;
  /** `0x0` for shared, frozen, embedded and system objects. */
  readonly owner: Address;
  /** Bits `FLAG_SHARED` and `FLAG_FROZEN`. */
  readonly flag: number;
  /** Root of the tree of this object's fields; undefined for an object not touched since a bulk import. */
  readonly stateRoot: Uint8Array | undefined;
  /** Number of direct fields, child objects included. */
  readonly size: bigint;
  /** Milliseconds of the chain's timestamp object. */
  readonly createdAt: bigint;
  /** Milliseconds; changes only with the value. */
  readonly updatedAt: bigint;
  readonly objectType: StructTag;
}

/** A type with its BCS. */
interface KnownType {
  readonly type: StructTag;
  readonly bytes: Uint8Array;
}

/**
 * Types read or written last, in no particular order: a chain has few that are written often. Decoded objects share them,
 * so equal types are mostly the same JavaScript object; do not change it.
 */
const knownTypes: KnownType[] = [];
let oldestKnown = 0;

function know(type: StructTag, bytes: Uint8Array): KnownType {
  const known = { type, bytes };
  knownTypes[oldestKnown] = known;
  oldestKnown = (oldestKnown + 1) % OBJECT_TYPES_KNOWN_MAX;
  return known;
}

/** The BCS of an object's type; do not write to it. */
export function objectTypeBytes(type: StructTag): Uint8Array {
  for (let index = 0; index < knownTypes.length; index++) {
    const known = knownTypes[index]!;
    if (known.type === type) return known.bytes;
  }
  return know(type, encode(typeTag, { kind: 'struct', struct: type })).bytes;
}

/** An object's type is a struct; the bytes are those of a type tag. */
const objectType: Codec<StructTag> = {
  write: (writer, value) => writer.bytes(objectTypeBytes(value)),
  read: (reader) => {
    for (let index = 0; index < knownTypes.length; index++) {
      const { type, bytes } = knownTypes[index]!;
      if (!reader.isNext(bytes)) continue;
      reader.skip(bytes.length);
      return type;
    }
    const start = reader.offset;
    const tag: TypeTag = typeTag.read(reader);
    if (tag.kind !== 'struct') throw malformedBytes(`expected an object type, got ${tag.kind}`);
    return know(tag.struct, reader.bytes.slice(start, reader.offset)).type;
  },
};

/** An object's metadata in BCS. */
export const objectMeta: Codec<ObjectMeta> = struct<ObjectMeta>({
  id: objectId,
  owner: repeated(address),
  flag: u8,
  stateRoot: repeated(option(hashText)),
  size: u64,
  createdAt: u64,
  updatedAt: u64,
  objectType,
});

/** The type of the root object, which is never stored. */
const ROOT_OBJECT_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'object', 'Root');

/** The root object's metadata, rebuilt from a commit's root and size. */
export function rootObjectMeta(stateRoot: Uint8Array, size: bigint): ObjectMeta {
  return {
    id: ROOT_OBJECT_ID,
    owner: MOVEOS_STD_ADDRESS,
    flag: FLAG_SHARED,
    stateRoot,
    size,
    createdAt: 0n,
    updatedAt: 0n,
    objectType: ROOT_OBJECT_TYPE,
  };
}

export function isShared(meta: ObjectMeta): boolean {
  return (meta.flag & FLAG_SHARED) !== 0;
}

export function isFrozen(meta: ObjectMeta): boolean {
  return (meta.flag & FLAG_FROZEN) !== 0;
}

/** Held inside another struct: owned by the system, neither shared nor frozen. */
export function isEmbedded(meta: ObjectMeta): boolean {
  return isSystemAddress(meta.owner) && meta.flag === 0;
}

/** A dynamic field: `0x2::object::DynamicField<Name, Value>`. */
export function isDynamicField(meta: ObjectMeta): boolean {
  const { module, name, typeArguments, address: owner } = meta.objectType;
  return (
    name === 'DynamicField' &&
    module === 'object' &&
    typeArguments.length === 2 &&
    equalBytes(owner, MOVEOS_STD_ADDRESS)
  );
}

/** An object in a leaf of the state tree. */
export interface ObjectState {
  readonly meta: ObjectMeta;
  /** BCS of the Move value. */
  readonly value: Uint8Array;
}

/** An object's state in BCS: the bytes of a leaf. */
export const objectState: Codec<ObjectState> = struct<ObjectState>({ meta: objectMeta, value: bytes });

/** `0x2::object::DynamicField<name, value>`: its value is bcs(name) || bcs(value). */
export function dynamicFieldType(name: TypeTag, value: TypeTag): StructTag {
  return structTag(MOVEOS_STD_ADDRESS, 'object', 'DynamicField', [name, value]);
}
