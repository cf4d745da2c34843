/** The tests that a mutation run asks, on the mutated sources themselves. */
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ['test/seed.ts'],
    setupFiles: ['test/fast-check.ts', 'test/equal-bytes.ts'],
    include: (process.env['MUTATED_TESTS'] ?? '')
      .split(' ')
      .map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    testTimeout: 60_000,
  },
});

export default config;
