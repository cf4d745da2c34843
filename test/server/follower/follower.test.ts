import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, RegtestChain, spend } from '../../../src/bitcoin/index.ts';
import { encodeBitcoinTransaction } from '../../../src/bitcoin/transaction.ts';
import { DEV_ACCOUNTS, Engine, type LogEntry } from '../../../src/index.ts';
import { BitcoinNode } from '../../../src/server/follower/bitcoin-node.ts';
import { Follower, type FollowerOptions } from '../../../src/server/follower/follower.ts';
import { createRpc } from '../../../src/server/index.ts';
import { runs } from '../../effort.ts';
import { FakeNode } from './fake-node.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
let fake: FakeNode;
let log: LogEntry[];
beforeEach(async () => {
  fake = await FakeNode.listen();
  log = [];
});
afterEach(() => fake.close());

const QUICK: FollowerOptions = {
  from: 0,
  pollMilliseconds: 2,
  backoffMilliseconds: 2,
  log: (entry) => log.push(entry),
};

function mine(chain: RegtestChain, count: number, to: string): void {
  for (let block = 0; block < count; block++) chain.mine({ to });
}

/** Waits until the engine's newest block is the chain's. */
async function caughtUp(engine: Engine, chain: RegtestChain): Promise<void> {
  const wanted = formatBitcoinHash(chain.blocks.at(-1)!.hash);
  await vi.waitFor(() => expect(engine.bitcoin.status().pending!.blockHash).toBe(wanted), {
    timeout: 200_000,
    interval: 5,
  });
}

describe('following a Bitcoin node', () => {
  it('takes the blocks that exist and those that come', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain({ height: 99 });
    mine(chain, 5, alice);
    fake.blocks = chain.blocks;
    fake.credentials = 'me:secret:with colon';
    const url = `http://me:${encodeURIComponent('secret:with colon')}@127.0.0.1:${fake.port}/`;
    const follower = new Follower(engine, new BitcoinNode({ url }), { ...QUICK, from: 102 });
    follower.start();
    await caughtUp(engine, chain);
    expect(engine.bitcoin.block(101)).toBeUndefined();
    mine(chain, 3, bob);
    await caughtUp(engine, chain);
    await vi.waitFor(() => expect(follower.status).toMatchObject({ height: 107, nodeHeight: 107 }), {
      timeout: 200_000,
    });
    expect(follower.status).toEqual({
      state: 'following',
      node: `http://127.0.0.1:${fake.port}/`,
      height: 107,
      nodeHeight: 107,
      lag: 0,
      blocksPerSecond: undefined,
      secondsLeft: undefined,
      failures: 0,
      problem: undefined,
      lastError: undefined,
    });
    expect(engine.status().follower).toEqual(follower.status);
    await follower.stop();
    // An abandoned request may still arrive, before this one.
    await fetch(fake.url, { method: 'POST', body: '{"method":"last","params":[],"id":0}' });
    const { length } = fake.asked;
    mine(chain, 1, bob);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fake.asked).toHaveLength(length);
    expect(follower.status.state).toBe('stopped');
  });

  it('follows reorganisations to where the node is', async () => {
    const plan = fc.record({
      depth: fc.integer({ min: 1, max: 4 }),
      before: fc.integer({ min: 1, max: 4 }),
      lost: fc.integer({ min: 1, max: 4 }),
      more: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(plan, async ({ depth, before, lost, more }) => {
        await using engine = await Engine.open({ reorganisationDepth: depth });
        const chain = new RegtestChain();
        mine(chain, before, alice);
        const winner = chain.branch(chain.height);
        mine(chain, Math.min(lost, depth), alice);
        mine(winner, Math.min(lost, depth) + more, bob);
        fake.blocks = chain.blocks;
        const follower = new Follower(engine, new BitcoinNode({ url: fake.url }), QUICK);
        follower.start();
        await caughtUp(engine, chain);
        fake.blocks = winner.blocks;
        await caughtUp(engine, winner);
        await follower.stop();
        await using straight = await Engine.open({ reorganisationDepth: depth });
        for (const { bytes, height } of winner.blocks) await straight.bitcoin.ingest(bytes, height);
        expect(engine.head.stateRoot).toBe(straight.head.stateRoot);
      }),
      { numRuns: runs(8) },
    );
    expect(log.some(({ message }) => message.includes('left our branch'))).toBe(true);
  });

  it('notices that the branch changes while it fetches', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 6 });
    const chain = new RegtestChain();
    mine(chain, 2, alice);
    const winner = chain.branch(0);
    mine(chain, 3, alice);
    mine(winner, 6, bob);
    fake.blocks = chain.blocks;
    let fetched = 0;
    fake.before = (method) => {
      if (method === 'getblockhash' && ++fetched === 4) fake.blocks = winner.blocks;
    };
    const follower = new Follower(engine, new BitcoinNode({ url: fake.url }), QUICK);
    follower.start();
    await caughtUp(engine, winner);
    await follower.stop();
    expect(engine.bitcoin.block(1)?.blockHash).toBe(formatBitcoinHash(winner.blocks[1]!.hash));
  });

  it('follows a reorganisation of the first block while it is pending', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 2 });
    const chain = new RegtestChain();
    mine(chain, 5, alice);
    const winner = chain.branch(4);
    const deeper = chain.branch(3);
    mine(chain, 2, alice);
    mine(winner, 3, bob);
    mine(deeper, 5, bob);
    fake.blocks = chain.blocks;
    await using follower = new Follower(engine, new BitcoinNode({ url: fake.url }), { ...QUICK, from: 5 });
    follower.start();
    await caughtUp(engine, chain);
    // On a block below the first one there is nothing to build.
    fake.blocks = deeper.blocks;
    await vi.waitFor(
      () => expect(follower.status.problem).toMatch(/is on another branch since height 4 or before, below our first/),
      { timeout: 200_000 },
    );
    fake.blocks = winner.blocks;
    await caughtUp(engine, winner);
    await follower.stop();
    await using straight = await Engine.open({ reorganisationDepth: 2 });
    for (const { bytes, height } of winner.blocks.slice(5)) await straight.bitcoin.ingest(bytes, height);
    expect(engine.head.stateRoot).toBe(straight.head.stateRoot);
  });

  it('says that the node is behind our first block', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 2 });
    const chain = new RegtestChain();
    mine(chain, 8, alice);
    for (const { bytes, height } of chain.blocks.slice(4)) await engine.bitcoin.ingest(bytes, height);
    fake.blocks = chain.blocks.slice(0, 3);
    await using follower = new Follower(engine, new BitcoinNode({ url: fake.url }), { ...QUICK, from: 4 });
    follower.start();
    await vi.waitFor(() => expect(follower.status.problem).toBeDefined(), { timeout: 200_000 });
    expect(follower.status.problem).toContain('its best block is at height 2, below our first block');
    mine(chain, 1, alice);
    fake.blocks = chain.blocks;
    await caughtUp(engine, chain);
    await vi.waitFor(() => expect(follower.status.problem).toBeUndefined(), { timeout: 200_000 });
  });

  it('says that a reorganisation is too deep, and changes nothing', async () => {
    await using engine = await Engine.open({ reorganisationDepth: 1 });
    const chain = new RegtestChain();
    mine(chain, 2, alice);
    const winner = chain.branch(0);
    mine(chain, 3, alice);
    mine(winner, 6, bob);
    fake.blocks = chain.blocks;
    const follower = new Follower(engine, new BitcoinNode({ url: fake.url }), QUICK);
    follower.start();
    await caughtUp(engine, chain);
    const { order } = engine.head;
    fake.blocks = winner.blocks;
    await vi.waitFor(
      () => expect(follower.status.problem).toMatch(/is on another branch since height \d+ .*reorganisationDepth/),
      { timeout: 200_000 },
    );
    expect(engine.head.order).toBe(order);
    await follower.stop();
  });

  it('is reported on the wire by chain_status, and only if there is a follower', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    expect(await rpc.request('chain_status')).not.toHaveProperty('follower_status');
    const chain = new RegtestChain({ height: 99 });
    mine(chain, 3, alice);
    fake.blocks = chain.blocks;
    fake.broken = { status: 200, body: '{"error":{"code":-28,"message":"Loading"}}' };
    await using follower = new Follower(engine, new BitcoinNode({ url: fake.url }), { ...QUICK, from: 100 });
    const told = async (): Promise<unknown> => (await rpc.request('chain_status'))['follower_status'];
    expect(await told()).toMatchObject({ state: 'stopped', height: null, node_height: null, lag: null, failures: 0 });
    follower.start();
    await vi.waitFor(async () => expect(await told()).toMatchObject({ state: 'waiting' }), { timeout: 200_000 });
    expect(await told()).toMatchObject({ problem: expect.stringContaining('Loading') as string });
    fake.broken = undefined;
    await caughtUp(engine, chain);
    await vi.waitFor(async () => expect(await told()).toMatchObject({ state: 'following', lag: 0, problem: null }), {
      timeout: 200_000,
    });
    expect(await told()).toMatchObject({
      node: `${fake.url}/`,
      height: 102,
      node_height: 102,
      last_error: expect.stringContaining('Loading') as string,
    });
    const { follower_status: toOthers } = await rpc.request('chain_status', [], { exposed: true });
    expect(toOthers).toEqual({
      state: 'following',
      height: 102,
      node_height: 102,
      lag: 0,
      blocks_per_second: null,
      seconds_left: null,
      failures: expect.any(Number) as number,
    });
  });

  it('refuses to poll less often than a timer can wait, which would be a thousand times a second', async () => {
    await using engine = await Engine.open();
    const node = new BitcoinNode({ url: fake.url });
    expect(() => new Follower(engine, node, { ...QUICK, pollMilliseconds: 2 ** 31 })).toThrow(
      'pollMilliseconds: expected a whole number from 0 to 2147483647, got 2147483648',
    );
    const follower = new Follower(engine, node, { ...QUICK, pollMilliseconds: 2 ** 31 - 1 });
    follower.start();
    const chain = new RegtestChain();
    mine(chain, 1, alice);
    fake.blocks = chain.blocks;
    await vi.waitFor(() => expect(fake.asked.length).toBeGreaterThan(0), { timeout: 200_000 });
    await follower.stop();
  });

  it('goes on asking at once after a thousand failures, if it is told not to wait', async () => {
    await using engine = await Engine.open();
    // Fails before anything is sent, a thousand times within a second.
    const credentials = (): string => {
      throw new Error('no cookie');
    };
    const node = new BitcoinNode({ url: fake.url, credentials });
    const follower = new Follower(engine, node, { ...QUICK, backoffMilliseconds: 0, reportMilliseconds: 0 });
    follower.start();
    await vi.waitFor(() => expect(follower.status.failures).toBeGreaterThan(1_030), { timeout: 200_000 });
    await follower.stop();
    expect(log.filter(({ message }) => !message.endsWith('; asking again in 0 ms'))).toEqual([]);
  });

  it('backs off while the node is down, reports it once, and goes on', async () => {
    await using engine = await Engine.open();
    const chain = new RegtestChain();
    mine(chain, 1, alice);
    fake.blocks = chain.blocks;
    const { url } = fake;
    const follower = new Follower(engine, new BitcoinNode({ url }), QUICK);
    follower.start();
    await caughtUp(engine, chain);
    fake.goDown();
    await vi.waitFor(() => expect(follower.status.state).toBe('waiting'), { timeout: 200_000 });
    await new Promise((resolve) => setTimeout(resolve, 60));
    mine(chain, 2, alice);
    fake.blocks = chain.blocks;
    fake.comeUp();
    await caughtUp(engine, chain);
    await vi.waitFor(() => expect(follower.status.state).toBe('following'), { timeout: 200_000 });
    await follower.stop();
    expect(follower.status).toMatchObject({ problem: undefined, lastError: expect.stringContaining(url) as string });
    expect(follower.status.failures).toBeGreaterThan(0);
    const warnings = log.filter(({ level }) => level === 'warning');
    expect(warnings.length).toBeGreaterThan(0);
    expect(warnings.length).toBeLessThan(4);
    expect(log.at(-1)?.message).toContain('again');
  });

  it.each([
    ['a wrong password', { status: 401, body: '' }, /refuses user and password/],
    ['no JSON', { status: 502, body: '<html>' }, /HTTP 502 without JSON/],
    ['a fault of the node', { status: 200, body: '{"error":{"code":-28,"message":"Loading"}}' }, /Loading/],
    ['no height', { status: 200, body: '{"result":"x"}' }, /no height/],
    ['a height below the first block', { status: 200, body: '{"result":-1}' }, /gave -1, which is no height/],
    [
      'a height beyond all blocks',
      { status: 200, body: '{"result":4294967296}' },
      /gave 4294967296, which is no height/,
    ],
    ['an endless answer', { status: 200, body: 'x'.repeat(9_000_000) }, /more than 65536 bytes/],
    ['an answer of nothing but brackets', { status: 200, body: '['.repeat(30_000) }, /without JSON that could be/],
    [
      'an answer of many parts',
      { status: 200, body: `{"result":[${'0,'.repeat(9_000)}0]}` },
      /without JSON that could/,
    ],
    [
      'words for a height',
      { status: 200, body: '{"result":"x\\u001b[2J\\u202eh"}' },
      /gave "x\\u001b\[2J h", which is no/,
    ],
  ])('waits on %s', async (_name, broken, expected) => {
    await using engine = await Engine.open();
    fake.broken = broken;
    const follower = new Follower(engine, new BitcoinNode({ url: fake.url }), QUICK);
    follower.start();
    await vi.waitFor(() => expect(follower.status.problem).toMatch(expected), { timeout: 200_000 });
    await follower.stop();
    expect(engine.head.order).toBe(0n);
  });

  it('refuses a block of eight megabytes of brackets before it reads it', async () => {
    const chain = new RegtestChain();
    mine(chain, 1, alice);
    fake.blocks = chain.blocks;
    fake.lie = (method, result) => (method === 'getblock' ? JSON.parse('['.repeat(4_000) + ']'.repeat(4_000)) : result);
    const node = new BitcoinNode({ url: fake.url });
    const hash = await node.blockHash(0);
    await expect(node.block(hash)).rejects.toThrow(/without JSON that could be an answer/);
  });

  it('follows no redirect', async () => {
    const target = await FakeNode.listen();
    try {
      fake.broken = { status: 307, body: '', location: target.url };
      await expect(new BitcoinNode({ url: fake.url }).blockCount()).rejects.toThrow(/redirects \(HTTP 307\)/);
      expect(target.asked).toEqual([]);
    } finally {
      await target.close();
    }
  });

  it('reports one cause once in a while, however the node words it, and repeats no more words than fit', async () => {
    await using engine = await Engine.open();
    // A busy machine may take longer than a minute.
    const options = { ...QUICK, reportMilliseconds: 3_600_000 };
    const follower = new Follower(engine, new BitcoinNode({ url: fake.url }), options);
    for (const word of ['first', 'second', 'third']) {
      const message = `\u001b]0;${word}\u0007 ${'long '.repeat(1_000)}\n`;
      fake.broken = { status: 500, body: JSON.stringify({ error: { code: -1, message } }) };
      follower.start();
      await vi.waitFor(() => expect(follower.status.problem).toContain(word), { timeout: 200_000 });
    }
    await follower.stop();
    const warnings = log.filter(({ level }) => level === 'warning');
    expect(warnings).toHaveLength(1);
    expect(warnings[0]!.message.length).toBeLessThan(400);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not come.
    expect(warnings[0]!.message).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });

  it('never shows a password', async () => {
    const node = new BitcoinNode({ url: 'http://me:secret@127.0.0.1:1' });
    expect(node.url).toBe('http://127.0.0.1:1/');
    await expect(node.blockCount()).rejects.toSatisfy((error) => !String(error).includes('secret'));
    expect(() => new BitcoinNode({ url: 'me:secret@host' })).toThrow(/expected http/);
    expect(() => new BitcoinNode({ url: 'me:secret@host' })).not.toThrow(/secret/);
  });

  it('asks for the credentials before each call, since a cookie changes', async () => {
    let cookie = '__cookie__:1';
    const node = new BitcoinNode({ url: fake.url, credentials: () => cookie });
    fake.credentials = '__cookie__:2';
    await expect(node.blockCount()).rejects.toThrow(/refuses/);
    cookie = '__cookie__:2';
    expect(await node.blockCount()).toBe(0);
  });
});

describe('btc_broadcastTX', () => {
  it('hands the transaction to the node and gives its answer', async () => {
    await using engine = await Engine.open();
    const node = new BitcoinNode({ url: fake.url });
    const rpc = createRpc(engine, { broadcast: (transaction) => node.broadcast(transaction) });
    const transaction = spend(
      [{ outpoint: { txid: new Uint8Array(32).fill(1), vout: 0 } }],
      [{ to: alice, value: 1n }],
    );
    const hex = toHex(encodeBitcoinTransaction(transaction));
    expect(await rpc.request('btc_broadcastTX', [hex])).toBe(formatBitcoinHash(transaction.txid));
    expect(await rpc.request('btc_broadcastTX', [`0x${hex}`])).toBe(formatBitcoinHash(transaction.txid));
    expect(fake.received).toEqual([hex, hex]);
    await expect(rpc.request('btc_broadcastTX', ['00'])).rejects.toMatchObject({
      code: 2,
      message: expect.stringMatching(/TX decode failed/) as string,
    });
  });

  it('says that there is no node', async () => {
    await using engine = await Engine.open();
    await expect(createRpc(engine).request('btc_broadcastTX', ['00'])).rejects.toMatchObject({
      code: 2,
      message: 'Bitcoin client is not configured',
    });
  });
});
