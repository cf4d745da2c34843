import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ARROWS, arrowsOf, CIRCLES, circlesOf, FLOORS, floorViolations, SIDEWAYS, type SourceFiles } from './floors.ts';

const SOURCE = new URL('../src/', import.meta.url);

function sourceFiles(): SourceFiles {
  const paths = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'));
  return new Map(paths.map((path) => [path, readFileSync(new URL(path, SOURCE), 'utf8')]));
}

describe('the floors of src', () => {
  it('hold: imports point down, packages and Node stand behind their units, and there are no cycles', () => {
    const files = sourceFiles();
    expect(files.size).toBeGreaterThan(50);
    expect(floorViolations(files)).toEqual([]);
  });

  it('are joined by the arrows of the table and by no others', () => {
    expect(arrowsOf(sourceFiles())).toEqual(ARROWS);
  });

  it('name no unit and no sideways step that no longer exists', () => {
    const units = new Set([...sourceFiles().keys()].map((path) => path.split('/')[0]));
    expect(Object.keys(FLOORS).filter((unit) => !units.has(unit))).toEqual([]);
    for (const [unit, sideways] of Object.entries(SIDEWAYS)) {
      expect(ARROWS[unit]?.split(' '), unit).toEqual(expect.arrayContaining([...sideways]));
    }
  });

  it('have the circles of types that the table explains and no others', () => {
    expect(circlesOf(sourceFiles())).toEqual(CIRCLES);
  });
});

describe('ARCHITECTURE.md', () => {
  it('says of every unit which floor it is on, what it owns, and which steps it takes there', () => {
    const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
    const rows = [...page.matchAll(/^\| (\d+) \| `([^`]+)` \| (.+) \| (.+) \| (.*)\|$/gm)];
    const told = rows.map(([, floor, unit, , , steps]) => [unit, Number(floor), steps!.match(/[^` ]+/g) ?? []]);
    const held = Object.entries(FLOORS).map(([unit, floor]) => [unit, floor, [...(SIDEWAYS[unit] ?? [])]]);
    expect(told.sort()).toEqual(held.sort());
  });
});

/** A small tree: every file that an import names exists, so that only the rule under test can fail. */
function tree(files: Record<string, string>): SourceFiles {
  return new Map(Object.entries({ 'error.ts': 'export class EngineError {}', 'config.ts': '', ...files }));
}

describe('the check of the floors', () => {
  it.each<[string, Record<string, string>]>([
    [
      'a late unit',
      {
        'index.ts': "import './open.ts';",
        'open.ts': "const unit = import('./execution.ts');",
        'execution.ts': "import './vm/a.ts';",
        'vm/a.ts': '',
      },
    ],
    ['a step down', { 'state/a.ts': "import { b } from '../tree/b.ts';", 'tree/b.ts': '' }],
    ['a step down over several floors', { 'rpc/a.ts': "import { b } from '../bytes/b.ts';", 'bytes/b.ts': '' }],
    ['a step inside a unit', { 'vm/link/a.ts': "import { b } from '../value/b.ts';", 'vm/value/b.ts': '' }],
    ['the ground', { 'bytes/a.ts': "import { EngineError } from '../error.ts';" }],
    ['a listed step sideways', { 'object/a.ts': "import { b } from '../move/b.ts';", 'move/b.ts': '' }],
    ['genesis reads framework', { 'genesis/a.ts': "export { b } from '../framework/b.ts';", 'framework/b.ts': '' }],
    ['the engine as an interface', { 'rpc/a.ts': "import type { Engine } from '../engine.ts';", 'engine.ts': '' }],
    ['rpc as an interface', { 'transport/a.ts': "import type { Rpc } from '../rpc/b.ts';", 'rpc/b.ts': '' }],
    ['Node in the store', { 'store/a.ts': "import { readFileSync } from 'node:fs';" }],
    ['a package behind its unit', { 'transport/a.ts': "import { WebSocketServer } from 'ws';" }],
    [
      'words in comments',
      { 'vm/a.ts': "/**\n * import { x } from '../rpc/x.ts'; reads 'node:fs'\n */\n// import('../rpc/y.ts')" },
    ],
    [
      'words in strings',
      { 'vm/a.ts': "export const text = 'import x from';\nexport const more = `from '../rpc/x.ts'`;" },
    ],
  ])('accepts %s', (_name, files) => {
    expect(floorViolations(tree(files))).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    [
      'a step up',
      { 'bcs/a.ts': "import { b } from '../move/b.ts';", 'move/b.ts': '' },
      /floor 1 imports floor 2, upwards/,
    ],
    ['a type from above', { 'tree/a.ts': "import type { B } from '../state/b.ts';", 'state/b.ts': '' }, /upwards/],
    ['a step up by export', { 'state/a.ts': "export { b } from '../engine.ts';", 'engine.ts': '' }, /upwards/],
    ['a step up by import()', { 'tree/a.ts': "const b = await import('../state/b.ts');", 'state/b.ts': '' }, /upwards/],
    ['a step up for effect', { 'tree/a.ts': "import '../state/b.ts';", 'state/b.ts': '' }, /upwards/],
    [
      'a step up over lines',
      { 'tree/a.ts': "import {\n  b,\n  c,\n} from '../state/b.ts';", 'state/b.ts': '' },
      /upwards/,
    ],
    ['a step up by default', { 'tree/a.ts': "import b, { c } from '../state/b.ts';", 'state/b.ts': '' }, /upwards/],
    ['a step up by namespace', { 'tree/a.ts': "import * as b from '../state/b.ts';", 'state/b.ts': '' }, /upwards/],
    ['a step sideways', { 'move/a.ts': "import { b } from '../object/b.ts';", 'object/b.ts': '' }, /floor 2, sideways/],
    [
      'a listed step, the other way',
      { 'runtime/a.ts': "import { b } from '../genesis/b.ts';", 'genesis/b.ts': '' },
      /sideways/,
    ],
    [
      'pipeline that knows query',
      { 'pipeline/a.ts': "import type { B } from '../query/b.ts';", 'query/b.ts': '' },
      /floor 6, sideways/,
    ],
    [
      'query that knows pipeline',
      { 'query/a.ts': "import { b } from '../pipeline/b.ts';", 'pipeline/b.ts': '' },
      /floor 6, sideways/,
    ],
    [
      'vm that knows the store',
      { 'vm/a.ts': "import { b } from '../store/b.ts';", 'store/b.ts': '' },
      /vm must not know store/,
    ],
    [
      'vm that knows the tree',
      { 'vm/a.ts': "import type { B } from '../tree/b.ts';", 'tree/b.ts': '' },
      /vm must not know tree/,
    ],
    [
      'vm that knows objects through another',
      {
        'vm/a.ts': "import { b } from '../transaction/b.ts';",
        'transaction/b.ts': "import { c } from '../object/c.ts';",
        'object/c.ts': '',
      },
      /vm must not know object: vm\/a.ts -> transaction\/b.ts -> object\/c.ts/,
    ],
    [
      'rpc that holds the engine',
      { 'rpc/a.ts': "import { type Engine } from '../engine.ts';", 'engine.ts': '' },
      /rpc sees engine.ts as an interface/,
    ],
    [
      'rpc that runs queries',
      { 'rpc/a.ts': "import { b } from '../query/b.ts';", 'query/b.ts': '' },
      /as an interface/,
    ],
    [
      'transport that holds rpc',
      { 'transport/a.ts': "import { createRpc } from '../rpc/b.ts';", 'rpc/b.ts': '' },
      /transport sees rpc as an interface/,
    ],
    [
      'transport that reads the engine',
      { 'transport/a.ts': "import type { Engine } from '../engine.ts';", 'engine.ts': '' },
      /transport does not read engine.ts/,
    ],
    [
      'the ground that reads',
      { 'error.ts': "import { b } from './bytes/b.ts';", 'bytes/b.ts': '' },
      /lies under all others/,
    ],
    ['Node in the engine', { 'engine.ts': "import { join } from 'node:path';" }, /engine.ts names node:path/],
    [
      'Node by getBuiltinModule',
      { 'tree/a.ts': "process.getBuiltinModule('node:crypto');" },
      /tree\/a.ts names node:crypto/,
    ],
    [
      'a package that is not on the card',
      { 'rpc/a.ts': "import { z } from 'zod';" },
      /package zod, which src does not use/,
    ],
    ['hashing past the seam', { 'tree/a.ts': "import { sha256 } from '@noble/hashes/sha2.js';" }, /stands behind hash/],
    ['a database past the seam', { 'engine.ts': "import { Level } from 'level';" }, /level, which stands behind store/],
    ...['utils', 'util', 'helpers', 'helper', 'common', 'misc', 'types'].map(
      (name): [string, Record<string, string>, RegExp] => [
        `a file of no subject: ${name}.ts`,
        { [`vm/${name}.ts`]: '' },
        /names no subject/,
      ],
    ),
    ['a folder of no subject', { 'vm/common/a.ts': '' }, /"common" names no subject/],
    ['a unit without a floor', { 'attic/a.ts': '' }, /attic\/a.ts has no floor/],
    ['a file that is not there', { 'bytes/a.ts': "import { b } from './b.ts';" }, /no file of src/],
    [
      'a cycle',
      {
        'vm/a.ts': "import { b } from './b.ts';",
        'vm/b.ts': "import { c } from './c.ts';",
        'vm/c.ts': "import { a } from './a.ts';",
      },
      /a cycle of imports: vm\/a.ts -> vm\/b.ts -> vm\/c.ts -> vm\/a.ts/,
    ],
    [
      'a machine that the door of the package loads at once',
      {
        'index.ts': "export { open } from './open.ts';",
        'open.ts': "import { run } from './vm/run.ts';",
        'vm/run.ts': '',
      },
      /loads index.ts -> open.ts -> vm\/run.ts at once/,
    ],
    [
      'one more late unit',
      { 'engine.ts': "const { view } = await import('./query/view.ts');", 'query/view.ts': '' },
      /engine.ts loads query\/view.ts late/,
    ],
    ['a file that imports itself', { 'vm/a.ts': "import { a } from './a.ts';" }, /a cycle of imports/],
  ])('refuses %s', (_name, files, expected) => {
    const violations = floorViolations(tree(files));
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatch(expected);
  });

  it('finds the arrows between units, those of types too, except those to the ground', () => {
    const files = tree({
      'state/a.ts':
        "import { EngineError } from '../error.ts';\nimport type { B } from '../tree/b.ts';\nimport './c.ts';",
      'state/c.ts': "export * from '../bytes/d.ts';",
      'tree/b.ts': '',
      'bytes/d.ts': '',
    });
    expect(arrowsOf(files)).toEqual({ state: 'bytes tree' });
  });

  it('finds cycles that are closed by types alone, each once and in full', () => {
    const files = tree({
      'vm/a.ts': "import type { B } from './b.ts';\nimport { d } from './d.ts';",
      'vm/b.ts': "import { c } from './c.ts';",
      'vm/c.ts': "import type { A } from './a.ts';\nimport type { B } from './b.ts';",
      'vm/d.ts': '',
      'vm/e.ts': "import { a } from './a.ts';",
    });
    expect(floorViolations(files)).toEqual([]);
    expect(circlesOf(files)).toEqual([['vm/a.ts', 'vm/b.ts', 'vm/c.ts']]);
  });

  it('has a floor for every unit, from 0 to 10', () => {
    expect(new Set(Object.values(FLOORS))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]));
  });
});
