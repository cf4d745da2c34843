import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Engine } from '../src/engine.ts';
import { DEV_ACCOUNTS } from '../src/framework/accounts.ts';
import { GAS_COIN_TYPE } from '../src/framework/coin.ts';
import { parseAddress } from '../src/move/address.ts';

const directories: string[] = [];
const directory = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'movelet-engine-'));
  directories.push(path);
  return path;
};
afterEach(() => {
  for (const path of directories.splice(0)) rmSync(path, { recursive: true, force: true });
});

describe('an engine', () => {
  it('opens in memory with ten funded accounts', async () => {
    await using engine = await Engine.open();
    for (const { address } of DEV_ACCOUNTS) {
      expect(engine.balances.get(parseAddress(address), GAS_COIN_TYPE).balance).toBe(100_000_000_000_000n);
    }
    expect(engine.head.order).toBe(0n);
    expect(engine.chainId).toBe(4n);
  });

  it('continues where it stopped', async () => {
    const path = directory();
    const first = await Engine.open({ store: path });
    const { head } = first;
    await first.close();
    await using again = await Engine.open({ store: path });
    expect(again.head).toEqual(head);
    expect(again.storeKind).toBe('level');
  });

  it('lets nobody wait for an order once it is being closed', async () => {
    const engine = await Engine.open();
    const closed = engine.close();
    // One that waits keeps the process alive for five seconds.
    await expect(engine.reached(1n)).rejects.toMatchObject({ code: 'closed' });
    await closed;
  });

  it('refuses a store of another chain', async () => {
    const path = directory();
    await (await Engine.open({ store: path })).close();
    await expect(Engine.open({ store: path, chainId: 3n })).rejects.toMatchObject({ code: 'genesis-mismatch' });
  });
});
