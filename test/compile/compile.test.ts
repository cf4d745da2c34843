/**
 * Compiling a package: its folder, its manifest, what it depends on. `examples/counter/counter.mv` is what another build
 * of the reference's compiler made of the example.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EngineError } from '../../src/base/error.ts';
import { compile, compileSources, type SourceDiagnostic } from '../../src/compile/index.ts';
import { Engine } from '../../src/index.ts';

const counter = fileURLToPath(new URL('../../examples/counter', import.meta.url));
const shipped = (path: string): Uint8Array => new Uint8Array(readFileSync(join(counter, path)));

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'movelet-compile-test-'));
});
afterEach(() => {
  rmSync(home, { recursive: true });
});

/** Writes files into a folder of the test's own. */
function folderWith(name: string, files: Readonly<Record<string, string>>): string {
  const folder = join(home, name);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const MANIFEST = '[package]\nname = "P"\n';

describe('a package', () => {
  it('is compiled to the bytes of the reference, with what is known about its modules', async () => {
    const { name, modules, dependencies, tests, warnings } = await compile(counter);
    expect({ name, dependencies, tests, warnings }).toEqual({
      name: 'Counter',
      dependencies: [],
      tests: [],
      warnings: [],
    });
    expect(modules).toHaveLength(1);
    const [module] = modules;
    expect(module!.bytes).toEqual(shipped('counter.mv'));
    expect(module).toMatchObject({
      name: 'counter',
      address: '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b',
      constants: { ErrorNothingToAdd: '1' },
      abortConstants: ['ErrorNothingToAdd'],
      constantDocs: { ErrorNothingToAdd: 'Adding nothing is a mistake.' },
      lines: { path: 'sources/counter.move' },
    });
    expect(existsSync(join(counter, 'build'))).toBe(false);
  });

  it('names the package of the framework that is missing, and no error that follows from it', async () => {
    const manifest = `${MANIFEST}[addresses]\np = "0x42"\n[dependencies]\nMoveosStdlib = {}\n`;
    const source = `module p::m {
  use rooch_framework::coin_store::{Self, CoinStore};
  use rooch_framework::gas_coin::RGas;
  public fun f(store: &moveos_std::object::Object<CoinStore<RGas>>): u256 { coin_store::balance(store) }
}`;
    const folder = folderWith('absent', { 'Move.toml': manifest, 'sources/m.move': source });
    await expect(compile(folder)).rejects.toThrow(
      /there is no module rooch_framework::coin_store\n {2}note: add `RoochFramework = \{\}` to \[dependencies\] of Move\.toml\n\n1 error, and 4 more/,
    );
    writeFileSync(join(folder, 'Move.toml'), `${manifest}RoochFramework = {}\n`);
    expect((await compile(folder)).modules).toHaveLength(1);
  });

  it('has the lines of its instructions, by function', async () => {
    const folder = folderWith('p', {
      'Move.toml': MANIFEST,
      'sources/m.move':
        'module 0x42::m {\n  public fun f(a: u64): u64 {\n    let b = a + 1;\n    b * (\n      a - 2)\n  }\n}\n',
    });
    const { modules } = await compile(folder);
    const lines = modules[0]!.lines.functions['0']!.map(([, line]) => line);
    expect(lines).toEqual([3, 5, 4]);
  });

  it('has its tests in test mode', async () => {
    const { modules, tests } = await compile(counter, { test: true });
    expect(modules.map(({ name }) => name)).toEqual(['counter', 'counter_tests']);
    expect(modules[0]!.bytes).toEqual(shipped('tested/counter.mv'));
    expect(tests.map(({ name }) => name)).toContain('everybody_adds');
  });

  it('takes files of one name from tests and from sources/tests, each named by its own place', async () => {
    const files: Record<string, string> = { 'Move.toml': MANIFEST };
    for (const place of ['sources/tests', 'tests'])
      files[`${place}/a.move`] = `module 0x42::${place.replace('/', '_')} {}`;
    const { modules } = await compile(folderWith('p', files), { test: true });
    expect(modules.map(({ lines }) => lines.path).sort()).toEqual(['sources/tests/a.move', 'tests/a.move']);
  });

  // Other compilers name the file of a module after it alone, and one replaced the other.
  it('may have two modules of one name at two addresses', async () => {
    const folder = folderWith('p', { 'Move.toml': MANIFEST, 'sources/m.move': 'module 0x42::m {}\nmodule 0x43::m {}' });
    expect((await compile(folder)).modules.map(({ address, name }) => [address, name])).toEqual([
      ['0x42', 'm'],
      ['0x43', 'm'],
    ]);
  });

  it('gives the modules of packages that it depends on separately, without those of the framework', async () => {
    const manifest = `[package]\nname = "User"\n[dependencies.Counter]\nlocal = ${JSON.stringify(counter)}\n`;
    const folder = folderWith('user', {
      'Move.toml': manifest,
      'sources/m.move': 'module 0x42::m { public fun value(): u64 { counter::counter::value() } }',
    });
    const { modules, dependencies } = await compile(folder);
    expect(modules.map(({ name }) => name)).toEqual(['m']);
    expect(dependencies.map(({ name, bytes }) => [name, bytes])).toEqual([['counter', shipped('counter.mv')]]);
    // Another package may have a `sources/counter.move` of its own.
    const path = relative(folder, join(counter, 'sources/counter.move'));
    expect(dependencies[0]!.lines.path).toBe(path);
  });

  // A constant of 70,000 bytes ended the process of another compiler.
  it('may have a constant that its format has no room for, which is an error', async () => {
    const folder = folderWith('p', {
      'Move.toml': MANIFEST,
      'sources/m.move': `module 0x42::m { const A: vector<u8> = x"${'00'.repeat(140_000)}"; public fun a(): vector<u8> { A } }`,
    });
    await expect(compile(folder)).rejects.toMatchObject({ code: 'compile-failed' });
  });
});

describe('errors of sources', () => {
  const broken = `module 0x42::m {
  use std::string::Strng;
  public fun f(x: u64): bool {
    if (x) true else false
  }
  fun g() { let unused = 1; }
}`;

  it('are reported all at once, each with its place and the line marked', () => {
    const error = thrownBy(() => compileSources({ 'm.move': broken }));
    expect(error.code).toBe('compile-failed');
    const lines = error.message.split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'the sources do not compile:',
      '',
      'error[E03003]: no such member',
      '  m.move:2:20',
      '  2 |   use std::string::Strng;',
      "    |                    ^^^^^ std::string has no member 'Strng'",
    ]);
    expect(error.message).toContain("note: did you mean 'String'?");
    expect(error.message).toContain('m.move:4:9');
    expect(error.message).not.toContain('unused');
  });

  it('are data too, the warnings among them', () => {
    const error = thrownBy(() => compileSources({ 'm.move': broken }));
    const diagnostics = error.details['diagnostics'] as SourceDiagnostic[];
    expect(diagnostics.map(({ severity, code, place }) => [severity, code, place.line, place.column])).toEqual([
      ['error', 'E03003', 2, 20],
      ['error', 'E04007', 4, 9],
    ]);
    expect(diagnostics[1]!.related.map(({ line }) => line)).toContain(3);
    expect(JSON.parse(JSON.stringify(diagnostics))).toEqual(diagnostics);
  });

  function thrownBy(work: () => unknown): EngineError {
    try {
      work();
    } catch (error) {
      if (error instanceof EngineError) return error;
      throw error;
    }
    throw new Error('nothing was thrown');
  }
});

describe('sources as text', () => {
  it('are compiled at once, with the framework and its inline functions', () => {
    const text = `module me::m {
      use std::vector;
      use moveos_std::object;
      struct Counter has key { total: u64 }
      fun init() { object::to_shared(object::new_named_object(Counter { total: 0 })); }
      public fun sum(v: &vector<u64>): u64 {
        let total = 0;
        vector::for_each_ref(v, |each| total = total + *each);
        total
      }
    }`;
    const { modules, warnings } = compileSources({ 'm.move': text }, { addresses: { me: '0x42' } });
    expect(warnings).toEqual([]);
    expect(modules.map(({ address, name }) => [address, name])).toEqual([['0x42', 'm']]);
  });

  it('give warnings with the result', () => {
    const { warnings } = compileSources({ 'm.move': 'module 0x42::m { fun f() { let x = 1; } }' });
    expect(warnings.map(({ severity, code }) => [severity, code])).toEqual([['warning', 'W09003']]);
  });

  it.each([
    [undefined, {}, /^sources: expected texts by name/],
    [{ 'm.move': 1 }, {}, /^sources: expected texts by name/],
    [{}, { addresses: { a: 'x' } }, /^addresses\.a: expected an address, got x/],
    [{}, { addresses: 1 }, /addresses/],
  ])('are checked: %j with %j', (sources, options, message) => {
    expect(() => compileSources(sources as never, options as never)).toThrow(message);
  });
});

describe('a package that cannot be compiled', () => {
  it.each<[string, Record<string, string>, RegExp]>([
    ['no manifest', {}, /is no Move package/],
    ['a manifest without a name', { 'Move.toml': '[package]\n' }, /Move\.toml: expected a name/],
    ['an open address', { 'Move.toml': '[package]\nname = "P"\n[addresses]\np = "_"\n' }, /an address for p/],
    [
      'a dependency elsewhere',
      { 'Move.toml': '[package]\nname = "P"\n[dependencies]\nQ = { git = "https://example.org", rev = "main" }\n' },
      /dependency Q would have to be fetched: clone https:\/\/example\.org at main, and write { local = "PATH" }/,
    ],
    [
      'a source that cannot be read',
      { 'Move.toml': '[package]\nname = "P"\n', 'sources/a.move': 'module 0x1::m {\n' },
      /^P does not compile:[\s\S]*sources\/a\.move:2:1/,
    ],
    [
      'a test without its signer',
      { 'Move.toml': '[package]\nname = "P"\n', 'sources/a.move': 'module 0x1::m { #[test] fun f(a: signer) {} }' },
      /sources\/a\.move:1:19[\s\S]*'test' gives no value for the parameter 'a'/,
    ],
  ])('says why: %s', async (_what, files, message) => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await expect(compile(folder, { test: true })).rejects.toThrow(message);
  });

  it('a test that does not compile does not matter to a build without tests', async () => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    writeFileSync(join(folder, 'Move.toml'), '[package]\nname = "P"\n');
    writeFileSync(join(folder, 'sources/a.move'), 'module 0x1::m { #[test(sender = 1)] fun t(sender: address) {} }');
    expect((await compile(folder)).modules).toHaveLength(1);
    await expect(compile(folder, { test: true })).rejects.toThrow(/tests take addresses/);
  });

  it('an abort code may be named as the reference names it, in every module of the framework', async () => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    const needs = '[dependencies]\nMoveosStdlib = { local = "anywhere" }\n';
    writeFileSync(join(folder, 'Move.toml'), `[package]\nname = "P"\n${needs}`);
    const failure = 'expected_failure(abort_code = moveos_std::object::ErrorNotFound)';
    writeFileSync(join(folder, 'sources/a.move'), `module 0x42::m { #[test, ${failure}] fun t() {} }`);
    const { tests } = await compile(folder, { test: true });
    expect(tests[0]!.expected).toEqual({
      status: 'ABORTED',
      abortCode: '2',
      abortName: 'ErrorNotFound',
      location: '0x2::object',
    });
  });

  describe('of several packages', () => {
    const write = (name: string, manifest: string): string => {
      const folder = join(home, name);
      mkdirSync(join(folder, 'sources'), { recursive: true });
      writeFileSync(join(folder, 'Move.toml'), manifest);
      return folder;
    };
    const refusal = (folder: string, options = {}) =>
      compile(folder, options).then(
        () => 'compiled',
        (error: Error) => error.message,
      );

    // The compiler got the first for both: code of `b` for an address at which `b` is not.
    it('an address has one value, unless it is given', async () => {
      write('b', '[package]\nname = "B"\n[addresses]\ny = "0x42"\n');
      const a = write('a', '[package]\nname = "A"\n[addresses]\ny = "0x99"\n[dependencies]\nB = { local = "../b" }\n');
      expect(await refusal(a)).toBe('addresses: y is 0x99 in A and 0x42 in B; give one here, or change a manifest');
      expect(await refusal(a, { addresses: { y: '0x7' } })).toBe('compiled');
      const dev =
        '[package]\nname = "A"\n[addresses]\ny = "_"\n[dev-addresses]\ny = "0x5"\n[dependencies]\nB = { local = "../b" }\n';
      expect(await refusal(write('a', dev), { test: true })).toBe('compiled');
    });

    it('some are for tests alone', async () => {
      const needs = '[dev-dependencies]\nB = { local = "../b" }\n[dev-dependencies.C]\nlocal = "../c"\n';
      const a = write('a', `[package]\nname = "A"\n${needs}`);
      expect(await refusal(a)).toBe('compiled');
      expect(await refusal(a, { test: true })).toBe(`directory: there is no folder ${join(home, 'b')}`);
      write('b', '[package]\nname = "B"\n[dev-dependencies]\nD = { local = "../d" }\n');
      expect(await refusal(a, { test: true })).toBe(`directory: there is no folder ${join(home, 'c')}`);
      write('c', '[package]\nname = "C"\n');
      expect(await refusal(a, { test: true })).toBe('compiled');
    });

    // The compiler was asked, and spoke of a graph and of the folders of the copy.
    it('none depends on itself, by whatever way', async () => {
      const what = 'the dependencies form a circle, A -> B -> C -> A: take one of them out of a Move.toml';
      const a = write('a', '[package]\nname = "A"\n[dependencies]\nB = { local = "../b" }\n');
      write('b', '[package]\nname = "B"\n[dependencies]\nC = { local = "../c" }\nD = { local = "../d" }\n');
      write('c', '[package]\nname = "C"\n[dependencies]\nAgain = { local = "../link" }\n');
      write('d', '[package]\nname = "D"\n[dependencies]\nE = { local = "../e" }\n');
      write('e', '[package]\nname = "E"\n');
      symlinkSync(a, join(home, 'link'));
      expect(await refusal(a)).toContain(what);
      // The folder's own package is in no circle, but one that it needs is.
      write('c', '[package]\nname = "C"\n[dependencies]\nB = { local = "../b" }\n');
      expect(await refusal(a)).toContain('the dependencies form a circle, B -> C -> B');
      write('c', '[package]\nname = "C"\n[dependencies]\nC = { local = "." }\n');
      expect(await refusal(a)).toContain('the dependencies form a circle, C -> C');
      // Two ways to one package are none.
      write('c', '[package]\nname = "C"\n[dependencies]\nD = { local = "../d" }\n');
      expect(await refusal(a)).toBe('compiled');
      write('e', '[package]\nname = "E"\n[dev-dependencies]\nA = { local = "../a" }\n');
      expect(await refusal(a, { test: true })).toBe('compiled');
      const dev = write('e', '[package]\nname = "E"\n[dev-dependencies]\nA = { local = "../a" }\n');
      expect(await refusal(dev, { test: true })).toContain('a circle, E -> A -> B -> C -> D -> E');
    });

    // The last one won; other readers of TOML refuse it.
    it('an address is given once in a manifest', async () => {
      const a = write(
        'a',
        '[package]\nname = "A"\n[addresses]\nx = "0x42"\n[package]\nversion = "1"\n[addresses]\nx = "0x43"\n',
      );
      expect(await refusal(a)).toBe(`${join(a, 'Move.toml')}: x is given twice under [addresses]`);
      write('a', '[dependencies]\nB = { local = "../b" }\nB = { local = "../c" }\n[package]\nname = "A"\n');
      expect(await refusal(a)).toBe(`${join(a, 'Move.toml')}: B is given twice under [dependencies]`);
    });

    // What followed was taken for a part of the text, up to the end of the file.
    it('text of several lines hides nothing behind it', async () => {
      const text = '# """\ndescription = """\nx = [ # \'\'\'\n"""\nlicense = \'\'\'\n{\'\'\' # and\n';
      const a = write('a', `[package]\nname = "A"\n${text}[dependencies]\nB = { local = "../b" }\n`);
      expect(await refusal(a)).toBe(`directory: there is no folder ${join(home, 'b')}`);
    });

    // One replaced the other in the copy.
    it('each has a name of its own', async () => {
      const b = write('b', '[package]\nname = "A"\n');
      const a = write('a', '[package]\nname = "A"\n[dependencies]\nB = { local = "../b" }\n');
      expect(await refusal(a)).toBe(`two packages are called A: ${a} and ${b}`);
      write('c', '[package]\nname = "C"\n[dependencies]\nB = { local = "../d" }\n');
      write('d', '[package]\nname = "D"\n');
      write('b', '[package]\nname = "B"\n[dependencies]\nC = { local = "../c" }\n');
      write('a', '[package]\nname = "A"\n[dependencies]\nB = { local = "../b" }\n');
      expect(await refusal(a)).toBe(`two packages are called B: ${b} and ${join(home, 'd')}`);
      write('c', '[package]\nname = "C"\n[dependencies]\nD = { local = "../c/../d" }\nDee = { local = "../d" }\n');
      expect(await refusal(a)).toBe('compiled');
    });
  });
});

describe('a package that is published as it was compiled', () => {
  it('names the line and the constant of an abort', async () => {
    await using engine = await Engine.open();
    const [alice] = engine.accounts;
    const text = `module me::limits {
  /// No more than ten.
  const ErrorTooMany: u64 = 7;
  public entry fun check(count: u64) {
    assert!(count <= 10, ErrorTooMany);
  }
}`;
    await engine.publish(alice!, compileSources({ 'limits.move': text }, { addresses: { me: alice!.address } }));
    const call = { function: `${alice!.address}::limits::check`, arguments: [11n] };
    const { failure } = await engine.executeAs(alice!, call);
    expect(failure).toMatchObject({
      abortCode: 7n,
      abortName: 'ErrorTooMany',
      abortMeaning: 'No more than ten.',
      source: 'limits.move:5',
    });
  });
});
