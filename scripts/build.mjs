// Compiles src to dist: declarations by the compiler, code by the bundler, and the default local chain at genesis (see
// src/genesis/local-snapshot.ts). Node takes longer to find and link a file than to compile it, so what every program
// loads is one file, and what a view adds another; the rest is split where its users part.
import { execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The chunks that are loaded whole, by the modules that need all of it. A module lies in the first that needs it. */
const WHOLES = [
  ['engine', ['index']],
  ['machine', ['query/view', 'pipeline/machines']],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const sourceOf = (name) => join(src, `${name}.ts`);
const nameOf = (source) => relative(src, source).replace(/\.ts$/, '');

/** The names of the modules behind the doors and the command of the package. */
function doors() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((door) => door.default), ...Object.values(bin)];
  return files.flatMap((file) => /^\.\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []);
}

const chunkOf = new Map();

/** Keeps a file for each module that is loaded late, where src/late-module.ts looks for it, and forms the wholes. */
const split = {
  name: 'split',
  moduleParsed({ dynamicallyImportedIds }) {
    for (const id of dynamicallyImportedIds.filter((path) => path.startsWith(src))) {
      this.emitFile({ type: 'chunk', id, fileName: `${nameOf(id)}.js` });
    }
  },
  buildEnd() {
    const put = (chunk, id) => {
      if (chunkOf.has(id) || !id.startsWith(src)) return;
      chunkOf.set(id, chunk);
      for (const imported of this.getModuleInfo(id).importedIds) put(chunk, imported);
    };
    for (const [chunk, names] of WHOLES) for (const name of names) put(chunk, sourceOf(name));
  },
};

rmSync(dist, { recursive: true, force: true });
execSync('npx tsc -p tsconfig.build.json', { cwd: root, stdio: ['ignore', 2, 2] });
const bundle = await rolldown({
  input: Object.fromEntries(doors().map((name) => [name, sourceOf(name)])),
  external: /^[^./]/,
  platform: 'node',
  plugins: [split],
});
await bundle.write({
  dir: dist,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  codeSplitting: { groups: WHOLES.map(([name]) => ({ name, test: (id) => chunkOf.get(id) === name })) },
});
await bundle.close();

// Written last: scripts/setup.mjs takes it for the sign that the build is whole.
const { Engine } = await import('../dist/index.js');
const engine = await Engine.open();
const chunks = [];
for await (const chunk of engine.dump()) chunks.push(chunk);
await engine.close();
writeFileSync(join(dist, 'local-genesis.dump'), Buffer.concat(chunks));
