/**
 * Bitcoin addresses, and the node addresses derived from them.
 *
 * Inside the engine an address is its internal bytes: a kind byte (0 key hash, 1 script hash, 2 witness program), then
 * the 20-byte hash, or the witness version and the program. That form does not depend on the network, so a script has
 * the same address and the same node address on all networks; only the text depends on it. A script without an address
 * has an empty array. A node address is the BLAKE2b-256 of the internal bytes, which cannot be
 * reversed: the chain maps node addresses of known owners to their internal bytes.
 *
 * Source: BIP 173 and 350 for the text of witness addresses, NIP 19 for `npub`; crates/rooch-types/src/address.rs of
 * the reference.
 * @module
 */

import { bech32, bech32m, createBase58check } from '@scure/base';
import {
  argumentError,
  assertBytes,
  assertFits,
  assertText,
  bytesOfLength,
  oneOf,
  parseArgument,
  textError,
} from '../base/argument.ts';
import { bytes, type Codec } from '../base/bcs.ts';
import { concatBytes } from '../base/bytes/bytes.ts';
import { invalidArgument, unlessRefused } from '../base/error.ts';
import { blake2b256 } from '../base/hash/blake2.ts';
import { sha256 } from '../base/hash/sha256.ts';
import { keepRecent } from '../base/recent.ts';
import { ADDRESS_BYTES, type Address, formatAddressBech32, parseAddress } from '../move/address.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from './network.ts';

/** The internal bytes of an address; empty for a script without one. */
export type BitcoinAddress = Uint8Array;

/** `0x3::bitcoin_address::BitcoinAddress`: a length and the internal bytes. */
export const bitcoinAddress: Codec<BitcoinAddress> = bytes;

/** First byte of the internal form. */
export const ADDRESS_KIND = { publicKeyHash: 0, scriptHash: 1, witnessProgram: 2 } as const;

export const NO_ADDRESS: BitcoinAddress = new Uint8Array(0);
export const HASH_BYTES = 20;
const WITNESS_VERSION_MAX = 16;
const WITNESS_TEXT_LENGTH_MAX = 90;
const BASE58_TEXT_LENGTH_MAX = 50;
const base58check = createBase58check(sha256);
const NETWORK = oneOf(Object.keys(BITCOIN_NETWORKS));
const HUMAN_READABLE_PARTS = new Set(Object.values(BITCOIN_NETWORKS).map((network) => network.humanReadablePart));

/**
 * Reads the text of an address of any network; the result does not say which network.
 * @throws {EngineError} `invalid-argument` for text that is not an address of Bitcoin, testnet, signet or regtest.
 */
export function parseBitcoinAddress(text: string): BitcoinAddress {
  assertText(text, 'text', 'a Bitcoin address as text');
  const address = parseWitnessAddress(text) ?? parseHashAddress(text);
  if (address !== undefined) return address;
  throw textError('a Bitcoin address (bech32, bech32m or base58check with a valid checksum)', text);
}

function parseWitnessAddress(text: string): BitcoinAddress | undefined {
  if (text.length > WITNESS_TEXT_LENGTH_MAX) return undefined;
  const plain = bech32.decodeUnsafe(text);
  const decoded = plain ?? bech32m.decodeUnsafe(text);
  if (decoded === undefined || !HUMAN_READABLE_PARTS.has(decoded.prefix)) return undefined;
  const [version, ...words] = decoded.words;
  // Version 0 carries a bech32 checksum, every later one bech32m.
  if (version === undefined || (version === 0) !== (plain !== undefined)) return undefined;
  const program = bech32.fromWordsUnsafe(words);
  if (program === undefined || !isWitnessProgram(version, program.length)) return undefined;
  return witnessAddress(version, program);
}

function parseHashAddress(text: string): BitcoinAddress | undefined {
  if (text.length > BASE58_TEXT_LENGTH_MAX) return undefined;
  let payload: Uint8Array;
  try {
    payload = base58check.decode(text);
  } catch {
    // The codec throws for any text that is not base58check; the caller reports what was expected.
    return undefined;
  }
  if (payload.length !== 1 + HASH_BYTES) return undefined;
  for (const { publicKeyHashPrefix, scriptHashPrefix } of Object.values(BITCOIN_NETWORKS)) {
    if (payload[0] === publicKeyHashPrefix) return hashAddress(ADDRESS_KIND.publicKeyHash, payload.subarray(1));
    if (payload[0] === scriptHashPrefix) return hashAddress(ADDRESS_KIND.scriptHash, payload.subarray(1));
  }
  return undefined;
}

/**
 * Writes an address as text of one network.
 * @throws {EngineError} `invalid-argument` for bytes that are no address, the empty ones included.
 */
export function formatBitcoinAddress(address: BitcoinAddress, network: BitcoinNetwork): string {
  assertBitcoinAddress(address);
  assertFits(network, 'network', NETWORK);
  const { publicKeyHashPrefix, scriptHashPrefix, humanReadablePart } = BITCOIN_NETWORKS[network];
  if (address[0] === ADDRESS_KIND.witnessProgram) {
    const version = address[1]!;
    const encoding = version === 0 ? bech32 : bech32m;
    return encoding.encode(humanReadablePart, [version, ...encoding.toWords(address.subarray(2))]);
  }
  const prefix = address[0] === ADDRESS_KIND.publicKeyHash ? publicKeyHashPrefix : scriptHashPrefix;
  return base58check.encode(concatBytes(Uint8Array.of(prefix), address.subarray(1)));
}

/**
 * The node address that belongs to an address: the BLAKE2b-256 of its internal bytes.
 * @throws {EngineError} `invalid-argument` for bytes that are no address, the empty ones included.
 */
export function nodeAddressOf(address: BitcoinAddress): Uint8Array {
  assertBitcoinAddress(address);
  return blake2b256(address);
}

/** @throws {EngineError} `invalid-argument` unless the bytes are the internal form of an address. */
export function assertBitcoinAddress(address: Uint8Array, name = 'address'): void {
  assertBytes(address, name);
  const kind = address[0];
  const isHash = kind === ADDRESS_KIND.publicKeyHash || kind === ADDRESS_KIND.scriptHash;
  if (isHash && address.length === 1 + HASH_BYTES) return;
  if (kind === ADDRESS_KIND.witnessProgram && isWitnessProgram(address[1] ?? -1, address.length - 2)) return;
  throw invalidArgument(
    `${name}: expected a Bitcoin address (kind 0 or 1 and ${HASH_BYTES} bytes, or kind 2, a witness version and its program), got ${address.length} bytes of kind ${kind}`,
  );
}

export function isWitnessProgram(version: number, programBytes: number): boolean {
  if (version === 0) return programBytes === 20 || programBytes === 32;
  return version >= 1 && version <= WITNESS_VERSION_MAX && programBytes >= 2 && programBytes <= 40;
}

export function hashAddress(kind: 0 | 1, hash: Uint8Array): BitcoinAddress {
  const address = new Uint8Array(1 + HASH_BYTES);
  address[0] = kind;
  address.set(hash, 1);
  return address;
}

export function witnessAddress(version: number, program: Uint8Array): BitcoinAddress {
  const address = new Uint8Array(2 + program.length);
  address[0] = ADDRESS_KIND.witnessProgram;
  address[1] = version;
  address.set(program, 2);
  return address;
}

/** Parsed addresses that are cached, some 300 bytes each. */
const BITCOIN_ADDRESSES_PARSED_MAX = 4_096;

interface ReadAddress {
  /** Do not write to it. */
  readonly bitcoinAddress: BitcoinAddress;
  /** Its account. */
  readonly account: Address;
}

/** By text, the most recently used last. */
const recent = new Map<string, ReadAddress>();

/** Parses an address of any network; undefined if the text is not one. */
export function readBitcoinAddress(text: string): ReadAddress | undefined {
  const found = recent.get(text) ?? parse(text);
  if (found !== undefined) keepRecent(recent, text, found, BITCOIN_ADDRESSES_PARSED_MAX);
  return found;
}

function parse(text: string): ReadAddress | undefined {
  const bitcoinAddress = unlessRefused(() => parseBitcoinAddress(text), 'invalid-argument');
  return bitcoinAddress && { bitcoinAddress, account: nodeAddressOf(bitcoinAddress) };
}

/**
 * The text of a Bitcoin address on a network.
 * @param given its text on any network, or its internal bytes
 * @throws {EngineError} `invalid-argument`
 */
export function toBitcoinAddress(given: string | BitcoinAddress, network: BitcoinNetwork): string {
  const address =
    typeof given === 'string' ? parseArgument('address', 'a Bitcoin address', given, parseBitcoinAddress) : given;
  return formatBitcoinAddress(address, network);
}

/** An account: text in any form of an address, 32 bytes, or an object with such an `address`, like the funded accounts. */
export type AddressInput = string | Uint8Array | { readonly address: string | Uint8Array };

export const ADDRESS_EXPECTED = 'an address (0x and up to 64 hex digits, rooch1..., a Bitcoin address, or 32 bytes)';

/**
 * The address that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toAddress(given: AddressInput, name: string): Address {
  if (typeof given === 'string') return parseArgument(name, ADDRESS_EXPECTED, given, parseAccount);
  const bytes = bytesOfLength(given, ADDRESS_BYTES);
  if (bytes !== undefined) return bytes;
  const named = addressNamedBy(given);
  if (named === undefined) throw argumentError(name, ADDRESS_EXPECTED, given);
  return toAddress(named, name);
}

/** The address of an account object; undefined for anything else. */
export function addressNamedBy(given: unknown): string | Uint8Array | undefined {
  if (typeof given !== 'object' || given === null || given instanceof Uint8Array) return undefined;
  const { address } = given as { readonly address?: unknown };
  return typeof address === 'string' || address instanceof Uint8Array ? address : undefined;
}

/**
 * An account's address as `rooch1...`, the form that the reference's RPC and wallets write.
 * @throws {EngineError} `invalid-argument`
 */
export function toBech32(address: AddressInput): string {
  return formatAddressBech32(toAddress(address, 'address'));
}

const NODE_ADDRESS = /^(?:0[xX]|rooch1|ROOCH1)|^[0-9a-fA-F]{64}$/;

/** The Bitcoin address that the text of an account is; undefined for any other form. */
export function bitcoinAddressIn(text: string): BitcoinAddress | undefined {
  return NODE_ADDRESS.test(text) ? undefined : parseBitcoinAddress(text);
}

/**
 * Reads the text of an address: hexadecimal, bech32m `rooch1...`, or a Bitcoin address of any network, whose account is
 * meant.
 * @throws {EngineError} `invalid-argument`
 */
export function parseAccount(text: string): Address {
  return NODE_ADDRESS.test(text) ? parseAddress(text) : nodeAddressOf(parseBitcoinAddress(text));
}
