import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path/posix';
import { describe, expect, it } from 'vitest';

/** The folders of src from the ground up: a file imports only from its own folder and from those before it. */
const FLOORS = [
  'base',
  'move',
  'vm',
  'bitcoin',
  'store',
  'chain',
  'execution',
  'pipeline',
  'query',
  'log',
  'engine',
  'compile',
  'inspector',
  'server',
  'testing',
  'cli',
  'index.ts',
];

/** Places that see others as types only: an interface, never the thing. */
const TYPES_ONLY: readonly (readonly [from: string, to: RegExp])[] = [
  ['server/rpc', /^engine\/engine\.ts|^pipeline\/|^query\/|^execution\/trace\//],
  ['server/transport', /^server\/rpc\//],
];

/** What a door never reaches, however many imports lie between: who bundles it gets nothing of that. */
const UNREACHED: readonly (readonly [door: string, folder: string])[] = [
  ['index.ts', 'compile'],
  ['server/rpc/server.ts', 'compile'],
  ['testing/testing.ts', 'compile'],
  ['testing/vitest.ts', 'compile'],
];

/** What the door of the package loads only when it opens a chain. */
const LATE = /^(?:vm|execution\/(?!framework\/)|pipeline\/ingest)\//;

/** Who may name Node's modules. */
const NODE =
  /^(?:base\/(?:hash|host\.ts)|store|execution\/genesis|log|engine\/(?:workers|remote|code-cache)|compile|inspector|server\/(?:transport|follower)|testing|cli)\b/;

/** Imports of tests that no door has, by the path of the test. May shrink, and not grow. */
const THROUGH_NO_DOOR: Readonly<Record<string, readonly string[]>> = {
  // A setting for all tests.
  'pending-commits.ts': ['pipeline/pending-commits.ts'],
  // Defects of the compiler, and its declarations with their attributes.
  'fuzz/sources.ts': ['compile/move-compiler.ts'],
  'execution/runtime/unit-tests.test.ts': ['compile/move-compiler.ts', 'compile/names/attribute.ts'],
  // Classes whose instances users get and whose constructors they do not.
  'wrong-calls/rpc.ts': ['cli/rooch/regtest-node.ts'],
  'wrong-calls/testing.ts': ['testing/chain.ts'],
};

/** Stands in for the file of the same name in the build for pages (scripts/build.mjs). */
const FOR_PAGES = '.browser.ts';

/** What the build writes before it bundles for pages. */
const BUILT = '../dist/browser/local-genesis.js';

/** Who may import a package. */
const PACKAGES: Readonly<Record<string, RegExp>> = {
  '@noble/hashes': /^base\/hash\//,
  '@bitauth/libauth': /^base\/hash\//,
  '@noble/curves': /^(?:base\/hash|execution\/native)\//,
  '@scure/base': /./,
  level: /^store\//,
  'abstract-level': /^store\//,
  'json-rpc-2.0': /^server\/rpc\//,
  pg: /^log\//,
  ws: /^server\/transport\//,
  vitest: /^testing\/vitest(?:-plugin)?\.ts$/,
  '@modelcontextprotocol/server': /^cli\/mcp\.ts$/,
  'fast-check': /^testing\/(?:invariant|random-call|fast-check)\.ts$/,
};

/** Source text by path under src, with `/` between folders. */
type Sources = ReadonlyMap<string, string>;

interface Import {
  readonly from: string;
  readonly to: string;
  /** Erased by the compiler. */
  readonly isType: boolean;
  /** A call of `import()`. */
  readonly isLate: boolean;
}

const SOURCE = new URL('../src/', import.meta.url);
const TESTS = new URL('./', import.meta.url);

const sources = (folder = SOURCE): Sources =>
  new Map(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((path) => path.replaceAll('\\', '/'))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
      .map((path) => [path, readFileSync(new URL(path, folder), 'utf8')]),
  );

const folderOf = (path: string): string => path.split('/')[0]!;

/** The statements `import .. from`, `export .. from`, `import '..'` at the start of a line, and calls of `import()`. */
function importsOf(from: string, source: string): Import[] {
  const statement =
    /^(?:import|export)\s+(type\s+)?(?:(?:[\w$]+\s*,?\s*)?(?:\*(?:\s+as\s+[\w$]+)?|\{[^}]*\})?\s*from\s*)?['"]([^'"]+)['"]/gm;
  const call = /^(?!\s*(?:\*|\/\/)).*(?<!typeof )\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;
  const target = (specifier: string): string =>
    specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
  return [
    ...[...source.matchAll(statement)].map(([, type, specifier]) => ({
      from,
      to: target(specifier!),
      isType: type !== undefined,
      isLate: false,
    })),
    ...[...source.matchAll(call)].map(([, specifier]) => ({
      from,
      to: target(specifier!),
      isType: false,
      isLate: true,
    })),
  ];
}

function violationsOf({ from, to, isType }: Import, files: Sources): string[] {
  if (!to.endsWith('.ts') || PACKAGES[to] !== undefined) return packageViolations(from, to);
  if (!files.has(to)) return [`${from} imports ${to}, which is no file of src`];
  const found: string[] = [];
  const [floor, below] = [FLOORS.indexOf(folderOf(from)), FLOORS.indexOf(folderOf(to))];
  if (below > floor) found.push(`${from} imports ${to}, upwards`);
  for (const [place, seen] of TYPES_ONLY) {
    if (!isType && from.startsWith(`${place}/`) && seen.test(to)) {
      found.push(`${from} imports ${to}, which ${place} sees as an interface: use import type`);
    }
  }
  return found;
}

function packageViolations(from: string, specifier: string): string[] {
  if (specifier.startsWith('node:') || specifier === BUILT) return [];
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)![0];
  const owner = PACKAGES[name];
  if (owner === undefined) return [`${from} imports the package ${name}, which src does not use`];
  return owner.test(from) ? [] : [`${from} imports the package ${name}, which stands behind ${owner.source}`];
}

/** Looks at every string that names a Node module, so that `require` and `getBuiltinModule` count too. */
function nodeViolations(path: string, source: string): string[] {
  if (NODE.test(path) && !path.endsWith(FOR_PAGES)) return [];
  const code = source.replace(/^\s*(?:\*|\/\/|\/\*).*$/gm, '');
  const names = [...code.matchAll(/['"`](node:[\w/]+)['"`]/g)].map(([, name]) => name!);
  return [...new Set(names)].map((name) => `${path} names ${name}`);
}

/** The chain of imports from a file to the first one that `isSought`, or undefined. */
function pathTo(
  start: string,
  isSought: (path: string) => boolean,
  next: (path: string) => string[],
): string[] | undefined {
  const parents = new Map<string, string | undefined>([[start, undefined]]);
  for (const path of parents.keys()) {
    if (path !== start && isSought(path)) {
      const chain = [path];
      for (let at = parents.get(path); at !== undefined; at = parents.get(at)) chain.unshift(at);
      return chain;
    }
    for (const target of next(path)) if (!parents.has(target)) parents.set(target, path);
  }
  return undefined;
}

/** A depth-first walk: an import of a file that is still being walked closes a cycle. */
function cyclesOf(files: Iterable<string>, next: (path: string) => string[]): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) found.push(`a cycle of imports: ${[...trail.slice(start), path].join(' -> ')}`);
    if (start >= 0 || done.has(path)) return;
    for (const target of next(path)) walk(target, [...trail, path]);
    done.add(path);
  };
  for (const path of files) walk(path, []);
  return found;
}

/** One sentence for each departure from the rules; none for a sound tree. */
function departures(files: Sources): string[] {
  const byFile = new Map([...files].map(([path, source]) => [path, importsOf(path, source)]));
  const importsFrom = (path: string): readonly Import[] => byFile.get(path) ?? [];
  const loaded = (path: string): string[] => importsFrom(path).flatMap(({ to, isType }) => (isType ? [] : [to]));
  const atOnce = (path: string): string[] =>
    importsFrom(path).flatMap(({ to, isType, isLate }) => (isType || isLate ? [] : [to]));
  const chain = (words: string, found: string[] | undefined): string[] =>
    found === undefined ? [] : [`${words}: ${found.join(' -> ')}`];
  return [
    ...[...files.keys()].flatMap((path) => [
      ...(!path.endsWith(FOR_PAGES) || files.has(path.replace(FOR_PAGES, '.ts'))
        ? []
        : [`${path} stands in for ${path.replace(FOR_PAGES, '.ts')}, which is no file of src`]),
      ...(FLOORS.includes(folderOf(path)) ? [] : [`${path} has no floor: add ${folderOf(path)} to FLOORS`]),
      ...path
        .split('/')
        .filter((part) => /^(?:utils?|helpers?|common|misc|types)(?:\.ts)?$/.test(part))
        .map((part) => `${path}: "${part}" names no subject`),
    ]),
    ...[...byFile.values()].flat().flatMap((each) => violationsOf(each, files)),
    ...[...files].flatMap(([path, source]) => nodeViolations(path, source)),
    ...UNREACHED.flatMap(([door, folder]) =>
      chain(
        `${door} must not reach ${folder}`,
        pathTo(door, (path) => folderOf(path) === folder, loaded),
      ),
    ),
    ...chain(
      'the package loads at once',
      pathTo('index.ts', (path) => LATE.test(path), atOnce),
    ),
    ...cyclesOf(files.keys(), loaded),
  ];
}

describe('the floors of src', () => {
  it('hold: imports point down, packages and Node stand behind their owners, and there are no cycles', () => {
    const files = sources();
    expect(files.size).toBeGreaterThan(50);
    expect(departures(files)).toEqual([]);
  });

  it('are the folders that exist, and ARCHITECTURE.md says of each what it is', () => {
    const page = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
    const told = [...page.matchAll(/^\| `([^`]+)` \|/gm)].map(([, folder]) => folder);
    expect(told).toEqual(FLOORS);
    expect(new Set([...sources().keys()].map(folderOf))).toEqual(new Set(FLOORS));
  });
});

/** What tests import from a folder of src that is not theirs and that neither src imports across folders nor users do, nor is an index.ts. */
function throughNoDoor(files: Sources, tests: Sources): Record<string, string[]> {
  const page = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const entries = [...page.matchAll(/"types": "\.\/dist\/([\w/-]+)\.d\.ts"/g)].map(([, name]) => `${name}.ts`);
  const crossed = [...files].flatMap(([path, source]) =>
    importsOf(path, source).flatMap(({ to }) => (folderOf(to) === folderOf(path) ? [] : [to])),
  );
  const doors = new Set([...entries, 'cli/commands.ts', ...crossed]);
  const found: Record<string, string[]> = {};
  for (const [path, source] of tests) {
    for (const { to } of importsOf(`../test/${path}`, source)) {
      const name = to.startsWith('../src/') ? to.slice('../src/'.length) : undefined;
      if (name === undefined || doors.has(name) || /\bindex\.ts$/.test(name) || folderOf(name) === folderOf(path))
        continue;
      found[path] = [...(found[path] ?? []), name];
    }
  }
  return found;
}

describe('tests', () => {
  it('reach other folders of src through their doors', () => {
    const found = throughNoDoor(sources(), sources(TESTS));
    expect(found).toEqual(THROUGH_NO_DOOR);
  });
});

/** Exported names with several definitions, each with its files. The codecs' door checks what it passes on by the same name. */
function definedTwice(files: Sources): string[] {
  const places = new Map<string, Set<string>>();
  const exported =
    /^export (?:declare |abstract )*(?:const|let|async function|function\*?|class|interface|type) (\w+)/gm;
  for (const [path, text] of files) {
    if (path === 'query/transaction-builder.ts' || path.endsWith(FOR_PAGES)) continue;
    for (const [, name = ''] of text.matchAll(exported)) {
      places.set(name, (places.get(name) ?? new Set()).add(path));
    }
  }
  return [...places].filter(([, paths]) => paths.size > 1).map(([name, paths]) => `${name}: ${[...paths].join(', ')}`);
}

describe('an exported name', () => {
  it('has one definition', () => {
    const twice = definedTwice(sources());
    expect(twice).toEqual([]);
    expect(
      definedTwice(new Map(Object.entries({ 'a.ts': 'export const a = 1;', 'b.ts': 'export type a = 1;' }))),
    ).toEqual(['a: a.ts, b.ts']);
  });
});

describe('the check of the floors', () => {
  const tree = (files: Record<string, string>): Sources => new Map(Object.entries({ 'index.ts': '', ...files }));

  it.each<[string, Record<string, string>]>([
    ['a step down', { 'chain/a.ts': "import { b } from '../store/b.ts';", 'store/b.ts': '' }],
    ['a step inside a folder', { 'vm/link/a.ts': "import { b } from '../value/b.ts';", 'vm/value/b.ts': '' }],
    [
      'an interface',
      { 'server/rpc/a.ts': "import type { Engine } from '../../engine/engine.ts';", 'engine/engine.ts': '' },
    ],
    ['a late part', { 'index.ts': "const unit = import('./vm/a.ts');", 'vm/a.ts': '' }],
    ['Node in the store', { 'store/a.ts': "import { readFileSync } from 'node:fs';" }],
    ['a type of Node in the file of the host', { 'base/host.ts': "import type { x } from 'node:fs';" }],
    ['a package behind its folder', { 'server/transport/a.ts': "import { WebSocketServer } from 'ws';" }],
    ['words in comments', { 'vm/a.ts': "/**\n * import { x } from '../server/x.ts'; reads 'node:fs'\n */" }],
  ])('accepts %s', (_name, files) => {
    expect(departures(tree(files))).toEqual([]);
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['a step up', { 'base/a.ts': "import { b } from '../move/b.ts';", 'move/b.ts': '' }, /upwards/],
    ['a type from above', { 'store/a.ts': "import type { B } from '../chain/b.ts';", 'chain/b.ts': '' }, /upwards/],
    ['an export from above', { 'chain/a.ts': "export { b } from '../engine/b.ts';", 'engine/b.ts': '' }, /upwards/],
    ['import() from above', { 'store/a.ts': "const b = await import('../chain/b.ts');", 'chain/b.ts': '' }, /upwards/],
    ['an import for effect', { 'store/a.ts': "import '../chain/b.ts';", 'chain/b.ts': '' }, /upwards/],
    ['an import over lines', { 'store/a.ts': "import {\n  b,\n} from '../chain/b.ts';", 'chain/b.ts': '' }, /upwards/],
    [
      'rpc that holds the engine',
      { 'server/rpc/a.ts': "import { type Engine } from '../../engine/engine.ts';", 'engine/engine.ts': '' },
      /as an interface/,
    ],
    ['Node in the engine', { 'engine/a.ts': "import { join } from 'node:path';" }, /names node:path/],
    ['Node by name', { 'move/a.ts': "process.getBuiltinModule('node:crypto');" }, /names node:crypto/],
    ['Node in a page', { 'store/a.ts': '', 'store/a.browser.ts': "import { open } from 'node:fs';" }, /names node:fs/],
    ['a page alone', { 'store/a.browser.ts': '' }, /stands in for store\/a.ts, which is no file/],
    ['a package that src does not use', { 'cli/a.ts': "import { z } from 'zod';" }, /package zod/],
    ['hashing past the seam', { 'chain/a.ts': "import { sha256 } from '@noble/hashes/sha2.js';" }, /stands behind/],
    ['a file of no subject', { 'vm/utils.ts': '' }, /names no subject/],
    ['a folder of no subject', { 'vm/common/a.ts': '' }, /names no subject/],
    ['a folder without a floor', { 'attic/a.ts': '' }, /has no floor/],
    ['a file that is not there', { 'base/a.ts': "import { b } from './b.ts';" }, /no file of src/],
    ['a cycle', { 'vm/a.ts': "import './b.ts';", 'vm/b.ts': "import './a.ts';" }, /vm\/a.ts -> vm\/b.ts -> vm\/a.ts/],
    ['a machine that is loaded at once', { 'index.ts': "import './vm/a.ts';", 'vm/a.ts': '' }, /at once/],
    [
      'a compiler behind the door',
      {
        'index.ts': "const a = import('./testing/a.ts');",
        'testing/a.ts': "import '../compile/b.ts';",
        'compile/b.ts': '',
      },
      /must not reach compile: index.ts -> testing\/a.ts -> compile\/b.ts/,
    ],
  ])('refuses %s', (_name, files, expected) => {
    const found = departures(tree(files));
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(expected);
  });
});
