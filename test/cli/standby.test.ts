/** `--wait-for-turn`: whom a standby takes for alive. */
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { LOG_OPTIONS, logOptions } from '../../src/cli/node-options.ts';
import { Engine } from '../../src/engine/engine.ts';
import { openDirectoryLog } from '../../src/log/index.ts';
import { createRpc } from '../../src/server/rpc/server.ts';
import { serveHttp } from '../../src/server/transport/http.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();
const PROBES_MAX = 20;
const STILL_WAITS = 'it still waits';

let probes = 0;
vi.mock('node:timers/promises', async (original) => ({
  ...(await original<typeof import('node:timers/promises')>()),
  setTimeout: async () => {
    if (++probes > PROBES_MAX) throw new Error(STILL_WAITS);
  },
}));

/** Stands by for a node; whether it takes over, or waits for as long as the test does. */
async function takesOver(engine: Engine, log: string): Promise<boolean> {
  probes = 0;
  const rpc = createRpc(engine);
  const server = await serveHttp(rpc, { host: '127.0.0.1', port: 0 });
  const args = ['--log', log, '--wait-for-turn', '--writer-url', server.url];
  try {
    const { commitLog } = await logOptions(readArguments(args, { options: LOG_OPTIONS }, 'serve'));
    await commitLog!.close();
    return true;
  } catch (error) {
    if ((error as Error).message !== STILL_WAITS) throw error;
    return false;
  } finally {
    await server.close();
    await rpc.close();
  }
}

const pay = (engine: Engine) => engine.dev.mint('0x77', 1n);

it('takes over from a writer whose store failed and which can no longer write', async () => {
  const path = join(directory(), 'log');
  const store = new MemoryStore();
  const engine = await Engine.open({ store, commitLog: await openDirectoryLog(path) });
  await pay(engine);
  expect(await takesOver(engine, path)).toBe(false);
  const batch = vi.spyOn(store, 'batch').mockRejectedValue(new Error('EIO: i/o error, write'));
  await expect(pay(engine)).rejects.toMatchObject({ code: 'store-failed' });
  batch.mockRestore();
  expect(await takesOver(engine, path)).toBe(true);
  await engine.close();
});

it('does not replace a writer that was fenced, since another one took over', async () => {
  const path = join(directory(), 'log');
  const first = await Engine.open({ commitLog: await openDirectoryLog(path) });
  const second = await Engine.open({ commitLog: await openDirectoryLog(path) });
  await expect(pay(first)).rejects.toMatchObject({ code: 'fenced' });
  expect(await takesOver(first, path)).toBe(false);
  await first.close();
  await second.close();
});
