/**
 * The sources as Node modules. Vitest would run them through its own loader, where each use of an imported name goes
 * through another object; as Node modules they load in half the time, and run faster too. Only types are taken away: a
 * source map leads back to the file, and `import.meta` is that of the file.
 * @module
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from 'esbuild';
import type { Plugin } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const compiled = join(root, 'build', 'sources');

/** Their paths, which Vitest has to be told to leave to Node. */
export const COMPILED: RegExp = /\/build\/sources\//;

/** Where the module of a source is. */
const moduleOf = (source: string): string => join(compiled, source.slice(src.length).replace(/\.ts$/, '.js'));

const changed = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtime.getTime() ?? 0;

function compile(source: string): string {
  const path = relative(dirname(moduleOf(source)), source).replaceAll(sep, '/');
  const { code } = transformSync(readFileSync(source, 'utf8'), {
    loader: 'ts',
    sourcefile: path,
    sourcemap: 'inline',
    sourcesContent: false,
    target: 'es2022',
    define: { 'import.meta': 'SOURCE' },
    banner: `const SOURCE = { url: new URL(${JSON.stringify(path)}, import.meta.url).href };`,
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  return code.replace(/(\b(?:from|import)[ (]*"\.{1,2}\/[^"]+)\.ts"/g, '$1.js"');
}

/** Compiles what has changed, and leaves no module without a source. A module has its source's modification time. */
function compileAll(): void {
  const files = (folder: string): string[] => readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const sources = files(src)
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(src, path));
  const modules = new Set(sources.map(moduleOf));
  if (changed(fileURLToPath(import.meta.url)) > changed(compiled)) rmSync(compiled, { recursive: true, force: true });
  mkdirSync(compiled, { recursive: true });
  for (const path of files(compiled).map((name) => join(compiled, name)))
    if (path.endsWith('.js') && !modules.has(path)) rmSync(path);
  for (const source of sources) {
    const module = moduleOf(source);
    const { mtime } = statSync(source);
    if (changed(module) === mtime.getTime()) continue;
    mkdirSync(dirname(module), { recursive: true });
    // Whole or not at all: another run may be reading it.
    const written = `${module}.${process.pid}`;
    writeFileSync(written, compile(source));
    utimesSync(written, mtime, mtime);
    renameSync(written, module);
  }
}

/** Gives tests the Node modules in place of the sources. */
export function compiledSources(): Plugin {
  compileAll();
  return {
    name: 'compiled-sources',
    enforce: 'pre',
    resolveId: (id, importer) => {
      if (importer === undefined || !id.startsWith('.') || !id.endsWith('.ts')) return undefined;
      const source = resolve(dirname(importer), id);
      return source.startsWith(src + sep) ? { id: moduleOf(source), external: true } : undefined;
    },
  };
}
