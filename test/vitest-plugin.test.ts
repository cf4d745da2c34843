/** The door `movelet/vitest-plugin`: Vitest runs in a process of its own, in a folder where `movelet` is the built package. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { type MoveletOptions, movelet } from '../src/testing/vitest-plugin.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli.js');
const isBuilt = existsSync(join(root, 'dist/testing/vitest-plugin.js'));
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const env = { ...process.env, NO_COLOR: '1', CI: '', VITEST: undefined };

/** Has coins. */
const alice = DEV_ACCOUNTS[0]!.address;

const SOURCE = `module limits::limits {
  const ErrorTooMany: u64 = 7;

  public entry fun check(count: u64) {
    assert!(count <= 10, ErrorTooMany);
    let doubled = count * 2;
    assert!(doubled > 2, 8);
  }

  public fun never(): u64 {
    1
  }

  #[test]
  fun few() { check(5); }

  #[test]
  #[expected_failure(abort_code = ErrorTooMany)]
  fun many() { check(11); }
}
`;
const TEST = `import { expect, testOn } from 'movelet/vitest';
import limits from './package/Move.toml';

const alice = '${alice}';
const test = testOn({ prepare: (engine) => engine.publish(alice, limits) });
const check = (count) => ({ function: alice + '::limits::check', arguments: [count] });

test('few', async ({ engine }) => {
  expect(await engine.executeAs(alice, check(5n))).toBeExecuted();
});
test('many', async ({ engine }) => {
  const receipt = await engine.executeAs(alice, check(11n));
  expect(receipt).toAbortWith('ErrorTooMany');
  expect(receipt.failure?.source).toBe('sources/limits.move:5');
});
`;

let folder = '';
beforeEach(() => {
  mkdirSync(join(root, 'build'), { recursive: true });
  folder = mkdtempSync(join(root, 'build', 'vitest-plugin-'));
  write({
    'package/Move.toml': '[package]\nname = "Limits"\n[addresses]\nlimits = "_"\n',
    'package/sources/limits.move': SOURCE,
    'limits.test.js': TEST,
    'other.test.js': "import { test } from 'vitest';\ntest('something else', () => {});\n",
    'vitest.config.mjs': config(''),
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    // In one step: Vitest would also run with a file that is emptied, and not written yet.
    writeFileSync(`${folder}.new`, text);
    renameSync(`${folder}.new`, join(folder, path));
  }
}

const config = (option: string): string => `import { movelet } from 'movelet/vitest-plugin';
export default { plugins: [movelet({ addresses: { limits: '${alice}' }, ${option} })], test: { testTimeout: 600_000, hookTimeout: 600_000 } };
`;

describe.skipIf(!isBuilt)(`a test that imports a package${note}`, () => {
  it('is run again when a source of it changes, comes or goes; errors of sources are those of the import', async () => {
    const child = spawn(process.execPath, [vitest, 'watch', '--root', folder], { cwd: folder, env });
    let written = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        written += text;
      });
    }
    /** Waits until all of these were written, in any order: they come over two streams. */
    const says = async (...texts: readonly RegExp[]): Promise<void> => {
      const missing = () => texts.filter((text) => !text.test(written));
      await expect.poll(missing).toEqual([]);
      written = '';
    };
    try {
      await says(/Tests {2}3 passed/, /Waiting for file changes/);
      write({ 'package/sources/limits.move': SOURCE.replace('ErrorTooMany: u64 = 7', 'ErrorOther: u64 = 7') });
      await says(
        /Limits does not compile:\n\nerror\[E03005\][\s\S]*sources\/limits\.move:5:/,
        /Watching for file changes/,
      );
      write({ 'package/sources/limits.move': SOURCE.replace('count <= 10', 'count <= 11') });
      await says(/toAbortWith/, /Tests {2}1 failed \| 1 passed/, /Watching/);
      write({ 'package/sources/limits.move': SOURCE });
      await says(/Tests {2}2 passed/, /Waiting for file changes/);
      write({ 'package/sources/more.move': 'module limits::more { fun f( }' });
      await says(/Limits does not compile[\s\S]*sources\/more\.move:1:30/, /Watching for file changes/);
      rmSync(join(folder, 'package/sources/more.move'));
      await says(/Tests {2}2 passed/, /Waiting for file changes/);
    } finally {
      child.kill();
      await once(child, 'close');
    }
  });

  it('has the coverage that the same calls of tests in Move have', () => {
    write({ 'vitest.config.mjs': config("coverage: 'coverage/move.lcov'") });
    const run = (args: string[], cwd = folder) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8', env });
      expect(status, stdout + stderr).toBe(0);
    };
    run([cli, 'test', 'package', '--address', `limits=${alice}`, '--lcov', 'expected.lcov']);
    const expected = readFileSync(join(folder, 'expected.lcov'), 'utf8');
    expect(expected).toContain('SF:package/sources/limits.move\n');
    expect(expected).toMatch(/^DA:5,2\nDA:6,1\n/m);
    run([vitest, 'run', '--root', folder], root);
    expect(readFileSync(join(folder, 'coverage/move.lcov'), 'utf8')).toBe(expected);
    // Files that share a thread: each counts for itself.
    write({
      'vitest.config.mjs': config("coverage: 'coverage/move.lcov'").replace(
        'test: {',
        'test: { isolate: false, maxWorkers: 1, ',
      ),
    });
    run([vitest, 'run', '--root', folder]);
    expect(readFileSync(join(folder, 'coverage/move.lcov'), 'utf8')).toBe(expected);
  });

  it('has a table of the gas by function, and fails if that differs by more than it may', () => {
    const source = (work: number): string => `module limits::limits {
  public entry fun spin(count: u64) {
    assert!(count > 0, 1);
    let i = 0;
    while (i < count * ${work}) i = i + 1;
  }
  public entry fun idle() {}
}
`;
    const test = (name: string, counts: string): string => `import { writeFileSync } from 'node:fs';
import { expect, testOn } from 'movelet/vitest';
import limits from './package/Move.toml';

const alice = '${alice}';
const test = testOn({ prepare: (engine) => engine.publish(alice, limits) });
test('spins', async ({ engine }) => {
  const used = [];
  for (const count of [${counts}]) {
    const receipt = await engine.executeAs(alice, { function: alice + '::limits::spin', arguments: [count] });
    if (count > 0n) used.push(receipt.gasUsed);
  }
  writeFileSync(new URL('${name}.json', import.meta.url), JSON.stringify(used.map(Number)));
});
`;
    write({
      'package/sources/limits.move': source(10),
      'limits.test.js': test('one', '300n, 100n, 0n'),
      'spin.test.js': test('two', '200n'),
    });
    const run = (option: string, ...args: string[]) => {
      write({ 'vitest.config.mjs': config(`gas: 'kept/gas.txt', ${option}`) });
      const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, 'run', '--root', folder, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env,
      });
      return { status, written: stdout + stderr };
    };
    const file = (): string => readFileSync(join(folder, 'kept/gas.txt'), 'utf8');
    const used = (name: string): number[] => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
    const line = (): string => {
      const [[most, least], [middle]] = [used('one'), used('two')];
      return `limits::spin  calls 3, min ${least}, median ${middle}, max ${most}\n`;
    };
    expect(run('')).toMatchObject({ status: 0 });
    const first = file();
    expect(first).toBe(line());
    // Another run has the same gas, and a part of the tests says nothing about the rest.
    expect(run('gasTolerance: 0').status).toBe(0);
    expect(run('', 'spin.test.js').status).toBe(0);
    expect(file()).toBe(first);

    write({ 'package/sources/limits.move': source(11) });
    const median = `median ${/median (\d+)/.exec(first)![1]} -> `;
    const failed = run('gasTolerance: 0.001');
    expect(failed.status, failed.written).toBe(1);
    expect(failed.written).toContain(`Gas that differs from kept/gas.txt:\n  limits::spin: `);
    expect(failed.written).toContain(median);
    expect(file()).toBe(first);
    expect(run('gasTolerance: 0.5').status).toBe(0);
    expect(file()).toBe(first);
    expect(run('gasTolerance: 0.001', '--update').status).toBe(0);
    expect(file()).toBe(line());
    expect(file()).not.toBe(first);
  });

  it('is tested without setup files unless something is counted', () => {
    const configured = (options: MoveletOptions): unknown =>
      (movelet(options).config as unknown as () => unknown).call(undefined);
    expect(configured({})).toBeUndefined();
    expect(configured({ gas: 'gas.txt' })).toBeDefined();
  });
});
