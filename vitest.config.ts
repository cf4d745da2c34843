import { defineConfig, type ViteUserConfig } from 'vitest/config';

const { MOVELET_FUZZ_RUNS, MOVELET_LONG } = process.env;
const isLong = MOVELET_LONG === '1' || MOVELET_FUZZ_RUNS !== undefined;

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/seed.ts'],
    setupFiles: ['test/fast-check.ts'],
    testTimeout: isLong ? 7_200_000 : 60_000,
    // Only what fails waits for so long.
    expect: { poll: { timeout: 30_000 } },
    pool: 'threads',
    maxWorkers: 2,
  },
});

export default config;
