/**
 * The unit tests of the reference's framework (`MOVELET_REFERENCE`), compiled in test mode: on its own modules, and put
 * into ours instead (`transplant.ts`), so that they try our bodies. Tests run as functions whatever their visibility.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { UnitTest } from '../../../src/compile/index.ts';
import { type CompilerOutput, compileMove } from '../../../src/compile/move-compiler.ts';
import type { ResolvedAttribute } from '../../../src/compile/names/attribute.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { addressOf, formatAddressShort } from '../../../src/move/address.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { hasReference, referenceNote } from '../../vm/corpus.ts';
import { type TestCode, transplant } from './transplant.ts';
import { UnitTestWorld } from './unit-tests.ts';

const PACKAGES = ['move-stdlib', 'moveos-stdlib', 'rooch-framework', 'bitcoin-move'];
const ADDRESSES = new Map(
  Object.entries({ std: 1, moveos_std: 2, rooch_framework: 3, bitcoin_move: 4, vm: 0, vm_reserved: 0 }).map(
    ([name, value]) => [name, addressOf(value)],
  ),
);

/** All packages at once, so that each sees what the others have for tests alone. */
function compiled(): CompilerOutput {
  const files = PACKAGES.flatMap((name) => {
    const folder = `${process.env['MOVELET_REFERENCE']}/frameworks/${name}`;
    const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    return paths
      .filter((path) => /^(?:sources|tests)\/.*\.move$/.test(path))
      .map((path) => [`${name}/${path}`, readFileSync(`${folder}/${path}`, 'utf8')] as const);
  });
  const target = { files: new Map(files), addresses: ADDRESSES };
  const mode = { hasTests: true, hasVerification: false };
  return compileMove({ targets: [target], dependencies: [], mode });
}

/** By `0x2::bag`: what is test code in a module. */
function testCodeOf({ modules }: CompilerOutput): Record<string, TestCode> {
  type Marked = { readonly attributes: readonly ResolvedAttribute[]; readonly name: { readonly text: string } };
  const isTest = ({ attributes }: Pick<Marked, 'attributes'>): boolean =>
    attributes.some(({ name: { text } }) => text === 'test' || text === 'test_only');
  const names = (members: ReadonlyMap<string, Marked>): string[] =>
    [...members.values()].filter(isTest).map(({ name }) => name.text);
  return Object.fromEntries(
    modules.map(({ declaration: { identity, attributes, functions, structs } }) => [
      `${formatAddressShort(identity.address)}::${identity.name}`,
      { whole: isTest({ attributes }), functions: names(functions), structs: names(structs) },
    ]),
  );
}

const packageOf = ({ path }: UnitTest): string => path.split('/')[0]!;

describe.skipIf(!hasReference)(`unit tests of the reference's framework${referenceNote}`, () => {
  const output: CompilerOutput | undefined = hasReference ? compiled() : undefined;
  const modules = output?.modules.map(({ module }) => module) ?? [];
  const ours = FRAMEWORK_PACKAGES.flatMap((it) => it.modules.map(({ bytes }) => readModule(bytes)));
  const { modules: grafted, left } = transplant(modules, output === undefined ? {} : testCodeOf(output), ours);
  const worlds = { 'its own': new UnitTestWorld(modules), our: new UnitTestWorld(grafted) };
  const packages = PACKAGES.map((name) => {
    const chosen = output?.tests.filter((test) => packageOf(test) === name) ?? [];
    return [chosen.length, name, chosen] as const;
  });

  it('are there', () => {
    expect(packages.filter(([count]) => count === 0)).toEqual([]);
  });

  it.each(packages)(
    'all %i of %s end as expected on its own framework',
    (_count, _name, chosen) => {
      expect(chosen.flatMap((test) => worlds['its own'].run(test) ?? [])).toEqual([]);
    },
    600_000,
  );

  it.each(packages)(
    'all %i of %s end as expected on our framework',
    (_count, _name, chosen) => {
      expect(left).toEqual(new Map());
      expect(chosen.flatMap((test) => worlds.our.run(test) ?? [])).toEqual([]);
    },
    600_000,
  );
});
