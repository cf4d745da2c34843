/**
 * Bitcoin's identifiers in the public API: txids, block hashes, outpoints, inscription ids.
 *
 * The bytes of a hash are in internal order; its text is reversed, without `0x`, as explorers show it.
 * @module
 */

import { argumentError, bytesOfLength, parseArgument } from '../../base/argument.ts';
import { BITCOIN_HASH_BYTES, formatBitcoinHash, parseBitcoinHash } from '../../bitcoin/hash.ts';
import { formatInscriptionId, type InscriptionId, parseInscriptionId } from '../../bitcoin/inscription.ts';
import { formatOutPoint, type OutPoint, parseOutPoint } from '../../bitcoin/outpoint.ts';
import { ByteValue, passAsBuiltIn, printAsText } from './byte-value.ts';

/** A txid or block hash: 32 bytes in internal order whose text is the one that people write. */
export class BitcoinHashValue extends ByteValue {
  override toString(): string {
    return formatBitcoinHash(this);
  }
}

passAsBuiltIn(BitcoinHashValue);

/** A txid or block hash: 32 bytes in internal order, or 64 hex digits as explorers show them. */
export type BitcoinHashInput = string | Uint8Array;

/**
 * The Bitcoin hash that an argument holds; `noun` says of what.
 * @throws {EngineError} `invalid-argument`
 */
export function toBitcoinHash(given: BitcoinHashInput, name: string, noun: string): Uint8Array {
  const expected = `${noun} (64 hex digits without 0x, or 32 bytes in internal order)`;
  if (typeof given === 'string') return parseArgument(name, expected, given, parseBitcoinHash);
  const bytes = bytesOfLength(given, BITCOIN_HASH_BYTES);
  if (bytes === undefined) throw argumentError(name, expected, given);
  return bytes;
}

/** An outpoint whose text is `<txid>:<vout>`. */
export class OutPointValue implements OutPoint {
  readonly txid: BitcoinHashValue;
  readonly vout: number;

  constructor(outpoint: OutPoint) {
    const { txid, vout } = toOutPoint(outpoint, 'outpoint');
    this.txid = new BitcoinHashValue(txid);
    this.vout = vout;
  }

  toString(): string {
    return formatOutPoint(this);
  }

  toJSON(): string {
    return this.toString();
  }
}

printAsText(OutPointValue);

/** An inscription id whose text is `<txid>i<index>`. */
export class InscriptionIdValue implements InscriptionId {
  readonly txid: BitcoinHashValue;
  readonly index: number;

  constructor(id: InscriptionId) {
    const { txid, index } = toInscriptionId(id, 'id');
    this.txid = new BitcoinHashValue(txid);
    this.index = index;
  }

  toString(): string {
    return formatInscriptionId(this);
  }

  toJSON(): string {
    return this.toString();
  }
}

printAsText(InscriptionIdValue);

/** An outpoint: `<txid>:<vout>`, or its parts. */
export type OutPointInput = string | { readonly txid: BitcoinHashInput; readonly vout: number };

/** An inscription id: `<txid>i<index>`, or its parts. */
export type InscriptionIdInput = string | { readonly txid: BitcoinHashInput; readonly index: number };

/**
 * The outpoint that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toOutPoint(given: OutPointInput, name: string): OutPoint {
  const expected = 'an outpoint (<txid>:<vout>, or { txid, vout })';
  if (typeof given === 'string') return parseArgument(name, expected, given, parseOutPoint);
  if (typeof given !== 'object' || given === null) throw argumentError(name, expected, given);
  return { txid: toBitcoinHash(given.txid, `${name}.txid`, 'a txid'), vout: toIndex(given.vout, `${name}.vout`) };
}

/**
 * The inscription id that an argument holds.
 * @throws {EngineError} `invalid-argument`
 */
export function toInscriptionId(given: InscriptionIdInput, name: string): InscriptionId {
  const expected = 'an inscription id (<txid>i<index>, or { txid, index })';
  if (typeof given === 'string') return parseArgument(name, expected, given, parseInscriptionId);
  if (typeof given !== 'object' || given === null) throw argumentError(name, expected, given);
  return { txid: toBitcoinHash(given.txid, `${name}.txid`, 'a txid'), index: toIndex(given.index, `${name}.index`) };
}

function toIndex(given: number, name: string): number {
  if (given >>> 0 !== given) throw argumentError(name, 'a whole number from 0 to 4294967295', given);
  return given;
}
