/** What a shell completes, according to the shell itself where it is installed. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands.ts';
import { completionScript } from '../../src/cli/completion.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories()();

const commands = [...COMMANDS.values()];
const has = (shell: string): boolean => spawnSync(shell, ['-c', 'exit 0']).status === 0;
const unless = (shell: string): string => (has(shell) ? '' : ` (skipped: there is no ${shell})`);

/** What bash offers for the last word. */
function bash(...words: string[]): string[] {
  const script = join(directory, 'movelet.bash');
  writeFileSync(script, completionScript('bash', commands));
  const line = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _movelet; printf '%s\\n' "\${COMPREPLY[@]}"`;
  // Any shell has this locale, and warns of others that it does not have.
  const env = { ...process.env, LC_ALL: 'C' };
  const { stdout, stderr, status } = spawnSync('bash', ['--norc', '-c', line, script, 'movelet', ...words], {
    encoding: 'utf8',
    cwd: directory,
    env,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.split('\n').filter((word) => word !== '');
}

describe.skipIf(!has('bash'))(`completion in bash${unless('bash')}`, () => {
  it('offers commands, and commands to help', () => {
    expect(bash('')).toEqual([...COMMANDS.keys(), 'help'].sort());
    expect(bash('st')).toEqual(['status', 'stdio']);
    expect(bash('help', 'ver')).toEqual(['verify']);
  });

  it('offers the options of a command and no others', () => {
    for (const { name, options } of commands) {
      expect(bash(name, '--').sort()).toEqual(
        [...Object.keys(options).map((option) => `--${option}`), '--help'].sort(),
      );
    }
  });

  it('offers values, methods, words, files and directories', () => {
    writeFileSync(join(directory, 'block.dat'), '');
    expect(bash('serve', '--durability', '')).toEqual(['fsync', 'os']);
    expect(bash('serve', '--port', '')).toEqual([]);
    expect(bash('call', 'chain_getBal')).toEqual(['chain_getBalance', 'chain_getBalances']);
    expect(bash('account', '')).toEqual(['list']);
    expect(bash('completion', 'z')).toEqual(['zsh']);
    expect(bash('ingest', 'blo')).toEqual(['block.dat']);
    expect(bash('serve', '--data', 'blo')).toEqual([]);
  });
});

describe.each(['zsh', 'fish'] as const)('completion in %s', (shell) => {
  it('names every command, option and value', () => {
    const script = completionScript(shell, commands);
    for (const { name, options } of commands) {
      expect(script).toContain(name);
      for (const option of Object.keys(options))
        expect(script).toContain(shell === 'zsh' ? `--${option}` : `-l ${option}`);
    }
    expect(script).toContain('fsync os');
  });

  it.skipIf(!has(shell))(`is read without a complaint${unless(shell)}`, () => {
    const script = join(directory, `movelet.${shell}`);
    writeFileSync(script, completionScript(shell, commands));
    const { stderr, status } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  });
});
