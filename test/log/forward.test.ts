/** A reader that passes writes on: the client gets the writer's answer, and can read here what it wrote. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import * as config from '../../src/base/config.ts';
import { DEV_ACCOUNTS, type Engine } from '../../src/index.ts';
import {
  createRpc,
  forwardTo,
  type HttpServer,
  type JsonValue,
  type Rpc,
  type RpcOptions,
  serveHttp,
} from '../../src/server/index.ts';
import { methodTable } from '../../src/server/rpc/methods.ts';
import { payment } from '../payment.ts';
import { Cluster, logStatus } from './cluster.ts';
import { FaultyLog } from './faulty-log.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const GAS = '0x3::gas_coin::RGas';

/** Adapters and listeners that end with the test. */
class Nodes implements AsyncDisposable {
  readonly cluster = new Cluster();
  readonly #rpcs: Rpc[] = [];
  readonly #servers: { close(): Promise<void> }[] = [];

  rpc(engine: Engine, options: RpcOptions = {}): Rpc {
    const rpc = createRpc(engine, { dev: true, ...options });
    this.#rpcs.push(rpc);
    return rpc;
  }

  async serve(rpc: Rpc): Promise<HttpServer> {
    const server = await serveHttp(rpc, { port: 0 });
    this.#servers.push(server);
    return server;
  }

  /** A served writer, and a reader that forwards to it. */
  async pair(): Promise<{ readonly writer: Engine; readonly reader: Engine; readonly there: Rpc; readonly here: Rpc }> {
    const writer = await this.cluster.writer();
    const there = this.rpc(writer);
    const { url } = await this.serve(there);
    const reader = await this.cluster.reader({ writerUrl: url });
    return { writer, reader, there, here: this.rpc(reader, { forward: forwardTo(url) }) };
  }

  /** A server that gives one answer to everything. */
  async answering(answer: string, asked: string[] = []): Promise<string> {
    const server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk) => {
        text += String(chunk);
      });
      request.on('end', () => {
        asked.push(text);
        response.end(answer);
      });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    this.#servers.push({ close: async () => void server.close() });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.#servers.toReversed()) await server.close();
    for (const rpc of this.#rpcs) await rpc.close();
    await this.cluster[Symbol.asyncDispose]();
  }
}

const PAYMENT = {
  function_id: '0x3::transfer::transfer_coin',
  ty_args: [GAS],
  arguments: [bob, '1'],
};

function signed(engine: Engine): string {
  const [sender] = engine.accounts;
  const bytes = sender!.signTransaction(payment(bob, 5n));
  return `0x${Buffer.from(bytes as Uint8Array).toString('hex')}`;
}

const message = (method: string, params: readonly unknown[], more: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 7, method, params, ...more });

describe('a reader that forwards', () => {
  it('gives the answer of the writer to the byte, and has the commit when it answers', async () => {
    await using nodes = new Nodes();
    const { writer, reader, here } = await nodes.pair();
    const twin = createRpc(writer.fork(), { dev: true });
    const writes: [string, readonly unknown[]][] = [
      ['rooch_executeRawTransaction', [signed(writer), { withOutput: true }]],
      ['dev_call', [alice, PAYMENT, { withOutput: true, decode: true }]],
      ['dev_fund', [bob, GAS, '1000']],
      ['dev_advanceTime', ['60000']],
      ['dev_mine', [null]],
    ];
    for (const [method, params] of writes) {
      // What a separate but identical chain answers to the same request.
      const wanted = await twin.handle(message(method, params));
      const before = writer.head.order;
      expect(await here.handle(message(method, params)), method).toBe(wanted);
      expect(writer.head.order, method).toBeGreaterThan(before);
      expect(reader.head, method).toEqual(writer.head);
    }
    await twin.close();
  });

  it('answers the hash of a transaction, to programs in its process too, and the refusal of the writer unchanged', async () => {
    await using nodes = new Nodes();
    const { writer, reader, there, here } = await nodes.pair();
    const transaction = signed(writer);
    const hash = await here.request('chain_sendRawTransaction', [transaction]);
    const [found] = (await here.request('chain_getTransactionsByHash', [[hash]])) as readonly JsonValue[];
    expect(found).not.toBeNull();
    expect(reader.head.order).toBe(1n);
    // The same again has a used sequence number.
    const again = await there.handle(message('chain_sendRawTransaction', [transaction]));
    expect(JSON.parse(again!).error.data.code).toBe('transaction-rejected');
    expect(await here.handle(message('chain_sendRawTransaction', [transaction]))).toBe(again);
  });

  it('passes on an answer of any length, since what it answers is done', async () => {
    await using nodes = new Nodes();
    const status = await nodes.rpc(await nodes.cluster.writer()).request('chain_status', []);
    // As a transaction with some thousand events gets it.
    const event = { event_id: { event_handle_id: '0x1', event_seq: '18446744073709551615' }, event_data: [1, 2, 3] };
    const result = { output: { events: Array.from({ length: 10_000 }, () => event) } };
    const answers = [1, 2].map((id) => ({ jsonrpc: '2.0', id, result: id === 1 ? result : status }));
    const url = await nodes.answering(JSON.stringify(answers));
    const reader = nodes.rpc(await nodes.cluster.reader(), { forward: forwardTo(url) });
    expect(await reader.request('dev_call', [alice, PAYMENT])).toEqual(result);
  });

  it('reads answers that come at once in turns, so that other requests are answered in between', async () => {
    await using nodes = new Nodes();
    await nodes.cluster.writer();
    const reader = await nodes.cluster.reader();
    let open: (answers: string) => void = () => {};
    const answers = new Promise<string>((resolve) => {
      open = resolve;
    });
    let [forwarded, answered] = [0, 0];
    const forward = (): Promise<string> => {
      forwarded++;
      return answers;
    };
    const here = nodes.rpc(reader, { forward });
    const count = 40;
    const call = { jsonrpc: '2.0', id: 1, method: 'dev_call', params: [alice, PAYMENT] };
    const asked = Array.from({ length: count }, async () => {
      await here.handle(JSON.stringify(call), { connection: {} });
      answered++;
    });
    const result = Array.from({ length: 50_000 }, (_, index) => `${index}`);
    const status = { chain_status: { sequencer_info: { last_order: '0' } } };
    await vi.waitFor(() => expect(forwarded).toBe(count), { timeout: 200_000 });
    open(JSON.stringify([1, 2].map((id) => ({ jsonrpc: '2.0', id, result: id === 1 ? result : status }))));
    for (let round = 0; round < 4; round++) await new Promise(setImmediate);
    const balance = { jsonrpc: '2.0', id: 1, method: 'chain_getChainID', params: [] };
    expect(JSON.parse((await here.handle(JSON.stringify(balance), { connection: {} }))!)).toMatchObject({
      result: '4',
    });
    expect(answered).toBeLessThan(count);
    await Promise.all(asked);
  });

  it('keeps digits that a double loses', async () => {
    await using nodes = new Nodes();
    const status = { chain_status: { sequencer_info: { last_order: '0' } } };
    const url = await nodes.answering(
      `[{"jsonrpc":"2.0","id":1,"result":{"n":9007199254740993,"b":[1]}},${JSON.stringify({ jsonrpc: '2.0', id: 2, result: status })}]`,
    );
    const here = nodes.rpc(await nodes.cluster.reader(), { forward: forwardTo(url) });
    expect(await here.handle(message('dev_call', [alice, PAYMENT]))).toContain('{"n":9007199254740993,"b":[1]}');
    expect(await here.request('dev_call', [alice, PAYMENT])).toEqual({ n: 9007199254740993n, b: [1] });
  });

  it('forwards every method that writes, and no other', () => {
    const writes = [...methodTable(['chain'], true)]
      .filter(([, { row }]) => row.isWrite === true)
      .map(([name]) => name);
    expect(writes.sort()).toEqual(
      [
        'chain_executeRawTransaction',
        'chain_sendRawTransaction',
        ...['call', 'publish', 'fund', 'setObject', 'setField', 'setTime', 'advanceTime', 'mine'].map(
          (name) => `dev_${name}`,
        ),
      ].sort(),
    );
  });

  it('writes on its forks itself', async () => {
    await using nodes = new Nodes();
    const { writer, here } = await nodes.pair();
    const { id } = (await here.request('dev_fork')) as { readonly id: string };
    const answer = await here.handle(message('dev_call', [alice, PAYMENT], { fork: id }));
    expect(JSON.parse(answer!).result.sequence_info.tx_order).toBe('1');
    expect(writer.head.order).toBe(0n);
  });

  it('refuses wrong parameters itself', async () => {
    await using nodes = new Nodes();
    const asked: string[] = [];
    const url = await nodes.answering('{}', asked);
    const here = nodes.rpc(await nodes.cluster.reader(), { forward: forwardTo(url) });
    await expect(here.request('dev_fund', ['nobody', GAS, '1'])).rejects.toMatchObject({ code: -32602 });
    expect(asked).toEqual([]);
  });

  it('does not pass a request around between readers that take each other for the writer', async () => {
    await using nodes = new Nodes();
    const [one, other] = [await nodes.cluster.reader(), await nodes.cluster.reader()];
    const urls: string[] = [];
    const later: RpcOptions['forward'] = (text, path) => forwardTo(urls[1]!)(text, path);
    const first = nodes.rpc(one, { forward: later });
    urls.push((await nodes.serve(first)).url);
    urls.push((await nodes.serve(nodes.rpc(other, { forward: forwardTo(urls[0]!) }))).url);
    await expect(first.request('dev_call', [alice, PAYMENT])).rejects.toMatchObject({
      message: expect.stringContaining('was forwarded to this node'),
      data: { code: 'read-only' },
    });
  });

  it('says so when the writer has done it but its log does not bring it', async () => {
    await using nodes = new Nodes();
    const writer = await nodes.cluster.writer();
    const { url } = await nodes.serve(nodes.rpc(writer));
    let isAway = false;
    const log = new FaultyLog(await nodes.cluster.log(), { head: () => isAway });
    const reader = await nodes.cluster.open({ commitLog: log, role: 'reader' });
    const here = nodes.rpc(reader, { forward: forwardTo(url) });
    const reached = reader.waitFor.bind(reader);
    vi.spyOn(reader, 'waitFor').mockImplementation((order) => reached(order, 1));
    isAway = true;
    await expect(here.request('dev_call', [alice, PAYMENT])).rejects.toMatchObject({
      message: expect.stringContaining('do not send it again'),
      data: { code: 'behind' },
    });
    expect(writer.head.order).toBe(1n);
  });

  it('refuses with the address of the writer once it has stopped, and when it is not told to forward', async () => {
    await using nodes = new Nodes();
    const asked: string[] = [];
    const url = await nodes.answering('{}', asked);
    const log = new FaultyLog(await nodes.cluster.log(), {
      read: ({ order }) => ({ order, epoch: 9n, bytes: new Uint8Array(200) }),
    });
    const reader = await nodes.cluster.open({ commitLog: log, role: 'reader', writerUrl: url });
    const writer = await nodes.cluster.writer();
    await writer.executeAs(alice, payment(bob));
    await logStatus(reader, ({ state }) => state === 'stopped');
    const stopped = nodes.rpc(reader, { forward: forwardTo(url) });
    const plain = nodes.rpc(await nodes.cluster.reader({ writerUrl: url }));
    for (const rpc of [stopped, plain]) {
      await expect(rpc.request('dev_call', [alice, PAYMENT])).rejects.toMatchObject({
        message: expect.stringContaining(url),
        data: { code: 'read-only' },
      });
    }
    expect(asked).toEqual([]);
  });
});

describe('a misbehaving writer', () => {
  it.each<[string, string, string]>([
    ['no JSON', '<html>Bad gateway</html>', 'malformed-bytes'],
    ['another form', '{"ok":true}', 'malformed-bytes'],
    ['one answer of two', '[{"jsonrpc":"2.0","id":1,"result":true}]', 'malformed-bytes'],
    ['no status', '[{"jsonrpc":"2.0","id":1,"result":true},{"jsonrpc":"2.0","id":2,"result":7}]', 'malformed-bytes'],
    [
      'a refusal of the whole',
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32009,"message":"closing","data":{"code":"closed"}}}',
      'closed',
    ],
  ])('by %s is reported', async (_name, answer, code) => {
    await using nodes = new Nodes();
    const url = await nodes.answering(answer);
    const here = nodes.rpc(await nodes.cluster.reader(), { forward: forwardTo(url) });
    await expect(here.request('dev_call', [alice, PAYMENT])).rejects.toMatchObject({
      message: expect.stringMatching(code === 'closed' ? 'closing' : 'the writer did not answer as a node does'),
      data: { code },
    });
  });

  it('cannot be named with a user or a password', () => {
    for (const user of ['alice@', ':secret@', 'alice:secret@']) {
      expect(() => forwardTo(`http://${user}writer.example`)).toThrow(/url: expected an address/);
    }
  });

  it('is reported with its address when nobody accepts the connection', async () => {
    await using nodes = new Nodes();
    const gone = await serveHttp(nodes.rpc(await nodes.cluster.reader()), { port: 0 });
    await gone.close();
    const here = nodes.rpc(await nodes.cluster.reader(), { forward: forwardTo(gone.url) });
    await expect(here.request('dev_call', [alice, PAYMENT])).rejects.toMatchObject({
      message: expect.stringMatching(/http:\/\/127\.0\.0\.1:\d+.*ECONNREFUSED.*may or may not/),
      data: { code: 'transport-failed' },
    });
  });

  it('is cut off when it sends more than a node ever answers', async () => {
    await using nodes = new Nodes();
    const url = await nodes.answering('x'.repeat(config.FORWARD_ANSWER_BYTES_MAX + 1));
    await expect(forwardTo(url)('[]', undefined)).rejects.toMatchObject({ code: 'limit-exceeded' });
  });

  it('gets a bounded number of requests at a time', async () => {
    await using nodes = new Nodes();
    const held: (() => void)[] = [];
    const server = createServer((_request, response) => held.push(() => response.end('[]'))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const forward = forwardTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const asked = Array.from({ length: config.FORWARDS_MAX }, () => forward('[]', undefined));
    await expect(forward('[]', undefined)).rejects.toMatchObject({ code: 'limit-exceeded' });
    while (held.length < config.FORWARDS_MAX) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const answer of held) answer();
    expect(new Set(await Promise.all(asked))).toEqual(new Set(['[]']));
    await new Promise((resolve) => server.close(resolve));
    expect(nodes.cluster).toBeDefined();
  });
});
