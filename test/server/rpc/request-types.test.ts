/** `request` is typed by the rows of the methods: names, positional parameters, answers. The compiler runs this file. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import {
  type Count,
  createRpc,
  type JsonObject,
  type JsonPage,
  type JsonPosition,
  type MethodName,
  type MethodParams,
  type MethodResult,
} from '../../../src/server/rpc/index.ts';

const ALICE = DEV_ACCOUNTS[0]!.address;

describe('request', () => {
  it('gives what the method answers', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    expect((await rpc.request('chain_getBalance', [ALICE, '0x3::gas_coin::RGas'])).symbol).toBe('RGAS');
    const page = await rpc.request('rooch_getBalances', [ALICE, null, '5']);
    expect(page.data.map(({ coin_type }) => coin_type)).toEqual(['0x3::gas_coin::RGas']);
    expect((await rpc.request('chain_getBalances', { account_addr: ALICE })).has_next_page).toBe(false);
    expect(await rpc.request('chain_getChainID')).toBe('4');
    const call = { function_id: '0x3::chain_id::chain_id', ty_args: [], args: [] };
    expect((await rpc.request('chain_executeViewFunction', [call])).return_values?.[0]?.decoded_value).toBe('4');
    expect((await rpc.request('btc_queryUTXOs', [{ owner: ALICE }])).data).toEqual([]);
  });

  it('knows the names, parameters and answers', () => {
    expectTypeOf<'chain_getBalance'>().toExtend<MethodName>();
    expectTypeOf<'rooch_getBalance' | 'btc_queryUTXOs' | 'rpc.discover'>().toExtend<MethodName>();
    expectTypeOf<'getBalance'>().not.toExtend<MethodName>();
    expectTypeOf<'chain_queryUTXOs'>().not.toExtend<MethodName>();
    expectTypeOf<MethodParams<'chain_getBalance'>>().toEqualTypeOf<
      readonly [
        account_addr: string,
        coin_type: string,
        option?: { readonly stateRoot?: string | null; readonly order?: Count | null } | null,
      ]
    >();
    expectTypeOf<MethodResult<'rooch_getChainID'>>().toEqualTypeOf<string>();
    expectTypeOf<MethodResult<'btc_queryUTXOs'>>().toEqualTypeOf<JsonPage<JsonObject, JsonPosition>>();
    expectTypeOf<[string]>().not.toExtend<MethodParams<'chain_getBalance'>>();
    expectTypeOf<[number, string]>().not.toExtend<MethodParams<'chain_getBalance'>>();
    expectTypeOf<[{ colour: string }]>().not.toExtend<MethodParams<'chain_queryEvents'>>();
    expectTypeOf<[{ event_type: string }, null, 5, { decode: true }]>().toExtend<MethodParams<'chain_queryEvents'>>();
  });
});
