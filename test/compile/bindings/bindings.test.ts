/** TypeScript made from modules: it compiles in a strict project, and what it calls is what the engine runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingsOf } from '../../../src/compile/bindings/bindings.ts';
import { compileSources } from '../../../src/compile/index.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const isBuilt = existsSync(join(root, 'dist/index.d.ts'));
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
const counterCode = readFileSync(join(root, 'examples/counter/counter.mv'));

/** What a user writes; each line below an `@ts-expect-error` is a mistake that the compiler must find. */
const USE = `import type { Engine, Receipt } from 'movelet';
import { Added, type Counter, counter } from './counter.ts';

export function use(engine: Engine, receipt: Receipt): bigint {
  const values: readonly [bigint] = engine.view(counter.value());
  const [added] = receipt.eventsOf(Added);
  const amount: bigint | undefined = added?.amount;
  const whole: Counter = { value: 7n };
  engine.executeAs(String(added?.by), counter.add('0x1', 7));
  // @ts-expect-error an argument too few
  counter.add('0x1');
  // @ts-expect-error no integer
  counter.add('0x1', true);
  // @ts-expect-error no such member
  added?.sum;
  // @ts-expect-error a bigint
  const text: string | undefined = engine.view(counter.value())[0];
  return values[0] + (amount ?? 0n) + whole.value + BigInt(text ?? 0);
}
`;

/** The folder of the installed TypeScript, and those of other versions, which MOVELET_TYPESCRIPTS names with colons between. */
const TYPESCRIPT = join(root, 'node_modules/typescript');
const compilers = [TYPESCRIPT, ...(process.env['MOVELET_TYPESCRIPTS'] ?? '').split(':')].filter((path) => path !== '');
const versionOf = (folder: string): string => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).version;

/** What a compiler says about files of a project. */
function complaintsOf(project: string, files: readonly string[], compiler = TYPESCRIPT): string {
  const compilerOptions = {
    noEmit: true,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    module: 'nodenext',
    target: 'es2022',
    allowImportingTsExtensions: true,
    skipLibCheck: true,
    types: [],
    // From 5.8 on.
    ...(compiler === TYPESCRIPT && { erasableSyntaxOnly: true }),
  };
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    return execFileSync(process.execPath, [join(compiler, 'bin/tsc'), '-p', project], {
      cwd: project,
      encoding: 'utf8',
    });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe.skipIf(!isBuilt)(`bindings${note}`, () => {
  let project: string;
  let names: readonly string[];

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'movelet-bindings-'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/movelet'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const codes = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));
    const files = bindingsOf([...codes, counterCode].map((code) => readModule(code)));
    for (const { name, text } of files) writeFileSync(join(project, name), text);
    names = files.map(({ name }) => name);
    writeFileSync(join(project, 'use.ts'), USE);
  });
  afterAll(() => rmSync(project, { recursive: true }));

  it.each(compilers.map((compiler) => [versionOf(compiler), compiler]))(
    'of the framework and of a contract compile in a strict project, under TypeScript %s',
    (_version, compiler) => {
      expect(names.length).toBeGreaterThan(130);
      expect(complaintsOf(project, ['use.ts', ...names], compiler)).toBe('');
    },
  );

  it('of the framework call parameters as its sources do', () => {
    const texts = names.map((name) => [name, readFileSync(join(project, name), 'utf8')] as const);
    // No source is given for the counter.
    expect(texts.filter(([, text]) => /\bargument\d/.test(text)).map(([name]) => name)).toEqual(['counter.ts']);
    const transfer = Object.fromEntries(texts)['transfer.ts'];
    // `transfer_coin<CoinType: key + store>(from: &signer, to: address, amount: u256)`
    expect(transfer).toContain(
      '(typeArguments: readonly [T0: string], to: movelet.AddressInput, amount: movelet.IntegerInput)',
    );
    // `default` is a word of TypeScript's own.
    expect(Object.fromEntries(texts)['table.ts']).toContain('default_: movelet.ViewArgument)');
  });

  it('make the calls that the module answers', async () => {
    const { code } = transformSync(readFileSync(join(project, 'counter.ts'), 'utf8'), { loader: 'ts' });
    writeFileSync(join(project, 'counter.mjs'), code);
    const { Added, counter } = await import(pathToFileURL(join(project, 'counter.mjs')).href);
    await using engine = await Engine.open();
    const [alice] = engine.accounts;
    await engine.publish(alice!.address, [counterCode]);
    const receipt = await engine.execute(alice!.signTransaction(counter.add(`${alice!.address}::counter::Counter`, 7)));
    expect(receipt.eventsOf(Added)).toEqual([{ by: alice!.address, amount: 7n, value: 7n }]);
    expect(receipt.eventsOf('0x1::nowhere::Nothing')).toEqual([]);
    expect(engine.view(counter.value())).toEqual([7n]);
    expect(engine.tryView({ ...counter.value(), arguments: [1] }).returned).toBeUndefined();
  });
});

/** What has tables and structs of the framework, and of another package. */
const NESTING = {
  'shelf.move': `module shelf::shelf {
    struct Label has copy, drop, store { text: std::string::String, tags: vector<u8> }
  }`,
  'store.move': `module store::store {
    use moveos_std::object::Object;
    use moveos_std::table::Table;
    use moveos_std::simple_map::SimpleMap;
    use shelf::shelf::Label;

    struct Item has store { label: Label, price: u256 }
    struct Store has key { items: Table<address, Item>, paid: SimpleMap<u64, u8>, next: std::option::Option<Label>, log: Object<Log> }
    struct Log has key { lines: vector<Label> }
  }`,
};

const NESTING_USE = `import type { Engine } from 'movelet';
import type { Item, Store } from './store.ts';

export function use(engine: Engine, store: Store): bigint | undefined {
  const item: Item | undefined = engine.objects.entry(store.items, { keyType: 'address', key: '0x1' });
  const tags: Uint8Array | undefined = store.next?.tags;
  const texts: readonly (string | undefined)[] = [store.log.id, item?.label.text, tags?.join()];
  // @ts-expect-error there is no such field
  store.paid.value;
  // @ts-expect-error a text
  const text: bigint = item?.label.text;
  return (store.paid.data[0]?.key ?? 0n) + (item?.price ?? 0n) + BigInt(texts.length) + text;
}
`;

describe.skipIf(!isBuilt)(`bindings of nested structs${note}`, () => {
  it('have their fields, wherever they are declared, and tables the types of their entries', () => {
    const addresses = { shelf: '0x51', store: '0x52' };
    const { modules } = compileSources(NESTING, { addresses });
    const [shelf, store] = ['shelf', 'store'].map((name) =>
      readModule(modules.find((each) => each.name === name)!.bytes),
    );
    const project = mkdtempSync(join(tmpdir(), 'movelet-nesting-'));
    try {
      mkdirSync(join(project, 'node_modules'));
      symlinkSync(root, join(project, 'node_modules/movelet'));
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      for (const { name, text } of bindingsOf([store!], [], [shelf!])) writeFileSync(join(project, name), text);
      writeFileSync(join(project, 'use.ts'), NESTING_USE);
      expect(complaintsOf(project, ['use.ts'])).toBe('');
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});

/** Options in options, and what gives them back. */
const NESTED = `module 0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b::nested
  extern 0x1::option { struct Option<T> has copy, drop, store }
  public fun same(given: 0x1::option::Option<0x1::option::Option<u8>>): 0x1::option::Option<0x1::option::Option<u8>> {
    MoveLoc given; Ret
  }`;

const NESTED_USE = `import { nested } from './nested.ts';
export const calls = [nested.same(null), nested.same(7), nested.same({ bcs: new Uint8Array([1, 0]) })];
// @ts-expect-error no text of an integer's bytes
nested.same({ bcs: '0100' });
`;

describe.skipIf(!isBuilt)(`bindings of an option in an option${note}`, () => {
  it('take everything that it can be', async () => {
    const code = assembleModuleBytes(NESTED);
    const [file] = bindingsOf([readModule(code)]);
    const project = mkdtempSync(join(tmpdir(), 'movelet-nested-'));
    try {
      mkdirSync(join(project, 'node_modules'));
      symlinkSync(root, join(project, 'node_modules/movelet'));
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      writeFileSync(join(project, file!.name), file!.text);
      writeFileSync(join(project, 'use.ts'), NESTED_USE);
      expect(complaintsOf(project, ['use.ts'])).toBe('');
      writeFileSync(join(project, 'nested.mjs'), transformSync(file!.text, { loader: 'ts' }).code);
      const { nested } = await import(pathToFileURL(join(project, 'nested.mjs')).href);
      await using engine = await Engine.open();
      await engine.publish(engine.accounts[0]!.address, [code]);
      const shown = [null, 7, { bcs: new Uint8Array([1, 0]) }].map((given) => {
        const { bytes, decoded } = engine.tryView(nested.same(given)).values![0]!;
        return [Buffer.from(bytes).toString('hex'), decoded];
      });
      // Decoded, both are null; the bytes tell them apart.
      expect(shown).toEqual([
        ['00', null],
        ['010107', 7],
        ['0100', null],
      ]);
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});

describe('bindings of modules', () => {
  it('whose names differ in case only have files that differ in more', () => {
    const texts = ['0x42::Coin', '0x42::coin', '0x43::COIN', '0x42::other'].map((id) => {
      return `module ${id}\n  struct S has copy, drop { n: u64 }`;
    });
    const files = bindingsOf(texts.map((text) => readModule(assembleModuleBytes(text))));
    expect(files.map(({ name }) => name)).toEqual(['0x42-Coin.ts', '0x42-coin-2.ts', '0x43-COIN.ts', 'other.ts']);
  });

  it('with the same name have files of their own', () => {
    const module = readModule(counterCode);
    const elsewhere = { ...module, addresses: module.addresses.map((address) => address.map((byte) => byte ^ 1)) };
    const names = bindingsOf([module, elsewhere]).map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toBe('0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b-counter.ts');
  });
});

/** The names that bindings take from the package, as far as they matter for whether a file is sound. */
const PACKAGE = `export type StructType<T> = string & { readonly value?: T };
export type TypedCall<R> = { readonly function: string; readonly arguments?: readonly unknown[]; readonly results?: R };
export type IntegerInput = number | bigint | string;
export type DecodedValue = unknown;
export type BytesValue = Uint8Array;
export type ViewArgument = unknown;
`;

/** Each clashes with something else that its file names. */
const CLASHES = [
  // A struct with the name of its module.
  `module 0x42::Coin
  struct Coin has drop { n: u64 }
  struct Coin_ has drop { n: u64 }
  public fun make(): Coin { LdU64 1; Pack Coin; Ret }`,
  // Structs named as type parameters would be, and as the type of bytes.
  `module 0x42::generic
  struct T0<X: drop> has drop { x: X }
  struct Holder<X: drop> has drop { x: X, t: T0<u8> }
  struct Uint8Array has drop { x: u8 }
  struct Readonly has drop { x: u8 }
  struct Record has drop { x: u8 }
  public fun hold(v: vector<u8>): Holder<u64> {
    MoveLoc v; Pop; LdU64 1; LdU8 2; Pack T0<u8>; Pack Holder<u64>; Ret
  }`,
  // Two modules of one name, one of which uses the other's struct.
  `module 0x42::same
  struct S has copy, drop { n: u64 }`,
  `module 0x43::same
  extern 0x42::same { struct S has copy, drop }
  struct S has copy, drop { n: 0x42::same::S }`,
  // A module whose name TypeScript reserves.
  `module 0x42::for
  public fun each(): u64 { LdU64 1; Ret }`,
];

const CLASHES_USE = `import { Coin_ as Second, Coin__ as coin, type Coin } from './Coin.ts';
import { generic, type Holder } from './generic.ts';
import type { S } from './0x43-same.ts';
import { for_ } from './for.ts';
export const made: Coin | undefined = coin.make().results?.[0];
export const second: string = Second;
export const held: Holder<bigint> = { x: 1n, t: { x: 2 } };
export const call = generic.hold(new Uint8Array(1));
export const s: S = { n: { n: 1n } };
export const one: bigint | undefined = for_.each().results?.[0];
// @ts-expect-error a number is not the bigint of a u64
export const wrong: Holder<bigint> = { x: 1, t: { x: 2 } };
`;

/**
 * Reserved words of ECMAScript (12.7.2) and TypeScript's predefined types, and what else a name in bytecode may be.
 * Source of the types: https://www.typescriptlang.org/docs/handbook/2/everyday-types.html
 */
const ODD_NAMES =
  `any arguments as async await bigint boolean break case catch class const constructor continue debugger
  declare default delete do else enum eval export exports extends false finally for from function get globalThis hasOwnProperty
  if implements import in infer instanceof interface is keyof let module movelet namespace never new null number object of
  package private protected prototype public readonly require return satisfies set static string super switch symbol this
  throw toString true try type typeof undefined unique unknown using var void while with yield __proto__ _ Array Error
  Function Infinity NaN Object Promise Readonly Record String Symbol`.split(/\s+/);

/** A module in which one name after another stands for structs, a field, functions and the module itself. */
function oddModules(): string[] {
  const structs = ODD_NAMES.map((_, index) => `struct S${index} has copy, drop { f${index}: u64 }`);
  const functions = ODD_NAMES.map((_, index) => `public fun g${index}(): S${index} { LdU64 1; Pack S${index}; Ret }`);
  const first = ['module 0x42::odd', ...structs, 'struct P<X: drop> has drop { x: X }', ...functions].join('\n  ');
  const second = `module 0x42::user
  extern 0x42::odd { ${ODD_NAMES.map((_, index) => `struct S${index} has copy, drop`).join('\n')} }
  ${ODD_NAMES.map((_, index) => `struct U${index} has drop { n: 0x42::odd::S${index} }`).join('\n  ')}`;
  return [first, second];
}

const ODD_USE = `import { class as Reserved, odd, type string as Text } from './odd.ts';
import type { U0 } from './user.ts';
export const text: Text = { string: 7n };
export const type: string = Reserved;
export const any: U0 = { n: { any: 1n } };
export const calls = [odd.class(), odd.__proto__(), odd.default(), odd.toString()];
// @ts-expect-error the field has the struct's name
export const wrong: Text = { text: 7n };
`;

describe('bindings of modules whose names clash', () => {
  const modulesOf = (texts: readonly string[]): Module[] => texts.map((text) => readModule(assembleModuleBytes(text)));

  function complaintsAbout(modules: readonly Module[], use: string): string {
    const project = mkdtempSync(join(tmpdir(), 'movelet-clashes-'));
    try {
      mkdirSync(join(project, 'node_modules/movelet'), { recursive: true });
      writeFileSync(join(project, 'node_modules/movelet/package.json'), '{ "types": "./index.d.ts" }');
      writeFileSync(join(project, 'node_modules/movelet/index.d.ts'), PACKAGE);
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      const files = bindingsOf(modules);
      for (const { name, text } of files) writeFileSync(join(project, name), text);
      writeFileSync(join(project, 'use.ts'), use);
      return complaintsOf(project, [...files.map(({ name }) => name), 'use.ts']);
    } finally {
      rmSync(project, { recursive: true });
    }
  }

  it('compile in a strict project', () => {
    expect(complaintsAbout(modulesOf(CLASHES), CLASHES_USE)).toBe('');
  });

  it('compile whatever word a struct, a field, a function or a module is named by', () => {
    const renamed = modulesOf(oddModules()).map((module) => ({
      ...module,
      identifiers: module.identifiers.map((name) => ODD_NAMES[Number(/^[Sfg](\d+)$/.exec(name)?.[1])] ?? name),
    }));
    expect(complaintsAbout(renamed, ODD_USE)).toBe('');
    const named = ODD_NAMES.map(() => modulesOf(['module 0x42::m public fun f() { Ret }'])[0]!).map(
      (module, index) => ({
        ...module,
        identifiers: module.identifiers.map((name) => (name === 'm' ? ODD_NAMES[index]! : name)),
      }),
    );
    expect(complaintsAbout(named, "import { class_ } from './class.ts';\nexport const call = class_.f();\n")).toBe('');
  });
});
