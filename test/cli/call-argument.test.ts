/** Text from a shell as arguments of Move functions. */
import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { UsageError } from '../../src/cli/arguments.ts';
import { paramsText } from '../../src/cli/call.ts';
import { argumentOf } from '../../src/cli/move-call.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { declaredType } from '../../src/query/declared-type.ts';
import { encodeArgument } from '../../src/query/view-argument.ts';
import { createRpc } from '../../src/server/index.ts';

const { address, regtestAddress } = DEV_ACCOUNTS[0]!;
const encoded = (type: string, text: string): string => {
  const declared = declaredType(type, []);
  return toHexPrefixed(encodeArgument(declared, argumentOf(declared, text, 'argument 0'), 'argument 0'));
};

describe('an argument', () => {
  // The bytes are BCS by its specification: little-endian integers, a length before vectors and text, a tag before options.
  it.each([
    ['bool', 'true', '0x01'],
    ['u8', '255', '0xff'],
    ['u64', '18446744073709551615', '0xffffffffffffffff'],
    ['address', address, address],
    ['address', regtestAddress, address],
    ['vector<u8>', '0x00ff', '0x0200ff'],
    ['vector<u8>', '[0, 255]', '0x0200ff'],
    ['vector<u64>', '[18446744073709551615, 1]', '0x02ffffffffffffffff0100000000000000'],
    ['vector<bool>', '[true]', '0x0101'],
    ['0x1::string::String', 'null', '0x046e756c6c'],
    ['0x1::string::String', '"in quotes"', '0x0b22696e2071756f74657322'],
    ['0x1::option::Option<u8>', 'null', '0x00'],
    ['0x1::option::Option<u8>', '7', '0x0107'],
    ['0x1::option::Option<vector<u8>>', '0x07', '0x010107'],
    ['0x2::object::ObjectID', address, `0x01${address.slice(2)}`],
    ['&mut 0x2::object::Object<0x42::a::B>', address, `0x01${address.slice(2)}`],
  ])('of type %s, written %j, is %s', (type, text, wanted) => {
    expect(encoded(type, text)).toBe(wanted);
  });

  it.each([
    ['bool', 'yes', 'true or false'],
    ['u8', '256', 'an integer from 0 to 255'],
    ['u64', '1.5', 'an integer'],
    ['address', 'nobody', 'argument 0 (address)'],
    ['vector<u64>', '7', 'an array'],
    ['vector<u8>', '0x1', 'argument 0 (vector<u8>)'],
  ])('of type %s is not %j', (type, text, message) => {
    expect(() => encoded(type, text)).toThrow(message);
  });

  it('that should be JSON but is not is refused with how to write it', () => {
    expect(() => encoded('vector<u64>', '[1,')).toThrow(UsageError);
    expect(() => encoded('vector<u64>', '[1,')).toThrow(
      'argument 0 (vector<u64>): expected a JSON array in quotes, got [1,',
    );
  });
});

/** Parameters of a method as a shell gives them. */
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
    ['chain_queryEvents', ['{"sender":"0x3"}'], '[{"sender":"0x3"}]'],
    ['chain_queryEvents', ['{"filter":{"sender":"0x3"}}'], '{"filter":{"sender":"0x3"}}'],
    ['chain_getStates', ['{"accessPath":"/object/0x3"}'], '{"accessPath":"/object/0x3"}'],
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
