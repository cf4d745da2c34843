import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { Command } from '../../src/cli/arguments.ts';
import { diffCommand, historyCommand } from '../../src/cli/history.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ran } from './ran.ts';

const GAS = '0x3::gas_coin::RGas';
const OBJECT = `0x${'5a'.repeat(32)}`;
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
/** The node's pages are no longer than this, so that the commands have to ask again. */
const MANY = 450;

const temporary = temporaryDirectories();

async function play(engine: Engine): Promise<Engine> {
  await engine.dev.setObject(OBJECT, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 1n }, owner: ALICE });
  await engine.dev.setObject(OBJECT, { owner: BOB });
  await engine.dev.setField(OBJECT, { keyType: 'u64', key: 7n, valueType: 'bool', value: true });
  return engine;
}

const directory = temporary();
await (await play(await Engine.open({ store: directory }))).close();
const node = await play(await Engine.open());
for (let nth = 0; nth < MANY; nth++) {
  await node.dev.setField(OBJECT, { keyType: 'u64', key: BigInt(100 + nth), valueType: 'u8', value: 1 });
}
const server = await serveHttp(createRpc(node), { port: 0 });
afterAll(async () => {
  await server.close();
  await node.close();
});

async function printed(command: Command, ...args: string[]): Promise<string[]> {
  const { code, out } = await ran(command, ...args);
  expect(code).toBe(0);
  return out.split('\n').slice(0, -1);
}

/** `ORDER n what` as the command says it, with the hash of the transaction. */
const versionLines = (engine: Engine, lines: readonly string[]) =>
  lines.map((line) =>
    line.replace(
      /ORDER (\d+) (.+)/,
      (_, order, what) => `order ${order}: ${what}, ${engine.transactions.get(BigInt(order))!.hash}`,
    ),
  );

it.each([
  ['history', historyCommand, [OBJECT]],
  ['diff', diffCommand, ['0']],
] as const)('movelet %s is about a chain that was there before', async (_name, command, args) => {
  await expect(command.run([...args, '--memory'])).rejects.toThrow('there is no option --memory');
});

it('movelet diff says what a state may be called', async () => {
  await expect(diffCommand.run(['x', '--data', directory])).rejects.toThrow(
    'before: expected a hash of 64 hex digits, or an order',
  );
});

describe('movelet history', () => {
  it('prints the versions of an object in a directory, newest first', async () => {
    await using engine = await Engine.open({ store: directory });
    const expected = versionLines(engine, [
      'ORDER 3 0x0::control::set_field by 0x0',
      `. 0x2::timestamp::Timestamp ${OBJECT}`,
      `+ field 7 of ${OBJECT}`,
      '    value: true',
      'ORDER 2 0x0::control::set_object by 0x0',
      `~ 0x2::timestamp::Timestamp ${OBJECT}`,
      `    owner: "${ALICE}" -> "${BOB}"`,
      'ORDER 1 0x0::control::set_object by 0x0',
      `+ 0x2::timestamp::Timestamp ${OBJECT}`,
      '    value: {"milliseconds":"1"}',
    ]);
    await engine.close();
    expect(await printed(historyCommand, OBJECT, '--data', directory)).toEqual(expected);
    const alone = await printed(historyCommand, OBJECT, '--no-fields', '--oldest-first', '--data', directory);
    expect(alone.filter((line) => line.startsWith('order'))).toEqual([expected[7], expected[4]]);
    expect(await printed(historyCommand, OBJECT, '--limit', '1', '--data', directory)).toEqual(expected.slice(0, 4));
  });

  it('names who made a version, and how: a funded account, another one, Bitcoin', async () => {
    const path = temporary();
    const engine = await Engine.open({ store: path });
    const stranger = `0x${'77'.repeat(32)}`;
    await engine.dev.setBalance(stranger, 10n ** 12n);
    await engine.executeAs(ALICE, {
      function: '0x3::transfer::transfer_coin',
      typeArguments: [GAS],
      arguments: [BOB, 5n],
    });
    await engine.executeAs(stranger, { function: '0x3::empty::empty' });
    await engine.dev.mine({ to: engine.accounts[0]!.bitcoin });
    await engine.dev.mine({ to: engine.accounts[0]!.bitcoin });
    await engine.close();
    const titles = async (id: string) =>
      (await printed(historyCommand, id, '--limit', '1', '--data', path))[0]!.replace(/, 0x[0-9a-f]{64}$/, '');
    expect(await titles('0x4::bitcoin::BitcoinBlockStore')).toMatch(/^order \d+: Bitcoin transaction [0-9a-f]{64}$/);
    expect(await titles(ALICE)).toBe('order 2: 0x3::transfer::transfer_coin by account 0');
    expect(await titles(stranger)).toBe(`order 3: 0x3::empty::empty by ${stranger}`);
  });

  it('says on standard error that an object that never existed has none', async () => {
    const err = 'no transaction of this chain changed 0xabcdef\n';
    expect(await ran(historyCommand, '0xabcdef', '--data', directory)).toEqual({ code: 0, out: '', err });
  });

  it('asks a node for as many pages as it takes', async () => {
    const lines = await printed(historyCommand, OBJECT, '--limit', '10000', '--url', server.url);
    expect(lines.filter((line) => line.startsWith('order'))).toHaveLength(MANY + 3);
    const few = await printed(historyCommand, OBJECT, '--limit', '230', '--url', server.url);
    expect(few.filter((line) => line.startsWith('order'))).toHaveLength(230);
  });

  it('covers one field, and prints JSON, if asked to', async () => {
    const key = `0x${String((await node.objects.history(OBJECT)).data[0]!.fields[0]!.id).slice(-64)}`;
    const lines = await printed(historyCommand, OBJECT, '--field', key, '--json', '--url', server.url);
    expect(JSON.parse(lines.join('\n')).data).toHaveLength(1);
  });
});

describe('movelet diff', () => {
  it('prints what differs between two orders or roots in a directory', async () => {
    const lines = await printed(diffCommand, '2', '3', '--data', directory);
    expect(lines[0]).toMatch(/^order 2 \(0x[0-9a-f]{64}\) -> order 3 \(0x[0-9a-f]{64}\)$/);
    expect(lines).toContain(`+ field 7 of ${OBJECT}`);
    const roots = [...lines[0]!.matchAll(/0x[0-9a-f]{64}/g)].map(([root]) => root);
    expect(await printed(diffCommand, roots[0]!, roots[1]!, '--data', directory)).toEqual(lines);
    expect(await printed(diffCommand, '2', '--data', directory)).toEqual(lines);
    expect((await printed(diffCommand, '3', '--data', directory))[0]).toMatch(/: no difference$/);
  });

  it('asks a node for as many pages as it takes, and says where it ended', async () => {
    const all = await printed(diffCommand, '3', '--limit', '100000', '--url', server.url);
    expect(all.filter((line) => line.startsWith('+ field'))).toHaveLength(MANY);
    expect(all.at(-1)).not.toContain('more');
    const few = await printed(diffCommand, '3', '--limit', '230', '--url', server.url);
    expect(few.slice(0, -1)).toEqual(all.slice(0, few.length - 1));
    expect(few.filter((line) => /^[+~-]/.test(line))).toHaveLength(230);
    expect(few.at(-1)).toBe('... and more that are not shown: --limit');
  });
});

/** A server that always answers with `result`, and gives up after some requests. */
async function withServer(result: unknown, work: (url: string) => Promise<void>): Promise<number> {
  let asked = 0;
  const endless = createServer((_request, response) => {
    response.end(++asked > 20 ? 'enough' : JSON.stringify({ jsonrpc: '2.0', id: 1, result }));
  });
  await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
  try {
    await work(`http://127.0.0.1:${(endless.address() as AddressInfo).port}`);
  } finally {
    endless.closeAllConnections();
    endless.close();
  }
  return asked;
}

describe('a server that promises more pages and never gives any', () => {
  const state = { tx_order: '1', state_root: '0x00' };
  const endless = { data: [], has_next_page: true, next_cursor: '7', before: state, after: state };

  it.each([
    ['history', historyCommand, [OBJECT], 2],
    ['diff', diffCommand, ['0'], 1],
  ] as const)('is not asked by %s without end', async (name, command, args, requests) => {
    const asked = await withServer(endless, async (url) => {
      await expect(command.run([...args, '--url', url])).rejects.toMatchObject({
        code: 'malformed-bytes',
        message: expect.stringMatching(
          name === 'diff' ? /^rooch_getDiff: expected the result/ : /^rooch_getHistory: expected the result/,
        ),
      });
    });
    expect(asked).toBe(requests);
  });
});
