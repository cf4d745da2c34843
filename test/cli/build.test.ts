/** movelet build and movelet publish of a package in sources. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { buildCommand } from '../../src/cli/packages.ts';
import { publishCommand } from '../../src/cli/submit.ts';
import { testCommand } from '../../src/cli/test.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';
import { ran } from './ran.ts';

const temporary = temporaryDirectories();
/** Has coins. */
const alice = DEV_ACCOUNTS[0]!.address;

/** A package of one module, whose function returns a number. */
function packageThat(returns: string): string {
  const folder = temporary();
  mkdirSync(join(folder, 'sources'), { recursive: true });
  writeFileSync(join(folder, 'Move.toml'), '[package]\nname = "P"\n');
  write(folder, returns);
  return folder;
}

/** Changes what the package's function returns. */
const write = (folder: string, returns: string): void =>
  replace(join(folder, 'sources/m.move'), `module ${alice}::m { public fun f(): u64 { ${returns} } }`);

/** At once: who watches the file would take the moments in which it is emptied and written for two changes. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

describe('--warnings-as-errors', () => {
  it.each([
    ['build', buildCommand, []],
    ['test', testCommand, []],
    ['publish', publishCommand, ['--data', 'nowhere']],
  ] as const)('makes movelet %s refuse what it warns of', async (_name, command, more) => {
    const folder = packageThat('let x = 1; 2');
    const refused = ran(command, folder, '--warnings-as-errors', ...more);
    await expect(refused).rejects.toMatchObject({
      code: 'compile-failed',
      message: 'P has warnings (--warnings-as-errors)',
    });
    expect(existsSync(join(folder, 'build'))).toBe(false);
  });

  it('without it, warnings are counted on standard error and nothing fails', async () => {
    const { code, err } = await ran(buildCommand, packageThat('let x = 1; let y = 2; 3'));
    expect(code).toBe(0);
    expect(err).toContain('warning[W09003]: unused assignment\n  sources/m.move:1:');
    expect(err).toMatch(/\n\n2 warnings\n$/);
    expect((await ran(buildCommand, packageThat('1'), '--warnings-as-errors')).code).toBe(0);
  });
});

describe.skipIf(!isBuilt)(`--watch${note}`, () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0)) {
      child.kill('SIGINT');
      await once(child, 'close');
    }
  });

  /** Starts a command, and gives what it has written. */
  function started(...args: string[]): () => string {
    const child = spawn(process.execPath, [cli, ...args]);
    children.push(child);
    let written = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        written += text;
      });
    }
    return () => written;
  }

  it('builds again when a source changes, its own or a dependency’s, and says what is wrong meanwhile', async () => {
    const used = packageThat('1');
    const folder = temporary();
    mkdirSync(join(folder, 'sources'));
    const needs = `[dependencies]\nP = { local = ${JSON.stringify(used)} }\n`;
    writeFileSync(join(folder, 'Move.toml'), `[package]\nname = "Q"\n${needs}`);
    writeFileSync(join(folder, 'sources/q.move'), `module 0x42::q { public fun g(): u64 { ${alice}::m::f() } }`);
    const written = started('build', folder, '--watch');
    const waits = (times: number) =>
      expect.poll(() => written().split('waiting for a change of the sources').length - 1).toBe(times);
    await waits(1);
    const built = readFileSync(join(folder, 'build/q.mv'));
    write(used, 'true');
    await waits(2);
    // Errors come over another stream than what is waited for.
    await expect.poll(written).toContain('error[E04007]');
    expect(readFileSync(join(folder, 'build/q.mv'))).toEqual(built);
    write(used, '2');
    await waits(3);
    replace(join(folder, 'sources/q.move'), `module 0x42::q { public fun g(): u64 { ${alice}::m::f() + 1 } }`);
    await waits(4);
    expect(readFileSync(join(folder, 'build/q.mv'))).not.toEqual(built);
    // What it writes itself is no change.
    const { mtimeMs } = statSync(join(folder, 'build/q.mv'));
    await new Promise((done) => setTimeout(done, 300));
    expect(statSync(join(folder, 'build/q.mv')).mtimeMs).toBe(mtimeMs);
  });

  it('publishes an upgrade when the bytecode changes', async () => {
    const folder = packageThat('1');
    const data = temporary();
    await (await Engine.open({ store: data })).close();
    const written = started('publish', folder, '--watch', '--data', data);
    const says = (text: string, times: number) =>
      expect.poll(() => written().split(text).length - 1, { message: text }).toBe(times);
    await says('waiting for a change', 1);
    replace(join(folder, 'sources/m.move'), `// A comment.\nmodule ${alice}::m { public fun f(): u64 { 1 } }`);
    await says('the bytecode is the same: nothing to publish', 1);
    write(folder, '2');
    await says('waiting for a change', 3);
    const copy = temporary();
    cpSync(data, copy, { recursive: true });
    await using engine = await Engine.open({ store: copy });
    expect(engine.view({ function: `${alice}::m::f` })).toEqual([2n]);
  });
});
