#!/usr/bin/env node
/**
 * Compiles the Move packages of src/framework/move and writes src/framework/compiled; and those of the examples.
 *
 *   node scripts/compile-framework.mjs --compiler DIR            writes the compiled packages
 *   node scripts/compile-framework.mjs --compiler DIR --check    compares instead, exit code 1 on a difference
 *
 * DIR is a folder outside this project in which the Move compiler is installed:
 *
 *   npm install --prefix DIR @initia/builder.js@0.2.12
 *
 * The compiler (native library, Linux x64 and macOS) serves development only: it is no dependency, and nothing of it is
 * shipped. Compiler 1, language 1 and bytecode version 6 are what the reference network accepts; the output depends on
 * the sources and on the compiler's version alone, so the same sources give the same bytes.
 *
 * Three steps that the compiler does not do follow here:
 *  - attributes of the chain (#[private_generics(T)], #[data_struct], #[data_struct(T)]) become the metadata entry
 *    `rooch::metadata_v0` of their module, which the chain's verifier reads (BCS of six maps);
 *  - modules are ordered so that each comes after those it imports, ties by name;
 *  - bytes become base64 text in one TypeScript module for each package, because tsc copies no other files.
 */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const COMPILER_VERSION = '0.2.12';
const BYTECODE_VERSION = 6;
const METADATA_KEY = 'rooch::metadata_v0';
/** Folder under src/framework/move, name in Move.toml, address, name of the exported table. In dependency order. */
const PACKAGES = [
  { folder: 'move-stdlib', name: 'MoveStdlib', address: '0x1', table: 'MOVE_STDLIB' },
  { folder: 'moveos-stdlib', name: 'MoveosStdlib', address: '0x2', table: 'MOVEOS_STDLIB' },
  { folder: 'rooch-framework', name: 'RoochFramework', address: '0x3', table: 'ROOCH_FRAMEWORK' },
  { folder: 'bitcoin-move', name: 'BitcoinMove', address: '0x4', table: 'BITCOIN_MOVE' },
];
/** Packages of their own, whose modules are written beside their `Move.toml` as a build would leave them. */
const EXAMPLES = [{ folder: 'examples/counter', name: 'Counter' }];
const TABLE = { moduleHandles: 0x1, constants: 0x6, identifiers: 0x7, addresses: 0x8, metadata: 0x10 };

const root = fileURLToPath(new URL('..', import.meta.url));
const moveRoot = join(root, 'src/framework/move');
const outRoot = join(root, 'src/framework/compiled');

// ---- BCS, as much as the metadata needs ----

const uleb = (value) => {
  const bytes = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return Buffer.from(bytes);
};
const bcsBytes = (bytes) => Buffer.concat([uleb(bytes.length), bytes]);
const bcsString = (text) => bcsBytes(Buffer.from(text));
const bcsIndices = (indices) =>
  Buffer.concat([
    uleb(indices.length),
    ...indices.map((index) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(index));
      return bytes;
    }),
  ]);
const bcsMap = (map, encodeValue) => {
  const entries = [...map].map(([key, value]) => [bcsString(key), encodeValue(value)]);
  entries.sort(([left], [right]) => Buffer.compare(left, right));
  return Buffer.concat([uleb(entries.length), ...entries.flat()]);
};

// ---- the module format, as much as ordering and metadata need ----

function readUleb(bytes, at) {
  let value = 0;
  let shift = 0;
  for (let next = at; ; next++) {
    value += (bytes[next] & 0x7f) * 2 ** shift;
    if ((bytes[next] & 0x80) === 0) return [value, next + 1];
    shift += 7;
  }
}

/** Splits a module into its header, its tables in order, and what follows them (the index of its own handle). */
function splitModule(bytes) {
  if (bytes.readUInt32LE(4) !== BYTECODE_VERSION) throw new Error(`bytecode version is not ${BYTECODE_VERSION}`);
  let [count, at] = readUleb(bytes, 8);
  const heads = [];
  for (; count > 0; count--) {
    const kind = bytes[at];
    const [offset, afterOffset] = readUleb(bytes, at + 1);
    const [length, afterLength] = readUleb(bytes, afterOffset);
    heads.push({ kind, offset, length });
    at = afterLength;
  }
  const end = at + Math.max(...heads.map(({ offset, length }) => offset + length));
  const tables = heads.map(({ kind, offset, length }) => ({
    kind,
    body: bytes.subarray(at + offset, at + offset + length),
  }));
  return { header: bytes.subarray(0, 8), tables, tail: bytes.subarray(end) };
}

function joinModule({ header, tables, tail }) {
  const heads = [uleb(tables.length)];
  let offset = 0;
  for (const { kind, body } of tables) {
    heads.push(Buffer.from([kind]), uleb(offset), uleb(body.length));
    offset += body.length;
  }
  return Buffer.concat([header, ...heads, ...tables.map(({ body }) => body), tail]);
}

/** `address::name` of the module and of all modules it imports, friends aside (they are declared in another table). */
function importsOf(bytes) {
  const { tables, tail } = splitModule(bytes);
  const body = (kind) => tables.find((table) => table.kind === kind)?.body ?? Buffer.alloc(0);
  const identifiers = [];
  for (let at = 0, text = body(TABLE.identifiers); at < text.length; ) {
    const [length, start] = readUleb(text, at);
    identifiers.push(text.toString('utf8', start, start + length));
    at = start + length;
  }
  const ids = [];
  for (let at = 0, handles = body(TABLE.moduleHandles); at < handles.length; ) {
    const [address, afterAddress] = readUleb(handles, at);
    const [name, afterName] = readUleb(handles, afterAddress);
    ids.push(`${body(TABLE.addresses).toString('hex', address * 32, address * 32 + 32)}::${identifiers[name]}`);
    at = afterName;
  }
  const self = ids[readUleb(tail, 0)[0]];
  return { self, imports: ids.filter((id) => id !== self) };
}

// ---- attributes -> metadata ----

/** Source without comments; a quoted byte string keeps its slashes. */
const withoutComments = (source) =>
  source
    .replace(/\/\*[\s\S]*?\*\//g, ' ')
    .replace(/b"(?:\\.|[^"\\])*"|\/\/[^\n]*/g, (found) => (found.startsWith('//') ? '' : found));

/** What the attributes of one source file say: three maps from full names. */
function metadataOf(source, address) {
  const text = withoutComments(source);
  const module = /\bmodule\s+\w+::(\w+)/.exec(text)?.[1];
  if (module === undefined || text.match(/\bmodule\s+\w+::/g).length !== 1)
    throw new Error('expected one module a file');
  const privateGenerics = new Map();
  const dataStructs = new Map();
  const dataStructFunctions = new Map();
  const item =
    /((?:#\[[^\]]*\]\s*)+)(?:(?:public(?:\s*\(\s*\w+\s*\))?|entry|native)\s+)*(struct|fun)\s+(\w+)\s*(?:<([^>]*)>)?/g;
  for (const [, attributes, kind, name, parameters = ''] of text.matchAll(item)) {
    const typeParameters = parameters.split(',').map((parameter) => parameter.trim().split(/[\s:]/)[0]);
    const fullName = `${address}::${module}::${name}`;
    for (const [, attribute, list = ''] of attributes.matchAll(/#\[\s*(\w+)\s*(?:\(([^)]*)\))?\s*\]/g)) {
      const indices = list.split(',').map((wanted) => typeParameters.indexOf(wanted.trim()));
      if (kind === 'struct' && attribute === 'data_struct') dataStructs.set(fullName, true);
      else if (kind === 'fun' && attribute === 'private_generics') privateGenerics.set(fullName, indices);
      else if (kind === 'fun' && attribute === 'data_struct') dataStructFunctions.set(fullName, indices);
      else if (attribute === 'bytecode_instruction') continue;
      else throw new Error(`${fullName}: attribute ${attribute} is not known here`);
      if (kind === 'fun' && indices.includes(-1))
        throw new Error(`${fullName}: ${attribute}(${list}) names no type parameter`);
    }
  }
  if (privateGenerics.size + dataStructs.size + dataStructFunctions.size === 0) return { module };
  const nothing = uleb(0); // struct attributes, function attributes and gas-free functions: we have none
  const metadata = Buffer.concat([
    nothing,
    nothing,
    bcsMap(privateGenerics, bcsIndices),
    nothing,
    bcsMap(dataStructs, () => Buffer.from([1])),
    bcsMap(dataStructFunctions, bcsIndices),
  ]);
  return { module, metadata };
}

/** The metadata table stands after the constants, or after the addresses where there are no constants. */
function withMetadata(bytes, metadata) {
  const module = splitModule(bytes);
  const kinds = module.tables.map(({ kind }) => kind);
  const before = [TABLE.constants, TABLE.addresses, TABLE.identifiers].find((kind) => kinds.includes(kind));
  const body = Buffer.concat([bcsString(METADATA_KEY), bcsBytes(metadata)]);
  module.tables.splice(kinds.indexOf(before) + 1, 0, { kind: TABLE.metadata, body });
  return joinModule(module);
}

// ---- compile, order, write ----

/** Builds all packages as dependencies of a throw-away root package, so that the compiler's own chain's checks on entry functions do not run. */
async function build(compiler) {
  const home = join(compiler, 'node_modules/@initia/builder.js');
  if (!existsSync(home))
    throw new Error(`no compiler in ${compiler}: npm install --prefix DIR @initia/builder.js@${COMPILER_VERSION}`);
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  if (version !== COMPILER_VERSION)
    throw new Error(`compiler ${version} found, ${COMPILER_VERSION} needed: other versions give other bytes`);
  const { MoveBuilder } = createRequire(join(home, 'package.json'))(home);

  const workspace = mkdtempSync(join(tmpdir(), 'movelet-framework-'));
  try {
    mkdirSync(join(workspace, 'sources'));
    const folders = [
      ...PACKAGES.map(({ name, folder }) => [name, join(moveRoot, folder)]),
      ...EXAMPLES.map(({ name, folder }) => [name, join(root, folder)]),
    ];
    const dependencies = folders.map(([name, folder]) => `${name} = { local = "${folder}" }\n`).join('');
    writeFileSync(
      join(workspace, 'Move.toml'),
      `[package]\nname = "Root"\nversion = "0.0.0"\n[dependencies]\n${dependencies}`,
    );
    writeFileSync(join(workspace, 'sources/root.move'), 'module 0xcafe::root { public fun zero(): u64 { 0 } }\n');
    const builder = new MoveBuilder(workspace, {
      bytecodeVersion: BYTECODE_VERSION,
      compilerVersion: '1',
      languageVersion: '1',
      skipFetchLatestGitDeps: true,
    });
    await builder.build();
    const built = join(workspace, 'build/Root/bytecode_modules/dependencies');
    return new Map(
      folders.map(([name]) => [
        name,
        new Map(
          readdirSync(join(built, name))
            .filter((file) => file.endsWith('.mv'))
            .sort()
            .map((file) => [file.slice(0, -3), readFileSync(join(built, name, file))]),
        ),
      ]),
    );
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** Module names of one package, each after those it imports. */
function dependencyOrder(modules) {
  const imports = new Map([...modules].map(([name, bytes]) => [name, importsOf(bytes)]));
  const nameOf = new Map([...imports].map(([name, { self }]) => [self, name]));
  const order = new Set();
  const visit = (name) => {
    if (order.has(name)) return;
    for (const id of imports.get(name).imports) if (nameOf.has(id)) visit(nameOf.get(id));
    order.add(name);
  };
  for (const name of modules.keys()) visit(name);
  return [...order];
}

function render(table, modules) {
  const rows = dependencyOrder(modules).map((name) => `  ['${name}', '${modules.get(name).toString('base64')}'],\n`);
  return `// Generated by scripts/compile-framework.mjs from src/framework/move. Do not edit.\n\n/** Module name and base64 of its bytecode, each module after those it imports. */\nexport const ${table}: readonly (readonly [name: string, base64: string])[] = [\n${rows.join('')}];\n`;
}

async function main() {
  const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : undefined);
  const compiler = option('--compiler') ?? process.env.MOVE_COMPILER;
  if (compiler === undefined) throw new Error('--compiler DIR is missing (or MOVE_COMPILER in the environment)');
  const check = process.argv.includes('--check');
  const built = await build(compiler);
  let different = 0;
  for (const { folder, name, address, table } of PACKAGES) {
    const modules = built.get(name);
    const sources = join(moveRoot, folder, 'sources');
    for (const file of readdirSync(sources).filter((entry) => entry.endsWith('.move'))) {
      const { module, metadata } = metadataOf(readFileSync(join(sources, file), 'utf8'), address);
      if (`${module}.move` !== file) throw new Error(`${folder}/${file} holds module ${module}`);
      if (metadata !== undefined) modules.set(module, withMetadata(modules.get(module), metadata));
    }
    const text = render(table, modules);
    const path = join(outRoot, `${folder}.ts`);
    const size = [...modules.values()].reduce((sum, bytes) => sum + bytes.length, 0);
    const equal = existsSync(path) && readFileSync(path, 'utf8') === text;
    if (!equal) different++;
    if (!check) writeFileSync(path, text);
    console.log(`${name}: ${modules.size} modules, ${size} bytes${equal ? '' : check ? ', DIFFERENT' : ', written'}`);
  }
  for (const { folder, name } of EXAMPLES) {
    for (const [module, bytes] of built.get(name)) {
      const path = join(root, folder, `${module}.mv`);
      const equal = existsSync(path) && readFileSync(path).equals(bytes);
      if (!equal) different++;
      if (!check) writeFileSync(path, bytes);
      console.log(`${folder}/${module}.mv: ${bytes.length} bytes${equal ? '' : check ? ', DIFFERENT' : ', written'}`);
    }
  }
  if (check && different > 0) process.exitCode = 1;
}

await main().catch((error) => {
  console.error(`compile-framework: ${error.message}`);
  process.exitCode = 1;
});
