/**
 * The Move types of objects and fields that TypeScript handles: the tag, and the codec of the values.
 * @module
 */
import { bytes32, type Codec, encodeShortLived, pair, string, u64 } from '../../base/bcs.ts';
import { ByteReader } from '../../base/bytes/reader.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { type FieldKey, STRING_TYPE } from '../../chain/object/field-key.ts';
import { dynamicFieldType } from '../../chain/object/object-state.ts';
import { canonicalTypeBytes, type StructTag, type TypeTag } from '../../move/type-tag.ts';

/** A Move type whose values are `T` in TypeScript. */
export interface MoveType<T> {
  readonly tag: TypeTag;
  readonly codec: Codec<T>;
}

export const MOVE_ADDRESS: MoveType<Uint8Array> = { tag: { kind: 'address' }, codec: bytes32 };
export const MOVE_STRING: MoveType<string> = { tag: STRING_TYPE, codec: string };
export const MOVE_U64: MoveType<bigint> = { tag: { kind: 'u64' }, codec: u64 };

/** An object type whose values are `T` in TypeScript. */
export interface ObjectType<T> {
  readonly tag: StructTag;
  readonly codec: Codec<T>;
}

/**
 * The dynamic fields with names of one type and values of another: entries of a table, resources, modules. Create it
 * once per table: it holds the shared parts of keys and types.
 */
export class FieldType<N, V> implements ObjectType<V> {
  /** `0x2::object::DynamicField<N, V>`. */
  readonly tag: StructTag;
  readonly codec: Codec<V>;
  readonly #name: Codec<N>;
  /** The name, then its type. */
  readonly #key: Codec<N>;
  readonly #entry: Codec<readonly [N, V]>;

  constructor(name: MoveType<N>, value: MoveType<V>) {
    this.tag = dynamicFieldType(name.tag, value.tag);
    this.codec = value.codec;
    this.#name = name.codec;
    const nameTypeBytes = canonicalTypeBytes(name.tag);
    this.#key = {
      write: (writer, value) => {
        name.codec.write(writer, value);
        writer.bytes(nameTypeBytes);
      },
      read: name.codec.read,
    };
    this.#entry = pair(name.codec, value.codec);
  }

  /** The key of the field of this name. */
  key(name: N): FieldKey {
    return sha3(encodeShortLived(this.#key, name));
  }

  /** The value of the field's object: the name, then the value. Do not keep it (bytes/arena.ts). */
  encode(name: N, value: V): Uint8Array {
    return encodeShortLived(this.#entry, [name, value]);
  }

  /**
   * The value part of what `encode` returned.
   * @throws {EngineError} `malformed-bytes`
   */
  decode(bytes: Uint8Array): V {
    const reader = new ByteReader(bytes);
    this.#name.read(reader);
    const value = this.codec.read(reader);
    reader.finish();
    return value;
  }
}
