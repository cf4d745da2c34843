/** `movelet archive`, `restore` and `verify` of an archive, from the command line. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { archiveCommand } from '../../src/cli/archive.ts';
import { Engine } from '../../src/index.ts';
import { openDirectoryLog } from '../../src/log/index.ts';
import { transfer } from '../log/archive/archived-chain.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';

const directory = temporaryDirectories()();
const [data, log] = [join(directory, 'data'), join(directory, 'log')];
const place = (name: string): string => join(directory, name);

async function write(...amounts: readonly bigint[]): Promise<string> {
  await using engine = await Engine.open({ store: data, commitLog: await openDirectoryLog(log, { segmentBytes: 1 }) });
  for (const amount of amounts) await transfer(engine, amount);
  return String(engine.head.stateRoot);
}

function movelet(...args: readonly string[]): { status: number | null; stdout: string; stderr: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

const told = (stdout: string): unknown => ({ status: 0, stdout, stderr: '' });
const refused = (status: number, reason: string): unknown => ({
  status,
  stdout: '',
  stderr: expect.stringContaining(reason),
});

beforeAll(async () => {
  await write(1n, 2n, 3n);
});

it('takes nothing from a log without records, and later what has been written to it', async () => {
  const empty = place('empty-log');
  const store = place('empty-data');
  await (await Engine.open({ store, commitLog: await openDirectoryLog(empty) })).close();
  const archive = place('of-empty');
  expect(await archiveCommand.run([empty, archive])).toBe(0);
  await using engine = await Engine.open({ store, commitLog: await openDirectoryLog(empty) });
  await transfer(engine, 1n);
  expect(await archiveCommand.run([empty, archive])).toBe(0);
  expect(readdirSync(archive).filter((name) => /dump|segment/.test(name))).toHaveLength(2);
  // Of another log, nothing is new only if the archive goes on with it.
  const other = place('other-empty-log');
  const otherStore = place('other-empty-data');
  await (await Engine.open({ store: otherStore, commitLog: await openDirectoryLog(other) })).close();
  await expect(archiveCommand.run([other, archive])).rejects.toMatchObject({ name: 'EngineError' });
});

describe.skipIf(!isBuilt)(`an archive on the command line${note}`, () => {
  it('takes the records of a log and dumps, and then the log is pruned', async () => {
    const archive = place('archive');
    expect(movelet('archive', log, archive)).toEqual(told('archived orders 1 to 3 in 1 segment\n'));
    expect(movelet('archive', log, archive)).toEqual(told('nothing is new: the archive ends at order 3\n'));
    const root = await write(4n, 5n);
    expect(movelet('archive', log, archive, '--dump-every', '5', '--prune-log')).toEqual(
      told('archived orders 4 to 5 in 1 segment\narchived a dump of order 5\npruned the log before order 5\n'),
    );
    expect(readdirSync(log).filter((name) => name.endsWith('.segment'))).toHaveLength(1);
    expect(movelet('archive', data, archive)).toEqual(told('the archive has a dump of order 5\n'));
    expect(movelet('verify', archive)).toEqual(told('segments: 2, records: 5, dumps: 2: sound\n'));
    const restored = place('restored');
    expect(movelet('restore', archive, restored)).toEqual(
      told(`restored order 5, state root ${root}, into ${restored}\n`),
    );
    expect(movelet('restore', archive, place('earlier'), '--to', '2').stdout).toMatch(/^restored order 2, /);
    expect(movelet('verify', place('earlier')).stdout).toMatch(/^3 transactions, .*: sound\n$/);
    expect(movelet('archive', place('earlier'), archive)).toEqual(told('archived a dump of order 2\n'));
  });

  it('names the fault', () => {
    const archive = place('damaged');
    movelet('archive', log, archive, '--dump-every', '0');
    expect(readdirSync(archive).filter((name) => name.endsWith('.dump'))).toEqual([]);
    movelet('archive', data, archive);
    const [dump] = readdirSync(archive).filter((name) => name.endsWith('.dump'));
    const bytes = readFileSync(join(archive, dump!));
    bytes[bytes.length >> 1]! ^= 1;
    writeFileSync(join(archive, dump!), bytes);
    const { status, stdout } = movelet('verify', archive);
    expect([status, stdout]).toEqual([1, expect.stringContaining(dump!)]);
    expect(movelet('restore', archive, place('never'))).toEqual(refused(1, dump!));
    expect(existsSync(place('never'))).toBe(false);
  });

  it('refuses what it cannot use', () => {
    const archive = place('refused');
    expect(movelet('archive', place('nothing'), archive)).toEqual(
      refused(1, 'neither a log nor a data directory nor a dump'),
    );
    expect(movelet('archive', data, archive, '--prune-log')).toEqual(refused(2, '--prune-log is for logs'));
    expect(movelet('archive', place('archive'), archive)).toEqual(refused(2, 'is itself an archive'));
    expect(movelet('archive', data, log)).toEqual(refused(1, 'is no archive and not empty'));
    expect(movelet('restore', data, place('never'))).toEqual(refused(1, 'is no archive'));
    expect(movelet('restore', place('archive'), data)).toEqual(refused(1, 'is not empty'));
    expect(movelet('restore', place('archive'), place('never'), '--to', 'now')).toEqual(refused(2, '--to'));
    expect(movelet('serve', '--bootstrap', archive)).toEqual(refused(2, '--bootstrap belongs to --log'));
  });
});
