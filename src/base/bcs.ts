/**
 * Binary Canonical Serialization: one value has one encoding.
 *
 * A `Codec<T>` is declared beside the type it encodes. Composite codecs are built from smaller ones, so one declaration
 * gives both directions. Decoding is bounded: lengths are checked against the bytes that are left before anything is
 * allocated, and `decode` refuses trailing bytes.
 * Source: https://github.com/diem/bcs.
 * @module
 */
import { argumentError, assertBytes, assertText } from './argument.ts';
import { compareBytes, decodeUtf8, encodeUtf8, hasLoneSurrogate, isAsciiText } from './bytes/bytes.ts';
import { ByteReader } from './bytes/reader.ts';
import { ByteWriter } from './bytes/writer.ts';
import { EngineError, invalidArgument, malformedBytes } from './error.ts';

/** Writes values of one type as BCS, and reads them. */
export interface Codec<T> {
  readonly write: (writer: ByteWriter, value: T) => void;
  readonly read: (reader: ByteReader) => T;
}

const SCRATCH_BYTES_MAX = 64 * 1024;

/** One buffer for all outermost encodings, whose results are copies. */
let scratch: ByteWriter | undefined = new ByteWriter(4 * 1024);

/** The canonical bytes of `value`. */
export function encode<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).finish();
}

/**
 * As `encode`, for an argument.
 * @param expected what the argument should be, for the error
 * @throws {EngineError} `invalid-argument` naming the argument, if the codec cannot write it
 */
export function encodeGiven<T>(
  codec: Pick<Codec<T>, 'write'>,
  value: T,
  name: string,
  expected = 'a value of the type that is encoded',
): Uint8Array {
  try {
    return encode(codec, value);
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof RangeError) {
      throw argumentError(name, expected, value, cause);
    }
    if (!(cause instanceof EngineError) || cause.code !== 'invalid-argument') throw cause;
    throw new EngineError(cause.code, `${name}: ${cause.message}`, { details: { path: name }, cause });
  }
}

/** The canonical bytes of `value` in short-lived memory (arena.ts): do not keep them. */
export function encodeShortLived<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).finishShortLived();
}

/** The canonical bytes of `value` as a view of the buffer, valid until the next encoding. */
export function encodeInPlace<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).view();
}

/** A writer that holds the canonical bytes of `value` until the next encoding. */
function write<T>(codec: Pick<Codec<T>, 'write'>, value: T): ByteWriter {
  const writer = scratch ?? new ByteWriter();
  scratch = undefined;
  writer.clear();
  codec.write(writer, value);
  // After an error the buffer is lost, and the next encoding makes another.
  scratch = writer.length <= SCRATCH_BYTES_MAX ? writer : new ByteWriter(4 * 1024);
  return writer;
}

/**
 * The value that `bytes` encode, with none left over.
 * @throws {EngineError} `malformed-bytes` for bytes of another type, a non-canonical form, or trailing bytes.
 */
export function decode<T>(codec: Pick<Codec<T>, 'read'>, bytes: Uint8Array): T {
  const reader = new ByteReader(bytes);
  const value = codec.read(reader);
  reader.finish();
  return value;
}

export const u8: Codec<number> = { write: (writer, value) => writer.u8(value), read: (reader) => reader.u8() };
export const u16: Codec<number> = { write: (writer, value) => writer.u16(value), read: (reader) => reader.u16() };
export const u32: Codec<number> = { write: (writer, value) => writer.u32(value), read: (reader) => reader.u32() };
export const u64: Codec<bigint> = { write: (writer, value) => writer.u64(value), read: (reader) => reader.u64() };
export const u128: Codec<bigint> = { write: (writer, value) => writer.u128(value), read: (reader) => reader.u128() };
export const u256: Codec<bigint> = { write: (writer, value) => writer.u256(value), read: (reader) => reader.u256() };

/** One byte, 0 or 1; any other byte is malformed. */
export const bool: Codec<boolean> = {
  write: (writer, value) => {
    if (typeof value !== 'boolean') throw argumentError('value', 'true or false', value);
    writer.u8(value ? 1 : 0);
  },
  read: (reader) => {
    const byte = reader.u8();
    if (byte > 1) throw malformedBytes(`expected a bool of 0 or 1, got ${byte}`);
    return byte === 1;
  },
};

/** A length and that many bytes; decoding copies. */
export const bytes: Codec<Uint8Array> = {
  write: (writer, value) => {
    writer.uleb128(value.length);
    writer.bytes(value);
  },
  read: (reader) => reader.copy(reader.uleb128()),
};

/** Exactly `length` bytes without a length prefix; decoding copies. */
export function fixedBytes(length: number): Codec<Uint8Array> {
  return {
    write: (writer, value) => {
      if (value.length !== length) throw invalidArgument(`expected ${length} bytes, got ${value.length}`);
      writer.bytes(value);
    },
    read: (reader) => reader.copy(length),
  };
}

/** 32 raw bytes: field keys, Bitcoin hashes, and hashes where the reference does not write them as text. */
export const bytes32: Codec<Uint8Array> = fixedBytes(32);

/** Up to this length a loop is faster than the host's decoder. */
const SHORT_TEXT_BYTES = 32;

function readAscii(bytes: Uint8Array): string | undefined {
  let text = '';
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!;
    if (byte >= 0x80) return undefined;
    text += String.fromCharCode(byte);
  }
  return text;
}

/** A length in bytes, then UTF-8; malformed UTF-8 and lone surrogates are refused. */
export const string: Codec<string> = {
  write: (writer, value) => {
    assertText(value, 'value');
    // Names and types are ASCII, with one byte per character.
    if (isAsciiText(value)) {
      writer.uleb128(value.length);
      writer.ascii(value);
      return;
    }
    if (hasLoneSurrogate(value)) throw invalidArgument('expected well-formed text, got a lone surrogate in a string');
    bytes.write(writer, encodeUtf8(value));
  },
  read: (reader) => {
    const raw = readView(reader);
    if (raw.length <= SHORT_TEXT_BYTES) {
      const text = readAscii(raw);
      if (text !== undefined) return text;
    }
    const text = decodeUtf8(raw);
    if (text === undefined) throw malformedBytes('expected UTF-8 in a string');
    return text;
  },
};

/**
 * A 32-byte hash as the reference's `H256` writes it even in binary: as text, `0x` and 64 lower-case digits, so 67
 * bytes. Source: the crate primitive-types, for its `H256`.
 *
 * The reference's library also reads digits without `0x` and in upper case, which nothing writes. They are malformed
 * here, since a hash must have a single encoding: a node that read and rewrote such bytes would hash different ones.
 */
export const hashText: Codec<Uint8Array> = {
  write: (writer, value) => {
    assertBytes(value, 'value', 32);
    writer.u8(HASH_TEXT_BYTES);
    writer.ascii('0x');
    writer.hexDigits(value);
  },
  read: (reader) => {
    const text = readView(reader);
    return readHashText(text) ?? refuseHashText(text);
  },
};

const HASH_TEXT_BYTES = 66;

/** Byte by byte: every object holds such a hash, and an intermediate string would be garbage. */
function readHashText(text: Uint8Array): Uint8Array | undefined {
  if (text.length !== HASH_TEXT_BYTES || text[0] !== 0x30 || text[1] !== 0x78) return undefined;
  const hash = new Uint8Array(32);
  for (let index = 0; index < 32; index++) {
    const high = hexDigitOf(text[2 + 2 * index]!);
    const low = hexDigitOf(text[3 + 2 * index]!);
    if (high < 0 || low < 0) return undefined;
    hash[index] = (high << 4) | low;
  }
  return hash;
}

function hexDigitOf(character: number): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30;
  return character >= 0x61 && character <= 0x66 ? character - 0x57 : -1;
}

function refuseHashText(text: Uint8Array): never {
  const shown = JSON.stringify(new TextDecoder().decode(text.subarray(0, 80)));
  throw malformedBytes(`expected a hash of 0x and 64 lower-case hex digits, got ${shown}`);
}

function readView(reader: ByteReader): Uint8Array {
  return reader.view(reader.uleb128());
}

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
      if (tag > 1) throw malformedBytes(`expected an option tag of 0 or 1, got ${tag}`);
      return tag === 1 ? item.read(reader) : undefined;
    },
  };
}

/**
 * As `item`, but equal bytes read in a row give the same object, which must not be changed: for parts that consecutive
 * values mostly share, such as their store.
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

/** An object whose `kind` is the name of its variant. */
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
        throw invalidArgument(`expected a variant of ${name}, got one of kind ${String(value.kind)}`);
      writer.uleb128(index);
      codec.write(writer, value);
    },
    read: (reader) => {
      const index = reader.uleb128();
      const codec = variants[index]?.[1];
      if (codec === undefined) throw malformedBytes(`${name} has no variant number ${index}`);
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
          throw malformedBytes(`expected map keys in ascending order at byte ${start}`);
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
      throw invalidArgument('a map cannot hold one key twice');
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
    throw malformedBytes(`expected at most ${reader.remaining} items at byte ${start}, got a count of ${count}`);
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
