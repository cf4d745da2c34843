/** The tests that a mutation run asks, in the order named, on the mutated sources as Node modules, which load fast. */
import { setFlagsFromString } from 'node:v8';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from '../test/compiled-sources.ts';

// As in vitest.config.ts: a file of tests ends before early optimisation pays.
setFlagsFromString('--max-semi-space-size=64');
setFlagsFromString('--interrupt-budget=1000000');

const named = (process.env['MUTATED_TESTS'] ?? '').split(' ');

/** The first failure ends a run: whoever names quick tests first waits less. */
class AsNamed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => named.findIndex((path) => moduleId.includes(path));
    return [...files].sort((left, right) => place(left) - place(right));
  }
}

const config: ViteUserConfig = defineConfig({
  plugins: [compiledSources()],
  test: {
    globalSetup: ['test/seed.ts'],
    setupFiles: ['test/fast-check.ts', 'test/equal-bytes.ts'],
    sequence: { sequencer: AsNamed },
    isolate: false,
    server: { deps: { external: [COMPILED] } },
    include: named.map((path) => (path.endsWith('.ts') ? path : `${path}/**/*.test.ts`)),
    testTimeout: 60_000,
  },
});

export default config;
