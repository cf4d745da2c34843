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

describe("a user's project", () => {
  let project: string;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'movelet-types-'));
    mkdirSync(join(project, 'node_modules/@types'), { recursive: true });
    symlinkSync(root, join(project, 'node_modules/movelet'));
    symlinkSync(join(root, 'node_modules/@types/node'), join(project, 'node_modules/@types/node'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const doors = packageDoors().map(({ door }) => door.replace('.', 'movelet'));
    const imports = doors.map((door, index) => `import * as door${index} from '${door}';\n`);
    const list = doors.map((_, index) => `door${index}`);
    writeFileSync(
      join(project, 'use.ts'),
      `${imports.join('')}export const doors: readonly object[] = [${list.join(', ')}];\n`,
    );
  });

  afterAll(() => rmSync(project, { recursive: true }));

  it.each([
    ['node16', 'node16'],
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ])('passes with moduleResolution %s', async (moduleResolution, module) => {
    const compilerOptions = {
      target: 'es2022',
      module,
      moduleResolution,
      types: ['node'],
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      noPropertyAccessFromIndexSignature: true,
      noImplicitOverride: true,
      skipLibCheck: false,
      noEmit: true,
    };
    const config = join(project, `tsconfig.${moduleResolution}.json`);
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['use.ts'] }));
    const { stdout } = await promisify(execFile)(process.execPath, [compiler, '-p', config]).catch(
      (error: { readonly stdout: string }) => error,
    );
    expect(stdout).toBe('');
  });
});
