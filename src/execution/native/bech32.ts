/**
 * Natives of `0x2::bech32`: BIP 173 and BIP 350, and text of that form without a checksum.
 *
 * Except for witness addresses, decoding ignores the padding bits of the last character and allows 1,023 characters, as
 * in the reference. The gas of both treats the number of the BIP, or the version, as if it were a number of bytes.
 * Source: bech32 0.11 of the reference.
 * @module
 */
import { bech32, bech32m } from '@scure/base';
import { decodeUtf8, encodeUtf8, isAscii } from '../../base/bytes/bytes.ts';
import { isWitnessProgram } from '../../bitcoin/address.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { StatusCode } from '../../vm/status.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';
import { attempt, panic } from './panic.ts';

const BECH32_TEXT_LENGTH_MAX = 1023;
const PREFIX_LENGTH_MAX = 83;

interface Bech32Text {
  /** The human-readable part, in lower case. */
  readonly prefix: string;
  /** 5 bits each, without the checksum. */
  readonly words: readonly number[];
  /** Whether the checksum is that of BIP 350. */
  readonly isBech32m: boolean;
}

/** `undefined` for bytes that are not text with one of the two checksums. */
export function readBech32(bytes: Uint8Array, lengthMax: number = BECH32_TEXT_LENGTH_MAX): Bech32Text | undefined {
  if (bytes.length > lengthMax || !isAscii(bytes)) return undefined;
  const text = decodeUtf8(bytes)!;
  const modern = attempt(() => bech32m.decode(text, false));
  const decoded = modern ?? attempt(() => bech32.decode(text, false));
  if (decoded === undefined || decoded.prefix.length > PREFIX_LENGTH_MAX) return undefined;
  return { prefix: decoded.prefix, words: decoded.words, isBech32m: modern !== undefined };
}

/** A human-readable part, in lower case; `undefined` for any other bytes. */
function readBech32Prefix(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || bytes.length > PREFIX_LENGTH_MAX) return undefined;
  const text = decodeUtf8(bytes);
  if (text === undefined || !/^[\x21-\x7e]+$/.test(text)) return undefined;
  const lower = text.toLowerCase();
  return text === lower || text === text.toUpperCase() ? lower : undefined;
}

/** The bytes of 5-bit words, without left-over bits. */
export function bech32Bytes(words: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(Math.floor((words.length * 5) / 8));
  let held = 0;
  let bits = 0;
  let at = 0;
  for (const word of words) {
    held = ((held << 5) | word) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (held >>> bits) & 0xff;
    }
  }
  return bytes;
}

const ENCODE_FAILED = 1;
const DECODE_FAILED = 2;
const INVALID_BIP = 3;
const INVALID_NETWORK = 4;
const INVALID_WITNESS_VERSION = 5;

const BIP_NO_CHECKSUM = 0;
const BIP_BECH32 = 173;
const BIP_BECH32M = 350;

const WITNESS_TEXT_LENGTH_MAX = 90;
const SEPARATOR = '1';
const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
const WITNESS_VERSION_MAX = 16;
const NETWORK_PREFIXES: readonly string[] = ['bc', 'tb', 'bcrt'];

/** Microseconds per call, and bytes per additional microsecond; measured. */
const CALL_WORK = 10;
const BYTES_PER_WORK = 20;

const workOf = (bytes: number): number => CALL_WORK + Math.ceil(bytes / BYTES_PER_WORK);

export const BECH32: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'bech32' },
  natives: (prices: NativePrices): Natives => ({ ...textNatives(prices), ...witnessNatives(prices) }),
};

/** Text of any prefix and any bytes. */
function textNatives(prices: NativePrices): Natives {
  const encodeCost = prices.linear('bech32.encode');
  const decodeCost = prices.linear('bech32.decode');
  return {
    encode: (context, _signature, bip: number, prefixBytes: ByteVector, data: ByteVector): ByteVector => {
      context.charge(encodeCost(prefixBytes.length + data.length + bip));
      context.host.work.spend(workOf(data.length + prefixBytes.length));
      const prefix = readBech32Prefix(prefixBytes.view()) ?? context.abort(ENCODE_FAILED);
      if (bip !== BIP_NO_CHECKSUM && bip !== BIP_BECH32 && bip !== BIP_BECH32M) return context.abort(INVALID_BIP);
      return new ByteVector(encode(bip, prefix, data.view()) ?? context.abort(ENCODE_FAILED));
    },

    decode: (context, _signature, prefix: ByteVector, text: ByteVector): ByteVector => {
      context.charge(decodeCost(prefix.length + text.length));
      context.host.work.spend(workOf(prefix.length + text.length));
      const expected = readBech32Prefix(prefix.view()) ?? context.abort(DECODE_FAILED);
      const decoded = readBech32(text.view());
      if (decoded === undefined || decoded.prefix !== expected) return context.abort(DECODE_FAILED);
      return new ByteVector(bech32Bytes(decoded.words));
    },
  };
}

/** Addresses of witness programs. */
function witnessNatives(prices: NativePrices): Natives {
  const encodeCost = prices.linear('bech32.segwit_encode');
  const decodeCost = prices.linear('bech32.segwit_decode');
  return {
    segwit_encode: (context, _signature, network: ByteVector, version: number, program: ByteVector): ByteVector => {
      context.charge(encodeCost(network.length + program.length + version));
      context.host.work.spend(workOf(program.length));
      const prefix = decodeUtf8(network.view()) ?? context.abort(ENCODE_FAILED);
      if (!NETWORK_PREFIXES.includes(prefix)) return context.abort(INVALID_NETWORK);
      if (version > WITNESS_VERSION_MAX) return context.abort(INVALID_WITNESS_VERSION);
      // Versions above 1 are written as 1.
      const written = Math.min(version, 1);
      if (!isWitnessProgram(written, program.length)) return context.abort(ENCODE_FAILED);
      const codec = written === 0 ? bech32 : bech32m;
      return new ByteVector(encodeUtf8(codec.encode(prefix, [written, ...codec.toWords(program.view())])));
    },

    segwit_decode: (
      context,
      _signature,
      prefix: ByteVector,
      versionCharacter: number,
      text: ByteVector,
    ): ByteVector => {
      const expected = readBech32Prefix(prefix.view());
      // The reference looks the character up in a table of 128 before it reads the text.
      if (versionCharacter > 0x7f && expected !== undefined && decodeUtf8(text.view()) !== undefined) {
        const status = StatusCode.UNKNOWN_INVARIANT_VIOLATION_ERROR;
        return panic(context, status, `expected an ASCII character for the version, got ${versionCharacter}`);
      }
      context.charge(decodeCost(prefix.length + text.length + versionCharacter));
      context.host.work.spend(workOf(prefix.length + text.length));
      if (expected === undefined) return context.abort(DECODE_FAILED);
      const program = readWitnessProgram(expected, versionCharacter, text);
      return new ByteVector(program ?? context.abort(DECODE_FAILED));
    },
  };
}

function encode(bip: number, prefix: string, data: Uint8Array): Uint8Array | undefined {
  const words = bech32.toWords(data);
  if (bip === BIP_NO_CHECKSUM) {
    return encodeUtf8(prefix + SEPARATOR + words.map((word) => ALPHABET.charAt(word)).join(''));
  }
  const codec = bip === BIP_BECH32 ? bech32 : bech32m;
  const length = prefix.length + 1 + words.length + 6;
  return length > BECH32_TEXT_LENGTH_MAX ? undefined : encodeUtf8(codec.encode(prefix, words, false));
}

function readWitnessProgram(prefix: string, versionCharacter: number, text: ByteVector): Uint8Array | undefined {
  const decoded = readBech32(text.view(), WITNESS_TEXT_LENGTH_MAX);
  if (decoded === undefined || decoded.prefix !== prefix) return undefined;
  const [version, ...words] = decoded.words;
  if (version === undefined || version > WITNESS_VERSION_MAX || decoded.isBech32m !== version > 0) return undefined;
  // The version is given in its written form: a character of either case.
  if (ALPHABET.charAt(version) !== String.fromCharCode(versionCharacter).toLowerCase()) return undefined;
  const program = attempt(() => bech32.fromWords(words));
  return program !== undefined && isWitnessProgram(version, program.length) ? Uint8Array.from(program) : undefined;
}
