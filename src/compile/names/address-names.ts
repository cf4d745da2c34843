/**
 * The names of addresses in a package.
 * @module
 */

import { toHex } from '../../base/bytes/bytes.ts';
import { didYouMean } from '../../base/nearest-name.ts';
import { ADDRESS_BYTES } from '../../move/address.ts';
import { addressOfNumber } from '../syntax/address-number.ts';
import type { SyntaxAddress } from '../syntax/tree.ts';
import type { Diagnostics } from '../text/diagnostic.ts';
import { Names } from '../text/diagnostic-kind.ts';
import type { ModuleIdentity } from './declaration.ts';
import { checkAddressName } from './valid-name.ts';

/** An address of the source: zeros, with an error, if its name has no value. */
export interface ResolvedAddress {
  readonly value: Uint8Array;
  /** The name in the source. */
  readonly name: string | undefined;
  /** What tells it from others; a name without a value differs from all. */
  readonly key: string;
}

const UNKNOWN = new Uint8Array(ADDRESS_BYTES);

export class AddressNames {
  readonly #values: ReadonlyMap<string, Uint8Array>;
  readonly #diagnostics: Diagnostics;

  constructor(values: ReadonlyMap<string, Uint8Array>, diagnostics: Diagnostics) {
    this.#values = values;
    this.#diagnostics = diagnostics;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  resolve(address: SyntaxAddress): ResolvedAddress {
    if (address.kind === 'number') {
      const value = addressOfNumber(address.text) ?? UNKNOWN;
      return { value, name: undefined, key: toHex(value) };
    }
    const { text: name, span } = address;
    const isValid = checkAddressName(address, this.#diagnostics);
    const value = this.#values.get(name);
    if (value !== undefined) return { value, name, key: toHex(value) };
    if (isValid) {
      const remedy = `give it one: ${name} = "0x42" under [addresses] of Move.toml, or as the option addresses`;
      const notes = [...didYouMean(name, this.#values.keys()), remedy];
      this.#diagnostics.add(Names.addressWithoutValue, span, `the address '${name}' has no value`, [], notes);
    }
    return { value: UNKNOWN, name, key: `~${name}` };
  }

  module(address: SyntaxAddress, name: string): ModuleIdentity {
    return identityOf(this.resolve(address), name);
  }
}

export function identityOf({ value, name: addressName, key }: ResolvedAddress, name: string): ModuleIdentity {
  return { address: value, addressName, name, key: `${key}::${name}` };
}

/** How diagnostics name a module. */
export function shownModule({ address, addressName, name }: ModuleIdentity): string {
  return `${addressName ?? `0x${toHex(address).replace(/^0{1,63}/, '')}`}::${name}`;
}
