/** Faults from a seed: the same seed brings the same ones, and a chain keeps its promises under them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { Engine } from '../../../src/engine/engine.ts';
import { replay } from '../../../src/engine/replay.ts';
import type { Position } from '../../../src/index.ts';
import { createRpc } from '../../../src/server/rpc/index.ts';
import { serveHttp } from '../../../src/server/transport/index.ts';
import { type ChaosOptions, chaos } from '../../../src/testing/chaos/index.ts';

const GAS = '0x3::gas_coin::RGas';

let engine: Engine;

beforeAll(async () => {
  engine = await Engine.open({ reorganisationDepth: 3 });
  for (let block = 0; block < 8; block++) await engine.bitcoin.mine({ to: engine.accounts[block]!.bitcoin });
});

afterAll(() => engine.close());

const ALL: Omit<ChaosOptions, 'seed'> = {
  store: { slow: { chance: 0.4, msMax: 3 } },
  clock: { chance: 0.5, msMax: 100_000 },
  reorganise: { every: 3 },
};

/** Some transactions and lists on a chain with faults; what came of it. */
async function run(seed: number): Promise<unknown> {
  await using wild = chaos(engine, { seed, ...ALL });
  const { accounts, bitcoin, head } = wild.engine;
  for (let round = 0; round < 8; round++) {
    await wild.engine.dev.fund(accounts[0]!.address, GAS, 1n);
    await bitcoin.utxos({ kind: 'all' }, { limit: 2 });
  }
  expect(wild.engine.head.order).toBeGreaterThan(head.order);
  // Which commits of a block see the clock after a jump depends on how they are written together.
  const { order, stateRoot, accumulator } = wild.engine.head;
  return { events: wild.events, order, stateRoot, accumulator };
}

describe('a seed', () => {
  it('brings the same faults and the same chain again; another seed brings others', async () => {
    const { order, stateRoot } = engine.head;
    const first = await run(7);
    expect(await run(7)).toEqual(first);
    expect(await run(8)).not.toEqual(first);
    const kinds = (first as { events: { kind: string }[] }).events.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['clock-jumped', 'reorganised', 'store-slow']));
    // The chain that was forked is as it was.
    expect([engine.head.order, engine.head.stateRoot]).toEqual([order, stateRoot]);
  });

  it('brings no fault that was not asked for', async () => {
    await using wild = chaos(engine, { seed: 7 });
    await wild.engine.dev.fund('0x42', GAS, 1n);
    await wild.engine.bitcoin.utxos({ kind: 'all' });
    expect(wild.events).toEqual([]);
  });
});

describe('a store', () => {
  it('that is slow keeps readers on the previous commit until the next one can be read', async () => {
    await using wild = chaos(engine, { seed: 1, store: { slow: { chance: 1, msMax: 40 } } });
    // Time stands still, however long the machine takes.
    vi.useFakeTimers({ toFake: ['setTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const funding = wild.engine.dev.fund('0x42', GAS, 5n);
    while (wild.events.length === 0) await new Promise((resolve) => setImmediate(resolve));
    expect(wild.engine.balances.get('0x42', GAS).balance).toBe(0n);
    vi.advanceTimersByTime(40);
    await funding;
    expect(wild.engine.balances.get('0x42', GAS).balance).toBe(5n);
    expect(wild.events).toMatchObject([{ kind: 'store-slow', order: engine.head.order + 1n }]);
  });

  it('that fails ends the writes and leaves nothing of the batch; a fork goes on', async () => {
    await using wild = chaos(engine, { seed: 1, store: { failAt: 2 } });
    await wild.engine.dev.fund('0x42', GAS, 5n);
    const before = wild.engine.head;
    for (let attempt = 0; attempt < 2; attempt++) {
      await expect(wild.engine.dev.fund('0x42', GAS, 90n)).rejects.toMatchObject({
        code: 'store-failed',
        message: `the commit of order ${before.order + 1n} failed, as chaos was told to do`,
      });
    }
    expect(wild.events).toEqual([{ kind: 'store-failed', order: before.order + 1n }]);
    expect(wild.engine.head).toEqual(before);
    expect(wild.engine.status().service).toBe('maintenance');
    await using again = wild.engine.fork();
    await again.dev.fund('0x42', GAS, 2n);
    expect(again.balances.get('0x42', GAS).balance).toBe(7n);
  });

  it('cannot go back, like one on a disk', async () => {
    await using wild = chaos(engine, { seed: 1 });
    expect(() => wild.engine.snapshot()).toThrow(/never goes back/);
  });
});

describe('a clock that jumps', () => {
  it('takes the time of the chain forward and never back', async () => {
    await using wild = chaos(engine, { seed: 3, clock: { chance: 1, msMax: 1_000_000 } });
    const times: bigint[] = [];
    wild.engine.on('transaction', ({ transaction }) => times.push(transaction.sequenceInfo.txTimestamp));
    for (let round = 0; round < 12; round++) await wild.engine.dev.fund('0x42', GAS, 1n);
    const jumps = wild.events.map((event) => (event.kind === 'clock-jumped' ? event.ms : 0));
    expect(jumps.some((ms) => ms < 0) && jumps.some((ms) => ms > 0)).toBe(true);
    expect(jumps).toHaveLength(12);
    expect(times).toEqual([...times].sort((left, right) => Number(left - right)));
    expect(new Set(times).size).toBeGreaterThan(1);
  });
});

describe('a clock that jumps on a fork', () => {
  it('goes on when the chain below is closed, and is not moved with it', async () => {
    for (const start of [undefined, 1_000n]) {
      const base = await Engine.open(start === undefined ? {} : { clock: () => start });
      await using wild = chaos(base, { seed: 7, clock: { chance: 1, msMax: 10 } });
      const before = wild.engine.dev.time.now;
      await base.dev.time.advance(1_000_000n);
      expect(wild.engine.dev.time.now).toBe(before);
      await base.close();
      await wild.engine.dev.fund('0x42', GAS, 1n);
      await wild.engine.dev.fund('0x42', GAS, 1n);
      expect(wild.events).toHaveLength(2);
    }
  });
});

describe('a reorganisation', () => {
  it('waits for the one before', async () => {
    await using wild = chaos(engine, { seed: 7 });
    const { blockHeight } = wild.engine.bitcoin.status().pending!;
    await Promise.all([wild.reorganise(1), wild.reorganise(2), wild.reorganise()]);
    expect(wild.events.map(({ kind }) => kind)).toEqual(['reorganised', 'reorganised', 'reorganised']);
    expect(wild.engine.bitcoin.status().pending!.blockHeight).toBe(blockHeight + 3n);
  });

  it('may come between two pages of a list, which then repeats nothing and misses nothing that stays', async () => {
    await using calm = engine.fork();
    const before = (await calm.bitcoin.utxos({ kind: 'all' }, { limit: 100 })).data.map(
      ({ objectId }) => `${objectId}`,
    );
    await using wild = chaos(engine, { seed: 5, reorganise: { every: 2, depthMax: 2 } });
    const seen: string[] = [];
    let cursor: Position | undefined;
    for (let page = 0; page < 20; page++) {
      const answer = await wild.engine.bitcoin.utxos({ kind: 'all' }, { limit: 1, cursor });
      seen.push(...answer.data.map(({ objectId }) => `${objectId}`));
      cursor = answer.nextCursor;
      if (!answer.hasNextPage) break;
    }
    expect(before.length).toBeGreaterThan(2);
    expect(wild.events.filter(({ kind }) => kind === 'reorganised').length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
    // What was confirmed before stays: only blocks that waited are replaced.
    expect(seen).toEqual(expect.arrayContaining(before));
  });

  it('can be asked for, as deep as there are blocks that wait', async () => {
    await using wild = chaos(engine, { seed: 5 });
    const { pending, confirmed } = wild.engine.bitcoin.status();
    expect(Number(pending!.blockHeight - confirmed!.blockHeight)).toBe(3);
    await wild.reorganise(3);
    await wild.reorganise();
    expect(wild.events[0]).toEqual({ kind: 'reorganised', depth: 3, height: 8 });
    expect(wild.engine.bitcoin.block(pending!.blockHash)).toBeUndefined();
    await expect(wild.reorganise(4)).rejects.toMatchObject({ code: 'invalid-argument' });
    await using none = await Engine.open();
    await using still = chaos(none, { seed: 5 });
    await expect(still.reorganise()).rejects.toMatchObject({ code: 'not-supported' });
  });
});

describe('connections', () => {
  const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'chain_status', params: [] });
  const ask = async (url: string): Promise<boolean> => {
    const headers = { 'content-type': 'application/json', connection: 'close' };
    try {
      const response = await fetch(url, { method: 'POST', headers, body: request });
      return ((await response.json()) as { id: number }).id === 1;
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
      return false;
    }
  };

  it('are dropped and late, the same ones for the same seed, and the others answer', async () => {
    const outcome = async (seed: number) => {
      await using wild = chaos(engine, { seed, sockets: { drop: 0.4, slow: { chance: 0.3, msMax: 5 } } });
      const rpc = createRpc(wild.engine);
      const server = await serveHttp(rpc, { port: 0 });
      const { url } = await wild.proxy(server.url);
      const answered: boolean[] = [];
      for (let count = 0; count < 24; count++) answered.push(await ask(url));
      expect(await ask(server.url)).toBe(true);
      await wild.close();
      expect(await ask(url)).toBe(false);
      await server.close();
      await rpc.close();
      return { answered, events: wild.events };
    };
    const first = await outcome(11);
    expect(new Set(first.answered)).toEqual(new Set([true, false]));
    const dropped = first.events.flatMap((event) => (event.kind === 'socket-dropped' ? [event.connection] : []));
    expect(dropped).toEqual(first.answered.flatMap((answered, index) => (answered ? [] : [index + 1])));
    expect(first.events.some(({ kind }) => kind === 'socket-slow')).toBe(true);
    expect((await outcome(11)).answered).toEqual(first.answered);
    expect((await outcome(12)).answered).not.toEqual(first.answered);
  });

  it('carry WebSockets', async () => {
    await using wild = chaos(engine, { seed: 2, sockets: { slow: { chance: 1, msMax: 5 } } });
    const rpc = createRpc(wild.engine);
    const server = await serveHttp(rpc, { port: 0 });
    const { url } = await wild.proxy(server.url);
    const socket = new WebSocket(url.replace('http', 'ws'));
    await once(socket, 'open');
    socket.send(request);
    const [answer] = (await once(socket, 'message')) as [Buffer];
    expect(JSON.parse(String(answer))).toMatchObject({ id: 1, result: {} });
    socket.close();
    await server.close();
    await rpc.close();
  });

  it('go to an address of IPv6, and answer a client that has ended its side', async () => {
    await using wild = chaos(engine, { seed: 2 });
    const server = await serveHttp(createRpc(wild.engine), { port: 0, host: '::1' });
    const { hostname, port, host } = new URL((await wild.proxy(server.url)).url);
    const client = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const head = `POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\nconnection: close`;
    client.end(`${head}\r\ncontent-length: ${request.length}\r\n\r\n${request}`);
    let answer = '';
    for await (const text of client.setEncoding('utf8')) answer += String(text);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    await server.close();
  });

  it('end with the chaos, also those that are being opened', async () => {
    const wild = chaos(engine, { seed: 2 });
    const opening = expect(wild.proxy('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'closed' });
    await wild.close();
    await opening;
    await expect(wild.proxy('http://127.0.0.1:1')).rejects.toMatchObject({ code: 'closed' });
  });

  it('drop WebSockets', async () => {
    await using wild = chaos(engine, { seed: 2, sockets: { drop: 1 } });
    const rpc = createRpc(wild.engine);
    const server = await serveHttp(rpc, { port: 0 });
    const { url } = await wild.proxy(server.url);
    const socket = new WebSocket(url.replace('http', 'ws'));
    let answers = 0;
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('error', () => {});
    socket.on('open', () => socket.send(request));
    socket.on('message', () => {
      answers++;
      socket.send(request);
    });
    await closed;
    expect(answers).toBeLessThan(10);
    expect(wild.events).toMatchObject([{ kind: 'socket-dropped', connection: 1 }]);
    await server.close();
    await rpc.close();
  });
});

describe('a chain with faults', () => {
  it('is recorded like any other, and replayed without them', async () => {
    await using chain = await Engine.open({ reorganisationDepth: 2 });
    chain.record();
    for (let block = 0; block < 5; block++) await chain.bitcoin.mine({ to: chain.accounts[0]!.bitcoin });
    await using wild = chaos(chain, { seed: 9, ...ALL });
    const recording = wild.engine.record();
    for (let round = 0; round < 6; round++) {
      await wild.engine.dev.fund('0x42', GAS, 1n);
      await wild.engine.bitcoin.utxos({ kind: 'all' }, { limit: 1 });
    }
    expect(wild.events.length).toBeGreaterThan(2);
    await using again = await replay(await recording.bytes());
    expect(again.head).toEqual(wild.engine.head);
    expect(again.storeKind).toBe('memory');
  });
});

describe('an option that does not fit', () => {
  it('is named with the option that has it', async () => {
    expect(() => chaos(engine, { seed: 1, store: { failAt: 0 } })).toThrow('store.failAt: expected a whole number');
    const slow = { chance: 2, msMax: 1 };
    expect(() => chaos(engine, { seed: 1, sockets: { slow } })).toThrow('sockets.slow.chance: expected a number');
    const misspelt = { every: 1, depth: 1 } as ChaosOptions['reorganise'];
    expect(() => chaos(engine, { seed: 1, reorganise: misspelt })).toThrow('reorganise.depth: there is no such option');
    await using wild = chaos(engine, { seed: 1 });
    await expect(wild.proxy('nowhere')).rejects.toThrow('url: expected http://HOST:PORT, got "nowhere"');
    expect((await wild.proxy('http://127.0.0.1:80')).url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });
});
