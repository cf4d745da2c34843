/**
 * A cache of Bitcoin addresses parsed from text, since every transaction of a wallet names its own.
 * @module
 */
import { EngineError } from '../base/error.ts';
import type { Address } from '../move/address.ts';
import { type BitcoinAddress, nodeAddressOf, parseBitcoinAddress } from './address.ts';

/** Bitcoin addresses whose parsed form is kept, by their text: those of the busiest senders, some 300 bytes each. */
const BITCOIN_ADDRESSES_PARSED_MAX = 4_096;

export interface ReadAddress {
  /** Do not write to it. */
  readonly bitcoinAddress: BitcoinAddress;
  /** The account that belongs to it. */
  readonly account: Address;
}

/** By text, the most recently used last. */
const recent = new Map<string, ReadAddress>();

/** Parses an address of any network; undefined if the text is not one. */
export function readBitcoinAddress(text: string): ReadAddress | undefined {
  let found = recent.get(text);
  if (found !== undefined) {
    recent.delete(text);
  } else {
    found = parse(text);
    if (found === undefined) return undefined;
    if (recent.size >= BITCOIN_ADDRESSES_PARSED_MAX) recent.delete(recent.keys().next().value!);
  }
  recent.set(text, found);
  return found;
}

function parse(text: string): ReadAddress | undefined {
  try {
    const bitcoinAddress = parseBitcoinAddress(text);
    return { bitcoinAddress, account: nodeAddressOf(bitcoinAddress) };
  } catch (error) {
    if (error instanceof EngineError && error.code === 'invalid-argument') return undefined;
    throw error;
  }
}
