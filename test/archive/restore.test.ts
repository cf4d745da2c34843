/** The directory that a restore replaces: links are followed, and what cannot be replaced is refused at once. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { restoreArchive } from '../../src/archive/restore.ts';
import { expectSound } from '../crash/sound.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ArchivedChain, transfer } from './archived-chain.ts';

const directory = temporaryDirectories();

describe('a restore', () => {
  it('goes to where a link leads, and refuses what it cannot replace before it begins', async () => {
    await using chain = await ArchivedChain.open(directory());
    await transfer(chain.engine, 1n);
    await chain.archive();
    const archive = await chain.read();
    const place = directory();
    mkdirSync(join(place, 'real'), { recursive: true, mode: 0o700 });
    symlinkSync('real', join(place, 'link'));
    symlinkSync('nowhere', join(place, 'nothing'));
    expect((await restoreArchive(archive, join(place, 'link'), { to: 1n })).order).toBe(1n);
    await expectSound(join(place, 'real'));
    const refused = restoreArchive(archive, join(place, 'nothing'), { to: 1n });
    await expect(refused).rejects.toMatchObject({ code: 'invalid-argument', message: /is a link to nothing/ });
    const mounted = join(place, 'mounted');
    mkdirSync(mounted);
    // Only where the user may mount: in containers, as a rule.
    if (spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]).status === 0) {
      const onMount = restoreArchive(archive, mounted, { to: 1n });
      await expect(onMount.finally(() => spawnSync('umount', [mounted]))).rejects.toMatchObject({
        code: 'invalid-argument',
        message: /cannot be replaced/,
      });
    }
    rmdirSync(mounted);
    expect(readdirSync(place).sort()).toEqual(['link', 'nothing', 'real']);
  });
});
