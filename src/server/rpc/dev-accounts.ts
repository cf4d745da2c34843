/**
 * dev_accounts: the accounts that a local chain begins with.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/hex.ts';
import { formatAddressBech32, parseAddress } from '../../move/address.ts';
import { devOf, type Method, method } from './method.ts';

/** A funded account in its wire form. */
type AccountJson = {
  readonly address: string;
  readonly bech32: string;
  readonly bitcoin_address: string;
  readonly public_key: string;
  readonly private_key: string;
  readonly path: string;
};

export interface DevAccountMethods {
  readonly accounts: Method<[], readonly AccountJson[]>;
}

export const devAccountMethods: DevAccountMethods = {
  accounts: method({
    description: 'The funded accounts of a local chain, with their keys, which everybody knows; none on other chains.',
    params: [],
    result: { type: 'array', items: { type: 'object', title: 'account with its key' } },
    example: [],
    handle: (context) =>
      devOf(context).engine.accounts.map(({ address, bitcoin, publicKey, privateKey, path }) => ({
        address,
        bech32: formatAddressBech32(parseAddress(address)),
        bitcoin_address: bitcoin,
        public_key: toHexPrefixed(publicKey),
        private_key: privateKey,
        path,
      })),
  }),
};
