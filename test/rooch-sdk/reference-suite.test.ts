/** The end-to-end suite of the reference's SDK with one import changed: see reference-suite.config.ts. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const reference = process.env['MOVELET_REFERENCE'];

interface Report {
  readonly numPassedTests: number;
  readonly numTotalTests: number;
  readonly testResults: readonly { readonly name: string; readonly message: string; readonly status: string }[];
}

it.skipIf(reference === undefined)('the reference runs its suite with movelet/rooch: MOVELET_REFERENCE', async () => {
  const config = join(root, 'test/rooch-sdk/reference-suite.config.ts');
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [vitest, 'run', '--config', config, '--reporter', 'json', '--silent'],
    { cwd: join(reference!, 'sdk/typescript/rooch-sdk'), maxBuffer: 2 ** 26 },
  ).catch((error: { readonly stdout: string }) => error);
  const report = JSON.parse(stdout.slice(stdout.indexOf('{"num'))) as Report;
  const failed = report.testResults.filter(({ status }) => status !== 'passed');
  expect(failed.map(({ name, message }) => `${name}: ${message}`)).toEqual([]);
  expect(report.testResults).toHaveLength(13);
  expect([report.numPassedTests, report.numTotalTests]).toEqual([32, 32]);
});
