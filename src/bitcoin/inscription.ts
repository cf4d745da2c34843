/**
 * Inscriptions as the chain keeps them, and the store that counts them.
 *
 * An inscription's content never changes after creation; its location does, and the Burned charm may be added.
 * `inscriptionNumber` is a magnitude: cursed inscriptions count from 1 and are displayed as negative, the others from
 * 0.
 * Source: ord.move of the reference.
 * @module
 */

import { assertBytes, assertFits, assertObject, assertText, parseArgument, textError } from '../base/argument.ts';
import {
  bool,
  bytes,
  bytes32,
  type Codec,
  encodeInPlace,
  option,
  string,
  struct,
  u16,
  u32,
  u64,
  u128,
  vector,
} from '../base/bcs.ts';
import { shortLivedBytes } from '../base/bytes/arena.ts';
import { bigEndian } from '../base/bytes/bigint.ts';
import { concatBytes } from '../base/bytes/bytes.ts';
import { ByteReader } from '../base/bytes/reader.ts';
import {
  BITCOIN_HASH_BYTES,
  type BitcoinHashInput,
  formatBitcoinHash,
  parseBitcoinHash,
  toBitcoinHash,
} from './hash.ts';
import { INDEX, parseIndex, type SatPoint, satPoint } from './outpoint.ts';

/** `0x4::ord::InscriptionID`. */
export interface InscriptionId {
  /** 32 bytes in internal order. */
  readonly txid: Uint8Array;
  readonly index: number;
}

export const inscriptionId: Codec<InscriptionId> = struct({ txid: bytes32, index: u32 });

const TXID_DIGITS = 2 * BITCOIN_HASH_BYTES;
const INDEX_BYTES_MAX = 4;

/** @throws {EngineError} `invalid-argument` */
export function assertInscriptionId(id: InscriptionId, name: string): void {
  assertObject(id, name, 'an inscription id { txid, index }');
  assertBytes(id.txid, `${name}.txid`, BITCOIN_HASH_BYTES);
  assertFits(id.index, `${name}.index`, INDEX);
}

/** `<txid reversed>i<index>`. */
export function formatInscriptionId(id: InscriptionId): string {
  assertInscriptionId(id, 'id');
  return `${formatBitcoinHash(id.txid)}i${id.index}`;
}

/**
 * Reads `<txid reversed>i<index>`.
 * @throws {EngineError} `invalid-argument` for text that is not a 64-digit txid, `i` and a u32.
 */
export function parseInscriptionId(text: string): InscriptionId {
  assertText(text, 'text', 'an inscription id as text');
  if (text[TXID_DIGITS] !== 'i') throw textError('an inscription id txid, i, index', text);
  return { txid: parseBitcoinHash(text.slice(0, TXID_DIGITS)), index: parseIndex(text.slice(TXID_DIGITS + 1)) };
}

/** An inscription id: `<txid>i<index>`, or its parts. */
export type InscriptionIdInput = string | { readonly txid: BitcoinHashInput; readonly index: number };

/**
 * The inscription id that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toInscriptionId(given: InscriptionIdInput, name: string): InscriptionId {
  const expected = 'an inscription id (<txid>i<index>, or { txid, index })';
  if (typeof given === 'string') return parseArgument(name, expected, given, parseInscriptionId);
  assertObject(given, name, expected);
  const txid = toBitcoinHash(given.txid, `${name}.txid`, 'a txid');
  assertFits(given.index, `${name}.index`, INDEX);
  return { txid, index: given.index };
}

/**
 * The id in an envelope's parent field: a txid in internal order and the index, little endian, in 4 bytes or without
 * trailing zeros. Undefined for any other bytes, which the protocol skips.
 */
export function decodeParent(value: Uint8Array): InscriptionId | undefined {
  const indexBytes = value.length - BITCOIN_HASH_BYTES;
  if (indexBytes < 0 || indexBytes > INDEX_BYTES_MAX) return undefined;
  if (indexBytes > 0 && indexBytes < INDEX_BYTES_MAX && value.at(-1) === 0) return undefined;
  let index = 0;
  for (let at = 0; at < indexBytes; at++) index += value[BITCOIN_HASH_BYTES + at]! * 2 ** (8 * at);
  return { txid: new Uint8Array(value.subarray(0, BITCOIN_HASH_BYTES)), index };
}

/** The value of a parent field in its shortest form. */
export function encodeParent(id: InscriptionId): Uint8Array {
  return concatBytes(id.txid, bigEndian(BigInt(id.index)).reverse());
}

/** `0x4::ord::Inscription`. */
export interface Inscription {
  readonly id: InscriptionId;
  readonly location: SatPoint;
  /** The position among all inscriptions, cursed ones included. */
  readonly sequenceNumber: number;
  readonly inscriptionNumber: number;
  readonly isCursed: boolean;
  /** Bits of `CHARM`. */
  readonly charms: number;
  readonly body: Uint8Array;
  readonly contentEncoding: string | undefined;
  readonly contentType: string | undefined;
  readonly metadata: Uint8Array;
  readonly metaprotocol: string | undefined;
  /** As given in the envelope, never checked. */
  readonly parents: readonly InscriptionId[];
  readonly pointer: bigint | undefined;
  /** Reserved: always undefined. */
  readonly rune: bigint | undefined;
}

/** The beginning of an inscription's value, whatever its content: everything that moving it reads or changes. */
export type InscriptionHead = Pick<
  Inscription,
  'id' | 'location' | 'sequenceNumber' | 'inscriptionNumber' | 'isCursed' | 'charms'
>;

const HEAD = {
  id: inscriptionId,
  location: satPoint,
  sequenceNumber: u32,
  inscriptionNumber: u32,
  isCursed: bool,
  charms: u16,
};
const inscriptionHead: Codec<InscriptionHead> = struct(HEAD);

/** An inscription in BCS: the value of its object. */
export const inscription: Codec<Inscription> = struct({
  ...HEAD,
  body: bytes,
  contentEncoding: option(string),
  contentType: option(string),
  metadata: bytes,
  metaprotocol: option(string),
  parents: vector(inscriptionId),
  pointer: option(u64),
  rune: option(u128),
});

/**
 * The head of an inscription's value.
 * @throws {EngineError} `malformed-bytes`
 */
export function readInscriptionHead(value: Uint8Array): InscriptionHead {
  return inscriptionHead.read(new ByteReader(value));
}

/**
 * An inscription's value with another head. All heads have the same length, so the content, which may be four
 * megabytes, is copied as is.
 */
export function withInscriptionHead(value: Uint8Array, head: InscriptionHead): Uint8Array {
  const moved = shortLivedBytes(value.length);
  moved.set(value);
  moved.set(encodeInPlace(inscriptionHead, head));
  return moved;
}

/** The charms in the order of their bits. The chain sets only those with a comment. */
const CHARMS = [
  'coin',
  /** A field, a pointer or another peculiarity would have hidden it from early indexers. */
  'cursed',
  'epic',
  'legendary',
  /** Its satoshi was not claimed by the miner. */
  'lost',
  'nineball',
  'rare',
  /** The transaction's inputs brought another inscription to this satoshi. */
  'reinscription',
  /** No satoshi carries it. */
  'unbound',
  'uncommon',
  /** It would have been cursed before the jubilee. */
  'vindicated',
  'mythic',
  /** It is in an unspendable output. */
  'burned',
] as const;

type CharmName = (typeof CHARMS)[number];

/** The bit of each charm. */
export const CHARM: Readonly<Record<CharmName, number>> = Object.fromEntries(
  CHARMS.map((name, bit) => [name, 1 << bit]),
) as Record<CharmName, number>;

export function hasCharm(charms: number, name: CharmName): boolean {
  return (charms & CHARM[name]) !== 0;
}

/** The displayed number: negative for a cursed inscription. */
export function signedInscriptionNumber(value: Pick<Inscription, 'inscriptionNumber' | 'isCursed'>): number {
  return value.isCursed ? -value.inscriptionNumber : value.inscriptionNumber;
}

/** `0x4::ord::InscriptionStore`. */
export interface InscriptionStore {
  readonly cursedInscriptionCount: number;
  readonly blessedInscriptionCount: number;
  readonly unboundInscriptionCount: number;
  readonly lostSats: bigint;
  readonly nextSequenceNumber: number;
}

export const inscriptionStore: Codec<InscriptionStore> = struct({
  cursedInscriptionCount: u32,
  blessedInscriptionCount: u32,
  unboundInscriptionCount: u32,
  lostSats: u64,
  nextSequenceNumber: u32,
});
