/**
 * The native library of LevelDB outlives the thread that loaded it. Seen in /proc/self/maps, which Linux alone has.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const program = fileURLToPath(new URL('directory-child.mjs', import.meta.url));
const missing =
  process.platform !== 'linux'
    ? ' (skipped: only Linux tells which libraries are loaded)'
    : existsSync(join(dist, 'store', 'index.js'))
      ? ''
      : ' (skipped: dist is not built; npm test builds it)';

/** Prints how often the library is mapped while a worker thread that loaded it runs, and after it has ended. */
const PARENT = `
  const { readFileSync } = require('node:fs');
  const { once } = require('node:events');
  const { Worker } = require('node:worker_threads');
  const mapped = () => readFileSync('/proc/self/maps', 'latin1').split('classic-level').length - 1;
  (async () => {
    const worker = new Worker(process.argv[1], { workerData: process.argv.slice(2) });
    await once(worker, 'message');
    const during = mapped();
    await worker.terminate();
    console.log(JSON.stringify({ during, after: mapped() }));
  })();
`;

it.skipIf(missing !== '')(`LevelDB stays loaded after the worker thread that used it has ended${missing}`, () => {
  const args = ['-e', PARENT, program, dist, directory(), 'hold'];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { during, after } = JSON.parse(stdout) as { during: number; after: number };
  expect(during).toBeGreaterThan(0);
  expect(after).toBe(during);
});
