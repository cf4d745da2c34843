/**
 * Ids of inscriptions: the transaction that revealed one, and its index among the envelopes found there.
 * @module
 */
import { assertBytes, assertFits, assertObject, assertText } from '../base/argument.ts';
import type { Codec } from '../base/bcs/codec.ts';
import { struct } from '../base/bcs/composite.ts';
import { bytes32, u32 } from '../base/bcs/primitive.ts';
import { EngineError } from '../base/error.ts';
import { BITCOIN_HASH_BYTES, formatBitcoinHash, parseBitcoinHash } from './hash.ts';
import { INDEX, parseIndex } from './outpoint.ts';

/** `0x4::ord::InscriptionID`. */
export interface InscriptionId {
  /** 32 bytes in internal order. */
  readonly txid: Uint8Array;
  readonly index: number;
}

export const inscriptionId: Codec<InscriptionId> = struct<InscriptionId>({ txid: bytes32, index: u32 });

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
  if (text[TXID_DIGITS] !== 'i') {
    throw new EngineError(
      'invalid-argument',
      `expected an inscription id txid, i, index, got ${JSON.stringify(text.slice(0, 100))}`,
    );
  }
  return { txid: parseBitcoinHash(text.slice(0, TXID_DIGITS)), index: parseIndex(text.slice(TXID_DIGITS + 1)) };
}

/**
 * The id in an envelope's parent field: a txid in internal order and the index, little endian, in 4 bytes or without
 * trailing zeros. Undefined for bytes of another form, which the protocol skips.
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
  const bytes: number[] = [...id.txid];
  for (let rest = id.index; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  return Uint8Array.from(bytes);
}
