/** Parameters of a method as a shell gives them. */
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { paramsText } from '../../src/cli/call.ts';
import { Engine } from '../../src/engine/engine.ts';
import { createRpc } from '../../src/server/rpc/server.ts';

describe('parameters', () => {
  it.each([
    ['chain_status', [], '[]'],
    ['chain_getBalance', ['0x3', '0x3::gas_coin::RGas'], '["0x3","0x3::gas_coin::RGas"]'],
    ['chain_getStates', ['/object/0x3', '{"decode":true}'], '["/object/0x3",{"decode":true}]'],
    ['chain_listStates', ['/object', 'null', '5', '{"decode":true}'], '["/object",null,"5",{"decode":true}]'],
    ['chain_getTransactionsByOrder', ['null', '10', 'false'], '[null,"10",false]'],
    ['dev_accounts', [], '[]'],
    ['chain_queryEvents', ['{"sender":"0x3"}', 'null', '3', 'true'], '[{"sender":"0x3"},null,"3",true]'],
    ['chain_queryEvents', ['all'], '["all"]'],
  ])('of %s: %j', async (method, texts, expected) => {
    const params = paramsText(method, texts);
    expect(params).toBe(expected);
    await using engine = await Engine.open();
    const answer = await createRpc(engine, { dev: true }).handle(
      `{"jsonrpc":"2.0","id":1,"method":"${method}","params":${params}}`,
    );
    expect(JSON.parse(answer!)).not.toHaveProperty('error.data.path');
  });

  it('are all in one JSON text if there is only one and it begins with a bracket', () => {
    expect(paramsText('chain_getStates', ['["/object/0x3",{"decode":true}]'])).toBe('["/object/0x3",{"decode":true}]');
    expect(paramsText('chain_getStates', ['{"access_path":"/object/0x3"}'])).toBe('{"access_path":"/object/0x3"}');
  });

  it('keep every digit', () => {
    expect(paramsText('node_of_another_kind', ['18446744073709551616', '1.50', 'text', 'null', '[1]'])).toBe(
      '[18446744073709551616,1.50,"text",null,[1]]',
    );
  });

  it.each([
    ['chain_getStates', ['[1,'], /^params: .*quote JSON/],
    ['chain_getStates', ['/object/0x3', '{decode:true}'], /^parameter 1 \(\w+\): .*quote JSON/],
    [
      'chain_getTransactionsByHash',
      ['0x12', '0x13'],
      /^parameter 0 \(\w+\): expected a JSON array in quotes, got 0x12/,
    ],
    ['chain_getChainID', ['5'], /^chain_getChainID takes at most 0 parameters, got 1$/],
  ])('of %s are refused: %j', (method, texts, message) => {
    expect(() => paramsText(method, texts)).toThrow(UsageError);
    expect(() => paramsText(method, texts)).toThrow(message);
  });
});
