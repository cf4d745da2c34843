import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../src/error.ts';
import { LateModule } from '../src/late-module.ts';
import { temporaryDirectories } from './store/temporary.ts';

const directory = temporaryDirectories();

/** Code that needs some 100 KiB of the stack while it is loaded. */
const LATE = `import { six } from "./shared.js";
const deep = (levels) => levels === 0 ? 0 : deep(levels - 1) + 1;
export const answer = six * 7 + deep(1000) - 1000;`;

/** Compiled code as it stands in a package: `late.js` needs `shared.js`, and so does `other.js`. */
function compiled(): { late: LateModule<{ answer: number }>; importOther: () => Promise<unknown> } {
  const folder = directory();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'shared.js'), 'export const six = 6;');
  writeFileSync(join(folder, 'late.js'), LATE);
  writeFileSync(join(folder, 'other.js'), 'export * from "./shared.js"; export * from "./late.js";');
  const url = (name: string): string => pathToFileURL(join(folder, name)).href;
  const late = new LateModule<{ answer: number }>(
    'late',
    () => import(/* @vite-ignore */ url('late.js')),
    url('base.js'),
  );
  return { late, importOther: () => import(/* @vite-ignore */ url('other.js')) };
}

describe('a late module', () => {
  it('is there at once where the host can load it', async () => {
    const { late } = compiled();
    await late.prepare();
    expect(late.exports.answer).toBe(42);
    expect((await late.load()).answer).toBe(42);
  });

  it('waits for an import of the same code, or says that it cannot', async () => {
    const { late, importOther } = compiled();
    const other = importOther();
    await new Promise(setImmediate);
    let thrown: unknown;
    try {
      expect(late.exports.answer).toBe(42);
    } catch (error) {
      thrown = error;
    }
    if (thrown !== undefined) {
      expect(thrown).toBeInstanceOf(EngineError);
      expect(String(thrown)).toContain('await that import');
    }
    expect((await late.load()).answer).toBe(42);
    await other;
    expect(late.exports.answer).toBe(42);
  });

  it('is not begun where the stack would not suffice, and so not broken', () => {
    const { late } = compiled();
    let attempts = 0;
    // From the end of the stack upwards, until there is room.
    const dive = (): number => {
      try {
        return dive();
      } catch {
        attempts++;
        return late.exports.answer;
      }
    };
    expect(dive()).toBe(42);
    expect(attempts).toBeGreaterThan(1);
  });

  it('has to be prepared where its source was not compiled', async () => {
    const late = new LateModule('late-module-not-there', () => Promise.resolve({ answer: 42 }));
    expect(() => late.exports).toThrow('late-module-not-there was not prepared');
    await late.prepare();
    expect(late.exports.answer).toBe(42);
  });
});

describe('the late modules of the engine', () => {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const src = join(root, 'src');
  const declared = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) =>
      [...readFileSync(join(src, file), 'utf8').matchAll(/'([^']+)',\s*\(\) => import\('([^']+)\.ts'\)/g)].map(
        ([, path, imported]) => ({ path: path!, imported: relative(src, join(src, dirname(file), imported!)) }),
      ),
    );

  it('are found', () => expect(declared.length).toBeGreaterThan(20));

  it.each(declared)('$path is what is imported, and a file of the build', ({ path, imported }) => {
    expect(path).toBe(imported);
    expect(existsSync(join(root, 'dist', `${path}.js`)), 'run npm run build').toBe(true);
  });
});
