/** TypeScript made from modules: it compiles in a strict project, and what it calls is what the engine runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindingsOf } from '../../src/bindings/bindings.ts';
import { Engine } from '../../src/engine.ts';
import { FRAMEWORK_PACKAGES } from '../../src/framework/framework.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { writeModule } from '../../src/vm/binary/write.ts';
import { assembleModule } from '../vm/assemble.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
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
    const flags = '--noEmit --strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --erasableSyntaxOnly';
    const resolution = '--module nodenext --target es2022 --allowImportingTsExtensions --skipLibCheck --types';
    const files = ['use.ts', 'coin_store.ts', 'object.ts', 'vector.ts', 'option.ts', 'ord.ts', 'session_key.ts'];
    const args = [join(root, 'node_modules/typescript/bin/tsc'), ...`${flags} ${resolution}`.split(' '), ''];
    const found = (): string => {
      try {
        return execFileSync(process.execPath, [...args, ...files], { cwd: project, encoding: 'utf8' });
      } catch (error) {
        return (error as { stdout: string }).stdout;
      }
    };
    expect(found()).toBe('');
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

describe('bindings of modules', () => {
  it('with the same name have files of their own', () => {
    const module = readModule(counterCode);
    const elsewhere = { ...module, addresses: module.addresses.map((address) => address.map((byte) => byte ^ 1)) };
    const names = bindingsOf([module, elsewhere]).map(({ name }) => name);
    expect(new Set(names).size).toBe(2);
    expect(names[0]).toBe('0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b-counter.ts');
  });

  it('with names that clash are valid TypeScript', () => {
    const texts = [
      `module 0x42::coin
  struct Coin has copy, drop, store { n: u64 }`,
      `module 0x43::coin
  extern 0x42::coin { struct Coin has copy, drop, store }
  struct Coin has copy, drop, store { n: u64 }
  struct Both has copy, drop, store { mine: Coin, other: 0x42::coin::Coin }`,
      `module 0x42::Mint
  struct Mint has copy, drop, store { n: u64 }
  public fun open(): u64 { LdU64 1; Ret }`,
      `module 0x42::for
  public fun each(): u64 { LdU64 1; Ret }`,
    ];
    const files = bindingsOf(texts.map((text) => readModule(writeModule(assembleModule(text)))));
    for (const { name, text } of files) expect(() => transformSync(text, { loader: 'ts' }), name).not.toThrow();
    expect(files[1]!.text).toContain("import type { Coin as _0x42_coin_Coin } from './0x42-coin.ts';");
    expect(files[2]!.text).toContain('export const Mint_ = {');
    expect(files[3]!.text).toContain('export const for_ = {');
  });
});
