/**
 * Account addresses in the public API. Source of the text forms: crates/rooch-types/src/address.rs of the reference.
 * @module
 */

import { argumentError, bytesOfLength, parseArgument } from '../../base/argument.ts';
import { type BitcoinAddress, nodeAddressOf, parseBitcoinAddress } from '../../bitcoin/address.ts';
import { ADDRESS_BYTES, type Address, formatAddress, formatAddressBech32, parseAddress } from '../../move/address.ts';
import { ByteValue, passAsBuiltIn } from './byte-value.ts';

/** 32 bytes whose text is `0x` and 64 digits. */
export class AddressValue extends ByteValue {
  override toString(): string {
    return formatAddress(this);
  }

  /** `rooch1...`, as the reference's RPC and wallets write it. */
  toBech32(): string {
    return formatAddressBech32(this);
  }
}

passAsBuiltIn(AddressValue);

/** An account: 32 bytes, or text in any form that names one. */
export type AddressInput = string | Uint8Array;

/** What an argument that names an account must be. */
export const ADDRESS_EXPECTED = 'an address (0x and up to 64 hex digits, rooch1..., a Bitcoin address, or 32 bytes)';

/**
 * The address that an argument names.
 * @throws {EngineError} `invalid-argument`
 */
export function toAddress(given: AddressInput, name: string): Address {
  if (typeof given === 'string') return parseArgument(name, ADDRESS_EXPECTED, given, parseAccount);
  return bytesOfLength(given, ADDRESS_BYTES) ?? refuse(name, given);
}

function refuse(name: string, given: unknown): never {
  throw argumentError(name, ADDRESS_EXPECTED, given);
}

const NODE_ADDRESS = /^(?:0[xX]|rooch1|ROOCH1)|^[0-9a-fA-F]{64}$/;

/** The text of an account as a Bitcoin address; undefined for any other form. */
export function bitcoinAddressIn(text: string): BitcoinAddress | undefined {
  return NODE_ADDRESS.test(text) ? undefined : parseBitcoinAddress(text);
}

/**
 * Reads the text of an address: hexadecimal, bech32m `rooch1...`, or a Bitcoin address of any network, which stands for
 * its owner's account.
 * @throws {EngineError} `invalid-argument`
 */
export function parseAccount(text: string): Address {
  return NODE_ADDRESS.test(text) ? parseAddress(text) : nodeAddressOf(parseBitcoinAddress(text));
}
