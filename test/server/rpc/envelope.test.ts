/** JSON-RPC 2.0 to the letter: ids, notifications, batches, errors with their numbers and data, and every bound. */
import { afterAll, describe, expect, expectTypeOf, it } from 'vitest';
import { Engine, EngineError, type LogEntry } from '../../../src/index.ts';
import {
  type Count,
  createRpc,
  type JsonObject,
  type JsonPage,
  type JsonPosition,
  type MethodName,
  type MethodParams,
  type MethodResult,
  type RpcEngine,
  type RpcOptions,
} from '../../../src/server/index.ts';

const engine = await Engine.open();
const rpc = createRpc(engine);
afterAll(() => engine.close());

interface Answer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

const send = async (text: string, options?: RpcOptions): Promise<Answer> =>
  JSON.parse((await (options === undefined ? rpc : createRpc(engine, options)).handle(text)) ?? 'null') as Answer;
const request = (members: Readonly<Record<string, unknown>>): string => JSON.stringify({ jsonrpc: '2.0', ...members });
const CHAIN_ID = { method: 'chain_getChainID', id: 1 };

describe('an id', () => {
  it.each([
    '0',
    '1',
    '-1',
    '-0',
    '9007199254740991',
    '9007199254740993',
    '-9007199254740993',
    '123456789012345678901234567890',
    '1.5',
    '-0.25',
    'null',
    '"text"',
    '""',
    '"\\u00e9\\"\\\\"',
    '"\\ud800"',
  ])('%s comes back as it was sent', async (id) => {
    for (const method of ['chain_getChainID', 'chain_nothing', 'chain_getBalance']) {
      const text = await rpc.handle(`{"jsonrpc":"2.0","id":${id},"method":"${method}"}`);
      const echoed = /^\{"jsonrpc":"2\.0","id":("(?:[^"\\]|\\.)*"|[^,]*),/.exec(text ?? '')?.[1];
      expect(echoed?.startsWith('"') ? JSON.parse(echoed) : echoed).toBe(id.startsWith('"') ? JSON.parse(id) : id);
    }
  });

  it.each(['true', '[]', '{}', '1e400'])('%s is not an id', async (id) => {
    const answer = await send(`{"jsonrpc":"2.0","id":${id},"method":"chain_getChainID"}`);
    expect(answer).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, data: { code: 'invalid-request' } },
    });
    expect(answer.error?.message).toMatch(/id must be a number, a string or null/);
  });
});

describe('a request', () => {
  it('is answered with jsonrpc, id and result, in this order', async () => {
    expect(await rpc.handle(request(CHAIN_ID))).toBe('{"jsonrpc":"2.0","id":1,"result":"4"}');
  });

  it('may leave params out, or send null, or too many', async () => {
    for (const params of [undefined, null, [], {}, [1, 2, 3], { other: 1 }]) {
      expect(await send(request({ ...CHAIN_ID, params }))).toMatchObject({ result: '4' });
    }
  });

  it('may have other members, which are ignored', async () => {
    expect(await send(request({ ...CHAIN_ID, result: 1, error: 2, extra: {} }))).toMatchObject({ id: 1, result: '4' });
  });

  it.each([
    [{ jsonrpc: '1.0', ...CHAIN_ID }, 1, /jsonrpc must be "2.0"/],
    [{ id: 7, method: 'chain_getChainID', jsonrpc: 2 }, 7, /jsonrpc must be "2.0"/],
    [{ jsonrpc: '2.0', id: 'x' }, 'x', /method must be a string/],
    [{ jsonrpc: '2.0', id: 'x', method: 5 }, 'x', /method must be a string/],
    [{}, null, /jsonrpc/],
    [5, null, /a request is an object/],
    ['text', null, /a request is an object/],
    [null, null, /a request is an object/],
    [true, null, /a request is an object/],
  ])('%j is invalid', async (message, id, reason) => {
    const answer = await send(JSON.stringify(message));
    expect(answer).toMatchObject({ jsonrpc: '2.0', id, error: { code: -32600, data: { code: 'invalid-request' } } });
    expect(answer.error?.message).toMatch(reason);
    expect(Object.keys(answer)).toEqual(['jsonrpc', 'id', 'error']);
  });

  it.each([
    '',
    ' ',
    '{',
    '{"jsonrpc":"2.0"',
    '[1,',
    'nonsense',
    '{"jsonrpc":"2.0","id":1,"method":"chain_getChainID"} x',
  ])('%j is not JSON', async (text) => {
    expect(await send(text)).toMatchObject({ id: null, error: { code: -32700, data: { code: 'malformed-json' } } });
  });
});

describe('a notification', () => {
  it('is not answered, whatever it comes to', async () => {
    for (const method of ['chain_getChainID', 'chain_nothing', 'chain_getBalance', 'rpc.discover']) {
      expect(await rpc.handle(request({ method }))).toBeUndefined();
      expect(await rpc.handle(request({ method, params: 5 }))).toBeUndefined();
    }
  });
});

describe('a batch', () => {
  it('is answered in its order, without its notifications', async () => {
    const text = `[${[request(CHAIN_ID), request({ method: 'chain_getChainID' }), '5', request({ id: 'b', method: 'chain_x' })].join()}]`;
    const answers = (await send(text)) as unknown as Answer[];
    expect(answers.map(({ id }) => id)).toEqual([1, null, 'b']);
    expect(answers.map((answer) => answer.error?.code)).toEqual([undefined, -32600, -32601]);
  });

  it('of notifications alone is not answered', async () => {
    expect(await rpc.handle(`[${request({ method: 'chain_getChainID' })}]`)).toBeUndefined();
  });

  it('holds at least one request and at most so many', async () => {
    expect(await send('[]')).toMatchObject({ id: null, error: { code: -32600 } });
    const of = (count: number): string => `[${Array.from({ length: count }, () => request(CHAIN_ID)).join()}]`;
    expect((await send(of(100))) as unknown as Answer[]).toHaveLength(100);
    const refused = await send(of(101));
    expect(refused).toMatchObject({
      id: null,
      error: { code: -32600, data: { code: 'limit-exceeded', received: 101 } },
    });
    expect(refused.error?.message).toMatch(/at most 100 requests/);
    expect(await send(of(3), { batchRequestsMax: 2 })).toMatchObject({ error: { data: { code: 'limit-exceeded' } } });
  });

  it('inside a batch is not a request', async () => {
    expect(await send('[[]]')).toMatchObject([{ id: null, error: { code: -32600 } }]);
  });
});

describe('a bound', () => {
  it('of levels', async () => {
    const nested = `${'['.repeat(32)}${']'.repeat(32)}`;
    const answer = await send(`{"jsonrpc":"2.0","id":1,"method":"chain_getChainID","params":${nested}}`);
    expect(answer).toMatchObject({ id: null, error: { code: -32700, data: { code: 'limit-exceeded' } } });
    expect(answer.error?.message).toMatch(/at most 32 levels/);
    expect(await send(request({ ...CHAIN_ID, params: [] }), { jsonDepthMax: 1 })).toMatchObject({
      error: { code: -32700 },
    });
  });

  it('of the answer, alone and in a batch', async () => {
    const small = { responseCharactersMax: 300 };
    const states = request({ id: 5, method: 'chain_listStates', params: ['/object'] });
    expect(await send(states, small)).toMatchObject({
      id: 5,
      error: { code: -32008, data: { code: 'limit-exceeded' } },
    });
    expect(await send(request(CHAIN_ID), small)).toMatchObject({ result: '4' });
    const batch = `[${Array.from({ length: 20 }, () => request(CHAIN_ID)).join()}]`;
    expect(await send(batch, small)).toMatchObject({ id: null, error: { code: -32008 } });
  });

  it('of a page: what is asked for beyond it is cut', async () => {
    const items = async (method: string, limit: unknown, options: RpcOptions = {}): Promise<number> => {
      const answer = await send(
        request({ id: 1, method, params: ['/fields/0x2::module_store::ModuleStore', null, limit] }),
        options,
      );
      return (answer.result as { data: unknown[] }).data.length;
    };
    expect(await items('chain_listStates', '2')).toBe(2);
    expect(await items('chain_listStates', '18446744073709551615')).toBe(4);
    expect(await items('chain_listStates', 1000, { pageItemsMaxInterface: 3 })).toBe(3);
    expect(await items('rooch_listStates', 1000, { pageItemsMaxCurrent: 1 })).toBe(1);
    const all = async (method: string): Promise<number> => {
      const answer = await send(request({ id: 1, method, params: ['/module/0x3', null, 100_000] }));
      return (answer.result as { data: unknown[] }).data.length;
    };
    expect(await all('chain_listStates'), 'the framework has less than 200 modules').toBe(
      await all('rooch_listStates'),
    );
  });
});

describe('an unknown method', () => {
  it.each([
    ['chain_getState', 'chain_getStates'],
    ['chain_getchainid', 'chain_getChainID'],
    ['rooch_queryEvent', 'rooch_queryEvents'],
    ['btc_queryUTXO', 'btc_queryUTXOs'],
    ['getBalance', 'chain_getBalance'],
    ['rpc.discove', 'rpc.discover'],
  ])('%s is told the nearest one', async (method, nearest) => {
    const { error } = await send(request({ id: 1, method }));
    expect(error?.code).toBe(-32601);
    expect(error?.message).toContain(nearest);
    expect(error?.data).toMatchObject({ code: 'method-not-found', hint: `did you mean ${nearest}?` });
  });

  it('that resembles none is told where the list is, and shown only in part', async () => {
    for (const method of [
      '',
      'constructor',
      '__proto__',
      'toString',
      'x'.repeat(100_000),
      '\ud83d\ude00'.repeat(100),
    ]) {
      const { error } = await send(request({ id: 1, method }));
      expect(error).toMatchObject({ code: -32601, data: { hint: 'rpc.discover lists the methods' } });
      expect(error!.message.length).toBeLessThan(200);
    }
  });

  it('is one whose prefix is off', async () => {
    expect(await send(request({ id: 1, method: 'rooch_getChainID' }), { namespaces: ['chain'] })).toMatchObject({
      error: { code: -32601 },
    });
    expect(await send(request({ id: 1, method: 'btc_queryUTXOs' }), { namespaces: [] })).toMatchObject({ id: 1 });
  });
});

describe('an error inside a handler', () => {
  const throwing = (error: unknown): RpcEngine => ({
    at: () => {
      throw error;
    },
    execute: () => Promise.reject(error),
    waitFor: () => Promise.reject(error),
    simulate: () => {
      throw error;
    },
    on: () => () => {},
  });
  const answerOf = async (error: unknown, log?: RpcOptions['log']): Promise<NonNullable<Answer['error']>> => {
    const broken = createRpc(throwing(error), { log });
    return (JSON.parse((await broken.handle(request(CHAIN_ID)))!) as Answer).error!;
  };

  it.each([
    ['not-found', 2],
    ['not-supported', 2],
    ['invalid-argument', 2],
    ['limit-exceeded', 2],
    ['state-not-loaded', 2],
    ['read-only', 2],
    ['corrupt', 2],
    ['store-failed', 2],
    ['transaction-rejected', 2],
    ['malformed-bytes', 3],
    ['closed', -32009],
    ['invariant-violation', -32603],
  ] as const)('%s has the number %i', async (code, number) => {
    const details = { expected: 'a', received: 5, hint: 'b', path: 'c', secret: 'd', object: {} };
    const error = await answerOf(new EngineError(code, 'what failed', { details, cause: new Error('inner secret') }));
    expect(error).toEqual({
      code: number,
      message: 'what failed',
      data: { code, path: 'c', expected: 'a', received: 5, hint: 'b' },
    });
  });

  it.each([new TypeError('a secret path'), 'a thrown text', undefined, { toString: null }])(
    'that nobody foresaw (%#) tells the client nothing, and the log everything',
    async (thrown) => {
      const said: LogEntry[] = [];
      expect(await answerOf(thrown, (entry) => said.push(entry))).toEqual({
        code: -32603,
        message: 'Internal error',
        data: { code: 'internal' },
      });
      expect(said).toHaveLength(1);
      expect(said[0]).toMatchObject({ level: 'error', message: 'a method failed in an unforeseen way' });
    },
  );

  it('that anybody can cause is not logged: a subscription without a lasting connection', async () => {
    const said: LogEntry[] = [];
    const server = createRpc(await Engine.open(), { log: (entry) => said.push(entry) });
    const subscribe = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_subscribeTransactions', params: ['all'] });
    const answer = JSON.parse((await server.handle(subscribe))!);
    expect(answer).toMatchObject({ error: { code: -32603, data: { code: 'not-supported' } } });
    expect(said).toEqual([]);
  });

  it('of a closed engine says that the service is unavailable', async () => {
    const closed = await Engine.open();
    const server = createRpc(closed);
    await closed.close();
    const answer = JSON.parse((await server.handle(request({ id: 1, method: 'chain_status' })))!) as Answer;
    expect(answer.error).toMatchObject({ code: -32009, data: { code: 'closed' } });
  });
});

describe('a direct call', () => {
  it('gives the values that the text holds', async () => {
    const text = await rpc.handle(
      request({ id: 1, method: 'chain_getStates', params: ['/object/0x3', { decode: true }] }),
    );
    const value = await rpc.request('chain_getStates', ['/object/0x3', { decode: true }]);
    expect((JSON.parse(text!) as Answer).result).toEqual(value);
  });

  it('rejects with the number and data of the wire', async () => {
    await expect(rpc.request('chain_getBalance', ['0x3'] as never)).rejects.toMatchObject({
      name: 'RpcError',
      code: -32602,
      data: { code: 'invalid-argument', path: 'params[1] coin_type', received: 'nothing' },
    });
    await expect(rpc.request('chain_nothing' as never)).rejects.toMatchObject({ code: -32601 });
    await expect(rpc.request('chain_getBalance', ['0x3', '0x3::a::B'])).rejects.toMatchObject({
      code: 2,
      message: 'Can not find CoinInfo with coin_type: 0x3::a::B',
    });
  });

  it('takes bigints and named parameters', async () => {
    const page = await rpc.request('chain_getTransactionsByOrder', {
      cursor: null,
      limit: 1n,
      descending_order: false,
    });
    expect(page).toMatchObject({ next_cursor: 0, has_next_page: false });
  });
});

describe('request', () => {
  it('knows the names, parameters and answers', () => {
    expectTypeOf<'chain_getBalance'>().toExtend<MethodName>();
    expectTypeOf<'rooch_getBalance' | 'btc_queryUTXOs' | 'rpc.discover'>().toExtend<MethodName>();
    expectTypeOf<'getBalance'>().not.toExtend<MethodName>();
    expectTypeOf<'chain_queryUTXOs'>().not.toExtend<MethodName>();
    expectTypeOf<MethodParams<'chain_getBalance'>>().toEqualTypeOf<
      readonly [
        account_addr: string,
        coin_type: string,
        option?: { readonly stateRoot?: string | null; readonly order?: Count | null } | null,
      ]
    >();
    expectTypeOf<MethodResult<'rooch_getChainID'>>().toEqualTypeOf<string>();
    expectTypeOf<MethodResult<'btc_queryUTXOs'>>().toEqualTypeOf<JsonPage<JsonObject, JsonPosition>>();
    expectTypeOf<[string]>().not.toExtend<MethodParams<'chain_getBalance'>>();
    expectTypeOf<[number, string]>().not.toExtend<MethodParams<'chain_getBalance'>>();
    expectTypeOf<[{ colour: string }]>().not.toExtend<MethodParams<'chain_queryEvents'>>();
    expectTypeOf<[{ event_type: string }, null, 5, { decode: true }]>().toExtend<MethodParams<'chain_queryEvents'>>();
  });
});
