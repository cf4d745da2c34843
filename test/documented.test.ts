/** Every name that the package exports says in a doc comment what it is: editors show it, and `npm run api` prints it. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = new URL('../', import.meta.url);
const manifest = JSON.parse(readFileSync(new URL('package.json', root), 'utf8')) as {
  readonly exports: Readonly<Record<string, string | { readonly default: { readonly types: string } }>>;
};
const doors = Object.values(manifest.exports)
  .filter((door) => typeof door !== 'string')
  .map((door) => door.default.types.replace('./dist/', 'src/').replace('.d.ts', '.ts'));

const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

interface Declared {
  readonly path: string;
  readonly name: string;
}

/** Where the names that a module exports are declared, its own and those of others. */
function declaredBy(path: string, text = textOf(path)): Declared[] {
  const found: Declared[] = [];
  for (const [, list, from] of text.matchAll(/^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm)) {
    const target = fileURLToPath(new URL(from!, new URL(path, root))).slice(fileURLToPath(root).length);
    for (const item of list!.split(',').map((entry) => entry.trim())) {
      if (item === '') continue;
      const [name] = item.replace(/^type /, '').split(' as ');
      found.push(...declaredBy(target).filter((declared) => declared.name === name));
    }
  }
  const own = /^export (?:declare )?(?:abstract |async )?(?:const|class|function\*?|interface|type) (\w+)/gm;
  for (const [, name] of text.matchAll(own)) found.push({ path, name: name! });
  // Imported and exported in two statements.
  for (const [, list] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm)) {
    for (const item of list!.split(',').map((entry) => entry.trim().replace(/^type /, ''))) {
      const [name] = item.split(' as ');
      const from = new RegExp(`^import [^;]*\\b${name}\\b[^;]*from '(\\.[^']+)';`, 'm').exec(text)?.[1];
      if (name === '' || from === undefined) continue;
      const target = fileURLToPath(new URL(from, new URL(path, root))).slice(fileURLToPath(root).length);
      found.push(...declaredBy(target).filter((declared) => declared.name === name));
    }
  }
  return found;
}

/** The names of a text whose declarations have no doc comment. */
function undocumented(text: string, names: readonly string[]): string[] {
  return names.filter((name) => {
    const declaration = new RegExp(
      `(.*)\\n(?:export |declare )*(?:abstract |async )?(?:const|class|function\\*?|interface|type) ${name}\\b`,
    );
    const before = declaration.exec(`\n${text}`)?.[1] ?? '';
    return !/\*\/$/.test(before);
  });
}

describe('an exported name', () => {
  it.each(doors)('has a doc comment: %s', (door) => {
    const declared = declaredBy(door);
    expect(declared.length).toBeGreaterThan(0);
    const missing = declared.flatMap(({ path, name }) =>
      undocumented(textOf(path), [name]).map((each) => `${each} of ${path}`),
    );
    expect(missing).toEqual([]);
  });

  it('without one is found', () => {
    const text = '/** A. */\nexport interface A {}\nexport type B = 1;\n\n/** C. */\nexport async function c() {}\n';
    expect(undocumented(text, ['A', 'B', 'c'])).toEqual(['B']);
  });
});
