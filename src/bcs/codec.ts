/**
 * Binary Canonical Serialization: one value has one encoding.
 *
 * A `Codec<T>` stands beside the type it encodes. Composite codecs are built from smaller ones, so a type is declared
 * once and both directions follow. Decoding is bounded: lengths are checked against what is left before anything is
 * allocated, and `decode` refuses bytes that remain.
 * Source: https://github.com/diem/bcs.
 * @module
 */
import { argumentError } from '../argument.ts';
import { ByteReader } from '../bytes/reader.ts';
import { ByteWriter } from '../bytes/writer.ts';
import { EngineError } from '../error.ts';

/** How values of one type are written to BCS and read from it. */
export interface Codec<T> {
  readonly write: (writer: ByteWriter, value: T) => void;
  readonly read: (reader: ByteReader) => T;
}

const SCRATCH_BYTES_MAX = 64 * 1024;

/** One buffer for all encodings that are not inside another: most take a few hundred bytes and live as a copy. */
let scratch: ByteWriter | undefined = new ByteWriter(4 * 1024);

/** The canonical bytes of `value`. */
export function encode<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).finish();
}

/**
 * As `encode`, of a value that a program gave.
 * @throws {EngineError} `invalid-argument` naming the argument, where the value lacks what the codec writes
 */
export function encodeGiven<T>(codec: Pick<Codec<T>, 'write'>, value: T, name: string): Uint8Array {
  try {
    return encode(codec, value);
  } catch (cause) {
    if (cause instanceof TypeError || cause instanceof RangeError) {
      throw argumentError(name, 'a value of the type that is encoded', value, cause);
    }
    if (!(cause instanceof EngineError) || cause.code !== 'invalid-argument') throw cause;
    throw new EngineError(cause.code, `${name}: ${cause.message}`, { details: { path: name }, cause });
  }
}

/** The canonical bytes of `value`, to be copied or written soon and not to be kept: a row, or a part of one. */
export function encodeShortLived<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).finishShortLived();
}

/** The canonical bytes of `value` where they were written: a view that is good until the next encoding. */
export function encodeInPlace<T>(codec: Pick<Codec<T>, 'write'>, value: T): Uint8Array {
  return write(codec, value).view();
}

/** A writer that holds the canonical bytes of `value` until the next encoding. */
function write<T>(codec: Pick<Codec<T>, 'write'>, value: T): ByteWriter {
  const writer = scratch ?? new ByteWriter();
  scratch = undefined;
  writer.clear();
  codec.write(writer, value);
  // After an error the buffer is let go: the next encoding makes another.
  scratch = writer.length <= SCRATCH_BYTES_MAX ? writer : new ByteWriter(4 * 1024);
  return writer;
}

/**
 * The value that `bytes` encode, all of them.
 * @throws {EngineError} `malformed-bytes` for another type's bytes, a non-canonical form, or bytes that remain.
 */
export function decode<T>(codec: Codec<T>, bytes: Uint8Array): T {
  const reader = new ByteReader(bytes);
  const value = codec.read(reader);
  reader.finish();
  return value;
}
