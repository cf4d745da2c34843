import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { RegtestChain } from '../../src/bitcoin/index.ts';
import { rescanCommand } from '../../src/cli/ingest.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { FakeNode } from '../server/follower/fake-node.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ran } from './ran.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
const temporary = temporaryDirectories();
let directory = '';
let data = '';
let chain: RegtestChain;
beforeEach(async () => {
  directory = temporary();
  data = join(directory, 'data');
  chain = new RegtestChain();
  for (const to of [bob, bob, alice, bob, alice]) chain.mine({ to });
  const engine = await Engine.open({ store: data, ingest: { owners: [alice] } });
  for (const { bytes, height } of chain.blocks.slice(2)) await engine.bitcoin.ingest(bytes, height);
  await engine.close();
});

const WATCH = ['--watch', alice, '--watch', bob];

async function rescan(...args: string[]): Promise<string> {
  const { code, out } = await ran(rescanCommand, ...args);
  expect(code).toBe(0);
  return out;
}

function files(from: number): string {
  const path = join(directory, `blocks-${from}`);
  writeFileSync(
    path,
    chain.blocks
      .slice(from)
      .map(({ bytes }) => toHex(bytes))
      .join('\n'),
  );
  return path;
}

describe('movelet rescan', () => {
  it('takes the blocks from files', async () => {
    expect(await rescan(files(2), '--data', data, ...WATCH)).toMatch(
      /^added 1 outputs and 0 inscriptions, as of height 4; order \d+\n$/,
    );
    expect(await rescan(files(0), '--data', data, ...WATCH, '--from', '0')).toMatch(/^added 2 outputs/);
    await using engine = await Engine.open({ store: data, ingest: { owners: [alice, bob] } });
    expect((await engine.bitcoin.utxos({ kind: 'owner', owner: bob })).data.length).toBe(3);
  });

  it('takes them from a Bitcoin node', async () => {
    const fake = await FakeNode.listen();
    fake.blocks = chain.blocks;
    fake.credentials = '__cookie__:abc';
    const cookie = join(directory, '.cookie');
    writeFileSync(cookie, fake.credentials);
    const node = ['--bitcoin-rpc', fake.url, '--bitcoin-rpc-cookie', cookie];
    try {
      expect(await rescan('--data', data, ...WATCH, '--from', '1', ...node)).toMatch(/^added 2 outputs/);
    } finally {
      await fake.close();
    }
  });

  it('refuses impossible requests, naming the option', async () => {
    const path = files(3);
    await expect(rescan(path, '--data', data, ...WATCH)).rejects.toThrow(
      /the block at height 2, [0-9a-f]{64}, in the files/,
    );
    await expect(rescan(path, '--data', data, ...WATCH, '--from', '1')).rejects.toThrow(/the block at height 1, /);
    await expect(rescan(path, '--data', data, ...WATCH, '--from', '0')).rejects.toThrow(/the block at height 0 in the/);
    await expect(rescan(path, ...WATCH)).rejects.toThrow('expected --data DIR');
    await expect(rescan(path, '--data', data)).rejects.toThrow('expected --watch ADDRESS');
    await expect(rescan('--data', data, ...WATCH)).rejects.toThrow('one of the two');
    await expect(rescan(path, '--data', join(directory, 'none'), ...WATCH)).rejects.toThrow('holds no chain');
  });
});
