/** Nodes that lie: each is reported by name, and changes nothing. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { BITCOIN_HEIGHT_MAX } from '../../../src/base/config.ts';
import { formatBitcoinHash, RegtestChain } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { BitcoinNode } from '../../../src/server/follower/bitcoin-node.ts';
import { BITCOIN_BLOCKS_AHEAD_MAX, BITCOIN_READS_MAX, Follower } from '../../../src/server/follower/follower.ts';
import { FakeNode } from './fake-node.ts';

const { regtestAddress: alice } = DEV_ACCOUNTS[0]!;
const { regtestAddress: bob } = DEV_ACCOUNTS[1]!;
const QUICK = { from: 0, pollMilliseconds: 2, backoffMilliseconds: 2 };

let fake: FakeNode;
let chain: RegtestChain;
let other: RegtestChain;
beforeEach(async () => {
  fake = await FakeNode.listen();
  [chain, other] = [new RegtestChain(), new RegtestChain()];
  for (let block = 0; block < 6; block++) {
    chain.mine({ to: alice });
    other.mine({ to: bob });
  }
  fake.blocks = chain.blocks;
});
afterEach(() => fake.close());

/** What the follower says of the node, and the height it got to. */
async function told(
  node: BitcoinNode,
  from = 0,
): Promise<{ problem: string; height: number | undefined; order: bigint }> {
  await using engine = await Engine.open();
  await using follower = new Follower(engine, node, { ...QUICK, from });
  follower.start();
  await vi.waitFor(() => expect(follower.status.problem).toBeDefined(), { timeout: 200_000, interval: 1 });
  await follower.pause();
  const { height, lastError } = follower.status;
  return { problem: lastError!, height, order: engine.head.order };
}

const hashAt = (height: number, of = chain): string => formatBitcoinHash(of.blocks[height]!.hash);

describe('a Bitcoin node that lies', () => {
  it('gives another block than the one that was asked for', async () => {
    fake.lie = (method, result) => (method === 'getblock' ? toHex(other.blocks[1]!.bytes) : result);
    const { problem, order } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toMatch(`${fake.url}/: getblock `);
    expect(problem).toMatch(`gave another block, ${hashAt(1, other)}`);
    expect(order).toBe(0n);
  });

  it('gives the hash of a block at another height', async () => {
    let asked = 0;
    fake.lie = (method, result) => (method === 'getblockhash' && result === hashAt(3) ? hashAt(++asked && 4) : result);
    const { problem, height } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toBe(
      `the Bitcoin node at ${fake.url}/: its block ${hashAt(4)} at height 3 stands on ${hashAt(3)}, but its block at height 2 is ${hashAt(2)}`,
    );
    expect(height).toBe(2);
  });

  it('gives another height for the first block of a chain', async () => {
    fake.lie = (method, result) => (method === 'getblockhash' ? hashAt(3) : result);
    const { problem, order } = await told(new BitcoinNode({ url: fake.url }), 2);
    expect(problem).toContain(`its block ${hashAt(3)} at height 2 names another height in its coinbase (BIP 34)`);
    expect(order).toBe(0n);
  });

  it('has no block for a hash that it gave', async () => {
    fake.blocks = chain.blocks.slice(0, 4);
    fake.lie = (method, result) => (method === 'getblockhash' && result === hashAt(3) ? 'f'.repeat(64) : result);
    const { problem, height } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toBe(
      `the Bitcoin node at ${fake.url}/: getblock ${'f'.repeat(64)}: Block not found (Bitcoin error -5)`,
    );
    expect(height).toBe(2);
  });

  it('has an endless chain, of hashes alone', async () => {
    fake.height = BITCOIN_HEIGHT_MAX;
    fake.hashOf = (height) => height.toString(16).padStart(64, '0');
    const { problem, order } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toMatch(/getblock 0{64}: Block not found/);
    expect(order).toBe(0n);
    // It is asked for a few blocks only, in the one or two rounds until it is paused.
    expect(new Set(fake.asked).size).toBe(3);
    const rounds = fake.asked.filter((method) => method === 'getblockcount').length;
    expect(fake.asked.length).toBeLessThanOrEqual(rounds * (1 + 2 * BITCOIN_READS_MAX));
    expect(BITCOIN_READS_MAX).toBeLessThan(BITCOIN_BLOCKS_AHEAD_MAX);
  });

  it.each([
    ['{"message":{"toString":1}}', '{"toString":1}'],
    ['{"message":{"toString":null,"valueOf":null},"code":-5}', '{"toString":null,"valueOf":null} (Bitcoin error -5)'],
    ['{"message":"no","code":{"toString":[]}}', 'no (Bitcoin error {"toString":[]})'],
    ['{"toJSON":1}', 'nothing'],
    ['[{"toString":1}]', 'nothing'],
    ['7', '7'],
  ])('refuses with an error that is no text: %s', async (error, words) => {
    fake.broken = { status: 500, body: `{"error":${error}}` };
    const { problem } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toBe(`the Bitcoin node at ${fake.url}/: getblockcount: ${words}`);
  });

  it.each(['{"toString":1}', '[[{"valueOf":1}]]'])('gives a height that is no number: %s', async (result) => {
    fake.broken = { status: 200, body: `{"result":${result}}` };
    const { problem } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toBe(`the Bitcoin node at ${fake.url}/: getblockcount gave ${result}, which is no height`);
  });

  it('sends an answer a byte at a time, endlessly', async () => {
    fake.isDripping = true;
    const { problem, order } = await told(new BitcoinNode({ url: fake.url, timeoutMilliseconds: 40 }));
    expect(problem).toBe(`the Bitcoin node at ${fake.url}/: it did not answer in full within 40 ms`);
    expect(order).toBe(0n);
  });

  it('gives a block that cannot be', async () => {
    const { bytes } = chain.blocks[2]!;
    const damaged = Uint8Array.from(bytes);
    damaged[damaged.length - 1]! ^= 1;
    fake.lie = (method, result) => (method === 'getblock' && result === toHex(bytes) ? toHex(damaged) : result);
    const { problem, height } = await told(new BitcoinNode({ url: fake.url }));
    expect(problem).toMatch(/merkle|lock time|commitment/i);
    expect(height).toBe(1);
  });
});
