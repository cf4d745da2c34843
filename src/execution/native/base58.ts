/**
 * Natives of `0x2::base58`: Bitcoin's alphabet, and its checksum of four bytes of double SHA-256.
 *
 * The digits are split in halves, so that the time grows little faster than the length, since the schedule's price is
 * not quadratic. Source: bs58 0.5 of the reference.
 * @module
 */
import { bigEndian, bytesToNumberBE } from '../../base/bytes/bigint.ts';
import { concatBytes, encodeUtf8, equalBytes } from '../../base/bytes/bytes.ts';
import { sha256d } from '../../base/hash/sha256.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives, NativePrices, Natives } from './module-natives.ts';

const DECODE_FAILED = 1;
const CHECKSUM_BYTES = 4;
const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const ZERO = ALPHABET.charCodeAt(0);
const RADIX = 58n;

/**
 * Bytes per microsecond for short inputs, and the length at which each byte takes twice as long; measured up to
 * 1,000,000.
 */
const ENCODED_PER_WORK = 1;
const ENCODED_TWICE = 250_000;
const DECODED_PER_WORK = 2;
const DECODED_TWICE = 1_000_000;

const encodeWork = (bytes: number): number => Math.ceil((bytes / ENCODED_PER_WORK) * (1 + bytes / ENCODED_TWICE));
const decodeWork = (bytes: number): number => Math.ceil((bytes / DECODED_PER_WORK) * (1 + bytes / DECODED_TWICE));

const DIGIT_VALUES = new Uint8Array(256).fill(0xff);
for (let digit = 0; digit < ALPHABET.length; digit++) DIGIT_VALUES[ALPHABET.charCodeAt(digit)] = digit;

export const BASE58: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'base58' },
  natives: base58Natives,
};

function base58Natives(prices: NativePrices): Natives {
  const encodeCost = prices.linear('base58.encoding');
  const checkEncodeCost = prices.linear('base58.checksum_encoding');
  const decodeCost = prices.linear('base58.decoding');
  const checkDecodeCost = prices.linear('base58.checksum_decoding');
  return {
    encoding: (context, _signature, bytes: ByteVector): ByteVector => {
      context.charge(encodeCost(bytes.length));
      context.host.work.spend(encodeWork(bytes.length));
      return new ByteVector(encode(bytes.view()));
    },

    checksum_encoding: (context, _signature, bytes: ByteVector, version: number): ByteVector => {
      context.charge(checkEncodeCost(bytes.length));
      context.host.work.spend(encodeWork(bytes.length));
      const payload = concatBytes(Uint8Array.of(version), bytes.view());
      return new ByteVector(encode(concatBytes(payload, checksumOf(payload))));
    },

    decoding: (context, _signature, text: ByteVector): ByteVector => {
      context.charge(decodeCost(text.length));
      context.host.work.spend(decodeWork(text.length));
      return new ByteVector(decode(text.view()) ?? context.abort(DECODE_FAILED));
    },

    /** The result begins with the version. */
    checksum_decoding: (context, _signature, text: ByteVector, version: number): ByteVector => {
      context.charge(checkDecodeCost(text.length));
      context.host.work.spend(decodeWork(text.length));
      const decoded = decode(text.view());
      if (decoded === undefined || decoded.length < CHECKSUM_BYTES) return context.abort(DECODE_FAILED);
      const payload = decoded.subarray(0, -CHECKSUM_BYTES);
      const isSound = equalBytes(decoded.subarray(-CHECKSUM_BYTES), checksumOf(payload)) && decoded[0] === version;
      return new ByteVector(isSound ? payload.slice() : context.abort(DECODE_FAILED));
    },
  };
}

function checksumOf(payload: Uint8Array): Uint8Array {
  return sha256d(payload).subarray(0, CHECKSUM_BYTES);
}

function encode(bytes: Uint8Array): Uint8Array {
  const zeros = leadingCount(bytes, 0);
  const number = bytesToNumberBE(bytes);
  return encodeUtf8(ALPHABET.charAt(0).repeat(zeros) + (number === 0n ? '' : digitsOf(number)));
}

/** `undefined` for text with a character that is not a digit. */
function decode(text: Uint8Array): Uint8Array | undefined {
  if (text.some((character) => DIGIT_VALUES[character] === 0xff)) return undefined;
  const zeros = leadingCount(text, ZERO);
  if (zeros === text.length) return new Uint8Array(zeros);
  return concatBytes(new Uint8Array(zeros), bigEndian(numberOf(text, zeros, text.length)));
}

function leadingCount(bytes: Uint8Array, byte: number): number {
  const end = bytes.findIndex((value) => value !== byte);
  return end < 0 ? bytes.length : end;
}

/** Base-58 digits of a positive number. */
function digitsOf(number: bigint): string {
  const powers = [RADIX];
  for (let last = RADIX; last <= number; last *= last) powers.push(last * last);
  const split = (value: bigint, level: number): string => {
    if (level < 0) return ALPHABET.charAt(Number(value));
    const power = powers[level]!;
    return split(value / power, level - 1) + split(value % power, level - 1);
  };
  return split(number, powers.length - 1).replace(/^1+/, '');
}

/** The number of the digits from `start` to `end`. */
function numberOf(text: Uint8Array, start: number, end: number): bigint {
  if (end - start <= 10) {
    let number = 0n;
    for (let at = start; at < end; at++) number = number * RADIX + BigInt(DIGIT_VALUES[text[at]!]!);
    return number;
  }
  const middle = (start + end) >>> 1;
  return numberOf(text, start, middle) * RADIX ** BigInt(end - middle) + numberOf(text, middle, end);
}
