/**
 * Codecs built from codecs: struct, vector, option, variant, map, tuple.
 * @module
 */
import { compareBytes } from '../bytes/compare.ts';
import type { ByteReader } from '../bytes/reader.ts';
import type { ByteWriter } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';
import { type Codec, encode } from './codec.ts';

/** Fields in declaration order. `T` must be a plain object type. */
export function struct<T extends object>(fields: { readonly [K in keyof Required<T>]: Codec<T[K]> }): Codec<T> {
  const names = Object.keys(fields) as (keyof T & string)[];
  const codecs = names.map((name) => fields[name] as Codec<unknown>);
  return {
    write: (writer, value) => {
      for (let index = 0; index < names.length; index++) codecs[index]!.write(writer, value[names[index]!]);
    },
    read: (reader) => {
      const value: Record<string, unknown> = {};
      for (let index = 0; index < names.length; index++) value[names[index]!] = codecs[index]!.read(reader);
      return value as T;
    },
  };
}

/**
 * A uleb128 count and the items. An item takes at least one byte, so the count is bounded by the bytes that are left.
 */
export function vector<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    write: (writer, values) => {
      writer.uleb128(values.length);
      for (const value of values) item.write(writer, value);
    },
    read: (reader) => {
      const count = readCount(reader);
      const values: T[] = [];
      for (let index = 0; index < count; index++) values.push(item.read(reader));
      return values;
    },
  };
}

/** One tag byte, 0 or 1, and the value. A Move `Option` has the same bytes. */
export function option<T>(item: Codec<T>): Codec<T | undefined> {
  return {
    write: (writer, value) => {
      writer.u8(value === undefined ? 0 : 1);
      if (value !== undefined) item.write(writer, value);
    },
    read: (reader) => {
      const tag = reader.u8();
      if (tag > 1) throw new EngineError('malformed-bytes', `expected an option tag of 0 or 1, got ${tag}`);
      return tag === 1 ? item.read(reader) : undefined;
    },
  };
}

/**
 * As `item`, but equal bytes read twice in a row give the same object. For parts that most consecutive values share,
 * such as the store they are in: a hundred thousand values then share one object. No one may change it.
 */
export function repeated<T>(item: Codec<T>): Codec<T> {
  const last = new Uint8Array(REPEATED_BYTES_MAX);
  let length = 0;
  let value: T;
  return {
    write: item.write,
    read: (reader) => {
      if (length > 0 && reader.isNext(last, length)) {
        reader.skip(length);
        return value;
      }
      const start = reader.offset;
      const read = item.read(reader);
      length = reader.offset - start;
      if (length > REPEATED_BYTES_MAX) length = 0;
      else for (let index = 0; index < length; index++) last[index] = reader.bytes[start + index]!;
      value = read;
      return read;
    },
  };
}

/** The longest bytes that are compared: a hash as text, in an option. */
const REPEATED_BYTES_MAX = 68;

/** Two values, one after the other. */
export function pair<A, B>(first: Codec<A>, second: Codec<B>): Codec<readonly [A, B]> {
  return {
    write: (writer, [left, right]) => {
      first.write(writer, left);
      second.write(writer, right);
    },
    read: (reader) => [first.read(reader), second.read(reader)],
  };
}

/** An object with a `kind` that tells which variant it is. */
export interface Variant {
  readonly kind: string;
}

/**
 * A Rust enum: uleb128 index and payload. The variants are listed in index order as `[kind, codec]`; a codec reads and
 * writes the whole object, `kind` included (see `payload` and `unit`).
 */
export function variant<T extends Variant>(
  name: string,
  variants: readonly (readonly [T['kind'], Codec<T>])[],
): Codec<T> {
  return {
    write: (writer, value) => {
      const index = variants.findIndex(([kind]) => kind === value.kind);
      const codec = variants[index]?.[1];
      if (codec === undefined)
        throw new EngineError(
          'invalid-argument',
          `expected a variant of ${name}, got one of kind ${String(value.kind)}`,
        );
      writer.uleb128(index);
      codec.write(writer, value);
    },
    read: (reader) => {
      const index = reader.uleb128();
      const codec = variants[index]?.[1];
      if (codec === undefined) throw new EngineError('malformed-bytes', `${name} has no variant number ${index}`);
      return codec.read(reader);
    },
  };
}

/** A variant whose payload is a struct: the fields of `codec` next to `kind`. */
export function payload<T extends Variant, K extends T['kind']>(
  kind: K,
  codec: Codec<Omit<Extract<T, { kind: K }>, 'kind'>>,
): readonly [K, Codec<T>] {
  return [
    kind,
    {
      write: (writer, value) => codec.write(writer, value as unknown as Omit<Extract<T, { kind: K }>, 'kind'>),
      read: (reader) => ({ kind, ...codec.read(reader) }) as unknown as T,
    },
  ];
}

/** A variant without payload. */
export function unit<T extends Variant, K extends T['kind']>(kind: K): readonly [K, Codec<T>] {
  return [kind, { write: () => {}, read: () => ({ kind }) as unknown as T }];
}

/**
 * A map: count, then entries in ascending order of the *encoded* key bytes, each key once.
 * @throws {EngineError} `malformed-bytes` when entries are read out of order, `invalid-argument` when a key is written
 * twice.
 */
export function map<K, V>(keyCodec: Codec<K>, valueCodec: Codec<V>): Codec<readonly (readonly [K, V])[]> {
  return {
    write: (writer, entries) => {
      const sorted = entries
        .map(([key, value]) => ({ key: encode(keyCodec, key), value }))
        .sort((left, right) => compareBytes(left.key, right.key));
      writeSorted(writer, sorted, valueCodec);
    },
    read: (reader) => {
      const count = readCount(reader);
      const entries: (readonly [K, V])[] = [];
      let previous: Uint8Array | undefined;
      for (let index = 0; index < count; index++) {
        const start = reader.offset;
        const key = keyCodec.read(reader);
        const keyBytes = reader.bytes.subarray(start, reader.offset);
        if (previous !== undefined && compareBytes(previous, keyBytes) >= 0) {
          throw new EngineError('malformed-bytes', `expected map keys in ascending order at byte ${start}`);
        }
        previous = keyBytes;
        entries.push([key, valueCodec.read(reader)]);
      }
      return entries;
    },
  };
}

function writeSorted<V>(
  writer: ByteWriter,
  entries: readonly { readonly key: Uint8Array; readonly value: V }[],
  valueCodec: Codec<V>,
): void {
  writer.uleb128(entries.length);
  let previous: Uint8Array | undefined;
  for (const { key, value } of entries) {
    if (previous !== undefined && compareBytes(previous, key) === 0) {
      throw new EngineError('invalid-argument', 'a map cannot hold one key twice');
    }
    previous = key;
    writer.bytes(key);
    valueCodec.write(writer, value);
  }
}

function readCount(reader: ByteReader): number {
  const start = reader.offset;
  const count = reader.uleb128();
  if (count > reader.remaining) {
    throw new EngineError(
      'malformed-bytes',
      `expected at most ${reader.remaining} items at byte ${start}, got a count of ${count}`,
    );
  }
  return count;
}

/** A codec that may refer to itself: `make` runs on first use. */
export function lazy<T>(make: () => Codec<T>): Codec<T> {
  let made: Codec<T> | undefined;
  const codec = (): Codec<T> => {
    made ??= make();
    return made;
  };
  return {
    write: (writer, value) => codec().write(writer, value),
    read: (reader) => codec().read(reader),
  };
}
