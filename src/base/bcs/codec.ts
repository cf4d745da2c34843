/**
 * Binary Canonical Serialization: one value has one encoding.
 *
 * A `Codec<T>` is declared beside the type it encodes. Composite codecs are built from smaller ones, so one declaration
 * gives both directions. Decoding is bounded: lengths are checked against the bytes that are left before anything is
 * allocated, and `decode` refuses trailing bytes.
 * Source: https://github.com/diem/bcs.
 * @module
 */
import { argumentError } from '../argument.ts';
import { ByteReader } from '../bytes/reader.ts';
import { ByteWriter } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';

/** Writes values of one type as BCS, and reads them. */
export interface Codec<T> {
  readonly write: (writer: ByteWriter, value: T) => void;
  readonly read: (reader: ByteReader) => T;
}

const SCRATCH_BYTES_MAX = 64 * 1024;

/** One buffer for all outermost encodings: most take a few hundred bytes, and the result is a copy. */
let scratch: ByteWriter | undefined = new ByteWriter(4 * 1024);

/** The canonical bytes of `value`. */
export function encode<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).finish();
}

/**
 * As `encode`, for a value that comes from the caller.
 * @param expected what the argument should be, for the error
 * @throws {EngineError} `invalid-argument` naming the argument, if the value lacks what the codec writes
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

/** The canonical bytes of `value`, for a row or a part of one: copy or write them soon, do not keep them. */
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
  // After an error the buffer is dropped, and the next encoding makes another.
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
