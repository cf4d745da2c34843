/** The tests of examples/counter, from the bytecode in `tested`, which `movelet build --test` made of its sources. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { buildCommand, modulesAt, typesCommand } from '../../src/cli/packages.ts';
import { testCommand } from '../../src/cli/test.ts';
import { compile } from '../../src/compile/index.ts';
import type { TestedPackage } from '../../src/compile/unit-test/tested-package.ts';
import { withExterns } from '../execution/runtime/externs.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { assembleModuleBytes } from '../vm/assemble.ts';
import { ran } from './ran.ts';

const counter = fileURLToPath(new URL('../../examples/counter', import.meta.url));
const tested = join(counter, 'tested');

const temporary = temporaryDirectories();
let home = '';
beforeEach(() => {
  home = temporary();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

async function run(
  command: typeof testCommand,
  ...args: string[]
): Promise<{ code: number; lines: string[]; err: string }> {
  const { code, out, err } = await ran(command, ...args);
  return { code, lines: out.trimEnd().split('\n'), err };
}

/** A copy of the tests with a changed list. */
function changed(change: (tests: TestedPackage) => unknown): string {
  cpSync(tested, home, { recursive: true });
  const path = join(home, 'unit-tests.json');
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, 'utf8')) as TestedPackage)));
  return home;
}

describe('movelet test', () => {
  it('runs every test alone, and knows each form of an expected failure', async () => {
    const { code, lines } = await run(testCommand, tested);
    expect(code).toBe(0);
    expect(lines.at(-1)).toBe('10 passed, 0 failed');
    expect(lines.slice(0, 2)).toEqual(['pass  0x12f107..488b::counter_tests::everybody_adds', '      printed: 12']);
  });

  it('lists and filters by name, and says what tests used and called', async () => {
    const listed = await run(testCommand, tested, '--list', '--filter', 'overflow');
    expect(listed).toEqual({
      code: 0,
      err: '',
      lines: [expect.stringMatching(/^0x12f1.{60}::counter_tests::it_does_not_overflow$/)],
    });
    const { code, lines } = await run(testCommand, tested, '--filter', 'it_begins', '--gas', '--coverage');
    expect(code).toBe(0);
    expect(lines[0]).toMatch(/^pass {2}0x12f107\.\.488b::counter_tests::it_begins_at_zero {2}gas \d+$/);
    expect(lines.slice(1)).toEqual([
      '1 passed, 0 failed',
      '0x12f107..488b::counter  3 of 4 functions, 4 of 8 lines; never called: add',
      '      not run: sources/counter.move:27-30',
      '0x12f107..488b::counter_tests  0 of 1 functions, 0 of 2 lines; never called: add',
      '      not run: tests/counter_tests.move:11-12',
    ]);
    expect((await run(testCommand, tested, '--filter', 'absent')).code).toBe(1);
  });

  it('says which lines of a function ran before it failed', async () => {
    const { lines } = await run(testCommand, tested, '--filter', 'nothing_cannot', '--coverage');
    expect(lines.slice(2)).toEqual([
      '0x12f107..488b::counter  3 of 4 functions, 3 of 8 lines; never called: value',
      '      not run: sources/counter.move:28-35',
      '0x12f107..488b::counter_tests  1 of 1 functions, 2 of 2 lines',
    ]);
  });

  // Counted by hand in the sources: six tests make a counter, and four call `add`, six times; two of these calls fail
  // before line 28, one in line 29.
  it('writes how often each line ran, for other tools', async () => {
    const path = join(home, 'lcov.info');
    const { code, lines } = await run(testCommand, tested, '--lcov', path);
    expect([code, lines.at(-1)]).toEqual([0, '10 passed, 0 failed']);
    const [ofCounter = '', ofTests = ''] = readFileSync(path, 'utf8').split('end_of_record\n');
    const ran = ['DA:23,6', 'DA:27,6', 'DA:28,4', 'DA:29,4', 'DA:30,3', 'DA:34,4', 'DA:35,4', 'DA:41,6'];
    const functions = [
      'FN:27,add',
      'FN:23,init',
      'FN:41,init_for_test',
      'FN:34,value',
      'FNDA:6,add',
      'FNDA:6,init',
      'FNDA:6,init_for_test',
      'FNDA:4,value',
      'FNF:4',
      'FNH:4',
    ];
    const source = relative('', join(counter, 'sources/counter.move'));
    expect(ofCounter.split('\n')).toEqual(['TN:', `SF:${source}`, ...functions, ...ran, 'LF:8', 'LH:8', '']);
    expect(ofTests).toContain('counter/tests/counter_tests.move\nFN:11,add\nFNDA:6,add\n');
  });

  it('counts functions alone where there is no source map', async () => {
    const folder = changed((file) => ({ ...file, modules: file.modules.map(({ lines: _, ...module }) => module) }));
    const path = join(home, 'lcov.info');
    const { lines } = await run(testCommand, folder, '--filter', 'nothing_cannot', '--coverage', '--lcov', path);
    expect(lines.slice(2)).toEqual([
      '0x12f107..488b::counter  3 of 4 functions; never called: value',
      '0x12f107..488b::counter_tests  1 of 1 functions',
    ]);
    expect(readFileSync(path, 'utf8')).toBe('');
  });

  // The command of the build: from the sources, every class is loaded once.
  it('knows the failure of an object that is not there as one of the test, not of the command', async () => {
    const lookup = `module 0x42::lookup
      struct Box has key { value: u64 }
      fun looks() { LdU64 7; Call 0x2::object::custom_object_id<u64, Box>; Call 0x2::object::borrow_object<Box>; Pop; Ret }
    `;
    writeFileSync(join(home, 'lookup.mv'), assembleModuleBytes(withExterns(lookup)));
    const test = { module: '0x42::lookup', name: 'looks', arguments: [], path: 'sources/lookup.move', line: 1 };
    const tests = [test, { ...test, expected: { status: 'ABORTED', abortCode: '2' } }];
    const modules = [{ address: '0x42', name: 'lookup', constants: {} }];
    writeFileSync(join(home, 'unit-tests.json'), JSON.stringify({ name: 'Lookup', modules, tests }));
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
    const { stdout, stderr } = spawnSync(process.execPath, [cli, 'test', home], { encoding: 'utf8' });
    expect(stderr).toBe('');
    expect(stdout).toContain('aborted with code 2');
    expect(stdout).toContain('1 passed, 1 failed');
  });

  it('reruns when something changes, until it is interrupted', async () => {
    const folder = changed((file) => file);
    const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
    const child = spawn(process.execPath, [cli, 'test', folder, '--watch', '--filter', 'begins']);
    let written = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
    const says = (text: string) => expect.poll(() => written.split('\n')).toContain(text);
    await says('waiting for a change of the sources; Ctrl-C ends');
    expect(written).toContain('1 passed, 0 failed\n');
    changed((file) => ({ ...file, tests: file.tests.map((test) => ({ ...test, expected: {} })) }));
    await says('      expected a failure; it succeeded');
    child.kill('SIGINT');
    const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
    expect([code, signal]).toEqual([null, 'SIGINT']);
  });

  it('says what happened in a failed test, by name and line', async () => {
    const folder = changed((file) => ({
      ...file,
      tests: file.tests.map(({ expected: _, ...test }) => test),
    }));
    const { code, lines } = await run(testCommand, folder, '--filter', 'nothing_cannot');
    expect(code).toBe(1);
    expect(lines).toEqual([
      'FAIL  0x12f107..488b::counter_tests::nothing_cannot_be_added',
      '      it failed',
      '      aborted with code 1 (ErrorNothingToAdd) in 0x12f107..488b::counter: Adding nothing is a mistake.',
      '        at 0x12f107..488b::counter::add, sources/counter.move:27',
      '        at 0x12f107..488b::counter_tests::add, tests/counter_tests.move:12',
      '        at 0x12f107..488b::counter_tests::nothing_cannot_be_added, tests/counter_tests.move:40',
      '0 passed, 1 failed',
    ]);
  });

  it('says it in the framework’s words if that aborted', async () => {
    const called = { module: '0x2::core_addresses', name: 'assert_system_reserved', arguments: ['0x42'] };
    const { lines } = await run(
      testCommand,
      changed((file) => ({ ...file, tests: [called] })),
    );
    const words =
      'aborted with code 2 (ErrorNotSystemReservedAddress) in 0x2::core_addresses: The address is none of 0x1 to 0xa.';
    expect(lines[2]).toBe(`      ${words}`);
  });

  it('says that genesis has not run if the framework aborted and the test ran none', async () => {
    const toml = '[package]\nname = "P"\n[addresses]\np = "0x42"\n[dependencies]\nRoochFramework = {}\n';
    writeFileSync(join(home, 'Move.toml'), toml);
    mkdirSync(join(home, 'tests'));
    const source = `module p::tests {
      use rooch_framework::gas_coin;
      use rooch_framework::genesis;
      #[test] fun without() { gas_coin::faucet_for_test(@0x42, 1); }
      #[test] fun with() { genesis::init_for_test(); gas_coin::faucet_for_test(@0x42, 1); abort 7 }
      #[test(a = @0x42)] fun refused(a: signer) { genesis::init_for_test(); moveos_std::core_addresses::assert_system_reserved(&a); }
    }`;
    writeFileSync(join(home, 'tests', 'tests.move'), source);
    const { lines } = await run(testCommand, home);
    expect(lines.filter((line) => line.includes('init_for_test()'))).toEqual([
      expect.stringMatching(
        /^ {6}no genesis and no init has run .*, call rooch_framework::genesis::init_for_test\(\) first$/,
      ),
      '             #[test] fun with() { genesis::init_for_test(); gas_coin::faucet_for_test(@0x42, 1); abort 7 }',
      '             #[test(a = @0x42)] fun refused(a: signer) { genesis::init_for_test(); moveos_std::core_addresses::assert_system_reserved(&a); }',
    ]);
  });

  it.each([
    [{ status: 'ABORTED', abortCode: '2' }, 'expected an abort with code 2; it failed otherwise'],
    [
      { status: 'ABORTED', abortCode: '1', location: '0x1::vector' },
      'expected an abort with code 1 in 0x1::vector; it failed otherwise',
    ],
    [{ status: 'OUT_OF_GAS' }, 'expected OUT_OF_GAS; it failed otherwise'],
    [{ status: 'ABORTED', minorStatus: '5' }, 'expected ABORTED with minor status 5; it failed otherwise'],
  ])('fails a test that failed in a way other than %j', async (expected, complaint) => {
    const folder = changed((file) => ({ ...file, tests: file.tests.map((test) => ({ ...test, expected })) }));
    const { code, lines } = await run(testCommand, folder, '--filter', 'nothing_cannot');
    expect([code, lines[1]]).toEqual([1, `      ${complaint}`]);
  });

  it('fails a test that did not fail, and one that needs more gas than it may use', async () => {
    const folder = changed((file) => ({
      ...file,
      tests: file.tests.map((test) => (test.name === 'it_begins_at_zero' ? { ...test, expected: {} } : test)),
    }));
    const { lines } = await run(testCommand, folder, '--filter', 'it_begins');
    expect(lines[1]).toBe('      expected a failure; it succeeded');
    const poor = await run(testCommand, tested, '--filter', 'everybody', '--max-gas', '1000');
    expect([poor.code, poor.lines[2]]).toEqual([1, '      OUT_OF_GAS: the gas budget is used up']);
  });

  it.each([
    [['--filter'], /--filter: a value is missing/],
    [['--address', 'counter'], /--address: expected NAME=ADDRESS, got counter/],
  ])('refuses %j', async (args, message) => {
    const call = testCommand.run([counter, ...args]);
    await expect(call).rejects.toBeInstanceOf(UsageError);
    await expect(call).rejects.toThrow(message);
  });

  it('says that a file is not its own', async () => {
    writeFileSync(join(home, 'unit-tests.json'), '{}');
    await expect(testCommand.run([home])).rejects.toThrow('unit-tests.json: expected name, modules and tests');
  });
});

describe('modules on a command line', () => {
  it('are those of a package, compiled, if a folder has no modules', async () => {
    const folder = join(home, 'package');
    for (const part of ['sources', 'tests']) cpSync(join(counter, part), join(folder, part), { recursive: true });
    const frameworkElsewhere = '[dependencies]\nMoveosStdlib = { git = "https://example.org" }\n';
    writeFileSync(
      join(folder, 'Move.toml'),
      `[package]\nname = "Counter"\n[addresses]\ncounter = "_"\n${frameworkElsewhere}`,
    );
    const addresses = { counter: '0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b' };
    const modules = await modulesAt(folder, (path) => compile(path, { addresses, test: true }));
    const files = ['counter.mv', 'counter_tests.mv'].map((name) => readFileSync(join(tested, name)));
    expect(modules.map((code) => Buffer.from(code))).toEqual(files);
    await expect(testCommand.run([folder])).rejects.toThrow(
      '--address: expected an address for counter, which Move.toml leaves open',
    );
  });
});

describe('movelet types', () => {
  it('calls parameters as the sources of a package do', async () => {
    const folder = join(home, 'package');
    for (const part of ['sources', 'Move.toml']) cpSync(join(counter, part), join(folder, part), { recursive: true });
    const { lines } = await run(typesCommand, folder, '--out', home);
    const path = lines.find((line) => line.endsWith('counter.ts'))!;
    expect(readFileSync(path, 'utf8')).toContain('add: (counter: movelet.ObjectIdInput, amount: movelet.IntegerInput)');
  });
});

describe('movelet build', () => {
  it('warns of an init that publishing refuses', async () => {
    mkdirSync(join(home, 'sources'));
    writeFileSync(join(home, 'Move.toml'), '[package]\nname = "P"\n[addresses]\np = "0x42"\n');
    writeFileSync(join(home, 'sources', 'm.move'), 'module p::m { fun init(_a: u64) {} }');
    const { code, err } = await run(buildCommand, home);
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: .*m::init takes something other than a signer: movelet publish refuses it\n$/);
  });

  it('writes modules as movelet publish takes them, and with --test what movelet test takes', async () => {
    const out = join(home, 'out');
    const { code, lines } = await run(buildCommand, counter, '--test', '--out', out);
    expect([code, lines]).toEqual([
      0,
      readdirSync(out)
        .sort()
        .map((name) => join(out, name)),
    ]);
    for (const name of ['counter.mv', 'counter_tests.mv']) {
      expect(readFileSync(join(out, name)).equals(readFileSync(join(tested, name)))).toBe(true);
    }
    const { tests, directory } = JSON.parse(readFileSync(join(out, 'unit-tests.json'), 'utf8')) as TestedPackage;
    expect(resolve(out, directory!)).toBe(counter);
    expect(tests).toEqual((JSON.parse(readFileSync(join(tested, 'unit-tests.json'), 'utf8')) as TestedPackage).tests);
  });

  it('names modules of an earlier build, which movelet publish would take with the others', async () => {
    const out = join(home, 'out');
    const build = () => run(buildCommand, counter, '--test', '--out', out);
    expect((await build()).err).not.toContain('also has');
    writeFileSync(join(out, 'renamed.mv'), '');
    const { code, err } = await build();
    expect(code).toBe(0);
    expect(err).toContain(`${out} also has renamed.mv, which this build did not write`);
    expect(readdirSync(out)).toContain('renamed.mv');
  });
});
