/** `movelet serve --fork` and `movelet fork`: a node that continues another one's chain, and goes on without it. */
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { forkCommand } from '../../src/cli/fork.ts';
import { forkOptions, REMOTE_FORK_OPTIONS } from '../../src/cli/node-options.ts';
import { serveCommand } from '../../src/cli/serve.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { isBuilt, note } from './built.ts';
import { ask, ended, listening, type NodeProcess } from './node-process.ts';
import { ran } from './ran.ts';

const directory = temporaryDirectories();
const GAS = '0x3::gas_coin::RGas';
const bob = DEV_ACCOUNTS[1]!.address;

async function started(...args: string[]): Promise<NodeProcess> {
  const node = await listening('serve', ...args);
  onTestFinished(() => void node.node.kill('SIGKILL'));
  return node;
}

const pay = (url: string, amount: string): Promise<unknown> => ask(url, 'dev_fund', bob, GAS, amount);

const held = async (url: string): Promise<string> =>
  ((await ask(url, 'chain_getBalance', bob, GAS)) as { balance: string }).balance;

it('--fork-kind names the kind of node', () => {
  const read = (...args: string[]) => forkOptions(readArguments(args, { options: REMOTE_FORK_OPTIONS }, 'serve'));
  const url = 'http://node.example:6767';
  expect(read('--fork', url, '--fork-kind', 'rooch')).toMatchObject({ url, kind: 'rooch' });
  expect(read('--fork', url)?.kind).toBeUndefined();
  expect(() => read('--fork', url, '--fork-kind', 'sui')).toThrow('--fork-kind: expected movelet or rooch, got sui');
  expect(() => read('--fork-kind', 'rooch')).toThrow(/need --fork URL/);
});

describe.skipIf(!isBuilt)(`movelet serve --fork${note}`, () => {
  it('continues the chain of another node without changing that node, and goes on without it', async () => {
    const [cache, folder] = [directory(), directory()];
    const live = await started('--dev', '--serve-nodes', '--clock', 'fixed');
    await pay(live.url, '1000');
    const before = await held(live.url);
    const fork = await started('--dev', '--fork', live.url, '--at', '1', '--fork-cache', cache);
    expect(await held(fork.url)).toBe(before);
    await pay(fork.url, '7');
    expect(BigInt(await held(fork.url))).toBe(BigInt(before) + 7n);
    expect(await held(live.url)).toBe(before);
    expect(await ask(fork.url, 'chain_status')).toMatchObject({
      fork_status: { remote: live.url, order: '1', trust: 'remote', is_offline: false },
    });
    await ended(fork.node, 'SIGTERM');
    await ended(live.node, 'SIGTERM');
    const file = join(folder, 'live.fork');
    await ran(forkCommand, live.url, file, '--fork-cache', cache);
    for (const from of [
      ['--fork', file],
      ['--fork', live.url, '--at', '1', '--fork-cache', cache, '--offline'],
    ]) {
      const again = await started('--dev', ...from);
      await pay(again.url, '7');
      expect(BigInt(await held(again.url))).toBe(BigInt(before) + 7n);
      await ended(again.node, 'SIGTERM');
    }
    await expect(ran(forkCommand, live.url, file, '--fork-cache', cache)).rejects.toThrow(/exists/);
  });

  it('refuses options that cannot work', async () => {
    await expect(ran(serveCommand, '--at', '3')).rejects.toThrow(/need --fork URL/);
    await expect(ran(serveCommand, '--fork', 'http://127.0.0.1:9', '--at', 'x')).rejects.toThrow(/expected an order/);
    const both = ran(serveCommand, '--fork', 'http://127.0.0.1:9', '--data', directory());
    await expect(both).rejects.toThrow(/beside fork/);
  });
});
