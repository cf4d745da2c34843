/**
 * Compiling a package, by stand-ins for the two compilers: they check what they are asked to do, and leave behind what
 * the real compiler made of the same sources (examples/counter/counter.mv, of scripts/compile-framework.mjs).
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { compile } from '../../src/compile/index.ts';
import { readTree } from '../../src/compile/package.ts';
import { unitTestsOf } from '../../src/compile/unit-test.ts';

const counter = fileURLToPath(new URL('../../examples/counter', import.meta.url));
const compiled = readFileSync(join(counter, 'counter.mv'));

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'movelet-compile-test-'));
  vi.stubEnv('PATH', '/nowhere');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(home, { recursive: true });
});

/** Puts a program called `rooch` on the PATH; its body sees `args`, `folder` and `fs`. */
function program(body: string): void {
  const path = join(home, 'rooch');
  const head = `#!${process.execPath}\nconst fs = require('node:fs');\nconst args = process.argv.slice(2);\nconst folder = args[3];\n`;
  writeFileSync(path, head + body);
  chmodSync(path, 0o755);
  vi.stubEnv('PATH', `/nowhere${delimiter}${home}`);
}

/** Installs a package called `@initia/builder.js` in a folder, with this method `build`. */
function builder(body: string): void {
  const folder = join(home, 'node_modules/@initia/builder.js');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "version": "0.2.12", "main": "index.js" }');
  writeFileSync(
    join(folder, 'index.js'),
    `const fs = require('node:fs');
     exports.MoveBuilder = class { constructor(folder, options) { Object.assign(this, { folder, options }); }
       async build() { ${body} } };`,
  );
}

const LEAVES_MODULE = `
  fs.mkdirSync(built, { recursive: true });
  fs.copyFileSync(${JSON.stringify(join(counter, 'counter.mv'))}, built + '/counter.mv');`;

const WRITES_ARGUMENTS = `
  fs.writeFileSync(${JSON.stringify('HOME')}.replace('HOME', home) + '/asked.json', JSON.stringify(asked));`;

describe('the rooch program', () => {
  it('is asked to build a copy of the package, with all its addresses and dependencies', async () => {
    program(`
      const home = ${JSON.stringify(home)};
      const asked = { args, manifest: fs.readFileSync(folder + '/Move.toml', 'utf8'), source: fs.readFileSync(folder + '/sources/counter.move', 'utf8') };
      ${WRITES_ARGUMENTS}
      const built = folder + '/build/Counter/bytecode_modules';
      ${LEAVES_MODULE}`);
    const { name, compiler, modules, tests } = await compile(counter);
    expect(name).toBe('Counter');
    expect(compiler).toMatchObject({ name: 'rooch', path: join(home, 'rooch') });
    expect(modules.map((module) => [module.name, Buffer.from(module.bytes)])).toEqual([['counter', compiled]]);
    expect(modules[0]).toMatchObject({ constants: { ErrorNothingToAdd: '1' }, lines: undefined });
    expect(tests).toEqual([]);
    const asked = JSON.parse(readFileSync(join(home, 'asked.json'), 'utf8')) as {
      args: string[];
      manifest: string;
      source: string;
    };
    const [move, build, path, folder, ...others] = asked.args;
    expect([move, build, path, ...others]).toEqual(['move', 'build', '--path', '--skip-fetch-latest-git-deps']);
    expect(existsSync(folder!)).toBe(false);
    expect(asked.manifest).toContain('counter = "0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b"');
    expect(asked.manifest).toMatch(/^MoveosStdlib = \{ local = ".+" \}$/m);
    expect(asked.source).toBe(readFileSync(join(counter, 'sources/counter.move'), 'utf8'));
  });

  it('says in its own words what it refuses, at the places of the package', async () => {
    program(
      `console.log('warning: unused\\n\\n\\u001b[31merror[E01]: no ' + folder + '/sources/counter.move:3\\n'); process.exit(1);`,
    );
    await expect(compile(counter)).rejects.toMatchObject({
      code: 'compile-failed',
      message: `Counter does not compile:\nerror[E01]: no ${counter}/sources/counter.move:3`,
    });
  });

  // Both were copied to sources/tests, where one replaced the other without a word.
  it('gets files of one name from tests and from sources/tests, each named by its own place', async () => {
    program(`
      const files = fs.readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('/a.move'));
      const texts = files.map((name) => 'error: ' + fs.readFileSync(folder + '/' + name, 'utf8') + ' ' + folder + '/' + name);
      console.log(texts.sort().join('\\n\\n'));
      process.exit(1);`);
    const folder = join(home, 'pack');
    for (const place of ['sources/tests', 'tests']) {
      mkdirSync(join(folder, place), { recursive: true });
      writeFileSync(join(folder, place, 'a.move'), `module 0x42::${place.replace('/', '_')} {}`);
    }
    writeFileSync(join(folder, 'Move.toml'), '[package]\nname = "Pack"\n');
    const lines = ['sources_tests {} FOLDER/sources/tests/a.move', 'tests {} FOLDER/tests/a.move'];
    const told = lines.map((line) => `error: module 0x42::${line.replace('FOLDER', folder)}`);
    await expect(compile(folder, { test: true })).rejects.toMatchObject({
      code: 'compile-failed',
      message: `Pack does not compile:\n${told.join('\n\n')}`,
    });
  });
});

describe('the npm package', () => {
  it('builds for the chain in a process of its own, as a dependency of another package', async () => {
    builder(`
      if (process.pid === ${process.pid}) throw new Error('the same process');
      const home = ${JSON.stringify(home)};
      const asked = { options: this.options, manifest: fs.readFileSync(this.folder + '/Move.toml', 'utf8') };
      ${WRITES_ARGUMENTS}
      const built = this.folder + '/build/Outer/bytecode_modules/dependencies/Counter';
      ${LEAVES_MODULE}`);
    const { compiler, modules } = await compile(counter, { compiler: home });
    expect(compiler).toMatchObject({ name: 'initia', version: '0.2.12' });
    expect(compiler.notice).toContain('development and tests only');
    expect(Buffer.from(modules[0]!.bytes)).toEqual(compiled);
    const asked = JSON.parse(readFileSync(join(home, 'asked.json'), 'utf8')) as { options: object; manifest: string };
    expect(asked.options).toEqual({
      bytecodeVersion: 6,
      compilerVersion: '1',
      languageVersion: '1',
      skipFetchLatestGitDeps: true,
    });
    expect(asked.manifest).toMatch(/^Counter = \{ local = ".*packages\/Counter" \}$/m);
  });

  it('leaves out no module without saying so: of two with one name, it keeps one', async () => {
    const built = "this.folder + '/build/Outer/bytecode_modules/dependencies/Counter'";
    builder(`const built = ${built}; ${LEAVES_MODULE}`);
    const folder = join(home, 'twice');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    const manifest = readFileSync(join(counter, 'Move.toml'), 'utf8');
    writeFileSync(join(folder, 'Move.toml'), manifest);
    const source = readFileSync(join(counter, 'sources/counter.move'), 'utf8');
    const other = (attributes: string) =>
      writeFileSync(join(folder, 'sources/counter.move'), `${source}\n${attributes}module 0x42::counter {}\n`);
    other('');
    await expect(compile(folder, { compiler: home })).rejects.toMatchObject({
      code: 'compile-failed',
      message: expect.stringContaining('the compiler left out 0x42::counter: modules of one package need names'),
    });
    other('#[test_only] ');
    expect((await compile(folder, { compiler: home })).modules).toHaveLength(1);
  });

  it('gives the modules of required packages separately, without those of the framework', async () => {
    builder(`
      const built = this.folder + '/build/Outer/bytecode_modules/dependencies/Counter';
      ${LEAVES_MODULE}
      fs.cpSync(built, this.folder + '/build/Outer/bytecode_modules/dependencies/MoveosStdlib', { recursive: true });
      const maps = this.folder + '/build/Outer/source_maps/dependencies/Counter';
      fs.mkdirSync(maps, { recursive: true });
      fs.copyFileSync(${JSON.stringify(resolve('test/vectors/counter.mvsm'))}, maps + '/counter.mvsm');`);
    const folder = join(home, 'user');
    mkdirSync(folder);
    const manifest = `[package]\nname = "User"\n[dependencies.Counter]\nlocal = ${JSON.stringify(counter)}\n`;
    writeFileSync(join(folder, 'Move.toml'), manifest);
    const { modules, dependencies } = await compile(folder, { compiler: home });
    expect(modules).toEqual([]);
    expect(dependencies.map(({ name, bytes }) => [name, Buffer.from(bytes)])).toEqual([['counter', compiled]]);
    // Another package has a `sources/counter.move` of its own.
    expect(dependencies[0]!.lines!.path).toBe(relative(folder, join(counter, 'sources/counter.move')));
  });

  // Its native part gives up when a non-blocking pipe is full; the error was then `Caught panic`.
  it('may say more at once than a pipe holds', async () => {
    builder(`
      process.stderr.on('error', () => {});
      for (let part = 0; part < 4_000; part++) fs.writeSync(2, 'a'.repeat(1_000));
      throw new Error('\\n\\nerror[E01]: no');`);
    await expect(compile(counter, { compiler: home })).rejects.toThrow(/^Counter does not compile:\nerror\[E01\]: no$/);
  });

  it('may end its process, which is an error and no more', async () => {
    builder('process.abort();');
    await expect(compile(counter, { compiler: home })).rejects.toMatchObject({ code: 'compile-failed' });
  });
});

describe('without a compiler', () => {
  it('the error names both, and how to get them', async () => {
    await expect(compile(counter, { compiler: 'rooch' })).rejects.toMatchObject({
      code: 'compile-failed',
      message: expect.stringMatching(
        /rooch was not found; .*npm install --save-dev @initia\/builder\.js .*rooch\.network/,
      ),
    });
  });

  it.each<[string, Record<string, string>, RegExp]>([
    ['no manifest', {}, /is no Move package/],
    ['a manifest without a name', { 'Move.toml': '[package]\n' }, /Move\.toml: expected a name/],
    ['an open address', { 'Move.toml': '[package]\nname = "P"\n[addresses]\np = "_"\n' }, /an address for p/],
    [
      'a dependency elsewhere',
      { 'Move.toml': '[package]\nname = "P"\n[dependencies]\nQ = { git = "https://example.org", rev = "main" }\n' },
      /dependency Q would have to be fetched/,
    ],
    [
      'a source that cannot be read',
      { 'Move.toml': '[package]\nname = "P"\n', 'sources/a.move': 'module 0x1::m {\n' },
      /a\.move: line 2/,
    ],
    [
      'a test without its signer',
      { 'Move.toml': '[package]\nname = "P"\n', 'sources/a.move': 'module 0x1::m { #[test] fun f(a: signer) {} }' },
      /sources\/a\.move: line 1: f: #\[test\] gives no value for a/,
    ],
  ])('%s is named all the same', async (_what, files, message) => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    await expect(compile(folder, { compiler: 'rooch', test: true })).rejects.toThrow(message);
  });

  it('a test that does not fit is no matter for a build without tests', async () => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    writeFileSync(join(folder, 'Move.toml'), '[package]\nname = "P"\n');
    writeFileSync(join(folder, 'sources/a.move'), 'module 0x1::m { #[test(sender = @0x42)] fun t() {} }');
    await expect(compile(folder, { compiler: 'rooch' })).rejects.toThrow(/rooch was not found/);
    await expect(compile(folder, { compiler: 'rooch', test: true })).rejects.toThrow(/there is no parameter sender/);
  });

  it('an abort code may be named as the reference names it, in every module of the framework', async () => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    const needs = '[dependencies]\nMoveosStdlib = { local = "anywhere" }\n';
    writeFileSync(join(folder, 'Move.toml'), `[package]\nname = "P"\n${needs}`);
    const failure = 'expected_failure(abort_code = moveos_std::object::ErrorNotFound)';
    writeFileSync(join(folder, 'sources/a.move'), `module 0x42::m { #[test, ${failure}] fun t() {} }`);
    const tree = await readTree(folder, { test: true, addresses: {} });
    expect(unitTestsOf(tree)[0]!.expected).toEqual({
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
      compile(folder, { compiler: 'rooch', ...options }).then(
        () => 'compiled',
        (error: Error) => error.message,
      );

    // The compiler got the first for both: code of `b` for an address at which `b` is not.
    it('an address has one value, unless it is given', async () => {
      write('b', '[package]\nname = "B"\n[addresses]\ny = "0x42"\n');
      const a = write('a', '[package]\nname = "A"\n[addresses]\ny = "0x99"\n[dependencies]\nB = { local = "../b" }\n');
      expect(await refusal(a)).toBe('addresses: y is 0x99 in A and 0x42 in B; give one here, or change a manifest');
      expect(await refusal(a, { addresses: { y: '0x7' } })).toMatch(/rooch was not found/);
      const dev =
        '[package]\nname = "A"\n[addresses]\ny = "_"\n[dev-addresses]\ny = "0x5"\n[dependencies]\nB = { local = "../b" }\n';
      expect(await refusal(write('a', dev), { test: true })).toMatch(/rooch was not found/);
    });

    it('some are for tests alone', async () => {
      const needs = '[dev-dependencies]\nB = { local = "../b" }\n[dev-dependencies.C]\nlocal = "../c"\n';
      const a = write('a', `[package]\nname = "A"\n${needs}`);
      expect(await refusal(a)).toMatch(/rooch was not found/);
      expect(await refusal(a, { test: true })).toBe(`directory: there is no folder ${join(home, 'b')}`);
      write('b', '[package]\nname = "B"\n[dev-dependencies]\nD = { local = "../d" }\n');
      expect(await refusal(a, { test: true })).toBe(`directory: there is no folder ${join(home, 'c')}`);
      write('c', '[package]\nname = "C"\n');
      expect(await refusal(a, { test: true })).toMatch(/rooch was not found/);
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
      expect(await refusal(a)).toMatch(/rooch was not found/);
      write('e', '[package]\nname = "E"\n[dev-dependencies]\nA = { local = "../a" }\n');
      expect(await refusal(a, { test: true })).toMatch(/rooch was not found/);
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
      expect(await refusal(a)).toMatch(/rooch was not found/);
    });
  });

  // Each of them was taken for a test that may fail in any way, or for no test, and nobody learned of it.
  it.each([
    // The machine was asked for it, and knew no such function.
    ['#[test] inline fun f() {}', 'an inline function cannot be a test: it is not part of the compiled module'],
    ['#[expected_failure] fun f() {}', 'expected_failure is for functions with #[test]'],
    ['#[test_only, expected_failure(abort_code = 1)] fun f() {}', 'expected_failure is for functions with #[test]'],
    ['#[test, expected_failure = 3] fun f() {}', 'expected_failure: expected (abort_code = 3), got = 3'],
    [
      '#[test, expected_failure(abort_code = 3, arithmetic_error)] fun f() {}',
      'expected_failure: expected one kind of failure, got abort_code and arithmetic_error',
    ],
    [
      '#[test, expected_failure(major_status = 4017, vector_error, minor_status = 1)] fun f() {}',
      'expected_failure: expected one kind of failure, got major_status and vector_error',
    ],
  ])('%s is refused', async (declared, message) => {
    const folder = join(home, 'package');
    mkdirSync(join(folder, 'sources'), { recursive: true });
    writeFileSync(join(folder, 'Move.toml'), '[package]\nname = "P"\n');
    writeFileSync(join(folder, 'sources/a.move'), `module 0x1::m { ${declared} }`);
    await expect(compile(folder, { compiler: 'rooch', test: true })).rejects.toMatchObject({
      code: 'malformed-source',
      message: expect.stringContaining(`a.move: line 1: f: ${message}`),
    });
  });
});
