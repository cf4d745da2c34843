/**
 * Locations of outputs and of satoshis in them; unspent outputs as the chain stores them, with the seals of other
 * protocols.
 * @module
 */
import {
  assertBytes,
  assertFits,
  assertObject,
  assertText,
  type Expectation,
  parseArgument,
  textError,
  wholeNumber,
} from '../base/argument.ts';
import { bytes32, type Codec, string, struct, u32, u64, vector } from '../base/bcs.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import {
  BITCOIN_HASH_BYTES,
  type BitcoinHashInput,
  formatBitcoinHash,
  parseBitcoinHash,
  toBitcoinHash,
} from './hash.ts';

/** `0x4::types::OutPoint`. */
export interface OutPoint {
  /** 32 bytes in internal order. */
  readonly txid: Uint8Array;
  readonly vout: number;
}

export const outPoint: Codec<OutPoint> = struct({ txid: bytes32, vout: u32 });

/** The index of an output, or of an inscription, in its transaction: a u32. */
export const INDEX: Expectation = wholeNumber(0, 0xffff_ffff);
const VOUT_NULL = 0xffff_ffff;

/** The null outpoint, which a coinbase spends. Lost inscriptions are located there. */
export const NULL_OUTPOINT: OutPoint = { txid: new Uint8Array(BITCOIN_HASH_BYTES), vout: VOUT_NULL };

/** The location of inscriptions that no satoshi carries. */
export const UNBOUND_OUTPOINT: OutPoint = { txid: new Uint8Array(BITCOIN_HASH_BYTES), vout: 0 };

export function isNullOutPoint(value: OutPoint): boolean {
  return value.vout === VOUT_NULL && value.txid.every((byte) => byte === 0);
}

export function equalOutPoints(left: OutPoint, right: OutPoint): boolean {
  return left.vout === right.vout && equalBytes(left.txid, right.txid);
}

/** `<txid reversed>:<vout>`. */
export function formatOutPoint(outpoint: OutPoint): string {
  assertObject(outpoint, 'outpoint', '{ txid, vout }');
  const { txid, vout } = outpoint;
  assertBytes(txid, 'outpoint.txid', BITCOIN_HASH_BYTES);
  assertFits(vout, 'outpoint.vout', INDEX);
  return `${formatBitcoinHash(txid)}:${vout}`;
}

/**
 * Reads `<txid reversed>:<vout>`.
 * @throws {EngineError} `invalid-argument` for text that is not a 64-digit txid, `:` and a u32.
 */
export function parseOutPoint(text: string): OutPoint {
  assertText(text, 'text', 'an outpoint as text (txid:vout)');
  const [txid, vout, ...rest] = text.split(':');
  if (txid === undefined || vout === undefined || rest.length > 0) throw textError('an outpoint txid:vout', text);
  return { txid: parseBitcoinHash(txid), vout: parseIndex(vout) };
}

/** An outpoint: `<txid>:<vout>`, or its parts. */
export type OutPointInput = string | { readonly txid: BitcoinHashInput; readonly vout: number };

/**
 * The outpoint that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toOutPoint(given: OutPointInput, name: string): OutPoint {
  const expected = 'an outpoint (<txid>:<vout>, or { txid, vout })';
  if (typeof given === 'string') return parseArgument(name, expected, given, parseOutPoint);
  assertObject(given, name, expected);
  const txid = toBitcoinHash(given.txid, `${name}.txid`, 'a txid');
  assertFits(given.vout, `${name}.vout`, INDEX);
  return { txid, vout: given.vout };
}

/**
 * Reads a decimal u32.
 * @throws {EngineError} `invalid-argument`
 */
export function parseIndex(text: string): number {
  const index = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (!(index <= 0xffff_ffff)) throw textError('an index of 0 to 4294967295', text);
  return index;
}

/** `0x4::ord::SatPoint`. */
export interface SatPoint {
  readonly outpoint: OutPoint;
  readonly offset: bigint;
}

export const satPoint: Codec<SatPoint> = struct({ outpoint: outPoint, offset: u64 });

/** The parts of an object id, outermost first. */
export type SealedObject = readonly Uint8Array[];

export const objectParts: Codec<SealedObject> = vector(bytes32);

/** The objects that a protocol has put on an output. */
interface Seal {
  /** The canonical type name of the sealed objects; see `INSCRIPTION_PROTOCOL`. */
  readonly protocol: string;
  /** In the order in which they landed. */
  readonly objects: readonly SealedObject[];
}

/** `0x4::utxo::UTXO`. */
export interface Utxo {
  readonly txid: Uint8Array;
  readonly vout: number;
  /** In satoshis. */
  readonly value: bigint;
  /** At most one for each protocol, in the order of their first seal. */
  readonly seals: readonly Seal[];
}

/** A UTXO in BCS: the value of its object. */
export const utxo: Codec<Utxo> = struct({
  txid: bytes32,
  vout: u32,
  value: u64,
  seals: vector(struct<Seal>({ protocol: string, objects: vector(objectParts) })),
});

/** The objects that a protocol has put on an output. */
export function sealedObjects(value: Utxo, protocol: string): readonly SealedObject[] {
  return value.seals.find((seal) => seal.protocol === protocol)?.objects ?? [];
}
