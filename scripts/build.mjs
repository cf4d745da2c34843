// Compiles src to dist: declarations by the compiler, code by the bundler, and the default local chain at genesis (see
// src/genesis/local-snapshot.ts). Node takes longer to find and link a file than to compile it, so what every program
// loads is one file, and what `Engine.open` adds another; the rest is split where its users part.
//
// Hashes, curves, encodings and WebSockets are bundled for the same reason: loading the curves alone from their twenty files would
// take as long as opening an engine. Half of what is left is the time to parse, so the code is minified; the source maps
// lead to src, which the package holds. The packages stay dependencies, so that they are audited where they are used; all but
// bigint-buffer: only its JavaScript entry is bundled, and as a dependency it would bring the native code beside it, which is
// never loaded, to whoever installs (a compiler at installation, CVE-2025-3194 in audits).
import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { esmExternalRequirePlugin } from 'rolldown/plugins';
import { namingEngine } from './chunk-scripts.mjs';
import { writeCodeCaches, writeScripts } from './code-cache.mjs';

/**
 * The chunks that are loaded whole: what opens an engine; the curves; what other doors need of the late unit; and the
 * rest of it, which nobody else imports. Curves and what is shared read bytes and check signatures: they are functions of
 * their arguments, so the script of scripts/code-cache.mjs may have its own.
 */
const CHUNKS = ['engine', 'curves', 'late-curves', 'shared', 'machine'];

const root = fileURLToPath(new URL('..', import.meta.url));
const src = join(root, 'src');
const dist = join(root, 'dist');
const sourceOf = (name) => join(src, `${name}.ts`);

/** Packages that are not bundled: a native part, the dispatcher's own, a test runner's own. */
const EXTERNAL = /^(?:node:|(?:level|json-rpc-2\.0|pg|vitest)(?:\/|$))/;

/**
 * `ws` as one ES module. Left as it is, it would require Node's modules, which a bundle made of this build in ES modules
 * could not. The native packages that it tries are optional; as imports they would not be.
 */
async function webSockets() {
  const addon = /^(?:bufferutil|utf-8-validate)$/;
  const withoutAddons = {
    name: 'without-addons',
    resolveId: (id) => (addon.test(id) ? `\0${id}` : undefined),
    load: (id) => (addon.test(id.slice(1)) ? "throw new Error('not part of movelet')" : undefined),
  };
  const bundle = await rolldown({
    input: join(root, 'node_modules', 'ws', 'wrapper.mjs'),
    platform: 'node',
    plugins: [withoutAddons, esmExternalRequirePlugin({ external: builtinModules })],
  });
  const { output } = await bundle.generate();
  await bundle.close();
  const [{ code, moduleIds }] = output;
  return {
    moduleIds,
    plugin: {
      name: 'web-sockets',
      resolveId: (id) => (id === 'ws' ? '\0ws' : undefined),
      load: (id) => (id === '\0ws' ? code : undefined),
    },
  };
}

/** The names of the modules behind the doors and the command of the package. */
function doors() {
  const { exports, bin } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const files = [...Object.values(exports).map((door) => door.default?.default), ...Object.values(bin)];
  return files.flatMap((file) => /^\.\/dist\/(.*)\.js$/.exec(file)?.[1] ?? []);
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
    writeFileSync(path, name === RUNNER ? runnerDeclarations() : passedOn);
  }
}

/** The door that adds to types of vitest, which for `import` are other ones than for `require`. */
const RUNNER = 'vitest';

const runnerDeclarations = () =>
  readFileSync(join(dist, DECLARATIONS, `${RUNNER}.d.ts`), 'utf8')
    .replaceAll("from './", `from './${DECLARATIONS}/`)
    .replace('sourceMappingURL=', `$&${DECLARATIONS}/`);

/** The licence of each package that has a module among these, as its authors ask who passes its code on. */
function licensesOf(ids) {
  const packages = new Set(ids.flatMap((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []));
  return [...packages].sort().map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (file === undefined) throw new Error(`${name} is bundled and has no file with its licence`);
    return `${name} ${version}\n\n${readFileSync(join(folder, file), 'utf8').trim()}\n`;
  });
}

/** Node prints names of classes before errors and values, and in stacks: `e [EngineError]` told nobody anything. */
const CLASS_NAMES = { function: false, class: true };

/** How code is written, the licences of what is bundled kept. */
const OUTPUT = {
  dir: dist,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: '[name].js',
  chunkFileNames: '[name].js',
  // Lines are kept: Node prints the one of an uncaught error, whole.
  minify: {
    compress: { keepNames: CLASS_NAMES },
    mangle: { keepNames: CLASS_NAMES },
    codegen: { removeWhitespace: false },
  },
  comments: { legal: true, annotation: true, jsdoc: false },
};

/** The door of those who verify proofs: one file of its own, that shares none with the engine. */
const VERIFIER = 'proof/index';

const chunkOf = new Map();

/** Says which chunk a module lies in. */
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
    const put = (chunk, ids) => {
      for (const id of ids) if (!chunkOf.has(id)) chunkOf.set(id, chunk);
    };
    const late = sourceOf('execution');
    const unit = reached([late]);
    const entries = [...this.getModuleIds()].filter(
      (id) => id !== late && this.getModuleInfo(id).importers.length === 0,
    );
    put('engine', reached([sourceOf('index')]));
    const isCurve = (id) => id.includes('/@noble/curves/');
    const lateCurves = sourceOf('native/late-curves');
    const others = [...unit].filter((id) => id !== lateCurves && !isCurve(id));
    put('curves', reached(others.flatMap((id) => this.getModuleInfo(id).importedIds.filter(isCurve))));
    put('late-curves', reached([lateCurves]));
    put(
      'shared',
      [...reached(entries)].filter((id) => unit.has(id)),
    );
    // Each copy has classes of its own: the natives of one would not know the refusals of the other's objects.
    const session = sourceOf('runtime/session');
    if (chunkOf.get(session) === 'shared') throw new Error('sessions run in execution.js only: use executionOf');
    put(
      'machine',
      [...unit].filter((id) => id !== late),
    );
  },
};

/** Tables of numbers by name, and the modules that export them. */
const TABLES = { Op: 'vm/binary/opcode', TokenTag: 'vm/binary/signature-token' };

/** The numbers of those tables as they are written, by where they are named: `Op.Ret`. */
const numbers = new Map(
  Object.entries(TABLES).flatMap(([table, module]) => {
    const text = readFileSync(sourceOf(module), 'utf8');
    const body = new RegExp(`^export const ${table} = \\{$(.*?)^\\} as const;$`, 'ms').exec(text)?.[1] ?? '';
    const rows = [...body.matchAll(/^ {2}(\w+): (\w+),$/gm)];
    if (rows.length === 0) throw new Error(`src/${module}.ts has no table of numbers ${table}`);
    return rows.map(([, name, number]) => [`${table}.${name}`, number]);
  }),
);

/**
 * Writes what is in those tables where it is named: for a `switch` over numbers V8 makes a table of its own, over members of
 * an object it compares with one after the other. A first transaction takes a thirtieth less.
 */
const withNumbers = {
  name: 'with-numbers',
  transform(code, id) {
    if (!id.startsWith(src)) return undefined;
    const named = new RegExp(`\\b(?:${Object.keys(TABLES).join('|')})\\.\\w+`, 'g');
    // No longer than the name, so that the source maps stay true.
    const written = code.replace(named, (name) => numbers.get(name)?.padEnd(name.length) ?? name);
    return written === code ? undefined : { code: written, map: null };
  },
};

/** The framework's modules: the address and name of each, its bytes and their digest. */
function frameworkModules() {
  const packages = readFileSync(sourceOf('framework/framework'), 'utf8');
  const folder = join(src, 'framework', 'compiled');
  const modules = [...packages.matchAll(/frameworkPackage\((\d), '\w+', (\w+)\)/g)].flatMap(([, address, compiled]) => {
    const file = join(folder, `${compiled.toLowerCase().replaceAll('_', '-')}.ts`);
    return [...readFileSync(file, 'utf8').matchAll(/^ {2}\['(\w+)', '([^']+)'\],$/gm)].map(([, name, base64]) => {
      const bytes = Buffer.from(base64, 'base64');
      return { address, name, bytes, digest: createHash('sha3-256').update(bytes).digest('hex') };
    });
  });
  if (modules.length === 0) throw new Error('src/framework/compiled has no modules');
  return modules;
}

/** Their digests, for src/runtime/sound-modules.ts. */
const frameworkDigests = () =>
  frameworkModules()
    .map(({ digest }) => digest)
    .join('');

/** Where the rows of a genesis have the modules, for src/genesis/local-snapshot.ts; `root` is that of the module store. */
function moduleTable(rows, root) {
  const modules = frameworkModules().map(({ address, name, bytes, digest }) => {
    const at = rows.indexOf(bytes);
    if (at < 0) throw new Error(`the genesis has no module 0x${address}::${name}`);
    return [`${address.padStart(64, '0')}::${name}`, [at, bytes.length, digest]];
  });
  return Buffer.from(JSON.stringify({ root, modules: Object.fromEntries(modules) }));
}

const withDigests = {
  name: 'with-digests',
  transform(code, id) {
    if (id !== sourceOf('runtime/sound-modules')) return undefined;
    const written = code.replace("const DIGESTS = '';", () => `const DIGESTS = '${frameworkDigests()}';`);
    if (written === code) throw new Error('src/runtime/sound-modules.ts has no place for digests');
    return { code: written, map: null };
  },
};

/** The rows of a dump (src/store/dump.ts) as a store in memory has them (src/store/row-layout.ts). */
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
writeDoorDeclarations(doors().filter((door) => door !== 'cli'));
const sockets = await webSockets();
const bundle = await rolldown({
  // Worker threads run a file of their own: src/rpc/aside.ts finds it beside itself.
  input: {
    ...Object.fromEntries(
      doors()
        .filter((name) => name !== VERIFIER)
        .map((name) => [name, sourceOf(name)]),
    ),
    worker: sourceOf('rpc/worker'),
  },
  external: EXTERNAL,
  platform: 'node',
  plugins: [withNumbers, withDigests, split, sockets.plugin],
});
const { output } = await bundle.write({
  ...OUTPUT,
  codeSplitting: { groups: CHUNKS.map((name) => ({ name, test: (id) => chunkOf.get(id) === name })) },
});
await bundle.close();
const verifier = await rolldown({ input: { [VERIFIER]: sourceOf(VERIFIER) }, external: EXTERNAL, platform: 'node' });
await verifier.write(OUTPUT);
await verifier.close();
const bundled = [...sockets.moduleIds, ...output.flatMap(({ moduleIds }) => moduleIds ?? [])];
writeFileSync(join(dist, 'bundled-licenses.txt'), licensesOf(bundled).join(`\n${'-'.repeat(80)}\n\n`));

for (const { fileName, imports, code } of output) {
  if (imports?.includes('machine.js') && fileName !== 'execution.js')
    throw new Error(`${fileName} imports the machine`);
  const named = code && namingEngine(fileName, code);
  if (named !== code) writeFileSync(join(dist, fileName), named);
}
const loader = await rolldown({ input: sourceOf('engine-script'), external: EXTERNAL, platform: 'node' });
const [{ code: loaderCode }] = (await loader.generate({ comments: OUTPUT.comments })).output;
await loader.close();
const units = writeScripts(dist, loaderCode.replace(/^export \{.*$/m, ''));

for (const [name, value] of Object.entries(await import('../dist/late-curves.js'))) {
  if (typeof value !== 'function') throw new Error(`late-curves.js is made late, so ${name} has to be a function`);
}

for (const name of doors().filter((door) => door !== 'cli')) writeFileSync(join(dist, `${name}.cjs`), commonJs(name));

// Written last: scripts/setup.mjs takes it for the sign that the build is whole.
const { Engine } = await import('../dist/index.js');
const engine = await Engine.open();
const chunks = [];
for await (const chunk of engine.dump()) chunks.push(chunk);
const { stateRoot } = engine.states.object('0x2::module_store::ModuleStore').meta;
await engine.close();
const rows = rowsOf(Buffer.concat(chunks));
const rowsLength = Buffer.alloc(4);
rowsLength.writeUInt32LE(rows.length);
const snapshot = Buffer.concat([rows, moduleTable(rows, Buffer.from(stateRoot).toString('hex')), rowsLength]);
writeFileSync(
  join(dist, 'local-genesis.rows'),
  Buffer.concat([snapshot, createHash('sha256').update(snapshot).digest()]),
);
writeCodeCaches(dist, units);
