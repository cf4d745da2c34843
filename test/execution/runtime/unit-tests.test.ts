/**
 * The unit tests of the reference's Move packages, compiled outside the project: as they are, and linked with our own
 * framework instead of the reference's.
 *
 * `$MOVELET_REFERENCE/movelet-tests` holds the modules of its frameworks in test mode, test functions included, one
 * `.mv` file each, and `tests.json`: `{ "tests": UnitTest[], "testOnly": { "0x2::bag": TestCode } }` (unit-tests.ts and
 * transplant.ts). Tests run as functions whatever their visibility.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { type TestCode, transplant } from './transplant.ts';
import { type UnitTest, UnitTestWorld } from './unit-tests.ts';

const directory = `${process.env['MOVELET_REFERENCE']}/movelet-tests`;
const isThere = existsSync(`${directory}/tests.json`);
const note = isThere ? '' : ' (skipped: MOVELET_REFERENCE names no directory that holds movelet-tests)';

interface Prepared {
  readonly tests: readonly UnitTest[];
  readonly testOnly: Readonly<Record<string, TestCode>>;
}

function prepared(): Prepared {
  return isThere ? JSON.parse(readFileSync(`${directory}/tests.json`, 'utf8')) : { tests: [], testOnly: {} };
}

describe.skipIf(!isThere)(`unit tests of the reference${note}`, () => {
  const { tests, testOnly } = prepared();
  const files = isThere ? readdirSync(directory).filter((file) => file.endsWith('.mv')) : [];
  const modules = files.map((file) => readModule(new Uint8Array(readFileSync(`${directory}/${file}`))));
  const ours = FRAMEWORK_PACKAGES.flatMap((it) => it.modules.map(({ bytes }) => readModule(bytes)));
  const { modules: grafted, left } = transplant(modules, testOnly, ours);
  const worlds = { 'its own': new UnitTestWorld(modules), our: new UnitTestWorld(grafted) };
  const packages = [...new Set(tests.map((test) => test.package))].map((name) => {
    const chosen = tests.filter((test) => test.package === name);
    return [chosen.length, name, chosen] as const;
  });

  it('are on record', () => {
    expect(tests.length).toBeGreaterThan(0);
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
