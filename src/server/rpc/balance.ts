/**
 * getBalance and getBalances. Source: crates/rooch-rpc-api/src/jsonrpc_types/account_view.rs of the reference.
 * @module
 */
import { toHexPrefixed } from '../../base/bytes/bytes.ts';
import { displayStruct } from '../../move/type-tag.ts';
import type { CoinAmount } from '../../query/values.ts';
import { type Count, immediate, type Method, method } from './method.ts';
import * as param from './param.ts';
import { type JsonPage, page } from './render.ts';

export const BALANCE: param.Schema = {
  type: 'object',
  title: 'balance',
  properties: {
    coin_type: { type: 'string' },
    name: { type: 'string' },
    symbol: { type: 'string' },
    icon_url: { type: ['string', 'null'] },
    decimals: { type: 'integer' },
    supply: { type: 'string', title: 'u256' },
    balance: { type: 'string', title: 'u256' },
  },
};

export function balance({ coinType, info, balance: amount }: CoinAmount): BalanceJson {
  return {
    coin_type: displayStruct(coinType),
    name: info.name,
    symbol: info.symbol,
    icon_url: info.iconUrl ?? null,
    decimals: info.decimals,
    supply: info.supply.toString(),
    balance: amount.toString(),
  };
}

/** The first of a local chain's ten well-known accounts. */
export const EXAMPLE_ACCOUNT = '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b';

export type BalanceJson = {
  readonly coin_type: string;
  readonly name: string;
  readonly symbol: string;
  readonly icon_url: string | null;
  readonly decimals: number;
  readonly supply: string;
  readonly balance: string;
};

export interface BalanceMethods {
  readonly getBalance: Method<[account_addr: string, coin_type: string, option?: param.GivenPlace | null], BalanceJson>;
  readonly getBalances: Method<
    [account_addr: string, cursor?: string | null, limit?: Count | null, option?: unknown],
    JsonPage<BalanceJson, string>
  >;
}

export const balanceMethods: BalanceMethods = {
  getBalance: immediate({
    description: 'The balance of an account in one coin; 0 for an account that never appeared.',
    params: [
      param.required('account_addr', param.unitedAddress, 'hex, rooch1..., npub1... or a Bitcoin address'),
      param.required('coin_type', param.structTagParser, 'for example 0x3::gas_coin::RGas'),
      param.placeOption,
    ],
    result: BALANCE,
    errors: ['not-found'],
    example: [EXAMPLE_ACCOUNT, '0x3::gas_coin::RGas'],
    handle: (context, [owner, coinType, place]) => balance(param.chainAt(context, place).balances.get(owner, coinType)),
  }),
  getBalances: method({
    description:
      'Every coin that an account holds, in ascending order of the sha3-256 of the coin type, which is the cursor.',
    params: [
      param.required('account_addr', param.unitedAddress, 'hex, rooch1..., npub1... or a Bitcoin address'),
      param.optional('cursor', param.hash, undefined, 'next_cursor of the page before'),
      param.limitParam,
      param.presentOption('a list of balances'),
    ],
    result: param.pageSchema(BALANCE, { type: 'string', title: 'hash' }),
    example: [EXAMPLE_ACCOUNT, null, '10'],
    handle: async (context, [owner, cursor, asked]) => {
      const found = await context.chain.balances.list(owner, { cursor, limit: param.pageLimit(context, asked) });
      return page(found, balance, toHexPrefixed);
    },
  }),
};
