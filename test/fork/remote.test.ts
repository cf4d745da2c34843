/** A fork of a chain on another machine: it is what a fork beside that chain would be. */
import { describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { Origin } from './origin.ts';

const GAS = '0x3::gas_coin::RGas';

const transfer = (to: string, amount: bigint) => ({
  function: '0x3::transfer::transfer_coin',
  typeArguments: [GAS],
  arguments: [to, amount],
});

describe('a fork of a chain on another machine', () => {
  it('has its balances, and executes as a fork beside it does', async () => {
    await using origin = await Origin.open();
    await origin.run(async ({ engine }) => {
      const [alice] = engine.accounts;
      for (let to = 0x1000; to < 0x1040; to++) {
        await engine.executeAs(alice!.address, {
          function: '0x3::transfer::transfer_coin',
          typeArguments: ['0x3::gas_coin::RGas'],
          arguments: [`0x${to.toString(16)}`, 5n],
        });
      }
    });
    await using engine = await Engine.open({ fork: { url: origin.url } });
    expect(engine.head.order).toBe(64n);
    expect(engine.balance('0x1007')).toBe(5n);
    const [alice] = engine.accounts;
    const signed = alice!.signTransaction(transfer('0x1007', 7n));
    const receipt = await engine.execute(signed);
    expect(receipt.status).toMatchObject({ kind: 'executed' });
    expect(engine.balance('0x1007')).toBe(12n);
    const beside = await origin.run(async ({ engine }, signed) => {
      const fork = engine.fork();
      const { stateRoot } = await fork.execute(signed);
      await fork.close();
      return { root: String(stateRoot), order: engine.head.order };
    }, signed);
    expect(beside).toEqual({ root: String(receipt.stateRoot), order: 64n });
  });
});
