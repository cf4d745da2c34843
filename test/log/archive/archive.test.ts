/** Archives: what is added, what is restored, and that anything wrong with a file is found and named. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { readHead } from '../../../src/chain/ledger/head.ts';
import { Engine } from '../../../src/index.ts';
import { Archive } from '../../../src/log/archive/archive.ts';
import {
  dumpFile,
  EMPTY_MANIFEST,
  readArchiveManifest,
  writeManifest,
} from '../../../src/log/archive/archive-files.ts';
import { ArchiveWriter } from '../../../src/log/archive/archive-writer.ts';
import { type RestoreProgress, restoreArchive } from '../../../src/log/archive/restore.ts';
import { verifyArchive } from '../../../src/log/archive/verification.ts';
import { openDirectoryLog } from '../../../src/log/index.ts';
import { openDirectory } from '../../../src/store/index.ts';
import { expectSound } from '../../crash/sound.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { rowsOf } from '../cluster.ts';
import { ArchivedChain, liveALittle, transfer } from './archived-chain.ts';

const directory = temporaryDirectories();

const contents = (path: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(path)
      .filter((name) => /\.(?:segment|dump)$/.test(name))
      .map((name) => [name, readFileSync(join(path, name), 'latin1')]),
  );

const segmentsIn = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.segment'));

/** An archive of every kind of input, in several segments, with a dump in the middle. */
async function archived(): Promise<ArchivedChain> {
  const chain = await ArchivedChain.open(directory());
  await liveALittle(chain.engine);
  await chain.archive();
  await chain.dump();
  for (const amount of [1n, 2n, 3n]) await transfer(chain.engine, amount);
  await chain.archive();
  return chain;
}

/** One for the tests that only read it. */
let whole: ArchivedChain;
beforeAll(async () => {
  whole = await archived();
});
afterAll(() => whole[Symbol.asyncDispose]());

describe('an archive', () => {
  it('restores each order, with every row as the writer has it', async () => {
    const chain = whole;
    const { engine } = chain;
    const { order } = engine.head;
    const archive = await chain.read();
    expect(archive.segments.length).toBeGreaterThan(2);
    expect(archive.dumps.map(({ head }) => head.order)).toEqual([0n, order - 3n]);
    expect(await verifyArchive(archive)).toMatchObject({ records: Number(order), dumps: 2, problems: [] });
    for (const to of [0n, 1n, 4n, order - 3n, order - 1n, order]) {
      const path = join(chain.directory, `restored-${to}`);
      const head = await restoreArchive(archive, path, { to });
      expect([head.order, toHexPrefixed(head.stateRoot)].join()).toBe([to, chain.roots[Number(to)]].join());
      await expectSound(path);
    }
    const restored = await Engine.open({ store: join(chain.directory, `restored-${order}`) });
    expect(restored.head).toEqual(engine.head);
    expect(await rowsOf(restored)).toEqual(await rowsOf(engine));
    await restored.close();
    const beyond = restoreArchive(archive, join(chain.directory, 'beyond'), { to: order + 1n });
    await expect(beyond).rejects.toMatchObject({ code: 'not-found', message: expect.stringContaining(`to ${order}`) });
  });

  it('is given only what is new, and no existing file changes', async () => {
    await using chain = await archived();
    const before = contents(chain.path);
    expect(await chain.archive()).toBe(0);
    expect(contents(chain.path)).toEqual(before);
    await transfer(chain.engine, 4n);
    expect(await chain.archive()).toBe(1);
    const after = contents(chain.path);
    expect(after.size).toBe(before.size + 1);
    for (const [name, content] of before) expect(after.get(name)).toBe(content);
    await chain.dump();
    await chain.dump();
    expect((await chain.read()).dumps).toHaveLength(3);
  });

  it('is written by one process at a time, and created only in an empty directory', async () => {
    await using chain = await archived();
    const writer = await ArchiveWriter.open(chain.path);
    await expect(ArchiveWriter.open(chain.path)).rejects.toMatchObject({ code: 'store-locked' });
    writer.close();
    const other = ArchiveWriter.open(join(chain.directory, 'log'));
    await expect(other).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/is no archive and not empty/),
    });
    await expect(Archive.open(chain.directory)).rejects.toMatchObject({ code: 'not-found' });
  });

  it('adopts what an earlier process completed but could not list', async () => {
    await using chain = await archived();
    const older = await readArchiveManifest(chain.path);
    await transfer(chain.engine, 4n);
    await chain.archive();
    await chain.dump();
    const newer = await readArchiveManifest(chain.path);
    for (const left of [
      { ...newer, segments: older.segments, dumps: older.dumps },
      { ...newer, dumps: older.dumps },
    ]) {
      await writeManifest(chain.path, left);
      writeFileSync(join(chain.path, 'next.partial'), 'half of a file');
      const stray = left.segments.length === newer.segments.length ? '.dump' : '.segment';
      if (stray === '.segment') {
        const dump = join(chain.path, readdirSync(chain.path).findLast((name) => name.endsWith('.dump'))!);
        rmSync(dump);
      }
      expect((await verifyArchive(await chain.read())).problems).toEqual([expect.stringContaining(stray)]);
      await chain.archive();
      expect(readdirSync(chain.path)).not.toContain('next.partial');
      expect((await verifyArchive(await chain.read())).problems).toEqual([]);
      await chain.dump();
      expect(await readArchiveManifest(chain.path)).toEqual(newer);
    }
  });

  it('begins with a dump that the log continues', async () => {
    await using chain = await ArchivedChain.open(directory());
    for (const amount of [1n, 2n]) await transfer(chain.engine, amount);
    const writer = await ArchiveWriter.open(chain.path);
    await expect(writer.addRecords(chain.log)).rejects.toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/has no dump/),
    });
    await writer.addDump(chain.engine.dump());
    await transfer(chain.engine, 3n);
    await chain.log.prune(3n);
    await expect(writer.addRecords(chain.log)).rejects.toMatchObject({ code: 'pruned' });
    writer.close();
    rmSync(chain.path, { recursive: true });
    await chain.dump();
    await transfer(chain.engine, 4n);
    expect(await chain.archive()).toBe(1);
    const archive = await chain.read();
    expect(archive.segments.map(({ first, last }) => [first, last])).toEqual([[4n, 4n]]);
    expect((await verifyArchive(archive)).problems).toEqual([]);
  });

  it('refuses records and dumps of another chain, and a log that lost its end', async () => {
    await using chain = await archived();
    await using other = await ArchivedChain.open(directory());
    const writer = await ArchiveWriter.open(chain.path);
    await transfer(other.engine, 9n);
    await expect(writer.addRecords(other.log)).rejects.toMatchObject({
      code: 'log-mismatch',
      message: expect.stringContaining('the archive holds another chain'),
    });
    for (let amount = 10n; other.engine.head.order <= chain.engine.head.order; amount++) {
      await transfer(other.engine, amount);
    }
    await expect(writer.addRecords(other.log)).rejects.toMatchObject({ code: 'log-mismatch' });
    const ahead = writer.addDump(other.engine.dump());
    await expect(ahead).rejects.toMatchObject({ message: expect.stringContaining('archive the log first') });
    await using third = await ArchivedChain.open(directory());
    await transfer(third.engine, 9n);
    const another = writer.addDump(third.engine.dump());
    await expect(another).rejects.toMatchObject({ message: expect.stringContaining('another state at order 1') });
    writer.close();
    expect((await verifyArchive(await chain.read())).problems).toEqual([]);
  });

  it('refuses a dump of another genesis, and records that lead to another state than a dump says', async () => {
    await using chain = await ArchivedChain.open(directory());
    await using other = await ArchivedChain.open(directory());
    await transfer(chain.engine, 1n);
    await transfer(other.engine, 2n);
    const writer = await ArchiveWriter.open(chain.path);
    await using genesis = await Engine.open();
    await using stranger = await Engine.open({ chainId: 77n });
    await using richer = await Engine.open({ accountBalance: 5n });
    await writer.addDump(genesis.dump());
    for (const { engine } of [{ engine: stranger }, { engine: richer }]) {
      await expect(writer.addDump(engine.dump())).rejects.toMatchObject({
        code: 'log-mismatch',
        message: expect.stringContaining('another genesis'),
      });
    }
    await writer.addDump(other.engine.dump());
    await expect(writer.addRecords(chain.log)).rejects.toMatchObject({
      code: 'log-mismatch',
      message: expect.stringContaining('order 1 leads to another state than the dump of that order'),
    });
    expect([writer.archive.dumps.length, writer.archive.segments]).toEqual([2, []]);
    await expect(writer.addRecords(other.log, { writers: [new Uint8Array(33)] })).rejects.toMatchObject({
      message: expect.stringContaining('another key than those before it'),
    });
    expect(await writer.addRecords(other.log)).toBe(1);
    writer.close();
  });

  it('takes records of a new key only if it is given that key', async () => {
    await using chain = await archived();
    await chain.engine.close();
    const sequencerKey = new Uint8Array(32).fill(7);
    const commitLog = await openDirectoryLog(join(chain.directory, 'log'));
    await using next = await Engine.open({ commitLog, sequencerKey });
    await transfer(next, 4n);
    const writer = await ArchiveWriter.open(chain.path);
    const known = writer.archive.manifest.writers;
    expect(known).toHaveLength(1);
    const strange = expect.stringMatching(/is signed with 0x\w+, another key than those before it/);
    for (const writers of [undefined, [], [known[0]!], [new Uint8Array(33)]]) {
      await expect(writer.addRecords(commitLog, { writers })).rejects.toMatchObject({ message: strange });
    }
    const added = { writers: [new Uint8Array(33), secp256k1.getPublicKey(sequencerKey)] };
    expect(await writer.addRecords(commitLog, added)).toBe(1);
    expect(writer.archive.manifest.writers).toEqual([...known, added.writers[1]]);
    await transfer(next, 5n);
    expect(await writer.addRecords(commitLog)).toBe(1);
    writer.close();
  });

  it('refuses a log that ends before its head, and a dump under the name of another order', async () => {
    await using chain = await archived();
    const { log, engine } = chain;
    await transfer(engine, 5n);
    const { order } = engine.head;
    const short = {
      ...forwarding(log),
      head: async () => ({ ...(await log.head()), order: order + 1n }),
      read: (from: bigint) => log.read(from),
    };
    const writer = await ArchiveWriter.open(chain.path);
    const progress: [number, number][] = [];
    await expect(writer.addRecords(short, { onProgress: (...told) => progress.push(told) })).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringContaining(`ends after order ${order}`),
    });
    expect(progress).toEqual([[1, 2]]);
    expect(writer.archive.end.order).toBe(order);
    writer.close();
    const renamed = '00000000000000000900.dump';
    copyFileSync(join(chain.path, '00000000000000000000.dump'), join(chain.path, renamed));
    await expect(ArchiveWriter.open(chain.path)).rejects.toMatchObject({
      code: 'corrupt',
      message: expect.stringMatching(new RegExp(`${renamed}.*it holds order 0`)),
    });
  });

  it('says of a log that lost its mark to a power failure that its writer has to be started', async () => {
    await using chain = await archived();
    const mark = readdirSync(join(chain.directory, 'log')).find((name) => name.endsWith('.mark'))!;
    truncateSync(join(chain.directory, 'log', mark), 0);
    const log = await openDirectoryLog(join(chain.directory, 'log'));
    const writer = await ArchiveWriter.open(chain.path);
    const { order } = chain.engine.head;
    await expect(writer.addRecords(log)).rejects.toMatchObject({
      code: 'log-mismatch',
      message: expect.stringMatching(
        new RegExp(`ends at order 0, and the archive at order ${order}; .*start the writer first`),
      ),
    });
    expect((await log.takeOver()).order).toBe(order);
    expect(await writer.addRecords(log)).toBe(0);
    writer.close();
    await log.close();
  });

  it('refuses a record that is not sound, and keeps what came before it', async () => {
    await using chain = await archived();
    const { log, engine } = chain;
    const { order } = engine.head;
    for (const amount of [5n, 6n]) await transfer(engine, amount);
    const tampered = {
      ...forwarding(log),
      async *read(from: bigint) {
        for await (const record of log.read(from)) {
          const bytes = record.bytes.slice();
          if (record.order === order + 2n) bytes[bytes.length >> 1]! ^= 1;
          yield { ...record, bytes };
        }
      },
    };
    const writer = await ArchiveWriter.open(chain.path);
    await expect(writer.addRecords(tampered, { segmentBytes: 1 })).rejects.toMatchObject({
      code: expect.stringMatching(/corrupt|malformed/),
    });
    expect(writer.archive.end.order).toBe(order + 1n);
    expect(await writer.addRecords(log)).toBe(1);
    writer.close();
    expect((await verifyArchive(await chain.read())).problems).toEqual([]);
  });
});

function forwarding(log: ArchivedChain['log']) {
  return {
    takeOver: () => log.takeOver(),
    head: () => log.head(),
    append: (...given: Parameters<typeof log.append>) => log.append(...given),
    changed: (signal: AbortSignal) => log.changed(signal),
    prune: (beforeOrder: bigint) => log.prune(beforeOrder),
    close: () => log.close(),
  };
}

describe('a file of an archive that is not what it should be is named', () => {
  /** Verifies and restores what `harm` did to a copy; both must name the file. */
  async function expectNamed(chain: ArchivedChain, name: string, harm: (path: string) => void | Promise<void>) {
    const copy = join(directory(), 'copy');
    mkdirSync(copy);
    for (const file of readdirSync(chain.path)) copyFileSync(join(chain.path, file), join(copy, file));
    await harm(copy);
    const verified = (async () => (await verifyArchive(await Archive.open(copy))).problems.join('\n'))();
    expect(await verified.catch((error: Error) => error.message)).toContain(name);
    const target = join(copy, '..', 'restored');
    const restored = (async () => restoreArchive(await Archive.open(copy), target))();
    await expect(restored).rejects.toMatchObject({ message: expect.stringContaining(name) });
    expect(existsSync(target)).toBe(false);
  }

  const flip = (path: string, at: (length: number) => number): void => {
    const bytes = readFileSync(path);
    bytes[at(bytes.length)]! ^= 1;
    writeFileSync(path, bytes);
  };

  it('damaged anywhere, cut, longer, or missing', async () => {
    const chain = whole;
    const last = segmentsIn(chain.path).at(-1)!;
    const dump = readdirSync(chain.path).findLast((name) => name.endsWith('.dump'))!;
    for (const name of [last, dump]) {
      for (const at of [0, 0.3, 0.99]) {
        await expectNamed(chain, name, (path) => flip(join(path, name), (length) => Math.floor(length * at)));
      }
      await expectNamed(chain, name, (path) =>
        writeFileSync(join(path, name), readFileSync(join(path, name)).subarray(0, -1)),
      );
      await expectNamed(chain, name, (path) => writeFileSync(join(path, name), 'more', { flag: 'a' }));
      await expectNamed(chain, name, (path) => rmSync(join(path, name)));
    }
    await expectNamed(chain, 'archive.json', (path) =>
      flip(join(path, 'archive.json'), (length) => Math.floor(length * 0.6)),
    );
    await expectNamed(chain, 'archive.json', (path) => rmSync(join(path, 'archive.json')));
  });

  it('swapped with another', async () => {
    const chain = whole;
    const [first, second] = segmentsIn(chain.path).slice(-2);
    await expectNamed(chain, first!, (path) => {
      renameSync(join(path, first!), join(path, 'between'));
      renameSync(join(path, second!), join(path, first!));
      renameSync(join(path, 'between'), join(path, second!));
    });
  });

  it('of another chain, even if the manifest says it belongs there', async () => {
    await using chain = await ArchivedChain.open(directory(), 1);
    await using other = await ArchivedChain.open(directory(), 1);
    for (const [one, amounts] of [
      [chain, [1n, 2n, 3n]],
      [other, [1n, 5n, 6n]],
    ] as const) {
      for (const amount of amounts) await transfer(one.engine, amount);
      await one.archive();
    }
    const names = segmentsIn(chain.path);
    // The same writer signed both, and both have the same first order: what cannot be is that its third follows the other's
    // second, and the other way around.
    for (const at of [1, 2]) {
      await expectNamed(chain, names[2]!, async (path) => {
        copyFileSync(join(other.path, names[at]!), join(path, names[at]!));
        const [own, foreign] = [await readArchiveManifest(path), await readArchiveManifest(other.path)];
        await writeManifest(path, { ...own, segments: own.segments.with(at, foreign.segments[at]!) });
      });
    }
  });

  it('not listed', async () => {
    await using chain = await archived();
    const name = '00000000000000000900-00000000000000000901.segment';
    writeFileSync(join(chain.path, name), 'of somewhere else');
    expect((await verifyArchive(await chain.read())).problems).toEqual([expect.stringContaining(name)]);
    await transfer(chain.engine, 1n);
    await expect(chain.archive()).rejects.toMatchObject({ code: 'corrupt', message: expect.stringContaining(name) });
    expect(statSync(join(chain.path, name)).size).toBeGreaterThan(0);
  });

  it('a dump of something else, listed with the right digest', async () => {
    await using chain = await ArchivedChain.open(directory(), 1);
    await using other = await ArchivedChain.open(directory());
    for (const amount of [1n, 2n, 3n]) await transfer(chain.engine, amount);
    await chain.archive();
    await chain.dump();
    await transfer(other.engine, 9n);
    await other.archive();
    await other.dump();
    const manifest = await readArchiveManifest(chain.path);
    const [genesis, last] = manifest.dumps;
    const foreign = (await readArchiveManifest(other.path)).dumps[1]!;
    const [first, second, third] = [0n, 1n, 3n].map((order) => dumpFile(order)) as [string, string, string];
    const renamed = { ...last!, head: { ...last!.head, timestamp: last!.head.timestamp + 1n } };
    for (const [dumps, files, problems] of [
      [[genesis, renamed], [first, third], [`${third} holds another head than the manifest says`]],
      [[genesis, foreign], [first, second], [`${second} holds another state than the record of order 1 leads to`]],
      [[last], [third], ['no dump that its first record, order 1, follows']],
      [[], [], ['has no dump to restore from']],
    ] as const) {
      const copy = join(directory(), 'copy');
      mkdirSync(copy);
      for (const name of segmentsIn(chain.path)) copyFileSync(join(chain.path, name), join(copy, name));
      for (const name of files) {
        copyFileSync(join(name === second ? other.path : chain.path, name), join(copy, name));
      }
      await writeManifest(copy, { ...manifest, dumps: dumps.map((dump) => dump!) });
      const report = await verifyArchive(await Archive.open(copy));
      expect(report.problems).toEqual(problems.map((problem) => expect.stringContaining(problem)));
    }
    expect((await verifyArchive(await chain.read())).problems).toEqual([]);
  });

  it('whose digest is right, and whose manifest movelet would not write', async () => {
    const chain = whole;
    type Json = Record<string, never> & { dumps: Json[]; segments: Json[] };
    const harms: ((manifest: Json) => unknown)[] = [
      (manifest) => Object.assign(manifest, { writers: 'none' }),
      (manifest) => Object.assign(manifest, { writers: ['0g'] }),
      (manifest) => Object.assign(manifest, { start: '00' }),
      (manifest) => Object.assign(manifest, { start: null }),
      (manifest) => Object.assign(manifest, { dumps: undefined }),
      (manifest) => Object.assign(manifest, { segments: { length: 1e9 } }),
      (manifest) => Object.assign(manifest, { more: 1 }),
      ({ dumps }) => Object.assign(dumps[0]!, { head: '00ff' }),
      ({ dumps }) => Object.assign(dumps[0]!, { order: '7' }),
      ({ dumps }) => dumps.reverse(),
      ({ segments }) => Object.assign(segments[0]!, { first: '1e5' }),
      ({ segments }) => Object.assign(segments[0]!, { first: '-1' }),
      ({ segments }) => Object.assign(segments[0]!, { last: '../../../../../etc/passwd' }),
      ({ segments }) => segments.splice(1, 1),
      ({ segments }) => segments.reverse(),
      ({ segments }) => segments.push(segments.at(-1)!),
    ];
    for (const harm of harms) {
      const path = join(directory(), 'copy');
      mkdirSync(path);
      for (const file of readdirSync(chain.path)) copyFileSync(join(chain.path, file), join(path, file));
      const name = join(path, 'archive.json');
      const { sha256: _, ...text } = JSON.parse(readFileSync(name, 'utf8'));
      harm(text);
      const digest = createHash('sha256').update(JSON.stringify(text)).digest('hex');
      writeFileSync(name, JSON.stringify({ ...text, sha256: digest }));
      const message = expect.stringContaining(`${name} is not what movelet writes`);
      await expect(Archive.open(path), String(harm)).rejects.toMatchObject({ code: 'corrupt', message });
    }
  });

  it('a newer format is refused, with what to do', async () => {
    const path = directory();
    mkdirSync(path, { recursive: true });
    await writeManifest(path, EMPTY_MANIFEST);
    const file = join(path, 'archive.json');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"version": 1', '"version": 2'));
    const message = expect.stringContaining('use the movelet that wrote it, or a later one');
    await expect(Archive.open(path)).rejects.toMatchObject({ code: 'format-unknown', message });
  });
});

describe('a restore', () => {
  it('continues where it was interrupted, and gives the directory its name at the end', async () => {
    const chain = whole;
    const archive = await chain.read();
    const path = join(directory(), 'restored');
    const stop = new Error('stop');
    const interrupted = restoreArchive(archive, path, {
      to: 4n,
      onProgress: ({ name }) => {
        if (name === 'orders') throw stop;
      },
    });
    await expect(interrupted).rejects.toBe(stop);
    expect([existsSync(path), existsSync(`${path}.restoring`)]).toEqual([false, true]);
    const stages = new Set<string>();
    const head = await restoreArchive(archive, path, { to: 4n, onProgress: ({ name }) => stages.add(name) });
    expect([head.order, [...stages]]).toEqual([4n, []]);
    expect(existsSync(`${path}.restoring`)).toBe(false);
    await expect(restoreArchive(archive, path)).rejects.toMatchObject({ code: 'invalid-argument' });
    await expectSound(path);
    // What a restore to a later order left is of no use for an earlier one.
    renameSync(path, `${path}.restoring`);
    mkdirSync(path);
    expect((await restoreArchive(archive, path, { to: 2n })).order).toBe(2n);
    await expectSound(path);
  });

  it('does not continue what was begun from the archive of another chain', async () => {
    await using chain = await ArchivedChain.open(directory());
    await using other = await ArchivedChain.open(directory());
    for (const amount of [1n, 2n, 3n]) {
      await transfer(chain.engine, amount);
      await transfer(other.engine, amount + 10n);
    }
    await chain.archive();
    await other.archive();
    for (const [left, to] of [
      [2n, 2n],
      [1n, 3n],
    ] as const) {
      const path = join(directory(), 'restored');
      await restoreArchive(await other.read(), path, { to: left });
      renameSync(path, `${path}.restoring`);
      const head = await restoreArchive(await chain.read(), path, { to });
      expect(toHexPrefixed(head.stateRoot)).toBe(chain.roots[Number(to)]);
    }
  });

  it('starts over on rows that are no chain, and on a chain that is older than its dump', async () => {
    await using chain = await ArchivedChain.open(directory());
    await transfer(chain.engine, 1n);
    await chain.archive();
    const whole = await chain.read();
    await transfer(chain.engine, 2n);
    const late = await ArchiveWriter.open(join(chain.directory, 'late'));
    await late.addDump(chain.engine.dump());
    await transfer(chain.engine, 3n);
    expect(await late.addRecords(chain.log)).toBe(1);
    late.close();
    const path = join(directory(), 'restored');
    await restoreArchive(whole, path, { to: 1n });
    renameSync(path, `${path}.restoring`);
    expect((await restoreArchive(late.archive, path)).order).toBe(3n);
    await expectSound(path);
    const junk = join(directory(), 'restored');
    const store = await openDirectory(`${junk}.restoring`);
    await store.batch([{ type: 'put', key: Uint8Array.of(9), value: Uint8Array.of(9) }]);
    await store.close();
    await restoreArchive(late.archive, junk);
    const restored = await openDirectory(junk);
    expect([restored.get(Uint8Array.of(9)), readHead(restored)?.order]).toEqual([undefined, 3n]);
    await restored.close();
  });

  it('continues on a dump that no records follow, unless another chain is there', async () => {
    await using chain = await ArchivedChain.open(directory());
    await using other = await ArchivedChain.open(directory());
    const archives: Archive[] = [];
    for (const [amount, { engine, directory: place }] of [chain, other].entries()) {
      await transfer(engine, BigInt(amount + 1));
      const writer = await ArchiveWriter.open(join(place, 'alone'));
      await writer.addDump(engine.dump());
      writer.close();
      archives.push(writer.archive);
    }
    const [own, others] = archives as [Archive, Archive];
    for (const archive of [own, others]) {
      const path = join(directory(), 'restored');
      await restoreArchive(archive, path);
      renameSync(path, `${path}.restoring`);
      const seen: RestoreProgress[] = [];
      const head = await restoreArchive(own, path, { onProgress: (progress) => seen.push(progress) });
      expect(toHexPrefixed(head.stateRoot)).toBe(chain.roots[1]);
      const { bytes } = own.dumps[0]!;
      expect(seen.slice(-1)).toEqual(archive === own ? [] : [{ name: 'bytes', done: bytes, total: bytes }]);
    }
  });

  it('checks what an earlier, trusting restore began', async () => {
    const chain = whole;
    const path = join(directory(), 'restored');
    const archive = await chain.read();
    await restoreArchive(archive, path, { to: 1n });
    renameSync(path, `${path}.restoring`);
    const refused = new Error('not sound');
    const check = async (): Promise<void> => {
      throw refused;
    };
    await expect(restoreArchive(archive, path, { to: 2n, check })).rejects.toBe(refused);
    expect(existsSync(path)).toBe(false);
    expect((await restoreArchive(archive, path, { to: 2n })).order).toBe(2n);
  });
});

describe('pruning a log behind its archive', () => {
  it('leaves what is not archived and the newest archived record, and reads the archive first', async () => {
    await using chain = await archived();
    const { order } = chain.engine.head;
    await transfer(chain.engine, 8n);
    const name = segmentsIn(chain.path).at(-1)!;
    const bytes = readFileSync(join(chain.path, name));
    const writer = await ArchiveWriter.open(chain.path);
    flip(join(chain.path, name));
    await expect(writer.pruneLog(chain.log)).rejects.toMatchObject({ message: expect.stringContaining(name) });
    for await (const record of chain.log.read(1n, { max: 1 })) expect(record.order).toBe(1n);
    writeFileSync(join(chain.path, name), bytes);
    await writer.pruneLog(chain.log);
    writer.close();
    const reading = chain.log.read(1n, { max: 1 })[Symbol.asyncIterator]().next();
    await expect(reading).rejects.toMatchObject({ code: 'pruned', details: { oldest: String(order) } });
    expect(await chain.archive()).toBe(1);
    expect((await verifyArchive(await chain.read())).problems).toEqual([]);
  });

  function flip(path: string): void {
    const bytes = readFileSync(path);
    bytes[5]! ^= 1;
    writeFileSync(path, bytes);
  }
});
