/**
 * The unit tests of the reference's Move packages, where they lie in a checkout (`MOVELET_REFERENCE`): those of its
 * framework, each package on ours, and those of its examples and apps. Its Makefile runs those of framework and examples,
 * which must all pass; how many there are is counted in the sources.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { settledTypeText } from '../../../src/compile/check/type-text.ts';
import { FRAMEWORK_ADDRESSES } from '../../../src/compile/framework.ts';
import { compile } from '../../../src/compile/index.ts';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import type { ResolvedAttribute } from '../../../src/compile/names/attribute.ts';
import { runUnitTest } from '../../../src/compile/unit-test/run.ts';
import { UnitTestChain } from '../../../src/compile/unit-test/unit-test-chain.ts';
import { addressOf } from '../../../src/move/address.ts';
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

/** Modules of tests, which others cannot need. */
const TESTS = /_tests?$/;

/** The public functions that a framework has in test mode alone, with their types. */
function functionsForTests(framework: string): Set<string> {
  const targets = FRAMEWORK_FOLDERS.map((name) => {
    const folder = join(framework, name, 'sources');
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.move'));
    const files = paths.map((path) => [`${name}/${path}`, readFileSync(join(folder, path), 'utf8')] as const);
    return { files: new Map(files), addresses: FRAMEWORK_NAMES };
  });
  const mode = { hasTests: true, hasVerification: false };
  const { modules } = compileMove({ targets, dependencies: [], mode });
  const found = modules.flatMap(({ declaration: { identity, attributes, functions } }) => {
    if (TESTS.test(identity.name)) return [];
    const isForTests = (given: readonly ResolvedAttribute[]): boolean =>
      given.some(({ name }) => name.text === 'test_only');
    return [...functions.values()]
      .filter((each) => each.visibility.kind === 'public' && (isForTests(attributes) || isForTests(each.attributes)))
      .map(({ name, typeParameters, parameters, result, entry }) => {
        const generics = typeParameters.map(
          ({ constraints, isPhantom }) => `${constraints}${isPhantom ? ' phantom' : ''}`,
        );
        const types = parameters.map(({ type }) => settledTypeText(type)).join(', ');
        const text = `${identity.key}::${name.text}<${generics.join(', ')}>(${types}): ${settledTypeText(result)}`;
        return entry === undefined ? text : `entry ${text}`;
      });
  });
  return new Set(found);
}

const FRAMEWORK_FOLDERS = ['move-stdlib', 'moveos-stdlib', 'rooch-framework', 'bitcoin-move'];
const FRAMEWORK_NAMES = new Map([...FRAMEWORK_ADDRESSES, ['vm', addressOf(0)], ['vm_reserved', addressOf(0)]]);

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

  it('can use what our framework has for tests alone: the same public functions, declared alike', () => {
    const ours = fileURLToPath(new URL('../../../src/execution/framework/move', import.meta.url));
    const theirs = functionsForTests(join(REFERENCE, 'frameworks'));
    expect(theirs.size).toBeGreaterThan(100);
    expect([...functionsForTests(ours)].sort()).toEqual([...theirs].sort());
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
    const built = compile(join(REFERENCE, path), { test: true });
    await expect(built).rejects.toMatchObject({
      code: 'not-supported',
      message: expect.stringMatching(/VerityMoveOracles.*https:\/\/github\.com\/usherlabs\/verity-move-oracles/),
    });
  });
});
