/**
 * The doors of the package: what a program gets behind each is what the door's file in `src` names, in either kind of
 * module and for the compiler.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

/** What one of the two kinds of modules gets. */
interface Target {
  readonly types: string;
  readonly default: string;
}

interface Door {
  readonly require: Target;
  readonly default: Target;
  /** What a page gets. */
  readonly browser?: Target;
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | Door>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as Manifest;
const doors = Object.entries(manifest.exports).flatMap(([door, target]) =>
  typeof target === 'string' ? [] : [{ door, ...target }],
);

/** The names that a module exports, by its text or its declarations. */
function exportedNames(text: string): { values: string[]; types: string[] } {
  const values: string[] = [];
  const types: string[] = [];
  for (const [, keyword, list] of text.matchAll(/^export (type )?\{([^}]*)\}/gm)) {
    for (const item of list!.split(',').map((name) => name.trim())) {
      const [, type, name] = /^(type )?(?:\S+ as )?(\S+)$/.exec(item) ?? [];
      if (name !== undefined) ((keyword ?? type) ? types : values).push(name);
    }
  }
  for (const [, word, name] of text.matchAll(
    /^export (?:declare )?(?:abstract |async )?(const|class|function|let|interface|type) (\w+)/gm,
  )) {
    (word === 'interface' || word === 'type' ? types : values).push(name!);
  }
  expect(text, 'a door names what it exports').not.toMatch(/^export \*|^export default/m);
  return { values: [...new Set(values)].sort(), types: [...new Set(types)].sort() };
}

describe('the doors of the package', () => {
  it.each(doors)('$door gives its names and no others', async ({ door, require: script, default: file, browser }) => {
    const { types } = script;
    for (const path of [script, file, ...(browser === undefined ? [] : [browser])].flatMap((target) =>
      Object.values(target),
    )) {
      expect(existsSync(new URL(path, root)), `${path} is missing: run npm run build`).toBe(true);
    }
    const source = exportedNames(
      readFileSync(new URL(types.replace('./dist/declarations/', './src/').replace('.d.ts', '.ts'), root), 'utf8'),
    );
    const declared = exportedNames(readFileSync(new URL(types, root), 'utf8'));
    expect(declared, 'dist is older than src: run npm run build').toEqual(source);

    // Resolved as a user's program resolves it, by the package's own name.
    const name = door.replace('.', 'movelet');
    const require = createRequire(import.meta.url);
    expect(require.resolve(name)).toBe(fileURLToPath(new URL(script.default, root)));
    const resolved = import.meta.resolve(name);
    expect(resolved).toBe(new URL(file.default, root).href);
    const loaded = (await import(/* @vite-ignore */ resolved)) as Record<string, unknown>;
    expect(Object.keys(require(name) as object)).toEqual(Object.keys(loaded));
    expect(Object.keys(loaded).sort()).toEqual(source.values);
    expect(source.values.length).toBeGreaterThan(0);
  });

  it.each(doors)(
    '$door has the declarations of its kind of module beside its code',
    ({ door, require, default: file }) => {
      // The compiler looks for the nearest of these to know what a file is.
      const typeOf = (path: URL): unknown => {
        const nearest = new URL('package.json', path);
        if (!existsSync(nearest)) return typeOf(new URL('..', path));
        return (JSON.parse(readFileSync(nearest, 'utf8')) as { readonly type: unknown }).type;
      };
      const [types, doorTypes] = [new URL(require.types, root), new URL(file.types, root)];
      expect(typeOf(types)).toBe('commonjs');
      expect(typeOf(doorTypes)).toBe('module');
      expect(file.types).toBe(file.default.replace(/\.js$/, '.d.ts'));
      // One set of classes for both: a second declaration of a class is another one for the compiler.
      const passedOn = readFileSync(doorTypes, 'utf8');
      if (['./vitest', './vitest-plugin', './fast-check'].includes(door))
        expect(exportedNames(passedOn)).toEqual(exportedNames(readFileSync(types, 'utf8')));
      else {
        const [, from] = /^export \* from '(.*)\.js';\n$/.exec(passedOn) ?? [];
        expect(new URL(`${from}.d.ts`, doorTypes)).toEqual(types);
      }
    },
  );

  it('share their code: what one throws is the EngineError of the other', async () => {
    const load = (door: string): Promise<Record<string, unknown>> =>
      import(/* @vite-ignore */ import.meta.resolve(door));
    const { EngineError } = (await load('movelet')) as { EngineError: new () => Error };
    const { parseAddress } = (await load('movelet/transaction')) as { parseAddress: (text: string) => unknown };
    expect(() => parseAddress('no address')).toThrow(EngineError);
  });

  it('have a command and files that the package ships', () => {
    for (const target of Object.values(manifest.bin)) expect(target).toMatch(/^\.\/dist\//);
    const paths = doors.flatMap((door) => [door.require, door.default]).flatMap((target) => Object.values(target));
    for (const path of paths) expect(path).toMatch(/^\.\/dist\//);
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'src/execution/framework/move']));
  });
});

describe('the reading of names', () => {
  it.each([
    ["export { A, type B, c as D, type e as F } from './x.ts';", { values: ['A', 'D'], types: ['B', 'F'] }],
    ["export {\n  A,\n  B,\n} from './x.ts';", { values: ['A', 'B'], types: [] }],
    ["export type { A } from './x.ts';", { values: [], types: ['A'] }],
    ['export declare class A {}\nexport interface B {}', { values: ['A'], types: ['B'] }],
    [
      'export declare function f(): void;\nexport declare const c: number;\nexport type T = 1;',
      { values: ['c', 'f'], types: ['T'] },
    ],
    ['const hidden = 1;', { values: [], types: [] }],
  ])('%j', (text, expected) => {
    expect(exportedNames(text)).toEqual(expected);
  });

  it('refuses a door that does not name what it gives', () => {
    expect(() => exportedNames("export * from './x.ts';")).toThrow();
    expect(() => exportedNames('export default 1;')).toThrow();
  });
});
