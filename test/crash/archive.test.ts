/**
 * A process that is killed while it archives and prunes, or restores; and a full disk at every stage: what was archived is
 * there, the log and the archive have no gap between them, and the next process goes on.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { Engine } from '../../src/engine/engine.ts';
import { Archive } from '../../src/log/archive/archive.ts';
import { ArchiveWriter } from '../../src/log/archive/archive-writer.ts';
import { verifyArchive } from '../../src/log/archive/verification.ts';
import { isSameRecord } from '../../src/log/commit-log.ts';
import { openDirectoryLog } from '../../src/log/index.ts';
import { openDirectory } from '../../src/store/directory.ts';
import { cli, isBuilt } from '../cli/built.ts';
import { isLong, randomNumbers, seed } from '../effort.ts';
import { ArchivedChain, transfer } from '../log/archive/archived-chain.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
const below = randomNumbers(seed);
const rounds = isLong ? 100 : 3;

let child: string;
beforeAll(async () => {
  child = await bundled(new URL('archive-child.ts', import.meta.url));
});

/** The newest order that a process reported. */
const toldBy = ({ lines }: Victim): bigint => {
  const [last] = lines.filter((line) => /^\d+$/.test(line)).slice(-1);
  return BigInt(last ?? 0);
};

/** Archives what the log has, as the next process would, and gives the archive. */
async function continued(place: string): Promise<Archive> {
  const log = await openDirectoryLog(join(place, 'log'));
  const writer = await ArchiveWriter.open(join(place, 'archive'));
  try {
    await writer.addRecords(log);
    expect(isSameRecord(writer.archive.end, await log.head())).toBe(true);
  } finally {
    writer.close();
    await log.close();
  }
  return Archive.open(join(place, 'archive'));
}

/** A chain with an archive that holds its genesis. */
async function begun(place: string): Promise<void> {
  const writer = await ArchiveWriter.open(join(place, 'archive'));
  const engine = await Engine.open();
  await writer.addDump(engine.dump());
  await engine.close();
  writer.close();
}

describe('a process that is killed', () => {
  it('while it archives and prunes the log leaves all that it reported, and no gap', { timeout: 600_000 }, async () => {
    const place = directory();
    await begun(place);
    let archivedBefore = 0n;
    let next = new Victim(child, place, 'archive');
    for (let round = 0; round < rounds; round++) {
      const running = next;
      await running.until(() => running.isReady);
      if (round + 1 < rounds) next = new Victim(child, place, 'archive');
      await running.go();
      if (round % 5 !== 0) await running.until(() => running.isOpen);
      // The last one completes at least once, however busy the machine is.
      if (round + 1 === rounds) await running.until(() => toldBy(running) > 0n);
      await pause(below(round % 5 === 0 ? 150 : 600));
      await running.kill();
      const archive = await continued(place);
      expect(archive.end.order).toBeGreaterThanOrEqual(toldBy(running));
      expect(archive.end.order).toBeGreaterThanOrEqual(archivedBefore);
      expect((await verifyArchive(archive)).problems).toEqual([]);
      archivedBefore = archive.end.order;
    }
    expect(archivedBefore).toBeGreaterThan(2n);
    // The last one may have been killed with a record in the log that its directory had not yet.
    const log = await openDirectoryLog(join(place, 'log'));
    const engine = await Engine.open({ store: join(place, 'data'), commitLog: log });
    const { end } = await continued(place);
    expect([end.order, end.stateRoot]).toEqual([engine.head.order, fromHex(engine.head.stateRoot)]);
    await engine.close();
    await log.close();
  });

  it('while it restores leaves a whole directory or none, and the next one continues', {
    timeout: 600_000,
  }, async () => {
    const place = directory();
    const chain = await ArchivedChain.open(place);
    for (let amount = 1n; amount <= 40n; amount++) await transfer(chain.engine, amount);
    await chain.archive();
    const { order } = chain.engine.head;
    await chain.engine.close();
    const restored = join(place, 'restored');
    let completed = 0;
    let next = new Victim(child, place, 'restore');
    for (let round = 1; round <= rounds; round++) {
      const running = next;
      await running.until(() => running.isReady);
      if (round < rounds) next = new Victim(child, place, 'restore');
      await running.go();
      await running.until(() => running.isOpen);
      // The last one may finish.
      if (round < rounds) await pause(below(400));
      else await running.until(() => toldBy(running) > 0n);
      await running.kill();
      if (toldBy(running) > 0n) expect(existsSync(restored)).toBe(true);
      if (!existsSync(restored)) continue;
      completed++;
      const store = await openDirectory(restored);
      await store.close();
      const engine = await Engine.open({ store: restored });
      expect(engine.head.order).toBe(order);
      await engine.close();
      await expectSound(restored);
      rmSync(restored, { recursive: true });
    }
    expect(completed).toBeGreaterThan(0);
  });
});

const isSkipped = process.platform === 'win32' || !isBuilt;
const note = isSkipped ? ' (skipped on Windows, and where dist is not built)' : '';

describe.skipIf(isSkipped)(`a full disk${note}`, () => {
  /** Runs the command line with files of at most so many blocks of 512 bytes. */
  function movelet(blocks: number | 'unlimited', ...args: readonly string[]): { status: number | null; said: string } {
    const command = ['-c', `ulimit -f ${blocks} && exec "$0" "$@"`, process.execPath, cli, ...args];
    const { status, stdout, stderr } = spawnSync('sh', command, { encoding: 'utf8' });
    return { status, said: stdout + stderr };
  }

  it('while archiving and restoring is an error that names the file, and the same command continues later', async () => {
    const place = directory();
    const chain = await ArchivedChain.open(place);
    for (let amount = 1n; amount <= 110n; amount++) await transfer(chain.engine, amount);
    await chain.engine.close();
    const [log, archive] = [join(place, 'log'), join(place, 'archive')];
    // The genesis takes some 1,900 blocks, the records 1,500, the manifest 4, and the dump at the end 4,000.
    const refusals = new Set<string>();
    for (const blocks of [0, 2, 1_000, 1_950, 3_000]) {
      const { status, said } = movelet(blocks, 'archive', log, archive, '--dump-every', '100');
      expect([status, said]).toEqual([1, expect.stringMatching(/file too large|no space/i)]);
      refusals.add(said);
      expect(readdirSync(archive).filter((name) => name.endsWith('.partial'))).toEqual([]);
    }
    expect(refusals.size).toBeGreaterThan(1);
    expect(movelet('unlimited', 'archive', log, archive, '--dump-every', '100').status).toBe(0);
    expect((await verifyArchive(await Archive.open(archive))).problems).toEqual([]);
    const restored = join(place, 'restored');
    for (const blocks of [0, 300, 1_500]) {
      const { status, said } = movelet(blocks, 'restore', archive, restored, '--to', '90');
      expect([status, said]).toEqual([1, expect.stringMatching(/file too large|no space|io error/i)]);
      expect(existsSync(restored)).toBe(false);
    }
    expect(movelet('unlimited', 'restore', archive, restored, '--to', '90')).toMatchObject({ status: 0 });
    await expectSound(restored);
    const copy = join(place, 'copy');
    cpSync(archive, copy, { recursive: true });
    expect(movelet('unlimited', 'verify', copy)).toMatchObject({ status: 0 });
  });
});
