/** What watches a node: GET /metrics and GET /health. */
import { afterEach, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { RegtestChain } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { BitcoinNode } from '../../../src/server/follower/bitcoin-node.ts';
import { Follower } from '../../../src/server/follower/follower.ts';
import {
  createRpc,
  type HttpOptions,
  type HttpServer,
  type Metric,
  type Rpc,
  type RpcHandler,
  serveHttp,
} from '../../../src/server/index.ts';
import { openMetricsText } from '../../../src/server/metrics.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { FakeNode } from '../follower/fake-node.ts';
import { EchoHandler } from './echo-handler.ts';
import { type ReadFamily, readOpenMetrics } from './open-metrics.ts';
import { RawHttp } from './raw-http.ts';

const open: AsyncDisposable[] = [];

afterEach(async () => {
  for (const disposable of open.splice(0).reverse()) await disposable[Symbol.asyncDispose]();
});

async function listen(handler: RpcHandler, options: HttpOptions): Promise<HttpServer> {
  const server = await serveHttp(handler, { port: 0, ...options });
  open.push(server);
  return server;
}

async function node(options: HttpOptions, engine?: Engine): Promise<{ engine: Engine; rpc: Rpc; server: HttpServer }> {
  const opened = engine ?? (await Engine.open());
  open.push(opened);
  const rpc = createRpc(opened, { dev: true });
  return { engine: opened, rpc, server: await listen(rpc, options) };
}

async function post(server: HttpServer, body: unknown): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await fetch(server.url, { method: 'POST', headers, body: text });
  return response.status === 204 ? undefined : response.json();
}

function request(method: string, params: unknown[] = []): Record<string, unknown> {
  return { jsonrpc: '2.0', id: 1, method, params };
}

async function scrape(server: HttpServer): Promise<Map<string, ReadFamily>> {
  const response = await fetch(`${server.url}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  return new Map(readOpenMetrics(await response.text()).map((family) => [family.name, family]));
}

/** The value of the one sample with these labels. */
function valueIn(families: ReadonlyMap<string, ReadFamily>, name: string, labels: Record<string, string> = {}): number {
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.filter(
    (sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
  );
  expect(found, `${name} ${JSON.stringify(labels)}`).toHaveLength(1);
  return found[0]!.value;
}

describe('probes', () => {
  it('are off unless they are asked for', async () => {
    const { server } = await node({});
    for (const path of ['/metrics', '/health']) expect((await fetch(server.url + path)).status).toBe(404);
    const metrics = await node({ metrics: true });
    expect((await fetch(`${metrics.server.url}/health`)).status).toBe(404);
    const health = await node({ health: true });
    expect((await fetch(`${health.server.url}/metrics`)).status).toBe(404);
  });

  it('answer GET and HEAD, under a host that the listener allows, and nothing else', async () => {
    const { server } = await node({ metrics: true, health: true });
    for (const path of ['/metrics', '/health', '/health?from=balancer']) {
      const head = await fetch(server.url + path, { method: 'HEAD' });
      expect([head.status, await head.text()]).toEqual([200, '']);
      expect(Number(head.headers.get('content-length'))).toBeGreaterThan(10);
      expect(head.headers.get('cache-control')).toBe('no-store');
      const posted = await fetch(server.url + path, { method: 'POST', body: '{}' });
      expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
      const foreign = await fetch(server.url + path, { headers: { origin: 'https://elsewhere.example' } });
      expect(foreign.status).toBe(403);
    }
  });

  it('cover the listener alone when the handler counts nothing', async () => {
    const server = await listen(new EchoHandler(), { metrics: true, health: true });
    const families = await scrape(server);
    expect([...families.keys()].filter((name) => !/connections|memory|in_flight/.test(name))).toEqual([]);
    expect(await (await fetch(`${server.url}/health`)).json()).toEqual({ status: 'ok' });
  });

  it('cover the listener alone when what the handler counts cannot be written', async () => {
    const handler = Object.assign(new EchoHandler(), {
      measure: () => ({ metrics: async () => [{ name: 'half' } as unknown as Metric] }),
    });
    const families = await scrape(await listen(handler, { metrics: true }));
    expect([...families.keys()].filter((name) => !/connections|memory|in_flight/.test(name))).toEqual([]);
  });
});

describe('GET /metrics', () => {
  it('says what the chain is, what the engine holds and what the listener carries', async () => {
    const { engine, server } = await node({ metrics: true });
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    engine.tryView({ function: '0x3::chain_id::chain_id' });
    const families = await scrape(server);
    expect(valueIn(families, 'movelet_node_info')).toBe(1);
    expect(valueIn(families, 'movelet_active')).toBe(1);
    expect(valueIn(families, 'movelet_order')).toBe(Number(engine.head.order));
    expect(valueIn(families, 'movelet_commits_total')).toBe(Number(engine.head.order));
    expect(valueIn(families, 'movelet_bitcoin_height', { block: 'pending' })).toBe(0);
    expect(valueIn(families, 'movelet_writer_queue')).toBe(0);
    expect(valueIn(families, 'movelet_cache_hits_total', { cache: 'tree_nodes' })).toBeGreaterThan(10);
    const { treeNodes } = engine.inside.core.usage();
    expect(valueIn(families, 'movelet_cache_entries', { cache: 'tree_nodes' })).toBe(treeNodes.entries);
    expect(valueIn(families, 'movelet_tree_cache_bytes')).toBe(treeNodes.bytes);
    expect(valueIn(families, 'movelet_cache_entries', { cache: 'modules' })).toBeGreaterThan(0);
    expect(valueIn(families, 'movelet_connections', { kind: 'http' })).toBeGreaterThan(0);
    expect(valueIn(families, 'movelet_requests_in_flight')).toBe(1);
    expect(valueIn(families, 'movelet_request_memory_limit_bytes')).toBeGreaterThan(1_000_000);
    expect(families.has('movelet_follower_active')).toBe(false);
  });

  it('counts requests by method and outcome, and their times', async () => {
    const { rpc, server } = await node({ metrics: true });
    await post(server, request('chain_status'));
    await post(server, [
      request('chain_status'),
      request('chain_getChainID'),
      { jsonrpc: '2.0', method: 'chain_status' },
    ]);
    await post(server, request('chain_getBalance', ['no address', '0x3::gas_coin::RGas']));
    await post(server, request('chain_made"up\n'));
    await post(server, { jsonrpc: '2.0' });
    await post(server, '{');
    const { id } = (await rpc.request('dev_fork')) as { id: string };
    await post(server, { ...request('chain_getChainID'), fork: id });
    await post(server, { ...request('chain_getChainID'), fork: 'gone' });
    const families = await scrape(server);
    const counted = families
      .get('movelet_requests')!
      .samples.map(({ labels: { method, outcome }, value }) => [`${method} ${outcome}`, value]);
    expect(Object.fromEntries(counted)).toEqual({
      'chain_status ok': 2,
      'chain_status notification': 1,
      'chain_getChainID ok': 2,
      'chain_getBalance invalid-argument': 1,
      'unknown method-not-found': 1,
      'unknown invalid-request': 1,
      'unknown malformed-json': 1,
      'unknown not-found': 1,
    });
    expect(valueIn(families, 'movelet_request_seconds_count', { method: 'chain_status' })).toBe(3);
    expect(valueIn(families, 'movelet_request_seconds_sum', { method: 'chain_status' })).toBeGreaterThan(0);
    expect(valueIn(families, 'movelet_waiting_requests')).toBe(0);
  });

  it('counts WebSockets and event streams among the connections', async () => {
    const { server } = await node({ metrics: true });
    const socket = new WebSocket(server.url.replace('http', 'ws'));
    await new Promise((resolve) => socket.addEventListener('open', resolve));
    const gone = new AbortController();
    await fetch(`${server.url}/subscribe/sse/events?filter=%22all%22`, { signal: gone.signal });
    const families = await scrape(server);
    expect(valueIn(families, 'movelet_connections', { kind: 'websocket' })).toBe(1);
    expect(valueIn(families, 'movelet_connections', { kind: 'event_stream' })).toBe(1);
    expect(valueIn(families, 'movelet_connections', { kind: 'http' })).toBeGreaterThan(0);
    gone.abort();
    socket.close();
  });

  it('reports how far a follower has got', async () => {
    const { engine, server } = await node({ metrics: true, health: true });
    const fake = await FakeNode.listen();
    const chain = new RegtestChain();
    for (let block = 0; block < 3; block++) chain.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    fake.blocks = chain.blocks;
    fake.lie = (method, result) => (method === 'getblock' ? 'no block' : result);
    await using follower = new Follower(engine, new BitcoinNode({ url: fake.url }), {
      from: 0,
      backoffMilliseconds: 60_000,
    });
    follower.start();
    await new Promise<void>((resolve) => {
      fake.before = (method) => method === 'getblock' && setTimeout(resolve, 0);
    });
    const waiting = async (): Promise<Map<string, ReadFamily>> => {
      for (;;) {
        const families = await scrape(server);
        if (valueIn(families, 'movelet_follower_errors_total') > 0) return families;
      }
    };
    const families = await waiting();
    expect(valueIn(families, 'movelet_follower_active')).toBe(0);
    expect(valueIn(families, 'movelet_follower_node_height')).toBe(2);
    expect(valueIn(families, 'movelet_follower_lag_blocks')).toBe(3);
    const health = await fetch(`${server.url}/health`);
    expect(health.status).toBe(200);
    expect(await health.json()).toMatchObject({ status: 'ok', follower: { state: 'waiting', lag: 3 } });
    await follower.stop();
    await fake.close();
  });
});

describe('GET /health', () => {
  it('is 200, and says how far the chain is', async () => {
    const { server } = await node({ health: true });
    const response = await fetch(`${server.url}/health`);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      status: 'ok',
      service: 'active',
      order: '0',
      bitcoin_height: null,
      follower: null,
    });
  });

  it('is 503 when the store takes no more, and metrics say so', async () => {
    const store = new MemoryStore();
    const engine = await Engine.open({ store });
    const { server } = await node({ health: true, metrics: true }, engine);
    store.apply = () => {
      throw new Error('no space left');
    };
    await expect(engine.executeAs(DEV_ACCOUNTS[0]!.address, { function: '0x3::empty::empty' })).rejects.toThrow(
      'no space left',
    );
    const response = await fetch(`${server.url}/health`);
    expect(response.status).toBe(503);
    expect(await response.json()).toMatchObject({ status: 'failing', service: 'maintenance' });
    expect(valueIn(await scrape(server), 'movelet_active')).toBe(0);
  });

  it('is 503 when the engine is closed, and metrics are those of the listener', async () => {
    const { engine, server } = await node({ health: true, metrics: true });
    await engine.close();
    const response = await fetch(`${server.url}/health`);
    expect([response.status, await response.json()]).toEqual([
      503,
      { status: 'failing', reason: 'the engine is closed' },
    ]);
    const families = await scrape(server);
    expect(families.has('movelet_connections')).toBe(true);
    expect(families.has('movelet_order')).toBe(false);
  });
});

describe('the text of OpenMetrics', () => {
  it('escapes what labels and help may hold', () => {
    const text = openMetricsText([
      {
        name: 'a',
        type: 'gauge',
        help: 'line\n"quoted" \\',
        samples: [{ labels: { x: 'a"b\\c\nd,e="f"' }, value: 0.5 }],
      },
      { name: 'none', type: 'gauge', help: 'left out', samples: [] },
    ]);
    expect(readOpenMetrics(text)).toEqual([
      {
        name: 'a',
        type: 'gauge',
        unit: '',
        help: 'line\n"quoted" \\',
        samples: [{ name: 'a', labels: { x: 'a"b\\c\nd,e="f"' }, value: 0.5 }],
      },
    ]);
  });
});

describe('probes that are asked for together', () => {
  it('are measured once, however many there are', async () => {
    const asked = { metrics: 0, health: 0 };
    const handler: RpcHandler = {
      handle: async () => undefined,
      measure: () => ({
        metrics: async () => {
          asked.metrics++;
          return [];
        },
      }),
      health: async () => {
        asked.health++;
        return { isWell: true, text: '{}' };
      },
    };
    const server = await listen(handler, { metrics: true, health: true });
    const raws = await Promise.all(Array.from({ length: 40 }, () => RawHttp.open(server.port)));
    // The first time the connections are accepted, one after the other.
    for (const path of ['/nothing', '/metrics', '/health']) {
      for (const raw of raws) raw.send(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      for (const raw of raws) await raw.response();
    }
    for (const raw of raws) raw.socket.destroy();
    expect(asked.metrics).toBeLessThan(20);
    expect(asked.health).toBeLessThan(20);
    // Later ones are measured anew.
    const { metrics } = asked;
    await scrape(server);
    expect(asked.metrics).toBe(metrics + 1);
  });
});
