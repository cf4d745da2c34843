/**
 * Bitcoin addresses, and the node addresses they own.
 *
 * Inside the engine an address is its internal bytes: a kind byte (0 key hash, 1 script hash, 2 witness program), then
 * the 20-byte hash, or the witness version and the program. That form knows no network, so one script has one address
 * and one node address on all of them; a network is named only to write text. No bytes at all mean that a script has
 * no address. A node address is the BLAKE2b-256 of the internal bytes, which cannot be undone: the chain keeps the
 * internal bytes of every owner it saw in an address mapping.
 *
 * Source: rpc.md section 2.2, bitcoin.md section 3; BIP 173 and 350 for the text of witness addresses, NIP 19 for
 * `npub`; crates/rooch-types/src/address.rs of the reference.
 * @module
 */
import { bech32, bech32m, createBase58check } from '@scure/base';
import type { Codec } from '../bcs/codec.ts';
import { bytes } from '../bcs/primitive.ts';
import { concatBytes, equalBytes } from '../bytes/compare.ts';
import { EngineError } from '../error.ts';
import { blake2b256 } from '../hash/blake2b.ts';
import { hash160 } from '../hash/ripemd160.ts';
import { sha256 } from '../hash/sha256.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from './network.ts';
import { isPublicKey, toXOnlyPublicKey } from './public-key.ts';
import { OP_0, OP_1, OP_16, OP_CHECKSIG, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160 } from './script.ts';
import { multisignOutputKey, tapOutputKey } from './taproot.ts';

/** The internal bytes of an address; empty where a script has none. */
export type BitcoinAddress = Uint8Array;

/** `0x3::bitcoin_address::BitcoinAddress`: a length and the internal bytes. */
export const bitcoinAddress: Codec<BitcoinAddress> = bytes;

/** First byte of the internal form. */
export const ADDRESS_KIND: {
  readonly publicKeyHash: 0;
  readonly scriptHash: 1;
  readonly witnessProgram: 2;
} = { publicKeyHash: 0, scriptHash: 1, witnessProgram: 2 };

const NO_ADDRESS: BitcoinAddress = new Uint8Array(0);
const HASH_BYTES = 20;
const WITNESS_VERSION_MAX = 16;
const WITNESS_TEXT_LENGTH_MAX = 90;
const BASE58_TEXT_LENGTH_MAX = 50;
const base58check = createBase58check(sha256);
const HUMAN_READABLE_PARTS = new Set(Object.values(BITCOIN_NETWORKS).map((network) => network.humanReadablePart));

/**
 * Reads an address as text of any network; which one it was is not kept.
 * @throws {EngineError} `invalid-argument` for text that is no address of Bitcoin, testnet, signet or regtest.
 */
export function parseBitcoinAddress(text: string): BitcoinAddress {
  const address = parseWitnessAddress(text) ?? parseHashAddress(text);
  if (address !== undefined) return address;
  throw new EngineError(
    'invalid-argument',
    `expected a Bitcoin address (bech32, bech32m or base58check with a valid checksum), got ${quote(text)}`,
  );
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
    // The codec throws for any text that is not base58check; the caller says what was expected.
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
 * The address that an output script pays to; empty for a script that has none.
 *
 * A bare public key is owned by the address of its hash, if it is a point of the curve. Anything that is not a
 * public-key hash, a script hash, a witness program or a bare key has no address: bare multisignature, OP_RETURN,
 * malformed scripts. The result is a copy.
 */
export function addressOfScript(script: Uint8Array): BitcoinAddress {
  if (isPublicKeyHashScript(script)) return hashAddress(ADDRESS_KIND.publicKeyHash, script.subarray(3, 23));
  if (isScriptHashScript(script)) return hashAddress(ADDRESS_KIND.scriptHash, script.subarray(2, 22));
  const version = witnessVersionOf(script);
  if (version !== undefined) {
    return isWitnessProgram(version, script.length - 2) ? witnessAddress(version, script.subarray(2)) : NO_ADDRESS;
  }
  const key = barePublicKeyOf(script);
  return key === undefined || !isPublicKey(key) ? NO_ADDRESS : addressOfPublicKeyHash(key);
}

function isPublicKeyHashScript(script: Uint8Array): boolean {
  return (
    script.length === 25 &&
    script[0] === OP_DUP &&
    script[1] === OP_HASH160 &&
    script[2] === HASH_BYTES &&
    script[23] === OP_EQUALVERIFY &&
    script[24] === OP_CHECKSIG
  );
}

function isScriptHashScript(script: Uint8Array): boolean {
  return script.length === 23 && script[0] === OP_HASH160 && script[1] === HASH_BYTES && script[22] === OP_EQUAL;
}

function witnessVersionOf(script: Uint8Array): number | undefined {
  const opcode = script[0];
  if (script.length < 4 || script.length > 42 || script[1] !== script.length - 2 || opcode === undefined) {
    return undefined;
  }
  if (opcode === OP_0) return 0;
  return opcode >= OP_1 && opcode <= OP_16 ? opcode - OP_1 + 1 : undefined;
}

function barePublicKeyOf(script: Uint8Array): Uint8Array | undefined {
  const length = script[0];
  const isBareKey = (length === 33 || length === 65) && script.length === length + 2 && script.at(-1) === OP_CHECKSIG;
  return isBareKey ? script.subarray(1, -1) : undefined;
}

/**
 * The output script that pays to an address.
 * @throws {EngineError} `invalid-argument` for bytes that are no address, the empty ones included.
 */
export function scriptOfAddress(address: BitcoinAddress): Uint8Array {
  assertBitcoinAddress(address);
  const hash = address.subarray(1);
  if (address[0] === ADDRESS_KIND.publicKeyHash) {
    const head = Uint8Array.of(OP_DUP, OP_HASH160, HASH_BYTES);
    return concatBytes(head, hash, Uint8Array.of(OP_EQUALVERIFY, OP_CHECKSIG));
  }
  if (address[0] === ADDRESS_KIND.scriptHash) {
    return concatBytes(Uint8Array.of(OP_HASH160, HASH_BYTES), hash, Uint8Array.of(OP_EQUAL));
  }
  const version = address[1]!;
  const program = address.subarray(2);
  return concatBytes(Uint8Array.of(version === 0 ? OP_0 : OP_1 + version - 1, program.length), program);
}

/**
 * The node address that an address owns things under: the BLAKE2b-256 of its internal bytes.
 * @throws {EngineError} `invalid-argument` for bytes that are no address, the empty ones included.
 */
export function nodeAddressOf(address: BitcoinAddress): Uint8Array {
  assertBitcoinAddress(address);
  return blake2b256(address);
}

/** @throws {EngineError} `invalid-argument` unless the bytes are the internal form of an address. */
export function assertBitcoinAddress(address: Uint8Array): void {
  const kind = address[0];
  const isHash = kind === ADDRESS_KIND.publicKeyHash || kind === ADDRESS_KIND.scriptHash;
  if (isHash && address.length === 1 + HASH_BYTES) return;
  if (kind === ADDRESS_KIND.witnessProgram && isWitnessProgram(address[1] ?? -1, address.length - 2)) return;
  throw new EngineError(
    'invalid-argument',
    `expected a Bitcoin address (kind 0 or 1 and ${HASH_BYTES} bytes, or kind 2, a witness version and its program), got ${address.length} bytes of kind ${kind}`,
  );
}

/** The address of the hash of a public key as given: compressed and uncompressed keys have different ones. */
export function addressOfPublicKeyHash(publicKey: Uint8Array): BitcoinAddress {
  return hashAddress(ADDRESS_KIND.publicKeyHash, hash160(publicKey));
}

/** The version 0 witness address of a compressed public key. */
export function addressOfWitnessPublicKeyHash(publicKey: Uint8Array): BitcoinAddress {
  return witnessAddress(0, hash160(publicKey));
}

/** The address of a script's hash. */
export function addressOfScriptHash(redeemScript: Uint8Array): BitcoinAddress {
  return hashAddress(ADDRESS_KIND.scriptHash, hash160(redeemScript));
}

/** The version 0 witness address of a script. */
export function addressOfWitnessScriptHash(witnessScript: Uint8Array): BitcoinAddress {
  return witnessAddress(0, sha256(witnessScript));
}

/**
 * The taproot address of an internal key (32, 33 or 65 bytes) and the root of its script tree, if it has one.
 * @throws {EngineError} `invalid-argument` for bytes that are no public key.
 */
export function addressOfTaproot(internalKey: Uint8Array, merkleRoot?: Uint8Array): BitcoinAddress {
  return witnessAddress(1, tapOutputKey(internalKey, merkleRoot));
}

/**
 * The address of the chain's multisign account of these keys, whose order does not matter.
 * @throws {EngineError} `invalid-argument` as `multisignOutputKey` does.
 */
export function addressOfMultisign(threshold: number, publicKeys: readonly Uint8Array[]): BitcoinAddress {
  return witnessAddress(1, multisignOutputKey(threshold, publicKeys));
}

/**
 * Reads a Nostr public key, `npub1` and bech32 (NIP 19).
 * @returns the 32-byte x-only key.
 * @throws {EngineError} `invalid-argument` for other text or a key that is no point of the curve.
 */
export function parseNostrPublicKey(text: string): Uint8Array {
  const decoded = bech32.decodeUnsafe(text) ?? bech32m.decodeUnsafe(text);
  const key = decoded?.prefix === 'npub' ? bech32.fromWordsUnsafe(decoded.words) : undefined;
  if (key === undefined || key.length !== 32) {
    throw new EngineError('invalid-argument', `expected a Nostr public key (npub1 and bech32), got ${quote(text)}`);
  }
  return toXOnlyPublicKey(key);
}

/** The address that a Nostr public key stands for: taproot, with the key as internal key and no scripts (BIP 86). */
export function addressOfNostrPublicKey(key: Uint8Array): BitcoinAddress {
  return addressOfTaproot(key);
}

/**
 * Whether a public key (33 or 65 bytes) controls an address, as `0x3::bitcoin_address` decides it: the key's hash, the
 * script hash of its version 0 witness program, its x coordinate as a witness program, or its taproot output key.
 */
export function isAddressOfPublicKey(address: BitcoinAddress, publicKey: Uint8Array): boolean {
  assertBitcoinAddress(address);
  if (!isPublicKey(publicKey)) return false;
  const payload = address.subarray(address[0] === ADDRESS_KIND.witnessProgram ? 2 : 1);
  const hash = hash160(publicKey);
  return (
    equalBytes(payload, hash) ||
    equalBytes(payload, toXOnlyPublicKey(publicKey)) ||
    equalBytes(payload, hash160(concatBytes(Uint8Array.of(OP_0, HASH_BYTES), hash))) ||
    (isTaproot(address) && equalBytes(address, addressOfTaproot(publicKey)))
  );
}

function isTaproot(address: BitcoinAddress): boolean {
  return address[0] === ADDRESS_KIND.witnessProgram && address[1] === 1 && address.length === 34;
}

function isWitnessProgram(version: number, programBytes: number): boolean {
  if (version === 0) return programBytes === 20 || programBytes === 32;
  return version >= 1 && version <= WITNESS_VERSION_MAX && programBytes >= 2 && programBytes <= 40;
}

function hashAddress(kind: 0 | 1, hash: Uint8Array): BitcoinAddress {
  const address = new Uint8Array(1 + HASH_BYTES);
  address[0] = kind;
  address.set(hash, 1);
  return address;
}

function witnessAddress(version: number, program: Uint8Array): BitcoinAddress {
  const address = new Uint8Array(2 + program.length);
  address[0] = ADDRESS_KIND.witnessProgram;
  address[1] = version;
  address.set(program, 2);
  return address;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);
}
