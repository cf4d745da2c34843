/**
 * Addresses derived from scripts and public keys, and scripts from addresses.
 *
 * Separate from address.ts because deriving needs elliptic curves, whose code takes longer to load than opening an engine.
 * Source: BIP 86, 141 and 341; NIP 19 for `npub`.
 * @module
 */
import { bech32, bech32m } from '@scure/base';
import { textError } from '../base/argument.ts';
import { concatBytes, equalBytes, toHex } from '../base/bytes/bytes.ts';
import { hash160 } from '../base/hash/sha256.ts';
import {
  ADDRESS_KIND,
  assertBitcoinAddress,
  type BitcoinAddress,
  HASH_BYTES,
  hashAddress,
  isWitnessProgram,
  NO_ADDRESS,
  witnessAddress,
} from './address.ts';
import { isPublicKey, tapOutputKey, toXOnlyPublicKey } from './public-key.ts';
import { OP_0, OP_1, OP_16, OP_CHECKSIG, OP_DUP, OP_EQUAL, OP_EQUALVERIFY, OP_HASH160 } from './script.ts';

/** Cached pairs of an address and a controlling public key, 400 bytes each. */
const ADDRESS_OWNERS_MAX = 4_096;

/**
 * The address that an output script pays; empty for a script without one.
 *
 * A bare public key has the address of its hash, if it is a point on the curve. Anything that is not a public-key hash,
 * a script hash, a witness program or a bare key has no address: bare multisignature, OP_RETURN, malformed scripts. The
 * result is a copy.
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
 * @throws {EngineError} `invalid-argument` for bytes that are not an address, including none.
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

/** The address of a public key's hash: the compressed and uncompressed forms have different addresses. */
export function addressOfPublicKeyHash(publicKey: Uint8Array): BitcoinAddress {
  return hashAddress(ADDRESS_KIND.publicKeyHash, hash160(publicKey));
}

/**
 * The taproot address of an internal key (32, 33 or 65 bytes) and the root of its script tree, if any; without one, that
 * of a Nostr public key as well (BIP 86).
 * @throws {EngineError} `invalid-argument` for bytes that are not a public key.
 */
export function addressOfTaproot(internalKey: Uint8Array, merkleRoot?: Uint8Array): BitcoinAddress {
  return witnessAddress(1, tapOutputKey(internalKey, merkleRoot));
}

/**
 * Reads a Nostr public key, `npub1` and bech32 (NIP 19).
 * @returns the 32-byte x-only key.
 * @throws {EngineError} `invalid-argument` for other text or a key that is not a point on the curve.
 */
export function parseNostrPublicKey(text: string): Uint8Array {
  const decoded = bech32.decodeUnsafe(text) ?? bech32m.decodeUnsafe(text);
  const key = decoded?.prefix === 'npub' ? bech32.fromWordsUnsafe(decoded.words) : undefined;
  if (key === undefined || key.length !== 32) throw textError('a Nostr public key (npub1 and bech32)', text);
  return toXOnlyPublicKey(key);
}

/** Pairs of an address and a key that controls it, the most recently added last. */
const owners = new Set<string>();
/** The last pair whose key does not control the address: a validator checks it twice. */
let stranger = '';

/**
 * Whether a public key (33 or 65 bytes) controls an address, by the rules of `0x3::bitcoin_address`: the key's hash,
 * the script hash of its version 0 witness program, its x coordinate as a witness program, or its taproot output key.
 *
 * Deriving an address takes as long as two signature checks, and the same few senders recur: recent pairs are cached.
 */
export function isAddressOfPublicKey(address: BitcoinAddress, publicKey: Uint8Array): boolean {
  assertBitcoinAddress(address);
  const pair = `${toHex(address)},${toHex(publicKey)}`;
  if (owners.has(pair)) return true;
  if (pair === stranger) return false;
  if (!isPublicKey(publicKey) || !controls(publicKey, address)) {
    stranger = pair;
    return false;
  }
  if (owners.size >= ADDRESS_OWNERS_MAX) owners.delete(owners.values().next().value!);
  owners.add(pair);
  return true;
}

function controls(publicKey: Uint8Array, address: BitcoinAddress): boolean {
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
