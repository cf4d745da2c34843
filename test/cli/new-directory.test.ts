/** Directories that commands fill: gone if that fails, unless somebody else made them. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HEAD_KEY } from '../../src/chain/ledger/head.ts';
import { dumpCommand, fillDirectory, loadCommand } from '../../src/cli/dump.ts';
import { makeOutDirectory } from '../../src/cli/packages.ts';
import { replayCommand } from '../../src/cli/replay.ts';
import { Engine, EngineError, record, replay } from '../../src/index.ts';
import { loadDump } from '../../src/store/dump.ts';
import { openDirectory } from '../../src/store/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli } from './built.ts';

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
const mountNote = canMount ? '' : ' (skipped: mounting is not allowed)';

const STAGED = { ending: '.filling' };

const failing = async (): Promise<never> => {
  throw new EngineError('corrupt', 'it cannot be filled');
};

describe('a directory that a command fills', () => {
  it('is removed if that fails and it was missing, and only then', async () => {
    const path = join(directory(), 'data');
    await expect(fillDirectory(path, STAGED, failing)).rejects.toMatchObject({ code: 'corrupt' });
    expect(existsSync(path)).toBe(false);
    mkdirSync(path);
    await expect(fillDirectory(path, STAGED, failing)).rejects.toMatchObject({ code: 'corrupt' });
    expect(existsSync(path)).toBe(true);
    writeFileSync(join(directory(), 'file'), '');
    await expect(fillDirectory(join(directory(), 'file'), STAGED, failing)).rejects.toThrow();
  });

  it('is not filled if its temporary name is already taken', async () => {
    const place = directory();
    mkdirSync(join(place, 'data.filling'));
    writeFileSync(join(place, 'data.filling', 'letter'), '');
    const refusal = expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringMatching(/data\.filling is in the way: it has letter/),
    });
    await expect(fillDirectory(join(place, 'data'), STAGED, failing)).rejects.toEqual(refusal);
    expect(readdirSync(join(place, 'data.filling'))).toEqual(['letter']);
  });

  it('stays while another command is filling it, and that command succeeds', async () => {
    const place = directory();
    const dump = join(place, 'dump');
    await (await Engine.open({ store: join(place, 'chain') })).close();
    await dumpCommand.run([dump, '--data', join(place, 'chain')]);
    const data = join(place, 'data');
    await fillDirectory(data, { ending: '.loading', inPlace: true }, async (store) => {
      await expect(loadCommand.run([dump, '--data', data])).rejects.toMatchObject({ code: 'store-locked' });
      await loadDump(store, [readFileSync(dump)], { headKey: HEAD_KEY });
    });
    const engine = await Engine.open({ store: data });
    expect(engine.status().lostCommits).toBe(0n);
    await engine.close();
  });
});

describe('a command that fills a directory and is killed', () => {
  /** What is in a folder now, as a process that is killed now leaves it. */
  const asKilled = (place: string): string => {
    const copy = directory();
    cpSync(place, copy, { recursive: true });
    return copy;
  };

  async function expectChain(path: string, order: bigint): Promise<void> {
    await using engine = await Engine.open({ store: path });
    expect([engine.head.order, engine.status().lostCommits]).toEqual([order, 0n]);
  }

  it('leaves no directory of that name, and replay starts over', async () => {
    await using recorded = await Engine.open();
    const recording = record(recorded);
    for (const amount of [1n, 2n, 3n]) await recorded.dev.mint('0x42', amount);
    const bytes = await recording.bytes();
    const place = directory();
    const killed = [asKilled(place)];
    const kill = (): void => void killed.push(asKilled(place));
    await fillDirectory(join(place, 'data'), { ending: '.replaying' }, async (store) => {
      kill();
      const engine = await replay(bytes, { store, to: 2n, onProgress: kill });
      kill();
      await engine.close();
      kill();
    });
    expect(readdirSync(place)).toEqual(['data']);
    await expectChain(join(place, 'data'), 2n);
    const file = join(directory(), 'run');
    writeFileSync(file, bytes);
    for (const left of killed) {
      const data = join(left, 'data');
      expect(existsSync(data)).toBe(false);
      expect(await replayCommand.run([file, '--data', data])).toBe(0);
      await expectChain(data, 3n);
      expect(readdirSync(left)).toEqual(['data']);
    }
  });

  it('starts over from what a power failure has damaged, too', async () => {
    const place = directory();
    await (await Engine.open({ store: join(place, 'chain') })).close();
    await dumpCommand.run([join(place, 'dump'), '--data', join(place, 'chain')]);
    cpSync(join(place, 'chain'), join(place, 'data.loading'), { recursive: true });
    truncateSync(join(place, 'data.loading', 'CURRENT'), 0);
    await loadCommand.run([join(place, 'dump'), '--data', join(place, 'data')]);
    await expectChain(join(place, 'data'), 0n);
  });

  it('has left rows without a head, where load cannot replace the directory, and load begins anew', async () => {
    const place = directory();
    await (await Engine.open({ store: join(place, 'chain') })).close();
    await dumpCommand.run([join(place, 'dump'), '--data', join(place, 'chain')]);
    const store = await openDirectory(join(place, 'data'));
    await store.batch([{ type: 'put', key: Uint8Array.of(2, 1), value: Uint8Array.of(1) }]);
    await store.close();
    await loadCommand.run([join(place, 'dump'), '--data', join(place, 'data')]);
    await expectChain(join(place, 'data'), 0n);
    await expect(loadCommand.run([join(place, 'dump'), '--data', join(place, 'data')])).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('one that holds a chain'),
    });
    const rows = await openDirectory(join(place, 'data'));
    expect(rows.get(Uint8Array.of(2, 1))).toBeUndefined();
    await rows.close();
  });
});

describe('the directory that a command replaces', () => {
  it('keeps its permissions', async () => {
    const place = directory();
    const path = join(place, 'data');
    mkdirSync(path);
    chmodSync(path, 0o2750);
    await fillDirectory(path, STAGED, async () => undefined);
    expect(statSync(path).mode & 0o7777).toBe(0o2750);
  });

  it('may be the current directory, where load fills it in place and replay refuses, since a shell would go on seeing the old one', async () => {
    const place = directory();
    const here = join(place, 'here');
    mkdirSync(here);
    await using recorded = await Engine.open();
    const recording = record(recorded);
    await recorded.dev.mint('0x42', 1n);
    writeFileSync(join(place, 'run'), await recording.bytes());
    await writeFile(join(place, 'dump'), recorded.dump());
    /** One shell, which stays in the directory. */
    const shell = (...commands: readonly string[]) =>
      spawnSync('sh', ['-c', commands.map((command) => `"$0" "$1" ${command}`).join('; '), process.execPath, cli], {
        cwd: here,
        encoding: 'utf8',
      });
    const refused = shell('replay ../run --data .');
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('is the current directory') });
    expect(readdirSync(here)).toEqual([]);
    const loaded = shell('load ../dump --data .', 'verify .');
    expect(loaded).toMatchObject({ status: 0, stdout: expect.stringContaining(': sound') });
    expect(readdirSync(place).sort()).toEqual(['dump', 'here', 'run']);
  });

  it.skipIf(!canMount)(
    `is filled where it is by load if it is mounted, and refused by replay${mountNote}`,
    async () => {
      const place = directory();
      const mounted = join(place, 'mounted');
      mkdirSync(mounted);
      expect(spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', mounted]).status).toBe(0);
      onTestFinished(() => unmount(mounted));
      await (await Engine.open({ store: join(place, 'chain') })).close();
      await dumpCommand.run([join(place, 'dump'), '--data', join(place, 'chain')]);
      const refused = fillDirectory(mounted, STAGED, async () => undefined);
      await expect(refused).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(/cannot be replaced/),
      });
      expect(readdirSync(mounted)).toEqual([]);
      await loadCommand.run([join(place, 'dump'), '--data', mounted]);
      await using engine = await Engine.open({ store: mounted });
      expect(engine.head.order).toBe(0n);
    },
  );
});

it('is named in the error if a file is in its place, or the system refuses the name', async () => {
  const file = join(directory(), 'file');
  writeFileSync(file, '');
  // Node's own recursive mkdir never ends below /proc.
  for (const path of [file, join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/nothing/below'] : [])]) {
    const message = expect.stringContaining(`--out: expected a folder, or a place for one, got ${path}`);
    await expect(makeOutDirectory(path)).rejects.toEqual(
      expect.objectContaining({ code: 'invalid-argument', message }),
    );
  }
});

it('is made with the folders above it', async () => {
  const path = join(directory(), 'a', 'b');
  await makeOutDirectory(path);
  await makeOutDirectory(path);
  writeFileSync(join(path, 'file'), '');
});
