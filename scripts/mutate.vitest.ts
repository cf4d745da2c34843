/** The tests that a mutation run asks, in the order named, on the mutated sources as Node modules, which load fast. */
import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from '../test/compiled-sources.ts';

// As in vitest.config.ts: a file of tests ends before early optimisation pays.
setFlagsFromString('--max-semi-space-size=64');
setFlagsFromString('--interrupt-budget=1000000');

const named = (process.env['MUTATED_TESTS'] ?? '').split(' ');
const files = named.flatMap((path) =>
  path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.test.ts'))
        .map((name) => `${path}/${name}`),
);
/** Those that put other code in the place of a module need Vitest's own loader. */
const isAlone = (path: string): boolean => /\bvi\.(?:do)?[mM]ock\(/.test(readFileSync(path, 'utf8'));

/** The first failure ends a run: whoever names quick tests first waits less. */
class AsNamed extends BaseSequencer {
  override async sort(specifications: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => named.findIndex((path) => moduleId.includes(path));
    return [...specifications].sort((left, right) => place(left) - place(right));
  }
}

const SHARED = {
  pool: 'threads',
  setupFiles: ['test/fast-check.ts', 'test/equal-bytes.ts'],
  testTimeout: 60_000,
};

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ['test/seed.ts'],
    sequence: { sequencer: AsNamed },
    projects: [
      { test: { ...SHARED, name: 'alone', include: files.filter(isAlone) } },
      {
        plugins: [compiledSources()],
        test: {
          ...SHARED,
          name: 'together',
          include: files.filter((path) => !isAlone(path)),
          isolate: false,
          server: { deps: { external: [COMPILED] } },
        },
      },
    ].filter(({ test }) => test.include.length > 0),
  },
});

export default config;
