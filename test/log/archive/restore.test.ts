/** The directory that a restore replaces: links are followed, and what cannot be replaced is refused at once. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { restoreArchive } from '../../../src/log/archive/restore.ts';
import { expectSound } from '../../crash/sound.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { ArchivedChain, transfer } from './archived-chain.ts';

const directory = temporaryDirectories();

/** At once, even if another process, such as a browser that takes over all mounts in a sandbox, has it for a moment. */
const unmount = (path: string): void => {
  expect(spawnSync('umount', ['--lazy', path]).status).toBe(0);
};

/** In containers as a rule, since it takes the rights of root. */
const canMount = ((): boolean => {
  const place = directory();
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', place]).status === 0;
  if (isMounted) unmount(place);
  return isMounted;
})();

async function archived(): Promise<ArchivedChain> {
  const chain = await ArchivedChain.open(directory());
  await transfer(chain.engine, 1n);
  await chain.archive();
  return chain;
}

describe('a restore', () => {
  it('goes to where a link leads, and refuses a link to nothing before it begins', async () => {
    await using chain = await archived();
    const archive = await chain.read();
    const place = directory();
    mkdirSync(join(place, 'real'), { recursive: true, mode: 0o700 });
    symlinkSync('real', join(place, 'link'));
    symlinkSync('nowhere', join(place, 'nothing'));
    expect((await restoreArchive(archive, join(place, 'link'), { to: 1n })).order).toBe(1n);
    await expectSound(join(place, 'real'));
    expect(statSync(join(place, 'real')).mode & 0o777).toBe(0o700);
    await expect(restoreArchive(archive, join(place, 'nothing'), { to: 1n })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/is a link to nothing/),
    });
    expect(readdirSync(place).sort()).toEqual(['link', 'nothing', 'real']);
  });

  it.skipIf(!canMount)(
    `refuses a mounted directory before it begins${canMount ? '' : ' (skipped: mounting is not allowed)'}`,
    async () => {
      await using chain = await archived();
      const place = directory();
      const mounted = join(place, 'mounted');
      mkdirSync(mounted, { recursive: true });
      expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]).status).toBe(0);
      onTestFinished(() => unmount(mounted));
      await expect(restoreArchive(await chain.read(), mounted, { to: 1n })).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(/cannot be replaced/),
      });
      expect(readdirSync(place)).toEqual(['mounted']);
    },
  );
});
