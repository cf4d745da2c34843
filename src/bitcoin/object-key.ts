/**
 * The ids of Bitcoin objects on the chain: their 32-byte parts.
 *
 * Stores are named objects: sha3 of their type. A UTXO or an inscription is a child of its store; the last part of its
 * id is sha3 of the BCS of its Bitcoin name and its type. Types are written in full, with `0x` and 64 digits.
 * Source: frameworks/bitcoin-move/sources/utxo.move and ord.move of the reference.
 * @module
 */
import { sha3, sha3Joined } from '../base/hash/sha3.ts';
import { BITCOIN_MOVE_ADDRESS, formatAddress } from '../move/address.ts';
import type { InscriptionId } from './inscription.ts';
import type { OutPoint } from './outpoint.ts';

/** The canonical name of a type of the Bitcoin package: `0x` and 64 digits, `::module::name`. */
export function bitcoinTypeName(module: string, name: string): string {
  return `${formatAddress(BITCOIN_MOVE_ADDRESS)}::${module}::${name}`;
}

/** The name under which UTXOs list their inscriptions. */
export const INSCRIPTION_PROTOCOL: string = bitcoinTypeName('ord', 'Inscription');

const utf8 = new TextEncoder();
const UTXO_TYPE = utf8.encode(bitcoinTypeName('utxo', 'UTXO'));
const INSCRIPTION_TYPE = utf8.encode(INSCRIPTION_PROTOCOL);
const PENDING_BLOCK_TYPE = utf8.encode(bitcoinTypeName('pending_block', 'PendingBlock'));

export const UTXO_STORE_KEY: Uint8Array = namedKey('utxo', 'BitcoinUTXOStore');
export const INSCRIPTION_STORE_KEY: Uint8Array = namedKey('ord', 'InscriptionStore');
export const BITCOIN_BLOCK_STORE_KEY: Uint8Array = namedKey('bitcoin', 'BitcoinBlockStore');
export const PENDING_STORE_KEY: Uint8Array = namedKey('pending_block', 'PendingStore');
export const BITCOIN_NETWORK_KEY: Uint8Array = namedKey('network', 'BitcoinNetwork');

function namedKey(module: string, name: string): Uint8Array {
  return sha3(utf8.encode(bitcoinTypeName(module, name)));
}

/** The last part of a UTXO's object id; the first is `UTXO_STORE_KEY`. */
export function utxoKey(outpoint: OutPoint): Uint8Array {
  return sha3Joined(outpoint.txid, u32Bytes(outpoint.vout), UTXO_TYPE);
}

/** The last part of an inscription's object id; the first is `INSCRIPTION_STORE_KEY`. */
export function inscriptionKey(id: InscriptionId): Uint8Array {
  return sha3Joined(id.txid, u32Bytes(id.index), INSCRIPTION_TYPE);
}

/** The only part of the object id of a pending block. */
export function pendingBlockKey(blockHash: Uint8Array): Uint8Array {
  return sha3Joined(blockHash, PENDING_BLOCK_TYPE);
}

/** Little endian. */
export function u32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, value >>> 24);
}
