/** The end-to-end suite of the reference's SDK with one import changed: see reference-suite.config.ts. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';

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
  const folder = mkdtempSync(join(tmpdir(), 'movelet-suite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'report.json');
  // A suite that fails ends with another code than 0, and has written its report.
  await promisify(execFile)(
    process.execPath,
    [vitest, 'run', '--config', config, '--reporter', 'json', '--outputFile', file, '--silent'],
    { cwd: join(reference!, 'sdk/typescript/rooch-sdk'), maxBuffer: 2 ** 26 },
  ).catch(() => undefined);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const failed = report.testResults.filter(({ status }) => status !== 'passed');
  expect(failed.map(({ name, message }) => `${name}: ${message}`)).toEqual([]);
  expect(report.testResults).toHaveLength(13);
  expect([report.numPassedTests, report.numTotalTests]).toEqual([32, 32]);
});
