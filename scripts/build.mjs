// Compiles src to dist: declarations by the compiler, code by the bundler, and the default local chain at genesis (see
// src/execution/genesis/local-snapshot.ts). Node takes longer to find and link a file than to compile it, so what opening an engine
// takes is two files, and the rest is split where its users part. Packages are imported, not bundled, so that an update of
// one reaches its users.
//
// Pages get a build of their own, in dist/browser, behind the condition `browser` of the package's doors: a file
// `x.browser.ts` stands there in the place of `x.ts` (src/base/host.ts).
import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, posix, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { writeFrameworkPage } from './framework-page.mjs';
import { writeRpcPage } from './rpc-page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
/** The command's file is not where its door says: people type its path in a checkout. */
const sourceOf = (name) => join(src, name === 'cli' ? 'cli/cli.ts' : `${name}.ts`);

/** The names of the modules behind the doors and the command of the package. */
function doors() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((door) => door.default?.default), ...Object.values(bin)];
  return files.flatMap((file) => /^\.\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []);
}

/** The names of the modules behind the doors that pages have. */
function pageDoors() {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = Object.values(exports).map((door) => door.browser?.default);
  return files.flatMap((file) => /^\.\/dist\/browser\/(.*)\.js$/.exec(file)?.[1] ?? []);
}

/**
 * The door for `require`, which gives what the ES module gives: one engine for both. Node's `require` loads ES modules.
 * The one that a test runner puts in its place may not (Jest's), so Node's is taken then, from outside of the runner's
 * context.
 */
const commonJs = (name) => `'use strict';
try {
  module.exports = require('./${basename(name)}.js');
} catch {
  const { createRequire } = require('node:vm').runInThisContext('process').getBuiltinModule('node:module');
  module.exports = createRequire(__filename)('./${basename(name)}.js');
}
`;

/** Where the compiler writes the declarations. */
const DECLARATIONS = 'declarations';

/** The doors that name types of a package whose types for `import` are other ones than for `require`. */
const TYPED_TWICE = ['testing/vitest', 'testing/vitest-plugin', 'testing/fast-check'];
/** What an import of a package's manifest has, for programs that import `movelet/vitest`. */
const MANIFEST_TYPES = 'move-toml.d.ts';

/** The compiler copies no declarations: it refers to where they are in src. */
function writeManifestTypes() {
  const folder = join(dist, DECLARATIONS, 'testing');
  copyFileSync(join(src, 'testing', MANIFEST_TYPES), join(folder, MANIFEST_TYPES));
  const path = join(dist, DECLARATIONS, 'testing/vitest.d.ts');
  const text = readFileSync(path, 'utf8').replace(/(?<=<reference path=")[^"]*/, `./${MANIFEST_TYPES}`);
  writeFileSync(path, text);
}

/**
 * The compiler takes declarations for those of an ES module or of CommonJS by the package.json nearest to them, and
 * before Node's `require` could load ES modules it let nothing of CommonJS import the former. So all of them are
 * CommonJS, and beside the code of each door is an ES module of declarations that passes them on: what comes through
 * `import` and through `require` has the same types, as it is the same at run time.
 */
function writeDoorDeclarations(names) {
  writeFileSync(join(dist, DECLARATIONS, 'package.json'), '{ "type": "commonjs" }\n');
  for (const name of names) {
    const from = posix.relative(posix.dirname(name), `${DECLARATIONS}/${name}.js`);
    const passedOn = `export * from '${from.startsWith('.') ? from : `./${from}`}';\n`;
    const path = join(dist, `${name}.d.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, TYPED_TWICE.includes(name) ? moduleDeclarations(name) : passedOn);
  }
}

const moduleDeclarations = (name) =>
  readFileSync(join(dist, DECLARATIONS, `${name}.d.ts`), 'utf8').replace(
    /(?<=from '|reference path=")\.{1,2}\/[^'"]*/g,
    (path) => posix.join('..', DECLARATIONS, posix.dirname(name), path),
  );

/** Deletes the declarations that no door reaches: they say nothing to anybody. */
function pruneDeclarations(names) {
  const folder = join(dist, DECLARATIONS);
  const reached = new Set();
  const reach = (path) => {
    if (reached.has(path)) return;
    reached.add(path);
    for (const [, named] of readFileSync(path, 'utf8').matchAll(
      /(?:from |import |import\()'(\.{1,2}\/[^']*)\.(?:ts|js)'/g,
    )) {
      reach(join(dirname(path), `${named}.d.ts`));
    }
  };
  for (const name of names) reach(join(folder, `${name}.d.ts`));
  for (const path of readdirSync(folder, { recursive: true })) {
    const isKept = reached.has(join(folder, path)) || basename(path) === MANIFEST_TYPES;
    if (path.endsWith('.d.ts') && !isKept) rmSync(join(folder, path));
  }
}

/** The door of those who verify proofs: one file of its own, that shares none with the engine. */
const VERIFIER = 'chain/proof/index';

/** The framework's interfaces for the compiler. */
const INTERFACES = 'execution/framework/compiled/interfaces';

/** Packages: all that is not a path. */
const EXTERNAL = /^(?!\.|\/)/;

/** In which of the large files a module lies. */
const fileOf = new Map();

/** What opening an engine takes, what other doors need of the code that runs Move, and the rest of that code. */
const FILES = ['engine', 'shared', 'machine'];

const split = {
  name: 'split',
  buildEnd() {
    const reached = (ids, found = new Set()) => {
      for (const id of ids) {
        if (found.has(id) || EXTERNAL.test(id)) continue;
        found.add(id);
        reached(this.getModuleInfo(id).importedIds, found);
      }
      return found;
    };
    const put = (file, ids) => {
      for (const id of ids) if (!fileOf.has(id)) fileOf.set(id, file);
    };
    const late = sourceOf('engine/execution');
    const unit = [...reached([late])].filter((id) => id !== late);
    const entries = [...this.getModuleIds()].filter(
      (id) => id !== late && !EXTERNAL.test(id) && this.getModuleInfo(id).importers.length === 0,
    );
    const others = reached(entries);
    put('engine', reached([sourceOf('index')]));
    put(
      'shared',
      unit.filter((id) => others.has(id)),
    );
    put('machine', unit);
  },
};

/** Bundles sources, given by the names of their files in dist; those of a group share a file. */
async function bundle(input, groups = []) {
  const made = await rolldown({
    input,
    external: EXTERNAL,
    platform: 'node',
    plugins: groups.length > 0 ? [split] : [],
  });
  await made.write({
    dir: dist,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    comments: { legal: true, annotation: true, jsdoc: false },
    minifyInternalExports: false,
    codeSplitting: { groups },
  });
  await made.close();
}

/** A page that has no bundler can load ES modules alone, so the one package that is none is bundled. */
const COMMON_JS = 'json-rpc-2.0';

/** Takes `x.browser.ts` for `x.ts`. */
const forPages = {
  name: 'for-pages',
  resolveId(id, importer) {
    if (!/^[./].*\.ts$/.test(id)) return undefined;
    const path = resolve(importer === undefined ? root : dirname(importer), id);
    // Data, which both builds share: as seen from src, from where the bundler counts, it is where it is seen from dist/browser.
    if (path === sourceOf(INTERFACES)) return { id: join(root, 'interfaces.js'), external: true };
    const ours = path.replace(/\.ts$/, '.browser.ts');
    return existsSync(ours) ? ours : undefined;
  },
};

/** The doors that pages have, and the genesis, from which a page opens its chains as fast as Node does. */
async function bundleForPages(snapshot) {
  const genesis = join(dist, 'browser/local-genesis.js');
  mkdirSync(dirname(genesis), { recursive: true });
  writeFileSync(genesis, `export default '${gzipSync(snapshot, { level: 9 }).toString('base64')}';\n`);
  copyFileSync(join(root, 'node_modules', COMMON_JS, 'LICENSE'), join(dist, 'browser', `${COMMON_JS}.LICENSE`));
  const made = await rolldown({
    input: Object.fromEntries(pageDoors().map((name) => [name, sourceOf(name)])),
    external: (id) => EXTERNAL.test(id) && id !== COMMON_JS,
    platform: 'browser',
    plugins: [forPages],
  });
  await made.write({
    dir: join(dist, 'browser'),
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
    minify: true,
  });
  await made.close();
}

/** The framework's modules: the address and name of each, its bytes and their digest. */
function frameworkModules() {
  const packages = readFileSync(sourceOf('execution/framework/framework'), 'utf8');
  const folder = join(src, 'execution', 'framework', 'compiled');
  const modules = [...packages.matchAll(/frameworkPackage\((\d), '\w+', (\w+)\)/g)].flatMap(([, address, compiled]) => {
    const file = join(folder, `${compiled.toLowerCase().replaceAll('_', '-')}.ts`);
    return [...readFileSync(file, 'utf8').matchAll(/^ {2}\['(\w+)', '([^']+)'\],$/gm)].map(([, name, base64]) => {
      const bytes = Buffer.from(base64, 'base64');
      return { address, name, bytes, digest: createHash('sha3-256').update(bytes).digest('hex') };
    });
  });
  if (modules.length === 0) throw new Error('src/execution/framework/compiled has no modules');
  return modules;
}

/** Where the rows of a genesis have the modules, for src/execution/genesis/local-snapshot.ts; `root` is that of the module store. */
function moduleTable(rows, root) {
  const modules = frameworkModules().map(({ address, name, bytes, digest }) => {
    const at = rows.indexOf(bytes);
    if (at < 0) throw new Error(`the genesis has no module 0x${address}::${name}`);
    return [`${address.padStart(64, '0')}::${name}`, [at, bytes.length, digest]];
  });
  return Buffer.from(JSON.stringify({ root, modules: Object.fromEntries(modules) }));
}

/** The rows of a dump (src/store/dump.ts) as a store in memory has them (src/store/row-chunks.ts). */
function rowsOf(dump) {
  const parts = [];
  for (let at = 12; dump.readUInt32LE(at) > 0; ) {
    const [keyBytes, valueBytes] = [dump.readUInt32LE(at), dump.readUInt32LE(at + 4)];
    const valueAt = at + 8 + keyBytes;
    const stored = [];
    let rest = valueBytes + 1;
    for (; rest >= 0x80; rest >>>= 7) stored.push((rest & 0x7f) | 0x80);
    const head = Buffer.of((keyBytes - 1) >> 8, (keyBytes - 1) & 0xff);
    const value = dump.subarray(valueAt, valueAt + valueBytes);
    const written = head.length + keyBytes + stored.length + 1 + valueBytes;
    const padding = Buffer.alloc(-written & 7);
    parts.push(head, dump.subarray(at + 8, valueAt), Buffer.of(...stored, rest), value, padding);
    at = valueAt + valueBytes;
  }
  return Buffer.concat(parts);
}

rmSync(dist, { recursive: true, force: true });
execSync('npx tsc -p tsconfig.build.json', { cwd: root, stdio: ['ignore', 2, 2] });
writeManifestTypes();
const typedDoors = new Set([...doors(), ...pageDoors()].filter((door) => door !== 'cli'));
pruneDeclarations(typedDoors);
writeDoorDeclarations(typedDoors);
const others = doors().filter((name) => name !== VERIFIER);
// Worker threads run files of their own: src/server/rpc/worker-threads.ts and src/cli/rooch/thread.ts find them beside themselves.
await bundle(
  {
    ...Object.fromEntries(others.map((name) => [name, sourceOf(name)])),
    worker: sourceOf('server/rpc/worker'),
    'cli/rooch/worker': sourceOf('cli/rooch/worker'),
  },
  FILES.map((name) => ({ name, test: (id) => fileOf.get(id) === name })),
);
await bundle({ [VERIFIER]: sourceOf(VERIFIER) });
for (const name of doors().filter((door) => door !== 'cli')) writeFileSync(join(dist, `${name}.cjs`), commonJs(name));

writeFrameworkPage();
await writeRpcPage();

// Written last: scripts/setup.mjs takes it for the sign that the build is whole.
const { Engine } = await import('../dist/index.js');
const engine = await Engine.open();
const chunks = [];
for await (const chunk of engine.dump()) chunks.push(chunk);
const { stateRoot } = engine.objects.get('0x2::module_store::ModuleStore').meta;
await engine.close();
const rows = rowsOf(Buffer.concat(chunks));
const rowsLength = Buffer.alloc(4);
rowsLength.writeUInt32LE(rows.length);
const snapshot = Buffer.concat([rows, moduleTable(rows, stateRoot.slice(2)), rowsLength]);
await bundleForPages(snapshot);
writeFileSync(
  join(dist, 'local-genesis.rows'),
  Buffer.concat([snapshot, createHash('sha256').update(snapshot).digest()]),
);
