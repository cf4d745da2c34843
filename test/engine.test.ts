import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEV_ACCOUNTS, Engine, GAS_COIN_TYPE, record } from '../src/index.ts';
import { openDirectoryLog } from '../src/log/index.ts';
import { parseAddress } from '../src/move/address.ts';
import { fixture } from '../src/testing/testing.ts';
import { temporaryDirectories } from './store/temporary.ts';

const directory = temporaryDirectories();

describe('an engine', () => {
  it('opens in memory with ten funded accounts', async () => {
    await using engine = await Engine.open();
    for (const { address } of DEV_ACCOUNTS) {
      expect(engine.balances.get(parseAddress(address), GAS_COIN_TYPE).balance).toBe(100_000_000_000_000n);
    }
    expect(engine.head.order).toBe(0n);
    expect(engine.chainId).toBe(4n);
  });

  it('lets nobody wait for an order once it is closing', async () => {
    const engine = await Engine.open();
    const closed = engine.close();
    // One that waits keeps the process alive for five seconds.
    await expect(engine.waitFor(1n)).rejects.toMatchObject({ code: 'closed' });
    await closed;
  });

  it.each(['log', 'recordings', 'fixture'])('closes its store if its %s cannot be closed', async (part) => {
    const path = directory();
    const failure = new Error(`the ${part} cannot be closed`);
    const commitLog = await openDirectoryLog(join(directory(), 'log'));
    const engine = await Engine.open({ store: path, commitLog });
    onTestFinished(() => void vi.restoreAllMocks());
    if (part === 'log') {
      const close = commitLog.close.bind(commitLog);
      vi.spyOn(commitLog, 'close').mockImplementation(async () => {
        await close();
        throw failure;
      });
    } else if (part === 'recordings') {
      vi.spyOn(record(engine), 'close').mockRejectedValue(failure);
      vi.spyOn(record(engine), 'close').mockRejectedValue(new Error('another one'));
    } else {
      const made = fixture(engine, 'made', (fork) => void vi.spyOn(fork, 'close').mockRejectedValue(failure));
      await (await made).close();
    }
    // Both callers learn it.
    const closed = [engine.close(), engine.close()];
    for (const one of closed) await expect(one).rejects.toBe(failure);
    const log = await openDirectoryLog(join(directory(), 'log'));
    await using again = await Engine.open({ store: path, commitLog: log });
    expect(again.head.order).toBe(0n);
  });

  it('has closed its fixtures by the time any concurrent close resolves', async () => {
    const engine = await Engine.open({ store: directory() });
    const order: string[] = [];
    await (
      await fixture(engine, 'made', (fork) => {
        const close = fork.close.bind(fork);
        vi.spyOn(fork, 'close').mockImplementation(async () => {
          for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
          await close();
          order.push('fixture');
        });
      })
    ).close();
    await Promise.all([engine.close(), engine.close().then(() => order.push('engine'))]);
    expect(order).toEqual(['fixture', 'engine']);
  });
});
