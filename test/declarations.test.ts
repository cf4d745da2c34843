/**
 * The declarations of the package: what a program's compiler and its editor see of it.
 *
 * They are compiled as a user's project compiles them, checked themselves (`skipLibCheck` off), under the strictest
 * flags and every way in which TypeScript finds packages today. TypeScript 7 is the project's own; MOVELET_TYPESCRIPT
 * names another `tsc` to try, such as that of 5.0, the oldest supported: docs/hosts.md.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type PublicName, packageDoors, publicSurface } from './public-surface.ts';

const root = fileURLToPath(new URL('../', import.meta.url));
const compiler = process.env['MOVELET_TYPESCRIPT'] ?? join(root, 'node_modules/typescript/bin/tsc');

describe('the declarations', () => {
  let names: readonly PublicName[];

  beforeAll(async () => {
    ({ names } = await publicSurface());
  });

  it('say what every exported name is', () => {
    const silent = names.filter(({ documentation }) => documentation.trim() === '');
    expect(silent.map(({ door, name }) => `${door} ${name}`)).toEqual([]);
  });

  it('hold nothing marked internal', () => {
    const files = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' });
    const marked = files.filter(
      (file) => file.endsWith('.d.ts') && readFileSync(join(root, 'dist', file), 'utf8').includes('@internal'),
    );
    expect(marked).toEqual([]);
  });
});

/** In CommonJS, the declarations of vitest itself do not pass. */
const RUNNER = ['movelet/vitest', 'movelet/vitest-plugin'];
const DOORS = packageDoors().map(({ door }) => door.replace('.', 'movelet'));

/** The doors that each file imports. */
const USES = {
  'use.mts': DOORS,
  'use.cts': DOORS.filter((door) => !RUNNER.includes(door)),
  'vitest.cts': RUNNER,
};

/** Takes an engine from a module of CommonJS. */
const BOTH = `import { Engine } from 'movelet';
import { opened } from './engine.cjs';
export async function fork(engine: Engine) {
  return engine.fork();
}
void opened.then(fork);
`;

const STRICTEST = {
  target: 'es2022',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  noImplicitOverride: true,
  skipLibCheck: false,
  noEmit: true,
};

describe("a user's project", () => {
  let project: string;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'movelet-types-'));
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    symlinkSync(root, join(project, 'node_modules/movelet'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    for (const [file, doors] of Object.entries(USES)) {
      const imports = doors.map((door, index) => `import * as door${index} from '${door}';\n`);
      const list = doors.map((_, index) => `door${index}`);
      writeFileSync(
        join(project, file),
        `${imports.join('')}export const doors: readonly object[] = [${list.join(', ')}];\n`,
      );
    }
    writeFileSync(
      join(project, 'engine.cts'),
      "import { Engine } from 'movelet';\nexport const opened = Engine.open();\n",
    );
    writeFileSync(join(project, 'both.mts'), BOTH);
    writeFileSync(join(project, 'default.mts'), "import movelet from 'movelet';\nexport const door = movelet;\n");
  });

  afterAll(() => rmSync(project, { recursive: true }));

  /** What the compiler says. */
  async function compile(files: readonly string[], options: object): Promise<string> {
    const config = join(project, 'tsconfig.json');
    writeFileSync(config, JSON.stringify({ compilerOptions: { ...STRICTEST, ...options }, files }));
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', config]).catch(
      (error: { readonly stdout: string }) => error,
    );
    return stdout;
  }

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('passes with moduleResolution %s', async (moduleResolution, module) => {
    expect(await compile(['use.mts'], { module, moduleResolution })).toBe('');
  });

  it.each(['node16', 'nodenext'])('passes as CommonJS with module %s', async (module) => {
    expect(await compile(['use.cts'], { module })).toBe('');
    // In CommonJS, the declarations of vitest itself do not pass.
    expect(await compile(['vitest.cts'], { module, skipLibCheck: true })).toBe('');
  });

  it('has one Engine for both of its kinds of modules, and can declare what it makes of it', async () => {
    expect(await compile(['both.mts'], { module: 'node16', noEmit: false, declaration: true, outDir: 'out' })).toBe('');
    expect(readFileSync(join(project, 'out/both.d.mts'), 'utf8')).toContain('fork(engine: Engine): Promise<Engine>');
  });

  it('imports no default, which there is not', async () => {
    const said = await compile(['default.mts'], { module: 'nodenext', esModuleInterop: true });
    expect(said).toMatch(/default\.mts\(1,8\): error TS1192: /);
  });
});
