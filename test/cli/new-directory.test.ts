/** Directories that commands fill: gone if that fails, unless somebody else made them. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { dumpCommand, loadCommand } from '../../src/cli/dump.ts';
import { fillDirectory } from '../../src/cli/new-directory.ts';
import { Engine } from '../../src/engine.ts';
import { EngineError } from '../../src/error.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();

const failing = async (): Promise<never> => {
  throw new EngineError('corrupt', 'it cannot be filled');
};

describe('a directory that a command fills', () => {
  it('is removed if that fails and it was missing, and only then', async () => {
    const path = join(directory(), 'data');
    await expect(fillDirectory(path, failing)).rejects.toMatchObject({ code: 'corrupt' });
    expect(existsSync(path)).toBe(false);
    mkdirSync(path);
    await expect(fillDirectory(path, failing)).rejects.toMatchObject({ code: 'corrupt' });
    expect(existsSync(path)).toBe(true);
    writeFileSync(join(directory(), 'file'), '');
    await expect(fillDirectory(join(directory(), 'file'), failing)).rejects.toThrow();
  });

  it('stays if another command is filling it, which then ends well', async () => {
    const place = directory();
    const dump = join(place, 'dump');
    await (await Engine.open({ store: join(place, 'chain') })).close();
    await dumpCommand.run([dump, '--data', join(place, 'chain')]);
    const data = join(place, 'data');
    const both = await Promise.allSettled([1, 2].map(() => loadCommand.run([dump, '--data', data])));
    const outcomes = both.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as EngineError).code));
    expect(outcomes.sort()).toEqual([0, 'store-locked']);
    const engine = await Engine.open({ store: data });
    expect(engine.status().lostCommits).toBe(0n);
    await engine.close();
  });
});
