import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BITCOIN_BLOCK_BYTES_MAX } from '../../../src/bitcoin/block.ts';
import { RegtestChain } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine, type LogEntry } from '../../../src/index.ts';
import { BitcoinNode } from '../../../src/server/follower/bitcoin-node.ts';
import {
  BITCOIN_BLOCKS_AHEAD_MAX,
  BITCOIN_PACE_BLOCKS_MAX,
  BITCOIN_READ_AHEAD_BYTES_MAX,
  BITCOIN_READS_MAX,
  type FollowedEngine,
  Follower,
  type NodeBlock,
  Pace,
  readAhead,
} from '../../../src/server/follower/follower.ts';
import { createRpc } from '../../../src/server/index.ts';
import { FakeNode } from './fake-node.ts';

const { regtestAddress: alice } = DEV_ACCOUNTS[0]!;
const QUICK = { from: 0, pollMilliseconds: 2, backoffMilliseconds: 2 };

/** A node whose blocks have `bytesOf(height)` bytes and arrive when the test lets them. */
class SlowNode {
  readonly asked: number[] = [];
  readonly #arrivals = new Map<number, (error?: Error) => void>();
  readonly #bytesOf: (height: number) => number;

  constructor(bytesOf: (height: number) => number) {
    this.#bytesOf = bytesOf;
  }

  async blockHash(height: number): Promise<string> {
    this.asked.push(height);
    return String(height);
  }

  block(hash: string, signal?: AbortSignal): Promise<Uint8Array> {
    const height = Number(hash);
    return new Promise((resolve, reject) => {
      const given = signal && AbortSignal.any([signal]);
      given?.addEventListener('abort', () => reject(new Error('given up')));
      this.#arrivals.set(height, (error) => {
        if (error === undefined) resolve(new Uint8Array(this.#bytesOf(height)));
        else reject(error);
      });
    });
  }

  /** Lets blocks arrive until nothing more is asked for. */
  async deliver(): Promise<void> {
    for (let count = -1; count !== this.asked.length; ) {
      count = this.asked.length;
      for (const arrive of this.#arrivals.values()) arrive();
      await settled();
    }
  }

  async fail(height: number): Promise<void> {
    this.#arrivals.get(height)!(new Error(`no block ${height}`));
    await settled();
  }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('reading ahead', () => {
  const { signal } = new AbortController();

  it('asks for several blocks at once, and goes on while the reader works', async () => {
    const node = new SlowNode(() => 100);
    const blocks = readAhead(node, { from: 10, to: 1_000, signal });
    const first = blocks.next();
    await settled();
    expect(node.asked).toEqual(Array.from({ length: BITCOIN_READS_MAX }, (_, index) => 10 + index));
    await node.deliver();
    expect((await first).value).toMatchObject({ height: 10, hash: '10' });
    // The reader works on the first block; as many as may be held have been read meanwhile, and no more.
    expect(node.asked.length).toBe(BITCOIN_BLOCKS_AHEAD_MAX);
    await blocks.next();
    await node.deliver();
    expect(node.asked.length).toBe(BITCOIN_BLOCKS_AHEAD_MAX + 1);
    await blocks.return();
  });

  it('holds no more bytes than it may, counting what could still arrive', async () => {
    const node = new SlowNode(() => BITCOIN_BLOCK_BYTES_MAX);
    const blocks = readAhead(node, { from: 0, to: 1_000, signal });
    const first = blocks.next();
    await settled();
    await node.deliver();
    await first;
    expect(node.asked.length * BITCOIN_BLOCK_BYTES_MAX).toBe(BITCOIN_READ_AHEAD_BYTES_MAX);
    await blocks.return();
  });

  it('gives the blocks in order, each once', async () => {
    const node = new SlowNode((height) => height * 1_000);
    const heights: number[] = [];
    const reading = (async () => {
      for await (const { height } of readAhead(node, { from: 3, to: 90, signal })) heights.push(height);
    })();
    while (heights.length < 88) {
      await settled();
      await node.deliver();
    }
    await reading;
    expect(heights).toEqual(Array.from({ length: 88 }, (_, index) => index + 3));
  });

  it('gives what comes before a block that fails, and then its error; nothing after it is asked for', async () => {
    const node = new SlowNode(() => 100);
    const heights: number[] = [];
    const reading = (async () => {
      for await (const { height } of readAhead(node, { from: 0, to: 90, signal })) heights.push(height);
    })();
    reading.catch(() => {});
    await settled();
    await node.fail(2);
    await node.deliver();
    await expect(reading).rejects.toThrow('no block 2');
    expect(heights).toEqual([0, 1]);
    expect(node.asked.length).toBe(BITCOIN_READS_MAX);
  });

  it('gives up what is under way when the reader leaves', async () => {
    const node = new SlowNode(() => 100);
    const blocks: AsyncGenerator<NodeBlock, void> = readAhead(node, { from: 0, to: 90, signal });
    const first = blocks.next();
    await settled();
    await node.deliver();
    await first;
    await blocks.return();
    const { length } = node.asked;
    await node.deliver();
    expect(node.asked.length).toBe(length);
  });
});

describe('the pace', () => {
  it('is that of the last blocks', () => {
    const pace = new Pace();
    expect([pace.blocksPerSecond, pace.secondsFor(5)]).toEqual([undefined, undefined]);
    pace.begin(1_000);
    expect(pace.blocksPerSecond).toBeUndefined();
    pace.add(1_500);
    expect([pace.blocksPerSecond, pace.secondsFor(5)]).toEqual([2, 3]);
    for (let block = 1; block <= BITCOIN_PACE_BLOCKS_MAX; block++) pace.add(1_500 + block * 100);
    expect([pace.blocksPerSecond, pace.secondsFor(25)]).toEqual([10, 3]);
    pace.begin(90_000);
    expect(pace.blocksPerSecond).toBeUndefined();
  });
});

describe('a follower that catches up', () => {
  let fake: FakeNode;
  beforeEach(async () => {
    fake = await FakeNode.listen();
    const chain = new RegtestChain();
    for (let block = 0; block < 30; block++) chain.mine({ to: alice });
    fake.blocks = chain.blocks;
  });
  afterEach(() => fake.close());

  /** Stops each ingestion at `height` until the test lets it go on. */
  function held(engine: Engine, height: number): { engine: FollowedEngine; reached: Promise<void>; go: () => void } {
    let [reach, go] = [() => {}, () => {}];
    const reached = new Promise<void>((resolve) => {
      reach = resolve;
    });
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const slow: FollowedEngine = {
      inside: engine.inside,
      bitcoin: {
        block: (reference) => engine.bitcoin.block(reference),
        status: () => engine.bitcoin.status(),
        network: () => engine.bitcoin.network(),
        ingest: async (bytes, at) => {
          if (at === height) {
            reach();
            await gate;
          }
          return engine.bitcoin.ingest(bytes, at);
        },
      },
    };
    return { engine: slow, reached, go: () => go() };
  }

  it('says how fast it is and how long it will take, and reads ahead meanwhile', async () => {
    await using engine = await Engine.open();
    const log: LogEntry[] = [];
    const { engine: slow, reached, go } = held(engine, 12);
    await using follower = new Follower(slow, new BitcoinNode({ url: fake.url }), {
      ...QUICK,
      reportMilliseconds: 0,
      log: (entry) => log.push(entry),
    });
    follower.start();
    await reached;
    await vi.waitFor(() => expect(fake.asked.filter((method) => method === 'getblock').length).toBe(30), {
      timeout: 200_000,
    });
    const { blocksPerSecond, secondsLeft, ...others } = follower.status;
    expect(others).toMatchObject({ state: 'following', height: 11, nodeHeight: 29, lag: 18 });
    expect(blocksPerSecond).toBeGreaterThan(0);
    expect(secondsLeft).toBe(Math.ceil(18 / blocksPerSecond!));
    const { follower_status: onTheWire } = await createRpc(engine).request('chain_status');
    expect(onTheWire).toMatchObject({ blocks_per_second: blocksPerSecond, seconds_left: secondsLeft });
    expect(log.at(-1)!.message).toMatch(/^at height 11 of 29: 18 blocks left, [0-9.]+\/s, \d+ s left$/);
    go();
    await vi.waitFor(() => expect(follower.status).toMatchObject({ lag: 0, secondsLeft: undefined }), {
      timeout: 200_000,
    });
  });

  it('pauses after the block that is being ingested, and resumes where it was', async () => {
    await using engine = await Engine.open();
    const { engine: slow, reached, go } = held(engine, 12);
    await using follower = new Follower(slow, new BitcoinNode({ url: fake.url }), QUICK);
    await follower.pause();
    follower.resume();
    expect(follower.status.state).toBe('stopped');
    follower.start();
    await reached;
    const paused = follower.pause();
    expect(follower.status).toMatchObject({ state: 'paused', secondsLeft: undefined });
    go();
    await paused;
    expect(follower.status).toMatchObject({ state: 'paused', height: 12, lag: 17 });
    const { length } = fake.asked;
    follower.start();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([fake.asked.length, engine.bitcoin.status().confirmed?.blockHeight]).toEqual([length, 12n]);
    follower.resume();
    // Nothing between two of these calls could go on twice.
    void follower.pause();
    follower.resume();
    await vi.waitFor(() => expect(follower.status).toMatchObject({ state: 'following', lag: 0 }), { timeout: 200_000 });
    await follower.stop();
    follower.resume();
    follower.start();
    expect(follower.status).toMatchObject({ state: 'stopped', height: 29, failures: 0 });
  });

  it('can be paused while it waits for a node that does not answer', async () => {
    await using engine = await Engine.open();
    fake.broken = { status: 500, body: '' };
    const node = new BitcoinNode({ url: fake.url });
    await using follower = new Follower(engine, node, { ...QUICK, backoffMilliseconds: 1_000_000 });
    follower.start();
    await vi.waitFor(() => expect(follower.status.state).toBe('waiting'), { timeout: 200_000 });
    await follower.pause();
    expect(follower.status).toMatchObject({ state: 'paused', problem: undefined, failures: 1 });
    fake.broken = undefined;
    follower.resume();
    await vi.waitFor(() => expect(follower.status).toMatchObject({ lag: 0, height: 29 }), { timeout: 200_000 });
  });
});
