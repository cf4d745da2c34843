/** movelet publish, run and account: what they send, what they say about it, and how they exit. */

import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { accountCommand } from '../../src/cli/account.ts';
import { UsageError } from '../../src/cli/arguments.ts';
import { publishCommand, runCommand } from '../../src/cli/submit.ts';
import { DEV_ACCOUNTS, Engine, toBech32 } from '../../src/index.ts';
import { structTag } from '../../src/move/type-tag.ts';
import { packageData } from '../../src/pipeline/publish.ts';
import { formatObjectId, namedObjectId, parseAddress } from '../../src/query/transaction-builder.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { payment } from '../payment.ts';
import { assembleFor } from '../pipeline/contract.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { type Ran, ran } from './ran.ts';

const [ALICE, BOB] = DEV_ACCOUNTS as readonly [(typeof DEV_ACCOUNTS)[0], (typeof DEV_ACCOUNTS)[0]];
/** The address of an account whose key nobody here has. */
const STRANGER = `0x${'77'.repeat(32)}`;
const COUNTER_MODULE = fileURLToPath(new URL('../../examples/counter/counter.mv', import.meta.url));
const COUNTER = formatObjectId(namedObjectId(structTag(parseAddress(ALICE.address), 'counter', 'Counter')));
const ADD = `${ALICE.address}::counter::add`;
const TRANSFER = ['0x3::transfer::transfer_coin', '--type-args', '0x3::gas_coin::RGas'];

const temporary = temporaryDirectories();
const directory = temporary();
const engine = await Engine.open();
const server = await serveHttp(createRpc(engine), { port: 0 });
afterAll(async () => {
  await server.close();
  await engine.close();
});

const run = (...args: string[]): Promise<Ran> => ran(runCommand, ...args);
const publish = (...args: string[]): Promise<Ran> => ran(publishCommand, ...args);
const accounts = (...args: string[]): Promise<Ran> => ran(accountCommand, ...args);

function file(name: string, content: Uint8Array | string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

describe('at the URL of a node without controls', () => {
  const at = (): string[] => ['--url', server.url];

  it('a contract is published, called, misused and upgraded', async () => {
    const published = await publish(COUNTER_MODULE, ...at());
    expect(published.code).toBe(0);
    expect(published.out).toMatch(/^transaction 1 executed: .* by account 0, gas \d+\n/);
    // What may be named next is whole; what the framework did is a line.
    expect(published.out).toMatch(
      new RegExp(`\n {2}around it: .*\n(?:created counter::Counter ${COUNTER}\n)hash 0x[0-9a-f]{64}\n$`),
    );
    const added = await run(ADD, COUNTER, '7', ...at(), '--sender', '1');
    expect(added.code).toBe(0);
    expect(added.out.replace(/gas \d+|0x[0-9a-f]{64}/g, 'N')).toBe(
      [
        'transaction 2 executed: counter::add by account 1, N',
        '  event counter::Added {"by":"account 1","amount":"7","value":"7"}',
        `  modified counter::Counter ${COUNTER.slice(0, 8)}..${COUNTER.slice(-4)} {"value":"7"}`,
        '  around it: 9 events, 11 changes (--json)',
        'hash N\n',
      ].join('\n'),
    );
    const failed = await run(ADD, COUNTER, '0', ...at());
    expect(failed.code).toBe(1);
    expect(failed.out).toMatch(
      /^transaction 3 failed: counter::add by account 0, gas \d+\n {2}aborted with code 1\n {4}in counter::add, offset 10: Abort\n/,
    );
    expect((await publish(COUNTER_MODULE, ...at())).code).toBe(0);
    expect(engine.tryView({ function: `${ALICE.address}::counter::value` }).returned).toEqual([7n]);
    expect(engine.head.order).toBe(4n);
  });

  it('a dry run says what would happen, and writes nothing', async () => {
    const { order } = engine.head;
    const [good, bad] = [
      await run(...TRANSFER, '0x42', '5', ...at(), '--dry-run'),
      await run(...TRANSFER, '0x42', (10n ** 30n).toString(), ...at(), '--dry-run', '--sender', '1'),
    ];
    expect(good.code).toBe(0);
    expect(good.out).toMatch(
      /^dry run, nothing is written: executed: 0x3::transfer::transfer_coin by account 0, gas \d+\n/,
    );
    expect(bad.code).toBe(1);
    expect(bad.out).toMatch(
      /^dry run, nothing is written: failed: .*\n {2}aborted with code 3 \(ErrorInsufficientBalance\)\n/,
    );
    expect(engine.head.order).toBe(order);
  });

  it('--json is the answer of the node, digit for digit', async () => {
    const { out } = await run(...TRANSFER, '0x42', '5', ...at(), '--json');
    const { execution_info: info, output } = JSON.parse(out);
    const record = engine.transactions.get(engine.head.order);
    expect(info.tx_hash).toBe(String(record?.executionInfo.txHash));
    expect(output.events.length).toBeGreaterThan(0);
  });

  it('a refused transaction is distinguished from a kept one', async () => {
    const { order } = engine.head;
    await expect(run(...TRANSFER, '0x42', '5', ...at(), '--max-gas', '5')).rejects.toMatchObject({
      code: 'transaction-rejected',
      message: 'refused, nothing was written: the gas budget is used up: raise --max-gas',
    });
    expect(engine.head.order).toBe(order);
  });

  it('sending for an account requires its key', async () => {
    const sent = run(...TRANSFER, '0x42', '5', ...at(), '--sender', STRANGER);
    await expect(sent).rejects.toThrow(`the key of ${STRANGER} is not known here`);
    await expect(sent).rejects.toThrow('--dev');
  });

  it('a Bitcoin address, a bech32 address and 0x name the same receiver', async () => {
    const before = engine.balances.get(BOB.address, '0x3::gas_coin::RGas').balance;
    const bech32 = toBech32(engine.accounts[1]!.address);
    for (const receiver of [BOB.address, BOB.regtestAddress, bech32]) {
      expect((await run(...TRANSFER, receiver, '5', ...at())).code).toBe(0);
    }
    expect(engine.balances.get(BOB.address, '0x3::gas_coin::RGas').balance - before).toBe(15n);
  });

  it('an argument that begins with a dash goes after --', async () => {
    const sent = run('0x3::transfer::transfer_coin_by_type_name', ...at(), '--', '0x42', '-x', '1');
    // Read as text, which the chain finds is not a coin.
    expect((await sent).code).toBe(1);
    await expect(run('0x3::transfer::transfer_coin_by_type_name', '0x42', '-x', '1', ...at())).rejects.toThrow(
      UsageError,
    );
  });

  it.each([
    [['0x3::transfer::transfr_coin'], 'did you mean transfer_coin?'],
    [['0x3::nowhere::f'], 'there is no module 0x3::nowhere on this chain'],
  ])('%j does not exist', async (args, message) => {
    await expect(run(...args, ...at())).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringContaining(message),
    });
  });

  it.each([
    [['transfer'], 'FUNCTION: expected a function <address>::<module>::<function>, got "transfer"'],
    [['0x3::transfer::transfer_coin', '0x1', '1'], 'type arguments: expected 1, one --type-args each, got 0'],
    [[...TRANSFER, '0x1'], 'expected 2 arguments (address, u256), got 1'],
    [[...TRANSFER, 'nobody', '1'], 'argument 0, to (address)'],
    [[...TRANSFER, '0x1', 'much'], 'argument 1, amount (u256): expected an integer'],
    [[...TRANSFER, '0x1', '1', '--sender', '10'], '--sender: expected an address, or a number from 0 to 9'],
    [['0x3::transfer::transfer_coin', '--type-args', '3::x'], '--type-args: '],
    [
      ['0x3::transfer::transfer_object_batch', '0x1', '0x2', '--type-args', '0x1::a::B'],
      'expected a JSON array in quotes',
    ],
  ])('%j is not understood', async (args, message) => {
    const refused = run(...args, ...at());
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(message);
  });
});

describe('for an account without its key', () => {
  it('a node with controls sends, and publishes', async () => {
    await using other = await Engine.open();
    await using at = await serveHttp(createRpc(other, { dev: true }), { port: 0 });
    const from = ['--url', at.url, '--sender', STRANGER];
    await other.executeAs(ALICE.address, payment(STRANGER, 10n ** 12n));
    const sent = await run(...TRANSFER, '0x42', '5', ...from);
    expect(sent.code).toBe(0);
    expect(sent.out).toMatch(
      /^transaction 2 executed: 0x3::transfer::transfer_coin by 0x777777\.\.7777, gas \d+\n {2}0x777777\.\.7777: -0\.00000005 RGAS, gas 0\.\d+ RGAS\n {2}0x42: \+0\.00000005 RGAS\n {2}event /,
    );
    expect(sent.out).not.toContain('0x3::coin_store::CoinStore<');
    const failed = await run(...TRANSFER, '0x42', (10n ** 30n).toString(), ...from);
    expect(failed.out).toMatch(
      /^transaction 3 failed: .*\n {2}aborted with code 3 \(ErrorInsufficientBalance\)\n {2}The amount is larger than the balance\.\n {4}in 0x3::account_coin_store::withdraw_from, offset \d+: Abort\n/,
    );
    const module = assembleFor({ ...BOB, address: STRANGER }, 'module 0xa11ce::m public fun n(): u64 { LdU64 1; Ret }');
    expect((await publish(file('stranger.mv', module), '--url', at.url)).code).toBe(0);
    expect(other.inside.state.module(parseAddress(STRANGER), 'm')).toEqual(module);
  });

  it('a chain in a directory takes what is sent', async () => {
    const data = join(directory, 'impersonated');
    const before = await Engine.open({ store: data });
    await before.dev.mint(STRANGER, 10n ** 12n);
    await before.close();
    const empty = ['0x3::empty::empty', '--data', data, '--sender'];
    expect((await run(...empty, STRANGER)).code).toBe(0);
    const reason = /ask for less gas: --max-gas; movelet call dev_fund gives coins on a test node$/;
    await expect(run(...empty, '0x99')).rejects.toThrow(reason);
  });
});

describe('at a directory', () => {
  it('a command opens it, sends, and leaves it to the next', async () => {
    const data = join(directory, 'chain');
    await (await Engine.open({ store: data })).close();
    expect((await publish(COUNTER_MODULE, '--data', data)).code).toBe(0);
    const { out } = await run(ADD, COUNTER, '3', '--data', data);
    expect(out).toMatch(/^transaction 2 executed: counter::add by account 0, /);
  });

  it('another process that holds it is named, and where to send instead', async () => {
    const data = join(directory, 'held');
    const holder = await Engine.open({ store: data });
    await expect(run(...TRANSFER, '0x42', '1', '--data', data)).rejects.toMatchObject({
      code: 'store-locked',
      message: expect.stringMatching(/holds it.*--url/),
    });
    await holder.close();
  });
});

describe('what is sent nowhere', () => {
  it.each([
    ['run', () => run(...TRANSFER, '0x42', '1', '--memory')],
    ['publish', () => publish(COUNTER_MODULE, '--memory')],
  ])('is refused: %s', async (_name, work) => {
    await expect(work()).rejects.toThrow(UsageError);
  });

  it('may be simulated on a chain in memory', async () => {
    expect((await run(...TRANSFER, '0x42', '1', '--dry-run', '--memory')).code).toBe(0);
  });
});

describe('the modules of a package', () => {
  const base = assembleFor(ALICE, 'module 0xa11ce::base public fun n(): u64 { LdU64 1; Ret }');
  const user = assembleFor(ALICE, 'module 0xa11ce::user public fun m(): u64 { Call 0xa11ce::base::n; Ret }', [base]);
  const dryRun = async (...paths: string[]): Promise<Ran> => publish(...paths, '--dry-run', '--memory');

  it('are files, in any order, of bytes or hexadecimal digits', async () => {
    const paths = [file('user.mv', user), file('base.hex', toHexPrefixed(base))];
    expect((await dryRun(...paths)).code).toBe(0);
    expect((await dryRun(...paths.reverse())).code).toBe(0);
    expect((await dryRun(paths[1]!)).out).toContain('failed');
  });

  it('may be a directory, whose other files are ignored', async () => {
    const folder = join(directory, 'modules');
    mkdirSync(join(folder, 'dependencies'), { recursive: true });
    for (const [name, content] of [
      ['user.mv', user],
      ['base.mv', base],
      ['notes.txt', 'no module'],
    ] as const) {
      writeFileSync(join(folder, name), content);
    }
    expect((await dryRun(folder)).code).toBe(0);
    await expect(dryRun(join(folder, 'dependencies'))).rejects.toThrow(/there are no \.mv files/);
  });

  it("are the package file of the reference's build", async () => {
    const content = encode(packageData, { name: 'Two', id: parseAddress(ALICE.address), modules: [base, user] });
    expect((await dryRun(file('package.rpd', content))).code).toBe(0);
  });

  it('that cannot be read are named by their file', async () => {
    const path = file('broken.mv', readFileSync(COUNTER_MODULE).subarray(0, 40));
    await expect(dryRun(path)).rejects.toMatchObject({
      code: 'malformed-module',
      message: expect.stringContaining(path),
    });
  });

  it('belong to one address', async () => {
    const other = file('other.mv', assembleFor(BOB, 'module 0xa11ce::other public fun n(): u64 { LdU64 1; Ret }'));
    await expect(dryRun(COUNTER_MODULE, other)).rejects.toThrow(/expected the modules of one package/);
  });

  it('have names of their own', async () => {
    const again = file('again.mv', readFileSync(COUNTER_MODULE));
    await expect(dryRun(COUNTER_MODULE, again)).rejects.toThrow(
      'FILE: expected modules of different names, got counter in modules[0] and modules[1]',
    );
  });
});

describe('account list', () => {
  it('gives the funded accounts with keys, balances and the numbers that --sender takes', async () => {
    const { code, out } = await accounts('list', '--json', '--memory');
    expect(code).toBe(0);
    await using local = await Engine.open();
    const expected = local.accounts.map((account, number) => ({
      number,
      address: String(account.address),
      bitcoin: account.bitcoin,
      privateKey: account.privateKey,
      path: account.path,
      balance: String(local.balances.get(account.address, '0x3::gas_coin::RGas').balance),
    }));
    expect(JSON.parse(out)).toEqual(expected);
    const text = (await accounts('list', '--memory')).out;
    expect(text).toContain(`\n1  ${BOB.address}  1000000 RGAS\n   ${BOB.regtestAddress}\n`);
  });

  it('asks the node, on the network that its chain follows', async () => {
    await using other = await Engine.open({ bitcoinNetwork: 'signet' });
    await using at = await serveHttp(createRpc(other), { port: 0 });
    const [first] = JSON.parse((await accounts('list', '--json', '--url', at.url)).out);
    expect(first.bitcoin).toBe(other.accounts[0]!.bitcoin);
  });

  it('is the only subcommand of account', async () => {
    await expect(accounts('new')).rejects.toThrow(UsageError);
  });
});

it('a node without chain_ methods, such as a Rooch node, is asked through rooch_ methods', async () => {
  const asked: string[] = [];
  const reference = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { id, method } = JSON.parse(body);
    asked.push(method);
    const answer = method.startsWith('chain_')
      ? JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } })
      : await (
          await fetch(server.url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
        ).text();
    response.setHeader('content-type', 'application/json').end(answer);
  });
  await once(reference.listen(0, '127.0.0.1'), 'listening');
  try {
    const url = `http://127.0.0.1:${(reference.address() as AddressInfo).port}`;
    expect((await run(...TRANSFER, '0x42', '5', '--url', url)).code).toBe(0);
    await expect(run(...TRANSFER, '0x42', 'much', '--url', url)).rejects.toThrow(
      'argument 1 (u256): expected an integer',
    );
    expect(asked).toContain('rooch_getModuleABI');
  } finally {
    reference.closeAllConnections();
    reference.close();
  }
});
