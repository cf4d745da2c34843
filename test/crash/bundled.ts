/**
 * Test programs as files that Node runs: a child process that is killed needs one, and Node 20 runs no
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

const SOURCES = fileURLToPath(new URL('../../src/', import.meta.url));

/**
 * Bundles a program with the sources that it imports; gives the path of the file, which is removed after the tests.
 * `bounds` are constants of src that are smaller in it.
 */
export async function bundled(source: URL, bounds: Readonly<Record<string, number>> = {}): Promise<string> {
  await mkdir(BUILD, { recursive: true });
  const directory = mkdtempSync(join(BUILD, 'bundled-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  const path = fileURLToPath(source);
  const found = new Set<string>();
  const bundle = await rolldown({
    input: path,
    external: /^[^./]/,
    platform: 'node',
    logLevel: 'silent',
    plugins: [
      {
        name: 'bounds',
        transform(code, id) {
          if (!id.startsWith(SOURCES)) return undefined;
          return Object.entries(bounds).reduce((changed, [name, bound]) => {
            const declaration = new RegExp(`(?<=^(?:export )?const ${name} = )[\\d_]+(?=;)`, 'm');
            if (declaration.test(changed)) found.add(name);
            return changed.replace(declaration, String(bound));
          }, code);
        },
      },
    ],
  });
  await bundle.write({
    dir: directory,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  const missing = Object.keys(bounds).filter((name) => !found.has(name));
  if (missing.length > 0) throw new Error(`src declares no number ${missing}`);
  return join(directory, basename(path).replace(/\.ts$/, '.mjs'));
}
