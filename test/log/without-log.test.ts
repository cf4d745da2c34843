/** Programs without a log load nothing of it: no file, no package, no byte of a bundle. */
import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';
import { afterEach, describe, expect, it, vi } from 'vitest';

const source = (path: string): string => fileURLToPath(new URL(`../../src/${path}`, import.meta.url));

/** A door of the package in pieces: what is loaded late is in pieces of its own. */
async function bundled(door: string): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [source(door)],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    outdir: 'nowhere',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  return metafile;
}

/** The files of `door` that are loaded with it; with `isLate`, also those that may be loaded later. */
function filesOf({ outputs }: Metafile, door: string, isLate: boolean): ReadonlySet<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const take = (path: string): void => {
    const output = outputs[path];
    if (output === undefined || seen.has(path)) return;
    seen.add(path);
    for (const [file, { bytesInOutput }] of Object.entries(output.inputs)) if (bytesInOutput > 0) files.add(file);
    for (const { path: next, kind, external } of output.imports) {
      if (external === true) files.add(next);
      else if (isLate || kind !== 'dynamic-import') take(next);
    }
  };
  take(Object.keys(outputs).find((path) => outputs[path]!.entryPoint?.endsWith(`src/${door}`) === true)!);
  return files;
}

const ofLogs = (files: ReadonlySet<string>): string[] =>
  [...files].filter((file) => /src\/log\/(?!recording\/|record\.ts|commit-log\.ts)|^pg$/.test(file));

describe('without a log', () => {
  it.each(['index.ts', 'server/index.ts', 'testing/testing.ts', 'cli/cli.ts'])(
    '%s loads nothing of logs',
    async (door) => {
      const meta = await bundled(door);
      expect(ofLogs(filesOf(meta, door, false))).toEqual([]);
    },
  );

  it('the package pg is reached only late, from the PostgreSQL door and the command line', async () => {
    const index = filesOf(await bundled('index.ts'), 'index.ts', true);
    expect(ofLogs(index).length).toBeGreaterThan(3);
    expect([...index]).not.toContain('pg');
    const meta = await bundled('log/postgres.ts');
    expect([...filesOf(meta, 'log/postgres.ts', true)]).toContain('pg');
    const late = Object.values(meta.outputs).flatMap(({ imports }) => imports.filter(({ path }) => path === 'pg'));
    expect(late.map(({ kind }) => kind)).toEqual(['dynamic-import']);
  });
});

describe('without the package pg', () => {
  afterEach(() => {
    vi.doUnmock('pg');
    vi.resetModules();
  });

  it('a log in PostgreSQL says what to install', async () => {
    vi.doMock('pg', () => {
      throw new Error("Cannot find package 'pg'");
    });
    const { openPostgresLog } = await import('../../src/log/postgres.ts');
    await expect(openPostgresLog('postgres://nobody@127.0.0.1:1/nothing')).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringContaining('npm install pg'),
    });
  });
});
