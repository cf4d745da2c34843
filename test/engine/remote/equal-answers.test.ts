/** A fork of a chain on another machine answers what that chain answers, to the byte, to every method that reads. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinBytes } from '../../../src/base/bytes/bytes.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { createRpc } from '../../../src/server/index.ts';
import { scriptArbitrary } from '../../arbitraries/chain.ts';
import { runs, seed } from '../../effort.ts';
import { ChainPlayer } from '../../journeys/chain-player.ts';
import { expectSame } from '../../journeys/compare.ts';
import { MIXED_OPTIONS, playMixedRun } from '../../log/recording/mixed-run.ts';
import { questions, reads } from '../../server/rpc/every-read.ts';
import { Origin, transfer } from './origin.ts';

async function dumped(engine: Engine): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of engine.dump()) parts.push(part);
  return joinBytes(parts);
}

const COUNT = runs(300, 1_000);

/** Members of a status that say who answers. */
const OWN = /,"fork_status":\{.*?\]?,"has_lists":[^}]*\}/g;

describe('a fork of a chain on another machine', () => {
  it('answers as that chain does, to the byte, to every method that reads', { timeout: 600_000 }, async () => {
    await using engine = await Engine.open(MIXED_OPTIONS);
    await playMixedRun(engine, { seed, orders: 110 });
    await using origin = await Origin.open(MIXED_OPTIONS, await dumped(engine));
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    const [there, here] = [createRpc(engine, { dev: true }), createRpc(fork, { dev: true })];
    const asked = await questions(there, String(engine.head.order));
    // What the origin does meanwhile is not seen.
    await origin.run(({ engine: live, transfer: pay }) => live.executeAs(live.accounts[0]!.address, pay('0x77', 5n)));
    let answered = 0;
    for (const { name, row } of reads) {
      for (const params of [row.example, ...(asked[name.slice(name.indexOf('_') + 1)] ?? [])]) {
        const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method: name, params });
        const [wanted, answer] = [await there.handle(text), await here.handle(text)];
        if (name.endsWith('_status')) expect(answer!.replace(OWN, ''), name).toBe(wanted);
        else expect(answer, text.slice(0, 200)).toBe(wanted);
        if (JSON.parse(wanted!).error === undefined) answered++;
      }
    }
    expect(answered).toBeGreaterThan(reads.length);
    await Promise.all([there.close(), here.close()]);
  });

  it('is what a scan of a model says, whatever the chain holds', { timeout: 600_000 }, async () => {
    const scripts = fc.sample(scriptArbitrary(16), { numRuns: runs(1, 50), seed });
    for (const script of scripts) {
      await using player = await ChainPlayer.open();
      await player.play(script);
      await using origin = await Origin.open({}, await dumped(player.engine));
      await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
      await expectSame(fork, player.model, { limit: 7, descending: false });
      await expectSame(fork, player.model, { limit: 1_000, descending: true });
    }
  });

  it(`has the roots of a full copy after ${COUNT} transactions of its own`, { timeout: 600_000 }, async () => {
    await using copy = await Engine.open(MIXED_OPTIONS);
    await playMixedRun(copy, { seed, orders: 60 });
    await using origin = await Origin.open(MIXED_OPTIONS, await dumped(copy));
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    for (const engine of [copy, fork]) {
      const sent: Promise<unknown>[] = [];
      for (let made = 0; made < COUNT; made++) {
        const { address } = engine.accounts[made % 7]!;
        sent.push(engine.executeAs(address, transfer(`0x${(0x9000 + (made % 97)).toString(16)}`, BigInt(made + 1))));
        if (made % 75 === 0) sent.push(engine.dev.mine({ to: engine.accounts[1]!.bitcoinAddress }));
      }
      await Promise.all(sent);
    }
    expect(fork.head.stateRoot).toBe(copy.head.stateRoot);
    expect(fork.head.accumulator.root).toBe(copy.head.accumulator.root);
    for (const text of ['chain_getTransactionsByOrder', 'chain_queryEvents']) {
      const params = text.endsWith('Order')
        ? [null, '50', true]
        : [{ tx_order_range: { from_order: 0, to_order: 99_999 } }, null, '50', { descending: true }];
      const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: text, params });
      expect(await createRpc(fork).handle(request)).toBe(await createRpc(copy).handle(request));
    }
  });
});
