/**
 * Account addresses: 32 bytes.
 *
 * Text forms: `0x` and 64 digits (output), `0x` and 1 to 64 digits or 64 bare digits (input), and bech32m with the
 * prefix `rooch` (BIP-350), which the reference's RPC uses. Source: crates/rooch-types/src/address.rs of the reference.
 * @module
 */
import { bech32m } from '@scure/base';
import { assertBytes, assertText, textError } from '../base/argument.ts';
import { bytes32, type Codec } from '../base/bcs.ts';
import { equalBytes, fromHex, toHex } from '../base/bytes/bytes.ts';
import { assert } from '../base/error.ts';

/** 32 bytes. */
export type Address = Uint8Array;

export const ADDRESS_BYTES = 32;
const RESERVED_ADDRESS_MAX = 10;
const BECH32_PREFIX = 'rooch';
/** The prefix, the separator, 52 characters of data and 6 of checksum. */
const BECH32_CHARACTERS = 64;

export const address: Codec<Address> = bytes32;

/** The address whose number is `value`, below 2^32: `addressOf(3)` is `0x3`. */
export function addressOf(value: number): Address {
  assert(value >>> 0 === value, 'a numbered address is below 2^32');
  const bytes = new Uint8Array(ADDRESS_BYTES);
  new DataView(bytes.buffer).setUint32(ADDRESS_BYTES - 4, value);
  return bytes;
}

/** `0x0`: the system, the owner of objects without another owner and the sender of Bitcoin's transactions. */
export const SYSTEM_ADDRESS: Address = addressOf(0);
/** `0x1`: the Move standard library. */
export const MOVE_STD_ADDRESS: Address = addressOf(1);
/** `0x2`: objects, tables, events, the module store. */
export const MOVEOS_STD_ADDRESS: Address = addressOf(2);
/** `0x3`: accounts, coins, validators. */
export const FRAMEWORK_ADDRESS: Address = addressOf(3);
/** `0x4`: Bitcoin blocks, UTXOs, inscriptions. */
export const BITCOIN_MOVE_ADDRESS: Address = addressOf(4);

/** `0x` and 64 lower-case digits. */
export function formatAddress(address: Address): string {
  assertBytes(address, 'address', ADDRESS_BYTES);
  return `0x${toHex(address)}`;
}

/** `0x` and digits without leading zeros; `0x0` for zero. */
export function formatAddressShort(address: Address): string {
  assertBytes(address, 'address', ADDRESS_BYTES);
  return `0x${toHex(address).replace(/^0+(?=.)/, '')}`;
}

/** bech32m with the prefix `rooch`, 64 characters. */
export function formatAddressBech32(address: Address): string {
  assertBytes(address, 'address', ADDRESS_BYTES);
  return bech32m.encodeFromBytes(BECH32_PREFIX, address);
}

/**
 * Reads `0x` and 1 to 64 digits (padded on the left) or exactly 64 bare digits.
 * @throws {EngineError} `invalid-argument`
 */
export function parseAddressHex(text: string): Address {
  const found = readHex(text);
  if (found === undefined) throw textError('an address of 0x and 1 to 64 hex digits', text);
  return found;
}

/**
 * Reads every text form of a node address: hexadecimal as `parseAddressHex`, or bech32m `rooch1...`.
 * @throws {EngineError} `invalid-argument`
 */
export function parseAddress(text: string): Address {
  assertText(text, 'text', 'an address as text');
  const found = readHex(text) ?? readBech32(text);
  if (found === undefined) throw textError('an address of 0x and 1 to 64 hex digits, or bech32m rooch1...', text);
  return found;
}

const HEX_ADDRESS = /^(?:0[xX][0-9a-fA-F]{1,64}|[0-9a-fA-F]{64})$/;

function readHex(text: string): Address | undefined {
  if (!HEX_ADDRESS.test(text)) return undefined;
  const digits = text.charCodeAt(1) === 0x58 || text.charCodeAt(1) === 0x78 ? text.slice(2) : text;
  return fromHex(digits.padStart(ADDRESS_BYTES * 2, '0'));
}

function readBech32(text: string): Address | undefined {
  const decoded = bech32m.decodeUnsafe(text, BECH32_CHARACTERS);
  const bytes = decoded?.prefix === BECH32_PREFIX ? bech32m.fromWordsUnsafe(decoded.words) : undefined;
  return bytes?.length === ADDRESS_BYTES ? (bytes as Uint8Array) : undefined;
}

export function isSystemAddress(value: Address): boolean {
  return equalBytes(value, SYSTEM_ADDRESS);
}

/** `0x1` to `0xa`: the addresses of the framework's packages, including future ones. */
export function isReservedAddress(value: Address): boolean {
  const last = value[ADDRESS_BYTES - 1]!;
  if (last === 0 || last > RESERVED_ADDRESS_MAX) return false;
  for (let index = 0; index < ADDRESS_BYTES - 1; index++) if (value[index] !== 0) return false;
  return true;
}
