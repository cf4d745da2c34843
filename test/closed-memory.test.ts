/** What an engine that was closed still takes, though somebody holds it. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../src/index.ts';
import { temporaryDirectories } from './store/temporary.ts';

const directory = temporaryDirectories();

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

function bytesInUse(): number {
  // What the first one finds free outside the heap, the second one gives back.
  collectGarbage();
  collectGarbage();
  const { used_heap_size, external_memory } = getHeapStatistics();
  return used_heap_size + external_memory;
}

it.each([
  ['in a directory', () => Engine.open({ store: directory() })],
  ['in memory', () => Engine.open()],
  ['in memory, with a cache of its own', () => Engine.open({ treeCacheNodesMax: 100_000 })],
])('gives back what it took: an engine %s', async (_, open) => {
  const kept: Engine[] = [];
  let share = 1;
  // The first round loads code, and others may meet what a file before this one lets go.
  for (let round = 0; round < 2 || (share >= 0.3 && round < 12); round++) {
    const before = bytesInUse();
    const engine = await open();
    kept.push(engine);
    for (let block = 0; block < 60; block++) await engine.dev.mine({ to: DEV_ACCOUNTS[block % 5]!.regtestAddress });
    const taken = bytesInUse() - before;
    await engine.close();
    share = (bytesInUse() - before) / taken;
  }
  expect(share).toBeLessThan(0.3);
  expect(kept.length).toBeGreaterThan(1);
});
