/**
 * What an engine finds in its directory after its process was killed, its log was cut, a table was damaged, or the disk
 * was full: a whole chain at or after the last acknowledged transaction, or an error that names the file.
 */

import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import type { ScriptStep } from '../arbitraries/chain.ts';
import { isLong, randomNumbers, runs, seed } from '../effort.ts';
import { blockAt, emitted, forge } from '../forge.ts';
import { ChainPlayer } from '../journeys/chain-player.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
let child: string;
beforeAll(async () => {
  child = await bundled(new URL('engine-child.ts', import.meta.url));
});
const next = randomNumbers(seed);

describe('a process that is killed while it prunes', () => {
  it('leaves a sound chain that goes on pruning, with everything that was acknowledged', {
    timeout: 900_000,
  }, async () => {
    const path = directory();
    const rounds = isLong ? 100 : runs(4, 100);
    let waiting = new Victim(child, path, 'os', 'prune');
    let oldest = 0n;
    for (let round = 0; round < rounds; round++) {
      const running = waiting;
      await running.go();
      if (round + 1 < rounds) waiting = new Victim(child, path, round % 2 === 0 ? 'fsync' : 'os', 'prune');
      await running.until(() => running.lines.filter((line) => /^\d+$/.test(line)).length > 12);
      await pause(next(60));
      await running.kill();
      const told = running.lines.filter((line) => /^\d+$/.test(line)).map(BigInt);
      await expectSound(path);
      const engine = await Engine.open({ store: path, treeCacheNodesMax: 0 });
      const message = `round ${round}, seed ${seed}`;
      expect(engine.head.order >= told.reduce((most, order) => (order > most ? order : most), 0n), message).toBe(true);
      expect(engine.status().lostCommits, message).toBe(0n);
      const { oldestOrder, oldestRoot } = engine.status().history;
      expect(oldestOrder >= oldest, message).toBe(true);
      expect(engine.at(oldestRoot).inside.state.object('0x2::timestamp::Timestamp'), message).toBeDefined();
      oldest = (await engine.prune()).oldestOrder;
      await engine.close();
    }
    await expectSound(path);
  });
});

describe('a process that is killed', () => {
  it('leaves a whole chain with everything that was acknowledged, again and again', { timeout: 900_000 }, async () => {
    const path = directory();
    const rounds = isLong ? 100 : runs(8, 100);
    let waiting = new Victim(child, path, 'fsync', 'kill');
    let head = 0n;
    let opened = 0;
    for (let round = 0; round < rounds; round++) {
      const running = waiting;
      await running.go();
      if (round + 1 < rounds) waiting = new Victim(child, path, round % 2 === 0 ? 'os' : 'fsync', 'kill');
      // Most are killed while they commit, some while they open, the first of them while it writes genesis.
      if (round % 5 !== 0) await running.until(() => running.lines.some((line) => /^\d+$/.test(line)));
      await pause(next(round % 5 === 0 ? 150 : 60));
      await running.kill();
      if (running.isOpen) opened++;
      const told = running.lines.filter((line) => /^\d+$/.test(line)).map(BigInt);
      const acknowledged = told.reduce((most, order) => (order > most ? order : most), 0n);
      const engine = await Engine.open({ store: path });
      const before = head;
      head = engine.head.order;
      const message = `round ${round}, seed ${seed}`;
      expect(head >= before && head >= acknowledged, `${head} after ${before} and ${acknowledged}, ${message}`).toBe(
        true,
      );
      expect(engine.status().lostCommits, message).toBe(0n);
      for (let order = head; order > 0n && order > head - 20n; order--) {
        const record = engine.transactions.get(order);
        expect(record?.executionInfo.gasUsed).toBe(order);
        expect(engine.at(record!.executionInfo.stateRoot).inside.state.object([]), message).toBeDefined();
      }
      await engine.close();
      if (round % 10 === 9 || round === rounds - 1) await expectSound(path);
    }
    expect(opened).toBeGreaterThan(rounds / 2);
    expect(head, 'every round but each fifth acknowledged something').toBeGreaterThanOrEqual(
      BigInt(Math.floor((rounds * 4) / 5)),
    );
  });
});

/** A directory whose log holds commits from 1 on, along with the size of the log after each. */
interface Logged {
  readonly path: string;
  readonly log: string;
  readonly ends: readonly number[];
}

const STEP: ScriptStep = {
  kind: 'l2-transaction',
  sender: 0,
  advance: 1,
  actions: [
    { kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(1, 2) },
    { kind: 'create-utxo', pick: 1, owner: 1, type: 1, value: Uint8Array.of() },
  ],
  events: [{ type: 0, handle: 0, data: Uint8Array.of(3) }],
  isQueued: false,
};

async function logged(commits: number): Promise<Logged> {
  const path = directory();
  const player = await ChainPlayer.open({ store: path });
  const log = readdirSync(path).find((name) => name.endsWith('.log'))!;
  const ends = [statSync(join(path, log)).size];
  for (let order = 1; order <= commits; order++) {
    await player.submit(STEP);
    ends.push(statSync(join(path, log)).size);
  }
  await player.engine.close();
  return { path, log, ends };
}

function copyOf(path: string): string {
  const copy = directory();
  for (const name of readdirSync(path)) copyFileSync(join(path, name), join(copy, name));
  return copy;
}

describe('a log that is cut', () => {
  let source: Logged;
  beforeAll(async () => {
    source = await logged(6);
  });

  it('opens at the last whole transaction, says how many are missing, and goes on', {
    timeout: 3_600_000,
  }, async () => {
    const { path, log, ends } = source;
    const size = ends.at(-1)!;
    const near = ends.flatMap((end) => [end - 1, end, end + 1]);
    const every = Array.from({ length: size - ends.at(-2)! }, (_, at) => ends.at(-2)! + at);
    const random = Array.from({ length: runs(6, 200) }, () => ends[0]! + next(size - ends[0]!));
    const cuts = [...(isLong ? every : []), ...near, ...random, 0, 7, ends[0]! >> 1].filter((cut) => cut <= size);
    for (const cut of cuts) {
      const copy = copyOf(path);
      truncateSync(join(copy, log), cut);
      const whole = ends.filter((end) => end <= cut).length;
      const engine = await Engine.open({ store: copy });
      const order = BigInt(Math.max(0, whole - 1));
      expect(engine.head.order, `cut at ${cut}`).toBe(order);
      expect(engine.status().lostCommits, `cut at ${cut}`).toBe(BigInt(ends.length - 1) - order);
      await forge(engine, blockAt(1), emitted);
      await engine.close();
      const again = await Engine.open({ store: copy });
      expect([again.head.order, again.status().lostCommits]).toEqual([order + 1n, 0n]);
      await again.close();
      if (cut % 5 === 0) await expectSound(copy);
      rmSync(copy, { recursive: true });
    }
  });

  it('with a changed byte is refused by name, or loses only the last transaction', async () => {
    const { path, log, ends } = source;
    for (let round = 0; round < runs(5, 300); round++) {
      const copy = copyOf(path);
      const bytes = readFileSync(join(copy, log));
      const at = next(bytes.length);
      bytes[at]! ^= 1 << next(8);
      writeFileSync(join(copy, log), bytes);
      const whole = ends.filter((end) => end <= at).length;
      if (whole === ends.length - 1) {
        const engine = await Engine.open({ store: copy });
        expect(engine.status(), `changed at ${at}`).toMatchObject({
          head: { order: BigInt(whole - 1) },
          lostCommits: 1n,
        });
        await engine.close();
      } else {
        await expect(Engine.open({ store: copy }), `changed at ${at}`).rejects.toMatchObject({
          code: 'corrupt',
          message: expect.stringContaining(log),
        });
      }
      rmSync(copy, { recursive: true });
    }
  });
});

describe('a table that is cut', () => {
  it('is refused by name', async () => {
    const { path } = await logged(2);
    // Opening moves the log into a table.
    await (await Engine.open({ store: path })).close();
    const table = readdirSync(path).find((name) => name.endsWith('.ldb'))!;
    const { size } = statSync(join(path, table));
    for (const length of [0, 1, size >> 1, size - 1]) {
      const copy = copyOf(path);
      truncateSync(join(copy, table), length);
      await expect(Engine.open({ store: copy })).rejects.toMatchObject({
        code: 'corrupt',
        message: expect.stringContaining(table),
      });
    }
    await expectSound(path);
  });
});

describe.skipIf(process.platform === 'win32')(
  `a full disk${process.platform === 'win32' ? ' (skipped on Windows)' : ''}`,
  () => {
    it.each(['fsync', 'os'])('is an error, reads go on, and nothing acknowledged is lost: %s', async (durability) => {
      const path = directory();
      const command = 'ulimit -f 5000 && exec "$0" "$@"';
      const args = ['-c', command, process.execPath, child, path, durability, 'fill'];
      const { stdout, stderr, status } = spawnSync('sh', args, { encoding: 'utf8' });
      expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
      const lines = stdout.trim().split('\n');
      const told = JSON.parse(lines.pop()!);
      const acknowledged = BigInt(lines.at(-1)!);
      expect(acknowledged).toBeGreaterThan(5n);
      expect(told).toMatchObject({
        code: 'store-failed',
        refused: 'store-failed',
        order: acknowledged.toString(),
        hasLast: true,
        events: 5,
        service: 'maintenance',
      });
      const engine = await Engine.open({ store: path });
      expect(engine.head.order).toBeGreaterThanOrEqual(acknowledged);
      expect(engine.status()).toMatchObject({ service: 'active', lostCommits: 0n });
      await engine.close();
      await expectSound(path);
    });
  },
);
