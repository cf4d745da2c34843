/**
 * What half-answered batches hold together. Before it was bounded, 240 connections with batches of fifty pages made a node
 * hold 1.4 GB after 40 s.
 */
import { describe, expect, it } from 'vitest';
import { BATCH_CHARACTERS_FREE, BATCHES_CHARACTERS_MAX, RESPONSE_CHARACTERS_MAX } from '../../src/config.ts';
import { Engine } from '../../src/engine.ts';
import { BatchAnswers } from '../../src/rpc/batch-answers.ts';
import { createRpc } from '../../src/rpc/index.ts';

const QUARTER = BATCHES_CHARACTERS_MAX / 4;
const letters = (count: number): string => 'x'.repeat(count);

/** Whether it may go on now. */
async function isFree(batch: { mayGoOn(): Promise<void> }): Promise<boolean> {
  let isFree = false;
  void batch.mayGoOn().then(() => {
    isFree = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  return isFree;
}

describe('the answers of all batches', () => {
  it('hold up those that have some, where they are more than half of the room, until the one that holds most ends', async () => {
    const all = new BatchAnswers();
    const [first, second, small, fresh] = [all.begin(), all.begin(), all.begin(), all.begin()];
    first.add(letters(QUARTER), RESPONSE_CHARACTERS_MAX);
    second.add(letters(QUARTER - 1), RESPONSE_CHARACTERS_MAX);
    small.add(letters(BATCH_CHARACTERS_FREE), RESPONSE_CHARACTERS_MAX);
    expect(await Promise.all([first, second].map(isFree))).toEqual([true, true]);
    const third = all.begin();
    third.add(letters(4 * BATCH_CHARACTERS_FREE), RESPONSE_CHARACTERS_MAX);
    expect(await Promise.all([first, second, third, small, fresh].map(isFree))).toEqual([
      true,
      false,
      false,
      true,
      true,
    ]);
    let hasGoneOn = false;
    const waiting = second.mayGoOn().then(() => {
      hasGoneOn = true;
    });
    small.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(hasGoneOn).toBe(false);
    first.end();
    await waiting;
    expect(await isFree(third)).toBe(true);
  });

  it('refuse one for which there is no room, and one that is too long, and have the room again when others end', () => {
    const all = new BatchAnswers();
    const full = [0, 1, 2, 3].map(() => {
      const batch = all.begin();
      batch.add(letters(QUARTER), RESPONSE_CHARACTERS_MAX);
      return batch;
    });
    const batch = all.begin();
    batch.add(letters(BATCH_CHARACTERS_FREE), RESPONSE_CHARACTERS_MAX);
    const large = letters(QUARTER - BATCH_CHARACTERS_FREE);
    expect(() => batch.add(large, RESPONSE_CHARACTERS_MAX)).toThrow(/the node is busy/);
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

describe('batches that together are more than all may hold', () => {
  it('are all answered, one after another', async () => {
    await using engine = await Engine.open();
    const rpc = createRpc(engine);
    const bytes = `0xa08d06${'78'.repeat(100_000)}`;
    const call = { function_id: '0x1::string::utf8', ty_args: [], args: [bytes] };
    const view = { jsonrpc: '2.0', id: 1, method: 'chain_executeViewFunction', params: [call] };
    const one = (await rpc.handle(JSON.stringify(view)))!;
    const views = 20;
    const batch = JSON.stringify(new Array(views).fill(view));
    const batches = Math.ceil((1.2 * BATCHES_CHARACTERS_MAX) / (views * one.length));
    expect(views * one.length).toBeLessThan(RESPONSE_CHARACTERS_MAX);
    const right = `[${new Array(views).fill(one).join(',')}]`;
    const answers = await Promise.all(
      Array.from({ length: batches }, async () => {
        const answer = await rpc.handle(batch, { connection: {} });
        return answer === right ? 'right' : answer?.slice(0, 300);
      }),
    );
    expect(answers).toEqual(new Array(batches).fill('right'));
  });
});
