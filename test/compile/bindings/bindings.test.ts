/** TypeScript made from modules: it compiles in a strict project, and what it calls is what the engine runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingsOf } from '../../../src/compile/bindings/bindings.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
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
  const values: readonly [bigint] | undefined = engine.view(counter.value()).returned;
  const [added] = receipt.eventsOf(Added);
  const amount: bigint | undefined = added?.amount;
  const whole: Counter = { value: 7n };
  engine.call(String(added?.by), counter.add('0x1', 7));
  // @ts-expect-error an argument too few
  counter.add('0x1');
  // @ts-expect-error no integer
  counter.add('0x1', true);
  // @ts-expect-error no such member
  added?.sum;
  // @ts-expect-error a bigint
  const text: string | undefined = engine.view(counter.value()).returned?.[0];
  return (values?.[0] ?? 0n) + (amount ?? 0n) + whole.value + BigInt(text ?? 0);
}
`;

/** What the compiler says about files of a project. */
function complaintsOf(project: string, files: readonly string[]): string {
  const flags = '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --erasableSyntaxOnly';
  const resolution = '--module nodenext --target es2022 --allowImportingTsExtensions --skipLibCheck --types';
  const args = [join(root, 'node_modules/typescript/bin/tsc'), ...`${flags} ${resolution}`.split(' '), ''];
  try {
    return execFileSync(process.execPath, [...args, ...files], { cwd: project, encoding: 'utf8' });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe.skipIf(!isBuilt)(`bindings${note}`, () => {
  let project: string;

  beforeAll(() => {
    project = mkdtempSync(join(tmpdir(), 'movelet-bindings-'));
    mkdirSync(join(project, 'node_modules'));
    symlinkSync(root, join(project, 'node_modules/movelet'));
    writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
    const codes = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));
    for (const { name, text } of bindingsOf([...codes, counterCode].map((code) => readModule(code)))) {
      writeFileSync(join(project, name), text);
    }
    writeFileSync(join(project, 'use.ts'), USE);
  });
  afterAll(() => rmSync(project, { recursive: true }));

  it('of the framework and of a contract compile in a strict project', () => {
    const files = ['use.ts', 'coin_store.ts', 'object.ts', 'vector.ts', 'option.ts', 'ord.ts', 'session_key.ts'];
    expect(complaintsOf(project, files)).toBe('');
  });

  it('make the calls that the module answers', async () => {
    const { code } = transformSync(readFileSync(join(project, 'counter.ts'), 'utf8'), { loader: 'ts' });
    writeFileSync(join(project, 'counter.mjs'), code);
    const { Added, counter } = await import(pathToFileURL(join(project, 'counter.mjs')).href);
    await using engine = await Engine.open();
    const [alice] = engine.accounts;
    await engine.publish(alice!.address, [counterCode]);
    const receipt = await engine.execute(alice!.signed(counter.add(`${alice!.address}::counter::Counter`, 7)));
    expect(receipt.eventsOf(Added)).toEqual([{ by: alice!.address, amount: 7n, value: 7n }]);
    expect(receipt.eventsOf('0x1::nowhere::Nothing')).toEqual([]);
    expect(engine.view(counter.value()).returned).toEqual([7n]);
    expect(engine.view({ ...counter.value(), arguments: [1] }).returned).toBeUndefined();
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
nested.same({ bcs: '0x0100' });
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
        const { bytes, decoded } = engine.view(nested.same(given)).values![0]!;
        return [String(bytes), decoded];
      });
      // Decoded, both are null; the bytes tell them apart.
      expect(shown).toEqual([
        ['0x00', null],
        ['0x010107', 7],
        ['0x0100', null],
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

describe('bindings of modules whose names clash', () => {
  it('compile in a strict project', () => {
    const project = mkdtempSync(join(tmpdir(), 'movelet-clashes-'));
    try {
      mkdirSync(join(project, 'node_modules/movelet'), { recursive: true });
      writeFileSync(join(project, 'node_modules/movelet/package.json'), '{ "types": "./index.d.ts" }');
      writeFileSync(join(project, 'node_modules/movelet/index.d.ts'), PACKAGE);
      writeFileSync(join(project, 'package.json'), '{ "type": "module" }');
      const files = bindingsOf(CLASHES.map((text) => readModule(assembleModuleBytes(text))));
      for (const { name, text } of files) writeFileSync(join(project, name), text);
      writeFileSync(join(project, 'use.ts'), CLASHES_USE);
      const names = [...files.map(({ name }) => name), 'use.ts'];
      expect(complaintsOf(project, names)).toBe('');
    } finally {
      rmSync(project, { recursive: true });
    }
  });
});
