/** What somebody who installs the package gets: which packages come with it, and what of them runs at installation. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

interface Locked {
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}

const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, Locked> };
const { dependencies, peerDependencies } = JSON.parse(textOf('package.json')) as Record<string, Record<string, string>>;

/** The packages that come with an installation, by name. */
const installed = Object.entries(packages)
  .filter(([path, { dev }]) => path !== '' && dev !== true)
  .map(([path, { hasInstallScript = false }]) => ({ name: path.replace('node_modules/', ''), hasInstallScript }));

const built = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });

/** Every text that the package ships, except what the build made. */
const shipped = ['src', 'docs', 'examples', 'README.md', 'CHANGELOG.md'].flatMap((path) =>
  path.endsWith('.md')
    ? [path]
    : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.(?:ts|md|move|py)$/.test(file))
        .map((file) => join(path, file)),
);

describe('what is shipped', () => {
  it('cites none of our notes that are not shipped, as a reader cannot open them', () => {
    expect(shipped.length).toBeGreaterThan(500);
    const pages = readdirSync(join(root, 'docs'));
    const notes = (text: string): string[] =>
      text.match(
        /(?<![\w/-])(?:(?:spec|design)\/[a-z-]+\.(?:md|json)|(?:bitcoin|commit-log|execution|interface|peers|rpc|state|style|vm|wire|write-path)\.md)\b/g,
      ) ?? [];
    const cites = shipped.flatMap((file) => notes(textOf(file)).map((note) => [file, note] as const));
    // A page of docs/ may be named from another one.
    expect(cites.filter(([file, note]) => !(file.startsWith('docs') && pages.includes(note)))).toEqual([]);
  });
});

describe('the folder of the project', () => {
  it('has at its top what is listed, and nothing that a test or a program left there', () => {
    const expected = [
      'bench',
      'docs',
      'examples',
      'scripts',
      'src',
      'test',
      'package.json',
      'package-lock.json',
    ].concat(
      ['ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'biome.json', 'vitest.config.ts'],
      ['tsconfig.json', 'tsconfig.bench.json', 'tsconfig.build.json'],
    );
    const made = ['build', 'coverage', 'dist', 'node_modules'];
    const found = readdirSync(root).filter((name) => !name.startsWith('.') && !made.includes(name));
    expect(found.sort()).toEqual(expected.sort());
  });
});

describe('an installation', () => {
  it('runs one script, with which LevelDB looks for its prebuilt library, and compiles nothing', () => {
    const scripts = installed.filter(({ hasInstallScript }) => hasInstallScript);
    expect(scripts.map(({ name }) => name)).toEqual(['classic-level']);
  });

  it('has the licence of the one package that the build for pages copies', () => {
    expect(textOf('dist/browser/json-rpc-2.0.LICENSE')).toMatch(/MIT License/i);
  });

  it('keeps the names of its classes: Node prints them before errors and values, and in stacks', async () => {
    // By a variable, since the compiler checks before there is a build.
    const door = join(root, 'dist/index.js');
    const { Engine, EngineError } = (await import(door)) as Record<string, { readonly name: string }>;
    expect([Engine?.name, EngineError?.name]).toEqual(['Engine', 'EngineError']);
  });

  it('imports its packages, so that an update of one reaches the code that runs', () => {
    const copied = built.filter((file) => file.endsWith('.js') && /\/node_modules\//.test(textOf(join('dist', file))));
    expect(copied).toEqual([]);
  });

  it('is under 9 MB, and maps nothing to sources that are not there', () => {
    const [{ unpackedSize, files }] = JSON.parse(
      execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: root, encoding: 'utf8' }),
    ) as [{ unpackedSize: number; files: readonly { path: string }[] }];
    expect(unpackedSize).toBeLessThan(9_000_000);
    expect(files.filter(({ path }) => path.endsWith('.map'))).toEqual([]);
  });

  it('has each package that the build imports', () => {
    const imported = built
      .filter((file) => /\.(?:js|d\.ts)$/.test(file))
      .flatMap((file) => [
        ...textOf(join('dist', file)).matchAll(
          /^(?:import|.*\bfrom|.*\bawait import\() ?["']([@a-z][\w@/.:-]*)["']\)?[;,.]/gm,
        ),
      ])
      .map(([, specifier]) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier!)![0])
      .filter((name) => !name.startsWith('node:') && !builtinModules.includes(name) && name !== 'movelet');
    expect(imported).toEqual(expect.arrayContaining(['level', 'json-rpc-2.0']));
    expect(Object.keys({ ...dependencies, ...peerDependencies })).toEqual(expect.arrayContaining(imported));
  });
});
