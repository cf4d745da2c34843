/** `--url`: a user and a password, as a node behind a proxy has them, and answers that no node gives. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { FORWARD_ANSWER_BYTES_MAX } from '../../src/base/config.ts';
import { EngineError } from '../../src/base/error.ts';
import { accountCommand } from '../../src/cli/account.ts';
import { type Command, readArguments, UsageError } from '../../src/cli/arguments.ts';
import { callCommand } from '../../src/cli/call.ts';
import { diffCommand, historyCommand } from '../../src/cli/history.ts';
import { NODE_OPTIONS, nodeAt, onNode } from '../../src/cli/node.ts';
import { publishCommand, runCommand } from '../../src/cli/submit.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const SECRET = 'p%40ss';
const ask = (...args: string[]): Promise<string> =>
  onNode(readArguments(args, { options: NODE_OPTIONS }, 'status'), (node) => node.ask('x', '[]'));

it('are sent as the header that HTTP has for them', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ headers }, response) => {
    asked.push(headers.authorization);
    response.end('{"jsonrpc":"2.0","id":1,"result":7}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const user of [`me:${SECRET}@`, '']) {
    expect(await ask('--url', `http://${user}127.0.0.1:${port}/path`)).toBe('7');
  }
  expect(asked).toEqual([`Basic ${btoa('me:p@ss')}`, undefined]);
  server.closeAllConnections();
  server.close();
});

it.each(['http://me:p%40ss@127.0.0.1:1', 'http://me:p%zz@127.0.0.1:1', 'ftp://me:p%40ss@127.0.0.1:1'])(
  'are not in messages: %s',
  async (url) => {
    const message = await ask('--url', url).catch((error: Error) => error.message);
    expect(message).toMatch(/^nothing answers at http:\/\/127\.0\.0\.1:1: |^--url: expected /);
    expect(message).not.toMatch(/p%|p@|me:/);
  },
);

describe('without --url', () => {
  it('the node of MOVELET_URL is asked, and without that the one on the port that movelet serve takes', async () => {
    const urls: string[] = [];
    vi.stubGlobal('fetch', async (url: string) => {
      urls.push(url);
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') });
    });
    const advice =
      'start a node with movelet serve --dev, or name another one: --url URL, or MOVELET_URL in the environment';
    for (const url of ['http://127.0.0.1:7000', '', undefined]) {
      vi.stubEnv('MOVELET_URL', url);
      const origin = url || 'http://127.0.0.1:6767';
      await expect(ask()).rejects.toThrow(`nothing answers at ${origin}: connect ECONNREFUSED; ${advice}`);
    }
    await expect(ask('--url', 'http://127.0.0.1:7001')).rejects.toThrow('nothing answers at http://127.0.0.1:7001: ');
    vi.unstubAllGlobals();
    expect(urls.map((url) => new URL(url).port)).toEqual(['7000', '6767', '6767', '7001']);
  });

  it('a chain in memory or in a directory goes before MOVELET_URL, which is refused by its name', async () => {
    vi.stubEnv('MOVELET_URL', 'localhost:6767');
    await expect(ask()).rejects.toThrow('MOVELET_URL: expected http://HOST:PORT, got localhost:6767');
    await expect(ask('--memory')).rejects.toThrow('Method not found: x');
    await expect(ask('--data', '/nowhere')).rejects.toThrow('/nowhere holds no chain');
  });

  it.each([
    [['--url', 'http://127.0.0.1:1', '--memory'], 'give one of --url and --memory, not both'],
    [['--data', 'x', '--memory'], 'give one of --data and --memory, not both'],
    [['--chain', 'dev'], '--chain is for a chain that this command opens: give --data DIR or --memory, and no --url'],
    [['--url', 'http://127.0.0.1:1', '--genesis', 'x'], '--genesis is for a chain that this command opens'],
  ])('is refused: %j', async (args, said) => {
    const refused = callCommand.run(['chain_status', ...args]);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(said);
  });
});

/** The message with which an answer is refused, or the result. */
async function told(answer: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((_request, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  try {
    return await ask('--url', `http://127.0.0.1:${port}`);
  } catch (error) {
    expect(error).toBeInstanceOf(EngineError);
    return (error as Error).message.replace(`${port}`, 'PORT');
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

it.each([
  ['<html>\u001b[31mno\nsuch', 'HTTP 200 with "<html>\\u001b[31mno\\nsuch"'],
  ['', 'HTTP 200 with ""'],
  ['null', 'HTTP 200 with "null"'],
  ['[]', 'HTTP 200 with "[]"'],
  ['5', 'HTTP 200 with "5"'],
  ['{"jsonrpc":"2.0","id":1}', 'HTTP 200 with "{\\"jsonrpc\\":\\"2.0\\",\\"id\\":1}"'],
  ['{"error":{}}', 'HTTP 200 with "{\\"error\\":{}}"'],
  ['{"error":"no"}', 'HTTP 200 with "{\\"error\\":\\"no\\"}"'],
])('of a server that is no node is refused by what it said: %j', async (text, got) => {
  const message = `expected a JSON-RPC answer of http://127.0.0.1:PORT, got ${got}`;
  expect(await told((response) => response.end(text))).toBe(message);
});

it('may have spaces, a null error, and digits that no number of JavaScript has', async () => {
  const text = '{ "jsonrpc": "2.0", "error": null, "result" : {"id":1, "big": 12345678901234567890}, "id": 1 }\n';
  expect(await told((response) => response.end(text))).toBe('{"id":1, "big": 12345678901234567890}');
});

it('that breaks off leaves it unknown whether the request was carried out, and says so', async () => {
  const message = await told((response) => {
    response.setHeader('content-length', '100');
    response.write('{"jsonrpc"', () => response.destroy());
  });
  expect(message).toMatch(
    /^the answer of http:\/\/127\.0\.0\.1:PORT broke off: .+; it may or may not have executed the request$/,
  );
});

it('is waited for as long as the limit says, and may have executed the request', async () => {
  for (const begin of [() => {}, (response: ServerResponse) => void response.write('{"jsonrpc"')]) {
    const server = createServer((_request, response) => begin(response));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(nodeAt(url, 100).ask('x', '[]')).rejects.toThrow(
      `${url} gave no complete answer within 0.1 s; it may or may not have executed the request`,
    );
    server.closeAllConnections();
    server.close();
  }
});

it('that does not end is not read beyond the longest one of a node', async () => {
  let sent = 0;
  const message = await told((response) => {
    const piece = Buffer.alloc(2 ** 20, ' ');
    const send = (): void => {
      sent += piece.length;
      if (!response.destroyed) response.write(piece, send);
    };
    send();
  });
  expect(message).toBe(
    `the answer of http://127.0.0.1:PORT: expected at most ${FORWARD_ANSWER_BYTES_MAX} bytes (FORWARD_ANSWER_BYTES_MAX)`,
  );
  expect(sent).toBeLessThan(2 * FORWARD_ANSWER_BYTES_MAX);
});

const WELCOME = '\u001b[31mred\u009b2J\u007f\r';
const SHOWN = '\\u001b[31mred\\u009b2J\\u007f\\r';

it('that is an error is printed without its terminal control characters', async () => {
  const error = { code: -32_000, message: `${WELCOME} \\u001b "é"` };
  const said = `${SHOWN} \\u001b "é" (code -32000)`;
  expect(await told((response) => response.end(JSON.stringify({ error })))).toBe(said);
});

it('that is a result has its control characters escaped, and is the same JSON', async () => {
  const result = { text: WELCOME, [WELCOME]: '\\u001b\\' };
  const text = await told((response) => response.end(JSON.stringify({ result })));
  expect(text).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(text)).toEqual(result);
});

const EMPTY = ['0x3::empty::empty', '--sender', '0'];
const COMMANDS: readonly (readonly [Command, readonly string[]])[] = [
  [accountCommand, ['list']],
  [runCommand, EMPTY],
  [runCommand, [...EMPTY, '--dry-run']],
  [publishCommand, ['examples/counter/counter.mv']],
  [diffCommand, ['0']],
  [historyCommand, ['0x3']],
];

describe.each(COMMANDS.map(([command, args]) => ({ command, args, title: [command.name, ...args].join(' ') })))(
  'movelet $title',
  ({ command, args }) => {
    it.each(['5', 'null', '"text"', '[]', '[5]', '{}', '{"return_values":[5],"balance":5,"functions":[5],"data":[5]}'])(
      'says that %s is no result of a node',
      async (result) => {
        const server = createServer((_request, response) => response.end(`{"id":1,"result":${result}}`));
        await once(server.listen(0, '127.0.0.1'), 'listening');
        const { port } = server.address() as AddressInfo;
        try {
          const failed = command.run([...args, '--url', `http://127.0.0.1:${port}`]);
          await expect(failed).rejects.toThrow(EngineError);
          await expect(failed).rejects.toThrow(/got "|^there is no module/);
        } finally {
          server.closeAllConnections();
          server.close();
        }
      },
    );
  },
);
