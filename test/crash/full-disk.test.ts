/**
 * A disk that is really full, a file system in memory of its own: at every stage there is an error that says so, reads go on,
 * and once space is given back the same directory, or the same command, goes on. Making a file system needs root.
 */
import { spawnSync } from 'node:child_process';
import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { Archive } from '../../src/log/archive/archive.ts';
import { verifyArchive } from '../../src/log/archive/verification.ts';
import { cli, isBuilt } from '../cli/built.ts';
import { ArchivedChain, transfer } from '../log/archive/archived-chain.ts';
import { unpackedDirectory } from '../older-directory.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound, WITHOUT_LISTS } from './sound.ts';

const directory = temporaryDirectories();
const NO_SPACE = /no space left on device/i;

/** A file system of its own, of that many megabytes; undefined where none can be made. */
function madeDisk(megabytes: number): string | undefined {
  const path = directory();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'movelet-test', path]);
  return status === 0 ? path : undefined;
}

const unmount = (path: string): unknown => spawnSync('umount', ['--lazy', path]);

function canMount(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const path = madeDisk(1);
  if (path !== undefined) unmount(path);
  return path !== undefined;
}

/** A disk for one test. */
function disk(megabytes: number): string {
  const path = madeDisk(megabytes)!;
  onTestFinished(() => {
    unmount(path);
  });
  return path;
}

const ballastOf = (path: string): string => join(path, 'ballast');

/** Leaves at most a page free. */
function fill(path: string): void {
  for (let size = 2 ** 20; size >= 4_096; ) {
    const { bavail, bsize } = statfsSync(path);
    if (bavail * bsize >= size) writeFileSync(ballastOf(path), new Uint8Array(size), { flag: 'a' });
    else size >>= 1;
  }
}

const giveBack = (path: string): void => rmSync(ballastOf(path));

const isSkipped = !canMount() || !isBuilt;
const note = isSkipped ? ' (skipped: needs Linux, root and a built dist)' : '';

describe.skipIf(isSkipped)(`a full disk${note}`, () => {
  let child: string;
  beforeAll(async () => {
    child = await bundled(new URL('full-disk-child.ts', import.meta.url));
  });

  function met(path: string, stage: string): Record<string, unknown> {
    const { stdout, stderr, status } = spawnSync(process.execPath, [child, path, stage], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    return JSON.parse(stdout) as Record<string, unknown>;
  }

  async function goesOn(path: string, order: bigint): Promise<void> {
    const engine = await Engine.open({ store: path });
    expect(engine.head.order).toBeGreaterThanOrEqual(order);
    expect(engine.status()).toMatchObject({ service: 'active', lostCommits: 0n });
    await engine.dev.mint('0x78', 1n);
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    await engine.prune();
    await engine.close();
    await expectSound(path, WITHOUT_LISTS);
  }

  it('refuses a new directory until there is space', async () => {
    const place = disk(64);
    const path = join(place, 'data');
    expect(met(path, 'open')).toEqual({ code: 'store-failed', message: expect.stringMatching(NO_SPACE) });
    giveBack(place);
    await goesOn(path, 0n);
  });

  it('refuses to open a chain, and loses nothing of it', async () => {
    const place = disk(64);
    const path = join(place, 'data');
    const engine = await Engine.open({ store: path, history: 1 });
    await engine.dev.mint('0x77', 5n);
    const { order } = engine.head;
    await engine.close();
    expect(met(path, 'open')).toEqual({ code: 'store-failed', message: expect.stringMatching(NO_SPACE) });
    giveBack(place);
    await goesOn(path, order);
  });

  it.each(['commit', 'ingest', 'prune', 'compact', 'migrate'])(
    'at the stage %s is an error, reads go on, and so do writes when there is space',
    async (stage) => {
      const place = disk(64);
      const path = stage === 'migrate' ? unpackedDirectory('6c57e4c', place) : join(place, 'data');
      const told = met(path, stage);
      expect(told).toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(NO_SPACE),
        again: { code: 'store-failed', message: expect.stringMatching(NO_SPACE) },
        service: 'maintenance',
        reads: { hasLast: true, accounts: 10, objects: expect.any(Number) },
      });
      giveBack(place);
      await goesOn(path, BigInt(told['order'] as string));
    },
  );

  it('is an error of dump, archive and restore; then the same command goes on', async () => {
    const source = directory();
    const chain = await ArchivedChain.open(source);
    for (let amount = 1n; amount <= 20n; amount++) await transfer(chain.engine, amount);
    await chain.archive();
    await chain.engine.close();
    const place = disk(64);
    const [dump, archive, restored] = ['chain.dump', 'archive', 'restored'].map((name) => join(place, name)) as [
      string,
      string,
      string,
    ];
    for (const [command, ...args] of [
      ['archive', join(source, 'log'), archive],
      ['restore', join(source, 'archive'), restored],
      ['dump', dump, '--data', restored],
    ] as const) {
      fill(place);
      const run = () => spawnSync(process.execPath, [cli, command, ...args], { encoding: 'utf8' });
      const { status, stderr } = run();
      expect({ command, status, stderr }).toEqual({ command, status: 1, stderr: expect.stringMatching(NO_SPACE) });
      giveBack(place);
      expect({ command, ...run() }).toMatchObject({ command, status: 0 });
    }
    expect((await verifyArchive(await Archive.open(archive))).problems).toEqual([]);
    await expectSound(restored);
    expect(
      spawnSync(process.execPath, [cli, 'load', dump, '--data', join(place, 'loaded')], { encoding: 'utf8' }),
    ).toMatchObject({ status: 0 });
    await expectSound(join(place, 'loaded'));
  });
});
