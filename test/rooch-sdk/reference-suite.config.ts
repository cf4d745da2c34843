/**
 * The reference's own end-to-end suite of its SDK, run where it lies: `movelet/rooch` takes the place of
 * `@roochnetwork/test-suite`, and nothing else changes. The checkout has no packages installed, so those that its sources
 * import are found from the SDK that is installed here.
 * @module
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../../', import.meta.url));
const suite = join(process.env['MOVELET_REFERENCE']!, 'sdk/typescript/rooch-sdk');
const installed = join(root, 'node_modules/@roochnetwork/rooch-sdk/src/index.ts');

const config: ViteUserConfig = defineConfig({
  root: suite,
  cacheDir: join(tmpdir(), 'movelet-reference-suite'),
  resolve: { alias: { '@roochnetwork/test-suite': join(root, 'dist/cli/rooch/index.js') } },
  plugins: [
    {
      name: 'packages-of-the-installed-sdk',
      enforce: 'pre',
      resolveId(source, importer) {
        if (!/^[\w@]/.test(source) || importer?.startsWith(suite) !== true) return undefined;
        if (source.startsWith('@roochnetwork/test-suite')) return undefined;
        const from = /^(?:ws|vitest)$/.test(source) ? import.meta.filename : installed;
        return this.resolve(source, from, { skipSelf: true });
      },
    },
  ],
  test: {
    include: ['test-e2e/**/*.test.ts'],
    globalSetup: [join(suite, 'test-e2e/globalSetup.ts')],
    // As the suite's own configuration has it, in which they are threads.
    pool: 'threads',
    maxWorkers: 8,
    hookTimeout: 1_000_000,
    testTimeout: 1_000_000,
    env: { NODE_ENV: 'test' },
  },
});

export default config;
