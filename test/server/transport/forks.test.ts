/** Forks that clients make: chains of their own under paths of the same listener, and behind a member of requests. */

import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { DEV_ACCOUNTS, Engine, toBech32 } from '../../../src/index.ts';
import {
  createRpc,
  type HttpServer,
  type Rpc,
  type RpcOptions,
  serveHttp,
  serveStdio,
} from '../../../src/server/index.ts';
import { collectGarbage } from '../../garbage.ts';

const GAS = '0x3::gas_coin::RGas';
const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];

interface Fork {
  readonly id: string;
  readonly url: string;
}

interface Answer {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data: { readonly code: string } };
  readonly params?: {
    readonly subscription: number;
    readonly result?: unknown;
    readonly error?: { readonly message: string };
  };
}

const opened: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of opened.reverse()) await one.close();
  opened.length = 0;
});

async function start(options: RpcOptions = {}): Promise<{ engine: Engine; rpc: Rpc; server: HttpServer }> {
  const engine = await Engine.open();
  const rpc = createRpc(engine, { dev: true, ...options });
  const server = await serveHttp(rpc, { port: 0 });
  opened.push(engine, rpc, server);
  return { engine, rpc, server };
}

async function ask(url: string, method: string, ...params: unknown[]): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return (await response.json()) as Answer;
}

const result = async (url: string, method: string, ...params: unknown[]): Promise<never> => {
  const answer = await ask(url, method, ...params);
  expect(answer.error).toBeUndefined();
  return answer.result as never;
};

const balance = async (url: string, account: string): Promise<bigint> =>
  BigInt(((await result(url, 'chain_getBalance', account, GAS)) as { balance: string }).balance);

const pay = (to: string, amount: string): object => ({
  function_id: '0x3::transfer::transfer_coin',
  ty_args: [GAS],
  arguments: [to, amount],
});

describe('dev_fork', () => {
  it('makes a chain of its own under a path, which begins as a copy of the chain', async () => {
    const { server, engine } = await start();
    await result(server.url, 'dev_fund', BOB, GAS, '3');
    const fork: Fork = await result(server.url, 'dev_fork');
    expect(fork.url).toBe(`${server.url}/fork/${fork.id}`);
    const before = await balance(server.url, BOB);
    expect(await balance(fork.url, BOB)).toBe(before);
    await result(fork.url, 'dev_call', ALICE, pay(BOB, '5'));
    expect([await balance(fork.url, BOB), await balance(server.url, BOB)]).toEqual([before + 5n, before]);
    await result(server.url, 'dev_call', ALICE, pay(BOB, '7'));
    expect([await balance(fork.url, BOB), await balance(server.url, BOB)]).toEqual([before + 5n, before + 7n]);
    // The current forms are below it as they are below the root.
    const bech32 = toBech32(engine.accounts[0]!.address);
    expect(await result(`${fork.url}/rooch`, 'rooch_queryTransactions', { sender: ALICE })).toMatchObject({
      data: [{ transaction: { data: { sender: bech32 } } }],
    });
    // A fork of a fork stands beside it.
    const second: Fork = await result(fork.url, 'dev_fork');
    await result(server.url, 'dev_dropFork', fork.id);
    expect(await balance(second.url, BOB)).toBe(before + 5n);
    const snapshot: string = await result(second.url, 'dev_snapshot');
    await result(second.url, 'dev_fund', BOB, GAS, '1');
    await result(second.url, 'dev_revert', snapshot);
    expect(await balance(second.url, BOB)).toBe(before + 5n);
  });

  it('ends with dev_dropFork, and tells so whoever asks it later', async () => {
    const { server } = await start();
    const fork: Fork = await result(server.url, 'dev_fork');
    expect(await result(server.url, 'dev_dropFork', fork.id)).toBe(true);
    expect(await result(server.url, 'dev_dropFork', fork.id)).toBe(false);
    expect((await ask(fork.url, 'chain_status')).error).toMatchObject({
      code: 2,
      message: expect.stringMatching(/^there is no fork 1: dev_fork makes one/),
      data: { code: 'not-found' },
    });
    // It may end itself.
    const other: Fork = await result(server.url, 'dev_fork');
    expect(await result(other.url, 'dev_dropFork', other.id)).toBe(true);
  });

  it('answers by a member of the request over stdio, where there is no path', async () => {
    const { rpc } = await start();
    const [input, output] = [new PassThrough(), new PassThrough()];
    const server = serveStdio(rpc, { input, output });
    const waiting: ((answer: Answer) => void)[] = [];
    const told: Answer[] = [];
    let rest = '';
    output.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop()!;
      for (const line of lines) {
        const answer = JSON.parse(line) as Answer;
        if (answer.id === undefined) told.push(answer);
        else waiting.shift()!(answer);
      }
    });
    const send = (method: string, params: unknown[], fork?: string): Promise<Answer> => {
      const answer = new Promise<Answer>((resolve) => waiting.push(resolve));
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params, fork })}\n`);
      return answer;
    };
    const { result: fork } = (await send('dev_fork', [])) as { result: Fork };
    expect(fork).toEqual({ id: '1', url: null });
    const { result: own } = await send('chain_subscribeTransactions', ['all']);
    const { result: forks } = await send('chain_subscribeTransactions', ['all'], fork.id);
    expect(own).not.toBe(forks);
    expect(await send('dev_fund', [BOB, GAS, '5'], fork.id)).toHaveProperty('result');
    await expect.poll(() => told.map(({ params }) => params?.subscription)).toEqual([forks]);
    expect(await send('chain_status', [])).toMatchObject({
      result: { chain_status: { sequencer_info: { last_order: '0' } } },
    });
    expect(await send('chain_status', [], '9')).toMatchObject({ error: { data: { code: 'not-found' } } });
    expect(await send('chain_status', [], 9 as never)).toMatchObject({ error: { code: -32600 } });
    expect(await send('chain_unsubscribeTransactions', [forks], fork.id)).toMatchObject({ result: true });
    await server.close();
  });

  it('is off when the controls are', async () => {
    const { server } = await start({ dev: false });
    expect((await ask(server.url, 'dev_fork')).error).toMatchObject({ code: -32601 });
    expect((await ask(`${server.url}/fork/1`, 'chain_status')).error).toMatchObject({ data: { code: 'not-found' } });
    const nowhere = await fetch(`${server.url}/fork/1/nowhere`, { method: 'POST' });
    expect(nowhere.status).toBe(404);
  });
});

describe('a node that follows Bitcoin', () => {
  it('has forks that send nothing to it', async () => {
    const sent: Uint8Array[] = [];
    const broadcast = async (transaction: Uint8Array): Promise<string> => `${sent.push(transaction)}`;
    const { server } = await start({ broadcast });
    const fork: Fork = await result(server.url, 'dev_fork');
    expect(await result(server.url, 'btc_broadcastTX', '0x01')).toBe('1');
    expect((await ask(fork.url, 'btc_broadcastTX', '0x01')).error?.message).toContain('not configured');
    expect(sent).toHaveLength(1);
  });
});

describe('subscriptions', () => {
  it('of a fork hear the fork only, over WebSocket, and end with it', async () => {
    const { server } = await start();
    const fork: Fork = await result(server.url, 'dev_fork');
    const heard: Record<string, Answer[]> = { root: [], fork: [] };
    const sockets = await Promise.all(
      (
        [
          ['root', server.url],
          ['fork', fork.url],
        ] as const
      ).map(async ([name, url]) => {
        const socket = new WebSocket(url.replace('http', 'ws'));
        await new Promise((resolve) => socket.once('open', resolve));
        const subscribed = new Promise((resolve) => socket.once('message', resolve));
        socket.on('message', (data: Buffer) => heard[name]!.push(JSON.parse(data.toString()) as Answer));
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_subscribeTransactions', params: ['all'] }));
        await subscribed;
        return socket;
      }),
    );
    const orders = (name: string): unknown[] =>
      heard[name]!.flatMap(({ params }) =>
        params?.result === undefined
          ? []
          : [(params.result as { sequence_info: { tx_order: string } }).sequence_info.tx_order],
      );
    await result(fork.url, 'dev_fund', BOB, GAS, '1');
    await result(fork.url, 'dev_fund', BOB, GAS, '1');
    await result(server.url, 'dev_fund', BOB, GAS, '1');
    await expect.poll(() => [orders('root'), orders('fork')]).toEqual([['1'], ['1', '2']]);
    await result(server.url, 'dev_dropFork', fork.id);
    await expect.poll(() => heard['fork']!.at(-1)?.params?.error?.message).toMatch(/the fork was dropped/);
    for (const socket of sockets) socket.terminate();
  });

  it('come as server-sent events too', async () => {
    const { server } = await start();
    const fork: Fork = await result(server.url, 'dev_fork');
    const stream = await fetch(`${fork.url}/subscribe/sse/transactions?filter=%22all%22&forms=interface`);
    await result(server.url, 'dev_fund', BOB, GAS, '1');
    await result(fork.url, 'dev_fund', BOB, GAS, '1');
    await result(fork.url, 'dev_fund', BOB, GAS, '1');
    await result(server.url, 'dev_dropFork', fork.id);
    const text = await stream.text();
    expect(text.match(/^event: \w+/gm)).toEqual(['event: message', 'event: message', 'event: error']);
    const gone = await fetch(`${fork.url}/subscribe/sse/transactions?filter=%22all%22`);
    expect(gone.status).toBe(400);
    expect(await gone.text()).toContain('there is no fork');
  });
});

describe('limits', () => {
  it('bound the number of forks, and dropping one makes room', async () => {
    const { server } = await start({ forksMax: 2 });
    const first: Fork = await result(server.url, 'dev_fork');
    await result(first.url, 'dev_fork');
    expect((await ask(server.url, 'dev_fork')).error).toMatchObject({
      message: 'Too many forks: at most 2; drop unused ones with dev_dropFork',
      data: { code: 'limit-exceeded' },
    });
    await result(server.url, 'dev_dropFork', first.id);
    await result(server.url, 'dev_fork');
  });

  it('end a fork that nobody uses, but not one that somebody listens to', async () => {
    const { rpc } = await start({ forkIdleMsMax: 1_000 });
    const fork = async (): Promise<Fork> => (await rpc.request('dev_fork')) as unknown as Fork;
    const [idle, heard] = [await fork(), await fork()];
    const gone = new AbortController();
    const connection = { notify: () => true, closed: gone.signal, fork: heard.id };
    await rpc.request('chain_subscribeTransactions', ['all'], connection);
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await expect(rpc.request('chain_status', [], { fork: idle.id })).rejects.toMatchObject({
      data: { code: 'not-found' },
    });
    await rpc.request('chain_status', [], { fork: heard.id });
    gone.abort();
    await expect
      .poll(
        () =>
          rpc.request('chain_status', [], { fork: heard.id }).then(
            () => 'there',
            () => 'gone',
          ),
        {
          interval: 2_500,
          timeout: 200_000,
        },
      )
      .toBe('gone');
  });
});

describe('memory', () => {
  it('of a fork is free once it is dropped', async () => {
    await using engine = await Engine.open();
    const made: WeakRef<Engine>[] = [];
    const rpc = createRpc(
      new Proxy(engine, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (name !== 'fork') return typeof member === 'function' ? member.bind(target) : member;
          return () => {
            const fork = target.fork();
            made.push(new WeakRef(fork));
            return fork;
          };
        },
      }),
      { dev: true },
    );
    for (let round = 0; round < 3; round++) {
      const { id } = await rpc.request('dev_fork');
      await rpc.request('dev_snapshot', [], { fork: id });
      await rpc.request('dev_call', [ALICE, pay(BOB, '1') as never], { fork: id });
      await rpc.request('dev_dropFork', [id]);
    }
    await expect
      .poll(() => {
        collectGarbage();
        return made.map((fork) => fork.deref() === undefined);
      })
      .toEqual([true, true, true]);
  });
});

describe('under load', () => {
  it('each fork keeps its own count, beside writes to the chain', async () => {
    const { server, engine } = await start();
    const before = await balance(server.url, BOB);
    const forks: Fork[] = await Promise.all(
      Array.from({ length: 20 }, () => result(server.url, 'dev_fork') as Promise<never>),
    );
    await Promise.all([
      ...forks.map(async ({ url }, index) => {
        for (let round = 0; round <= index % 4; round++) {
          await result(url, 'dev_call', ALICE, pay(BOB, '1'));
          // What a submission answered can be read at once.
          expect(await balance(url, BOB)).toBe(before + BigInt(round + 1));
        }
      }),
      ...Array.from({ length: 10 }, () => result(server.url, 'dev_call', ALICE, pay(BOB, '100'))),
    ]);
    for (const [index, { url }] of forks.entries()) {
      expect(await balance(url, BOB)).toBe(before + BigInt((index % 4) + 1));
    }
    expect(await balance(server.url, BOB)).toBe(before + 1_000n);
    expect(engine.head.order).toBe(10n);
    await Promise.all(forks.map(({ id }) => result(server.url, 'dev_dropFork', id)));
  });

  it('one that is dropped under its requests ends them with an error, and harms no other', async () => {
    const { server } = await start();
    const [fork, other]: Fork[] = [await result(server.url, 'dev_fork'), await result(server.url, 'dev_fork')];
    const sent = Array.from({ length: 20 }, () => ask(fork!.url, 'dev_call', ALICE, pay(BOB, '1')));
    await result(server.url, 'dev_dropFork', fork!.id);
    for (const { result: done, error } of await Promise.all(sent)) {
      if (done === undefined) expect(['closed', 'not-found']).toContain(error?.data.code);
    }
    await result(other!.url, 'dev_call', ALICE, pay(BOB, '1'));
  });
});
