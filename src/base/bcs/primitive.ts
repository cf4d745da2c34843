import { argumentError, assertBytes, assertText } from '../argument.ts';
import type { ByteReader } from '../bytes/reader.ts';
import { decodeUtf8, encodeUtf8, hasLoneSurrogate, isAsciiText } from '../bytes/utf8.ts';
import { EngineError } from '../error.ts';
import type { Codec } from './codec.ts';

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
    if (byte > 1) throw new EngineError('malformed-bytes', `expected a bool of 0 or 1, got ${byte}`);
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
      if (value.length !== length) {
        throw new EngineError('invalid-argument', `expected ${length} bytes, got ${value.length}`);
      }
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

/** A length in bytes, then UTF-8; malformed UTF-8 is rejected, and so is text without a UTF-8 form. */
export const string: Codec<string> = {
  write: (writer, value) => {
    assertText(value, 'value');
    // Names and types are ASCII, with one byte per character.
    if (isAsciiText(value)) {
      writer.uleb128(value.length);
      writer.ascii(value);
      return;
    }
    if (hasLoneSurrogate(value)) {
      throw new EngineError('invalid-argument', 'expected well-formed text, got a lone surrogate in a string');
    }
    bytes.write(writer, encodeUtf8(value));
  },
  read: (reader) => {
    const raw = readView(reader);
    if (raw.length <= SHORT_TEXT_BYTES) {
      const text = readAscii(raw);
      if (text !== undefined) return text;
    }
    const text = decodeUtf8(raw);
    if (text === undefined) throw new EngineError('malformed-bytes', 'expected UTF-8 in a string');
    return text;
  },
};

/**
 * A 32-byte hash as the reference's `H256` writes it even in binary: as text, `0x` and 64 lower-case digits, so 67
 * bytes. Source: the crate primitive-types, for its `H256`.
 *
 * The reference's library also reads digits without `0x` and in upper case, but nothing writes them, and a hash must
 * have a single encoding: a node that read such bytes and wrote them again would hash different bytes. They are
 * malformed.
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

/** Byte by byte: every object holds such a hash, and a string would only be made to be thrown away. */
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
  throw new EngineError('malformed-bytes', `expected a hash of 0x and 64 lower-case hex digits, got ${shown}`);
}

function readView(reader: ByteReader): Uint8Array {
  return reader.view(reader.uleb128());
}
