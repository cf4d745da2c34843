// Compiles src to dist: declarations by the compiler, code by the bundler, and the default local chain at genesis (see
// src/genesis/local-snapshot.ts). Node takes longer to find and link a file than to compile it, so what every program
// loads is one file, and what `Engine.open` adds another; the rest is split where its users part.
//
// Hashes, curves and encodings are bundled for the same reason: loading the curves alone from their twenty files would
// take as long as opening an engine. Half of what is left is the time to parse, so the code is minified; the source maps
// lead to src, which the package holds. The packages stay dependencies: they are named, and audited, where they are used.
import { execSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** The chunks that are loaded whole, by the module that needs all of it. A module lies in the first that needs it. */
const WHOLES = [
  ['engine', 'index'],
  ['machine', 'execution'],
];

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const sourceOf = (name) => join(src, `${name}.ts`);

/** Packages that are not bundled: a native part, a server's own, a test runner's own. */
const EXTERNAL = /^(?:node:|(?:level|json-rpc-2\.0|ws|vitest)(?:\/|$))/;

/** The names of the modules behind the doors and the command of the package. */
function doors() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((door) => door.default), ...Object.values(bin)];
  return files.flatMap((file) => /^\.\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []);
}

const chunkOf = new Map();

/** Forms the wholes. */
const split = {
  name: 'split',
  buildEnd() {
    const put = (chunk, id) => {
      if (chunkOf.has(id) || EXTERNAL.test(id)) return;
      chunkOf.set(id, chunk);
      for (const imported of this.getModuleInfo(id).importedIds) put(chunk, imported);
    };
    for (const [chunk, name] of WHOLES) put(chunk, sourceOf(name));
  },
};

rmSync(dist, { recursive: true, force: true });
execSync('npx tsc -p tsconfig.build.json', { cwd: root, stdio: ['ignore', 2, 2] });
const bundle = await rolldown({
  input: Object.fromEntries(doors().map((name) => [name, sourceOf(name)])),
  external: EXTERNAL,
  platform: 'node',
  plugins: [split],
});
await bundle.write({
  dir: dist,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // Lines are kept: Node prints the one of an uncaught error, whole.
  minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
  comments: { legal: true, annotation: true, jsdoc: false },
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
