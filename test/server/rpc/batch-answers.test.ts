/**
 * What half-answered batches hold in total. Before it was bounded, 240 connections with batches of fifty pages made a
 * node hold 1.4 GB after 40 s.
 */
import { describe, expect, it } from 'vitest';
import { RESPONSE_CHARACTERS_MAX } from '../../../src/base/config.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { BATCH_CHARACTERS_FREE, BATCHES_CHARACTERS_MAX, BatchAnswers } from '../../../src/server/rpc/answer.ts';
import type { RpcEngine } from '../../../src/server/rpc/engine.ts';
import { createRpc } from '../../../src/server/rpc/index.ts';

const QUARTER = BATCHES_CHARACTERS_MAX / 4;
const letters = (count: number): string => 'x'.repeat(count);

describe('the answers of all batches', () => {
  it('refuse an answer for which there is no room, and one that is too long, and get room back when others end', () => {
    const all = new BatchAnswers();
    const full = [0, 1, 2, 3].map(() => {
      const batch = all.begin();
      batch.add(letters(QUARTER), RESPONSE_CHARACTERS_MAX);
      return batch;
    });
    const batch = all.begin();
    batch.add(letters(BATCH_CHARACTERS_FREE), RESPONSE_CHARACTERS_MAX);
    const large = letters(QUARTER - BATCH_CHARACTERS_FREE);
    expect(() => batch.add(large, RESPONSE_CHARACTERS_MAX)).toThrow(/the node is busy.*may have been carried out/);
    batch.end();
    full[2]!.end();
    const later = all.begin();
    expect(() => later.add(large, large.length - 1)).toThrow(/too big/);
    later.end();
    const last = all.begin();
    last.add(large, large.length);
    expect(last.text).toBe(`[${large}]`);
  });
});

describe('batches that exceed what all may hold together', () => {
  it('are all answered, since they wait for each other', async () => {
    await using engine = await Engine.open();
    const large = 2 ** 20;
    const list = async (): Promise<unknown> => {
      await new Promise((resolve) => setImmediate(resolve));
      return { data: [], nextCursor: new Uint8Array(large / 2), hasNextPage: true };
    };
    const slow = {
      at: () => ({ inside: { head: engine.head, balances: { list } }, [Symbol.dispose]: () => {} }),
    } as Partial<Record<keyof RpcEngine, unknown>> as RpcEngine;
    const rpc = createRpc(slow);
    const one = { jsonrpc: '2.0', id: 1, method: 'chain_getBalances', params: ['0x3'] };
    const requests = 12;
    const right = (await rpc.handle(JSON.stringify(new Array(requests).fill(one))))!;
    expect(right.length).toBeGreaterThan(requests * large);
    const batches = Math.ceil((1.5 * BATCHES_CHARACTERS_MAX) / right.length);
    const answers = await Promise.all(
      Array.from({ length: batches }, async () => {
        const answer = await rpc.handle(JSON.stringify(new Array(requests).fill(one)), { connection: {} });
        return answer === right ? 'right' : answer?.slice(0, 300);
      }),
    );
    expect(answers).toEqual(new Array(batches).fill('right'));
  });
});
