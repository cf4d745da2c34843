import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine.ts';
import { DEV_ACCOUNTS } from '../../src/framework/accounts.ts';
import { GAS_COIN_TYPE } from '../../src/framework/coin.ts';
import { parseAddress } from '../../src/move/address.ts';
import { parseStructTag } from '../../src/move/type-tag.ts';
import { expectRefusal } from '../refusal.ts';

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

  it('is of an address and a type, not of their texts', () => {
    const text = '0x3::gas_coin::RGas' as never;
    expectRefusal(() => engine.balances.get(owner, text), 'invalid-argument', /coinType: .*parseStructTag.*RGas/);
    expectRefusal(() => engine.balances.amount(owner, text), 'invalid-argument', /coinType: .*parseStructTag/);
    const address = ADDRESS as never;
    expectRefusal(() => engine.balances.get(address, GAS_COIN_TYPE), 'invalid-argument', /owner: .*parseAddress/);
    expectRefusal(() => engine.balances.amount(address, GAS_COIN_TYPE), 'invalid-argument', /owner: .*parseAddress/);
  });
});
