/**
 * A process that is killed as it opens a directory of an older data format, makes the first commits of the present one
 * and prunes what the older version wrote: what it leaves is sound, opens, and has all that either version acknowledged.
 */
import { beforeAll, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { DATA_FORMAT_VERSION } from '../../src/base/config.ts';
import { Engine } from '../../src/engine/engine.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { toldBy, unpackedDirectory } from '../older-directory.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound, WITHOUT_LISTS } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
const next = randomNumbers(seed);
const rounds = isLong ? 100 : 4;
const COMMIT = '6c57e4c';

let child: string;
beforeAll(async () => {
  // Pieces of a few rows: pruning is under way whenever the process dies.
  child = await bundled(new URL('engine-child.ts', import.meta.url), { PRUNE_PIECE_OPERATIONS: 20 });
});

const ordersOf = ({ lines }: Victim): bigint[] => lines.filter((line) => /^\d+$/.test(line)).map(BigInt);

it('leaves a chain that can be continued in either format', { timeout: 3_600_000 }, async () => {
  const told = toldBy(COMMIT);
  let [older, present] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const message = `round ${round}, seed ${seed}`;
    const path = unpackedDirectory(COMMIT, directory());
    const running = new Victim(child, path, round % 2 === 0 ? 'os' : 'fsync', 'prune');
    // One in four is killed before it begins, one while it opens, the others after some commits.
    await running.until(() => running.isReady);
    if (round % 4 !== 0) await running.go();
    if (round % 4 === 1) await pause(next(300));
    if (round % 4 > 1) {
      const commits = next(12);
      await running.until(() => ordersOf(running).length > commits);
      await pause(next(60));
    }
    await running.kill();
    await expectSound(path, WITHOUT_LISTS);
    const engine = await Engine.open({ store: path, treeCacheNodesMax: 0 });
    const { head } = engine;
    const acknowledged = ordersOf(running).reduce((most, order) => (order > most ? order : most), BigInt(told.order));
    expect(head.order, message).toBeGreaterThanOrEqual(acknowledged);
    const isOlder = head.order === BigInt(told.order);
    expect(head.formatVersion, message).toBe(isOlder ? told.formatVersion : DATA_FORMAT_VERSION);
    if (isOlder) older++;
    else present++;
    expect(engine.status().lostCommits, message).toBe(0n);
    const txid = fromHex(told.inscribed);
    expect(engine.bitcoin.inscription({ txid, index: 0 })!.owner.slice(2), message).toBe(told.inscriptionOwner);
    expect(String(engine.bitcoin.utxo({ txid, vout: 0 })!.value), message).toBe(told.value);
    await engine.dev.mint('0x78', 1n);
    await engine.prune();
    await engine.close();
    await expectSound(path, WITHOUT_LISTS);
  }
  expect([older > 0, present > 0]).toEqual([true, true]);
});
