import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatAddressBech32, parseAddress, parseStructTag } from '../../src/chain/codecs.ts';
import { DEV_ACCOUNTS, Engine, GAS_COIN_TYPE } from '../../src/index.ts';

const ADDRESS = DEV_ACCOUNTS[0]!.address;
const owner = parseAddress(ADDRESS);
let engine: Engine;
beforeAll(async () => {
  engine = await Engine.open();
});
afterAll(() => engine.close());

describe('a balance', () => {
  it('is that of the coin, by whichever object names its type', () => {
    const own = parseStructTag('0x3::gas_coin::RGas');
    expect(engine.balances.get(owner, own).balance).toBe(engine.balances.get(owner, GAS_COIN_TYPE).balance);
    expect(engine.balances.amount(owner, own)).toBe(100_000_000_000_000n);
  });

  it('is the same for text and for bytes', async () => {
    const texts = [ADDRESS, ADDRESS.slice(2), formatAddressBech32(owner), DEV_ACCOUNTS[0]!.regtestAddress];
    const expected = engine.balances.get(owner, GAS_COIN_TYPE);
    for (const text of texts) {
      expect(engine.balances.get(text, '0x3::gas_coin::RGas')).toEqual(expected);
      expect(engine.balances.amount(text, '0x3::gas_coin::RGas')).toBe(expected.balance);
      expect((await engine.balances.list(text)).data).toEqual([expected]);
    }
  });

  it('is JSON as a person would write it', () => {
    const { info } = engine.balances.get(ADDRESS, GAS_COIN_TYPE);
    expect(JSON.parse(JSON.stringify(engine.balances.get(ADDRESS, GAS_COIN_TYPE)))).toEqual({
      coinType: '0x3::gas_coin::RGas',
      info: { ...info, supply: info.supply.toString() },
      balance: '100000000000000',
    });
  });
});
