import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { COMPILED, compiledSources } from './test/compiled-sources.ts';
import { startsProcesses } from './test/system-tests.ts';

// Workers are given more room for young values: their collection takes a tenth less of the whole processor time. And
// functions are optimised later: most files of tests end before that pays, and it took a sixth of that time.
setFlagsFromString('--max-semi-space-size=64');
setFlagsFromString('--interrupt-budget=1000000');

const { MOVELET_FUZZ_RUNS, MOVELET_LONG } = process.env;
const isLong = MOVELET_LONG === '1' || MOVELET_FUZZ_RUNS !== undefined;

const FILES = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'));

/**
 * Files whose modules are their own: those that put other code in the place of a module, and those that see how code is
 * loaded. All others share the modules of their worker, since loading them for each file took a fifth of the whole run.
 */
const ALONE = FILES.filter(
  (path) =>
    /^test\/engine-open\./.test(path) || /\bvi\.(?:do)?(?:[mM]ock|resetModules)\(/.test(readFileSync(path, 'utf8')),
);

/** Files that start other processes. */
const SYSTEM = FILES.filter((path) => !ALONE.includes(path) && startsProcesses(path));

/**
 * The files that take longest, the longest first: begun last, one of them would keep the others waiting. Those that wait
 * for a clock or for other processes stand between those that compute.
 */
const LONG = [
  'server/transport/http',
  'compile/move-compiler/framework',
  'pipeline/ingest/recorded',
  'log/archive/archive',
  'server/transport/websocket',
  'pipeline/ingest/many-inscriptions',
  'long-work',
  'log/membership',
  'log/directory-log',
  'server/transport/subscriptions',
  'execution/framework/outcomes',
  'store/tree/tree',
  'chain/proof/proof',
  'log/equal-answers',
  'pipeline/hostile-modules',
  'closed-memory',
  'store/level-snapshots',
  'query/verify/verify',
  'execution/native/groth16',
  'store/ordered-map',
  'log/log-before-store',
  'cli/ingest',
  'server/rpc/long-pages',
  'server/follower/follower',
  'engine-open',
  'store/level',
  'store/large-batch',
  'pipeline/history',
  'pipeline/ingest/beside',
  'store/compliance',
  'docs',
  'crash/store',
  'cli/command-line',
  'hosts/hosts',
  'crash/full-disk',
  'crash/archive',
  'hosts',
  'recording/processes',
  'crash/engine',
  'cli/archive',
  'crash/transactions',
  'crash/rescan',
  'cli/replay',
  'store/directory-owner',
  'cli/hostile-host',
  'pipeline/determinism',
  'cli/interruption',
  'crash/older-format',
  'declarations',
  'vitest',
  'cli/completion',
  'crash/inscriptions',
  'cli/test',
].map((name) => `/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const found = LONG.findIndex((name) => moduleId.endsWith(name));
      return found < 0 ? LONG.length : found;
    };
    const alone = ({ project }: TestSpecification): number => (project.config.isolate ? 0 : 1);
    return (await super.sort(files)).sort((left, right) => alone(left) - alone(right) || rank(left) - rank(right));
  }
}

const SETUP = ['test/fast-check.ts', 'test/equal-bytes.ts'];

const SHARED = {
  pool: 'threads',
  // One more than processors: some files wait for a clock, a child or a browser more than they compute.
  maxWorkers: Math.min(availableParallelism(), 8) + 1,
  setupFiles: SETUP,
  // Only what fails waits for so long; on a busy machine a test may get a tenth of a processor.
  testTimeout: isLong ? 7_200_000 : 240_000,
  hookTimeout: 240_000,
  expect: { poll: { timeout: 200_000 } },
};

/** Their files share what their workers have loaded. */
const TOGETHER = {
  ...SHARED,
  // Those that run alone replace modules that this one loads.
  setupFiles: [...SETUP, 'test/pending-commits.ts'],
  isolate: false,
  server: { deps: { external: [COMPILED] } },
};

const config: ViteUserConfig = defineConfig({
  test: {
    globalSetup: ['test/seed.ts'],
    sequence: { sequencer: LongestFirst },
    projects: [
      { test: { ...SHARED, name: 'alone', include: ALONE } },
      {
        plugins: [compiledSources()],
        test: { ...TOGETHER, name: 'together', include: ['test/**/*.test.ts'], exclude: [...ALONE, ...SYSTEM] },
      },
      {
        plugins: [compiledSources()],
        // Some start a dozen processes, one after the other.
        test: { ...TOGETHER, name: 'system', include: SYSTEM, testTimeout: Math.max(SHARED.testTimeout, 600_000) },
      },
      // They import the package as its users do: what `npm test` has built.
      { test: { ...SHARED, name: 'examples', setupFiles: [], include: ['examples/**/*.test.ts'] } },
    ],
  },
});

export default config;
