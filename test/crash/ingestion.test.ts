/**
 * A process that is killed while blocks come in and history is pruned, again and again on one directory: what it leaves is
 * sound, has every block that was acknowledged, and goes on.
 */

import { beforeAll, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/engine/engine.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
const next = randomNumbers(seed);
const rounds = isLong ? 100 : 3;

let child: string;
beforeAll(async () => {
  // Pieces of a few rows: pruning is under way whenever the process dies.
  child = await bundled(new URL('ingestion-child.ts', import.meta.url), { PRUNE_PIECE_OPERATIONS: 20 });
});

function expectAcknowledged(engine: Engine, line: string): void {
  const [word, height, hash, txid] = line.split(' ');
  if (word === 'pruned') return;
  expect(String(engine.bitcoin.block(Number(height))?.blockHash), line).toBe(hash);
  if (word === 'block') return;
  const made = fromHex(txid!);
  if (word === 'spent') {
    expect(engine.bitcoin.utxo({ txid: made, vout: 1 }), line).toBeUndefined();
    return;
  }
  expect(engine.bitcoin.utxo({ txid: made, vout: 0 })?.value, line).toBe(1_000n);
  expect(engine.bitcoin.inscription({ txid: made, index: 0 }), line).toBeDefined();
}

it('leaves every block it acknowledged, and a sound chain that goes on pruning', { timeout: 7_200_000 }, async () => {
  const path = directory();
  const acknowledged: string[] = [];
  let pruned = 0n;
  const begin = (round: number): Victim => new Victim(child, path, round % 2 === 0 ? 'fsync' : 'os');
  let waiting = begin(0);
  for (let round = 0; round < rounds; round++) {
    const running = waiting;
    await running.go();
    if (round + 1 < rounds) waiting = begin(round + 1);
    // Every fifth is killed while it opens or soon after, the others at any point after a block or more.
    const lines = round % 5 === 4 ? 0 : 3 + next(6);
    await running.until(() => running.lines.length >= lines);
    // The last one prunes something, however busy the machine is.
    if (round + 1 === rounds) await running.until(() => running.lines.some((line) => /^pruned [1-9]/.test(line)));
    await pause(next(round % 5 === 4 ? 400 : 120));
    await running.kill();
    const told = running.lines.filter((line) => line.includes(' '));
    acknowledged.push(...told);
    await expectSound(path);
    const engine = await Engine.open({ store: path });
    const message = `round ${round}, seed ${seed}`;
    expect(engine.status().lostCommits, message).toBe(0n);
    for (const line of told) expectAcknowledged(engine, line);
    const { oldestOrder, oldestRoot } = engine.status().history;
    expect(oldestOrder, message).toBeGreaterThanOrEqual(pruned);
    expect(engine.at(oldestRoot).inside.state.object([]), message).toBeDefined();
    pruned = oldestOrder;
    await engine.close();
  }
  const engine = await Engine.open({ store: path });
  for (const line of acknowledged) expectAcknowledged(engine, line);
  await engine.prune();
  await engine.close();
  await expectSound(path);
  expect(pruned).toBeGreaterThan(0n);
});
