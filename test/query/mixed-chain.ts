/**
 * A chain as programs make one, at random: transactions, some of which abort, Bitcoin blocks with reorganisations, what a
 * test node's controls write, and reverts.
 */

import { spend } from '../../src/bitcoin/index.ts';
import { subsidyOf } from '../../src/bitcoin/network.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import type { RandomNumber } from '../effort.ts';
import { payment } from '../payment.ts';

/** An object that controls write. */
export const BOX: string = `0x${'b0'.repeat(32)}`;
const MINERS = DEV_ACCOUNTS.slice(0, 3).map(({ regtestAddress }) => regtestAddress);

/** A new chain to which `steps` things have been done; `after` is told of each. */
export async function mixedChain(
  random: RandomNumber,
  steps: number,
  after: (engine: Engine) => void = () => {},
): Promise<Engine> {
  let clock = 1_800_000_000_000n;
  // Time often stands still, so that objects return to what they were, byte for byte.
  const engine = await Engine.open({ reorganisationDepth: 2, clock: () => (clock += BigInt(random(2))) });
  let snapshot = engine.snapshot();
  for (let step = 0; step < steps; step++) {
    const what = random(16);
    if (what < 3) snapshot = engine.snapshot();
    else if (what === 3 && step < steps - 10) await engine.revert(snapshot);
    else await act(engine, random);
    after(engine);
  }
  return engine;
}

async function act(engine: Engine, random: RandomNumber): Promise<void> {
  const account = (): string => DEV_ACCOUNTS[random(3)]!.address;
  switch (random(8)) {
    case 0:
    case 1:
    case 2: {
      // Now and then more than there is: it aborts, and is kept.
      const amount = random(6) === 0 ? 1n << 100n : BigInt(random(3));
      const call = payment(account(), amount);
      await engine.executeAs(account(), call);
      return;
    }
    case 3:
      await engine.dev.mint(account(), BigInt(random(2) + 1));
      return;
    case 4: {
      // Handed to and fro, an object is again what it was.
      const made = { type: '0x2::timestamp::Timestamp', value: { milliseconds: BigInt(random(3)) } };
      await engine.dev.setObject(BOX, { ...(engine.objects.get(BOX) === undefined && made), owner: account() });
      return;
    }
    case 5: {
      if (engine.objects.get(BOX) === undefined) return;
      const [key, value] = [BigInt(random(2)), BigInt(random(2))];
      await engine.dev.setField(BOX, { keyType: 'u64', key, valueType: 'u64', value });
      return;
    }
    default:
      await mine(engine, random);
  }
}

async function mine(engine: Engine, random: RandomNumber): Promise<void> {
  const { confirmed, pending } = engine.bitcoin.status();
  const to = MINERS[random(3)]!;
  const height = pending?.blockHeight ?? confirmed?.blockHeight;
  // A competing branch, one block shorter.
  const on =
    height !== undefined && pending !== undefined && height > 0n && random(3) === 0 ? { on: Number(height) - 1 } : {};
  const block = await engine.dev.mine({ to, ...on });
  const coins = { txid: block.transactions[0]!.txid, vout: 0 };
  const value = subsidyOf(block.height);
  if (random(2) === 0) {
    const moved = spend([{ outpoint: coins }], [{ to: MINERS[random(3)]!, value }]);
    await engine.dev.mine({ to, transactions: [moved] });
  }
}
