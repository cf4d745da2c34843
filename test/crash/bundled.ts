/**
 * Programs of the tests as files that Node runs: a child process that is killed needs one, and Node 20 runs no
 * TypeScript.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterAll } from 'vitest';

/** Below the project, so that its packages are found. */
const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));

/** Bundles a program with the sources that it imports; gives the path of what Node runs. It is removed after the tests. */
export async function bundled(source: URL): Promise<string> {
  await mkdir(BUILD, { recursive: true });
  const directory = mkdtempSync(join(BUILD, 'bundled-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const path = fileURLToPath(source);
  const bundle = await rolldown({ input: path, external: /^[^./]/, platform: 'node', logLevel: 'silent' });
  await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  return join(directory, basename(path).replace(/\.ts$/, '.mjs'));
}
