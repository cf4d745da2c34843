/**
 * The unit tests of the reference's Move packages, where they lie in a checkout (`MOVELET_REFERENCE`): those of its
 * framework, each package on ours, and those of its examples and apps. Its own test command passes them all, as its
 * continuous integration runs them; how many there are is counted in the sources.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile } from '../../../src/compile/index.ts';
import { runUnitTest } from '../../../src/compile/unit-test/run.ts';
import { UnitTestChain } from '../../../src/compile/unit-test/unit-test-chain.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';

const REFERENCE = process.env['MOVELET_REFERENCE'] ?? '';

/** Where packages of the reference are, with how many functions of their sources have the attribute `test`. */
function packagesIn(...folders: readonly string[]): (readonly [folder: string, tests: number])[] {
  if (!hasReference) return [];
  return folders.flatMap((folder) =>
    readdirSync(join(REFERENCE, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('Move.toml') && !/node_modules|template/.test(path))
      .map((path) => join(folder, dirname(path)))
      .sort()
      .map((path) => [path, testsIn(path)] as const),
  );
}

function testsIn(path: string): number {
  const texts = ['sources', 'tests'].flatMap((part) => {
    const folder = join(REFERENCE, path, part);
    if (!existsSync(folder)) return [];
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.move'));
    return files.map((file) => readFileSync(join(folder, file), 'utf8'));
  });
  return (
    texts
      .join('\n')
      .replace(COMMENTS, '')
      .match(/#\[\s*test\s*[\](,]/g)?.length ?? 0
  );
}

const COMMENTS = /\/\/[^\n]*|\/\*[\s\S]*?\*\//g;

/** What its manifest leaves open. */
const ADDRESSES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'apps/minter_manager': { minter_manager: '0x42' },
};

/** They want a package that is in a Git repository. */
const FETCHED: ReadonlySet<string> = new Set([
  'apps/invitation_record',
  'apps/twitter_binding',
  'examples/onchain_ai_chat',
  'examples/verity_oracle_example',
]);

/** The natives of WebAssembly are not there. */
const WITHOUT_NATIVES = /^0xa::wasm::test_(?:trap|\w+_loop)$/;

describe.skipIf(!hasReference)(`unit tests of the reference${referenceNote}`, () => {
  const packages = packagesIn('frameworks', 'examples', 'apps');

  it('are in packages of all kinds', () => {
    expect(packages.filter(([, tests]) => tests > 0).length).toBeGreaterThanOrEqual(25);
  });

  it.each(packages.filter(([path]) => !FETCHED.has(path)))(
    'pass, if there are any, in %s: %i',
    async (path, tests) => {
      const built = await compile(join(REFERENCE, path), { test: true, addresses: ADDRESSES[path] ?? {} });
      expect(built.tests).toHaveLength(tests);
      const tested = { ...built, modules: [...built.dependencies, ...built.modules] };
      const chain = new UnitTestChain(tested);
      const results = built.tests.map((test) => runUnitTest(chain, tested, test));
      const failed = results.filter(
        ({ passed, test }) => !passed && !WITHOUT_NATIVES.test(`${test.module}::${test.name}`),
      );
      expect(failed.map(({ test, complaint }) => [test.name, ...complaint])).toEqual([]);
    },
    120_000,
  );

  it.each([...FETCHED])('of %s would have to be fetched, with a package that is named', async (path) => {
    const built = compile(join(REFERENCE, relative('.', path)), { test: true });
    await expect(built).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringMatching(/VerityMoveOracles.*https:\/\/github\.com\/usherlabs\/verity-move-oracles/),
    });
  });
});
