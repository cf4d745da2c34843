/** The program as a shell starts it: what it prints and where, and its exit code. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { serveCommand } from '../../src/cli/serve.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { methodTable } from '../../src/server/rpc/methods.ts';
import { cli, isBuilt, note } from './built.ts';

const { version, scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: number | null;
}

function movelet(...args: string[]): Ended {
  return asked('', ...args);
}

/** With `input` on standard input. */
function asked(input: string, ...args: string[]): Ended {
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', input });
  return { stdout, stderr, status };
}

async function refusalOf(run: Promise<unknown>): Promise<Error> {
  const refusal: unknown = await run.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(Error);
  return refusal as Error;
}

describe.skipIf(!isBuilt)(`movelet${note}`, () => {
  it.each([['--help'], ['-h'], ['help']])('%s names every command', (argument) => {
    const { stdout, stderr, status } = movelet(argument);
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
    for (const name of COMMANDS.keys()) expect(stdout).toMatch(new RegExp(`^ +${name}\\b`, 'm'));
  });

  it('without a command prints the same, and exits as a usage error', () => {
    expect(movelet()).toEqual({ ...movelet('--help'), status: 2 });
  });

  it('--version prints that of the package', () => {
    expect(movelet('--version')).toEqual({ stdout: `${version}\n`, stderr: '', status: 0 });
  });

  it('COMMAND --help prints how the command is used, and runs nothing', () => {
    for (const flag of ['--help', '-h']) {
      expect(movelet('call', 'chain_status', flag)).toEqual({
        stdout: COMMANDS.get('call')!.help(false),
        stderr: '',
        status: 0,
      });
    }
  });

  it('turns the controls of a test node on for stdio and npm start, unless told otherwise', () => {
    const request = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'dev_simulate',
      params: methodTable(['chain'], true).get('dev_simulate')!.row.example,
    });
    expect(JSON.parse(asked(request, 'stdio').stdout)).toHaveProperty('result');
    expect(JSON.parse(asked(request, 'stdio', '--no-dev').stdout)).toMatchObject({ error: { code: -32601 } });
    expect(movelet('serve', '--dev', '--no-dev')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching('not both'),
    });
    expect(scripts.start).toBe('node dist/cli.js serve --dev');
  });

  it.each([
    [['--dev'], ''],
    [['--host', '0.0.0.0'], ''],
    [['--dev', '--host', '0.0.0.0'], /^warning: the controls of a test node \(dev_\*\) are refused.*--dev-exposed/],
    [
      ['--dev', '--dev-exposed', '--allow-host', 'node.example'],
      /^warning: the controls.*anybody who can reach 127\.0\.0\.1/,
    ],
  ] as const)('serve %j says who may use the controls when that is not this machine alone', async (options, said) => {
    const node = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet', ...options]);
    let stderr = '';
    node.stderr.on('data', (text: Buffer) => {
      stderr += text.toString();
    });
    await once(node.stdout, 'data');
    node.kill('SIGTERM');
    const [code] = await once(node, 'close');
    expect(code).toBe(0);
    if (said === '') expect(stderr).toBe('');
    else expect(stderr).toMatch(said);
  });

  it('serve names constants and source lines when given a package', async () => {
    const counter = fileURLToPath(new URL('../../examples/counter', import.meta.url));
    const node = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet', '--dev', '--sources', counter]);
    const [line] = (await once(node.stdout, 'data')) as [Buffer];
    const url = line.toString().trim().replace('listening on ', '');
    const alice = DEV_ACCOUNTS[0]!.address;
    expect(movelet('publish', join(counter, 'counter.mv'), '--url', url).status).toBe(0);
    const { stdout } = movelet('run', `${alice}::counter::add`, `${alice}::counter::Counter`, '0', '--url', url);
    expect(stdout).toContain('aborted with code 1 (ErrorNothingToAdd)');
    expect(stdout).toContain('\n  Adding nothing is a mistake.\n');
    expect(stdout).toContain('in counter::add, sources/counter.move:27, offset 10: Abort');
    node.kill('SIGTERM');
    await once(node, 'exit');
  });

  it('serve answers views on worker threads, and ends with them', async () => {
    const node = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet', '--workers', '1']);
    const [said] = await once(node.stdout, 'data');
    const [url] = /http:\S+/.exec(String(said))!;
    const call = { function_id: '0x3::chain_id::chain_id', ty_args: [], args: [] };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_executeViewFunction', params: [call] });
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(await answer.json()).toMatchObject({ result: { return_values: [{ decoded_value: '4' }] } });
    node.kill('SIGTERM');
    expect(await once(node, 'exit')).toEqual([0, null]);
    expect(movelet('serve', '--workers', '65')).toMatchObject({
      stderr: 'movelet: --workers: expected a whole number up to 64, got 65\n',
      status: 2,
    });
  });

  it('serve answers health and metrics requests when told to', async () => {
    const node = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet', '--metrics', '--health']);
    const [line] = await once(node.stdout, 'data');
    const url = /http:\S+/.exec(String(line))![0];
    expect(await (await fetch(`${url}/health`)).json()).toMatchObject({ status: 'ok' });
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nmovelet_order 0\n');
    node.kill('SIGTERM');
    expect((await once(node, 'exit'))[0]).toBe(0);
  });

  it('distinguishes a command line it does not understand from a command that fails', () => {
    expect(movelet('stauts')).toEqual({
      stdout: '',
      stderr: 'movelet: there is no command stauts; did you mean status?\n',
      status: 2,
    });
    expect(movelet('--port', '5', 'serve')).toEqual({
      stdout: '',
      stderr: 'movelet: options come after the command: movelet COMMAND --port ...\n',
      status: 2,
    });
    expect(movelet('help', 'verfy')).toEqual({
      stdout: '',
      stderr: 'movelet: there is no command verfy; did you mean verify?\n',
      status: 2,
    });
    expect(movelet('status', '--data', '/nowhere')).toEqual({
      stdout: '',
      stderr: 'movelet: /nowhere holds no chain; check the path, or make one: movelet serve --data /nowhere\n',
      status: 1,
    });
  });

  it('takes plain parameters, and shows help on a command in two ways', () => {
    const plain = movelet('call', 'chain_getBalance', '0x3', '0x3::gas_coin::RGas', '--compact', '--memory');
    expect(plain).toEqual(
      movelet('call', 'chain_getBalance', '["0x3","0x3::gas_coin::RGas"]', '--compact', '--memory'),
    );
    expect(JSON.parse(plain.stdout)).toMatchObject({ symbol: 'RGAS', balance: '0' });
    expect(movelet('help', 'verify')).toEqual(movelet('verify', '--help'));
    expect(movelet('completion', 'bash').stdout).toContain('complete -F _movelet movelet');
  });

  it.skipIf(!existsSync('/dev/full'))(
    `fails when its answer cannot be written${existsSync('/dev/full') ? '' : ' (skipped: there is no /dev/full)'}`,
    () => {
      const { stderr, status } = spawnSync(
        'sh',
        ['-c', '"$0" "$1" call chain_getChainID --memory > /dev/full', process.execPath, cli],
        {
          encoding: 'utf8',
        },
      );
      expect({ stderr, status }).toEqual({ stderr: expect.stringMatching(/^movelet: .*ENOSPC/), status: 1 });
    },
  );
});

describe('a command line that is not understood, or names what does not exist', () => {
  it.each([
    [['serve', '--prot', '5'], 2, 'there is no option --prot; did you mean --port?; usage: movelet serve'],
    [['serve', '--port'], 2, '--port: a value is missing'],
    [['serve', '--data', ''], 2, '--data: expected a value, got an empty text'],
    [['serve', '--host='], 2, '--host: expected a value, got an empty text; usage: movelet serve'],
    [['serve', '--cors', 'null', '--cors='], 2, '--cors: expected a value, got an empty text'],
    [['dump', 'FILE', '--data='], 2, '--data: expected a value, got an empty text'],
    [['serve', '--quiet=1'], 2, '--quiet: it takes no value'],
    [['serve', 'extra'], 2, 'expected no argument "extra"; usage: movelet serve'],
    [['serve', '--port', 'x'], 2, '--port: expected a whole number up to 65535, got x'],
    [['serve', '--genesis', '/nowhere'], 1, '--genesis: there is no file or folder /nowhere'],
    [['serve', '--cors', 'nonsense', '--port', '0'], 2, '--cors: expected an origin'],
    [['serve', '--allow-host', 'a/b', '--port', '0'], 2, '--allow-host: expected a host name'],
    [['serve', '--watch', 'zz'], 2, '--watch: expected an address (0x and up to 64 hex digits, rooch1... or a Bitcoin'],
    [['stdio', '--headers-only', '--watch', '0x1'], 2, 'give --headers-only or --watch, not both'],
    [['stdio', '--view-ms-max', '0'], 2, '--view-ms-max: expected a whole number from 1 to 3600000, got 0'],
    [['replay', 'FILE', '--view-ms-max', '0'], 2, '--view-ms-max: expected a whole number from 1 to 3600000, got 0'],
    [
      ['status', '--memory', '--chain', '18446744073709551616'],
      2,
      '--chain: expected local, dev, test, main or a number below 2^64',
    ],
    [['diff', '0', '--limit', '0'], 2, '--limit: expected a whole number from 1 to'],
    [['history', '0x3', '--limit', '0'], 2, '--limit: expected a whole number from 1 to'],
    [['serve', '--bitcoin-rpc-cookie', 'FILE'], 2, '--bitcoin-rpc-cookie needs --bitcoin-rpc URL'],
    [['serve', '--bitcoin-rpc', 'nonsense'], 2, '--bitcoin-rpc: expected http://'],
    [['ingest', '/nowhere'], 1, 'FILE: there is no file or folder /nowhere'],
    [['load', '/nowhere', '--data', '/nowhere'], 1, 'FILE: there is no file or folder /nowhere'],
    [['publish', '/nowhere'], 1, 'FILE: there is no file or folder /nowhere'],
    [['types', '/nowhere'], 1, 'FILE: there is no file or folder /nowhere'],
    [['disassemble', '/nowhere'], 1, 'FILE: there is no file or folder /nowhere'],
    [['call'], 2, 'an argument is missing; usage: movelet call METHOD'],
    [
      ['serve', '--data', 'package.json'],
      2,
      '--data: expected a directory, or a place for one, and package.json is a file',
    ],
    [['run'], 2, 'an argument is missing; usage: movelet run ADDRESS::MODULE::FUNCTION'],
    [
      ['run', 'counter::add'],
      2,
      'FUNCTION: expected ADDRESS::MODULE::FUNCTION, with the address of the package, got counter::add',
    ],
    [['run', '0x3::empty::empty', '--memory'], 2, '--memory: expected a chain that outlives this command'],
    [
      ['run', '0x3::empty::empty', '--url', 'localhost:6767'],
      2,
      '--url: expected http://HOST:PORT, got localhost:6767',
    ],
    [['run', '0x3::empty::empty', '--sender', 'alice'], 2, '--sender: expected an address, or a number from 0 to 9'],
    [['run', '0x3::empty::empty', '--max-gas', 'lots'], 2, '--max-gas: expected a whole number up to'],
    [['run', '0x3::empty::empty', '--sendr', '1'], 2, 'there is no option --sendr; did you mean --sender?'],
    [['view', '0x3::a::b', '--type-args', 'RGas'], 2, '--type-args: expected a primitive type, vector<T> or 0x'],
    [['view', '0x3::gas_coin::balance', '--memory'], 2, '0x3::gas_coin::balance: expected 1 argument (address), got 0'],
    [
      ['view', '0x3::gas_con::balance', '0x1', '--memory'],
      1,
      "there is no module 0x3::gas_con on this chain; did you mean 'gas_coin'?",
    ],
    [
      ['view', '0x3::gas_coin::balnce', '0x1', '--memory'],
      1,
      'module gas_coin has no public or entry function balnce; did you mean balance?',
    ],
    [
      ['object', '0xzz', '--memory'],
      2,
      'OBJECT: expected an object id (0x and hex digits, <address>::<module>::<name>, 32 bytes',
    ],
    [['object', '0x99', '--memory'], 1, 'there is no object 0x99 on this chain'],
    [['history', '0x3', '--memory'], 2, 'there is no option --memory'],
    [['status', '--data', 'docs'], 1, 'docs holds no chain; check the path, or make one: movelet serve --data docs'],
    [['dump', 'FILE'], 2, 'dump: --data DIR is missing'],
    [['call', 'chain_getChainID', '5', '--memory'], 2, 'chain_getChainID takes at most 0 parameters'],
    [['completion', 'tcsh'], 2, 'expected bash, zsh, fish, got tcsh'],
    [['account', 'lst'], 2, 'WHO: expected an address, or a number from 0 to 9 of movelet account list, got lst'],
    [['run', '0x3::a::b', '-1'], 2, 'there is no option -1; arguments that begin with a dash go after --; usage:'],
    [['disassemble', 'package.json'], 1, 'package.json: expected the magic number of Move binaries'],
    [['publish', 'docs'], 2, 'docs: there are no .mv files in this directory, and no Move.toml'],
    [['build', '/nowhere'], 1, 'directory: there is no folder /nowhere'],
    [['test', '/nowhere'], 1, 'directory: there is no folder /nowhere'],
    [['build', 'examples/counter', '--compiler', 'x'], 2, 'there is no option --compiler'],
  ] as const)('is refused by name: %j', async ([name, ...args], status, said) => {
    const refusal = await refusalOf(COMMANDS.get(name)!.run(args));
    // The program has its exit code from the class of the error, and its line from the first of the message: see above.
    expect(refusal.constructor === UsageError).toBe(status === 2);
    expect(refusal.message.split('\n')[0]!.slice(0, said.length)).toBe(said);
  });
});

describe('an option that selects what a server answers', () => {
  it.each([
    [['--wire', 'old'], '--wire: expected chain or rooch, got old'],
    [['--list-states', 'C'], '--list-states: expected object or keyed, got C'],
    [['--namespaces', 'chain,btc'], '--namespaces: expected chain, rooch or both, got btc'],
  ])('is refused when it is not one of the choices: %j', async (args, message) => {
    const refused = serveCommand.run(args);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
  });
});
