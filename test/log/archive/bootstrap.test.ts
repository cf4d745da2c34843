/** Nodes that begin with a dump or an archive instead of genesis, and get the rest from the log. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine, type EngineOptions } from '../../../src/index.ts';
import { ArchiveWriter } from '../../../src/log/archive/archive-writer.ts';
import { openDirectoryLog } from '../../../src/log/index.ts';
import { openDirectory } from '../../../src/store/index.ts';
import { expectSound } from '../../crash/sound.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { logStatus, reached, rowsOf } from '../cluster.ts';
import { ArchivedChain, liveALittle, transfer } from './archived-chain.ts';
import { FileServer } from './file-server.ts';

const isLinux = process.platform === 'linux';
const directory = temporaryDirectories();

async function dumpOf(engine: Engine, path: string): Promise<string> {
  for await (const chunk of engine.dump()) writeFileSync(path, chunk, { flag: 'a' });
  return path;
}

/** A reader of the chain, which the caller closes. */
async function reader(chain: ArchivedChain, bootstrap: string, options: EngineOptions = {}): Promise<Engine> {
  const commitLog = await openDirectoryLog(join(chain.directory, 'log'));
  return Engine.open({ commitLog, role: 'reader', bootstrap, ...options });
}

/** A chain whose log holds its last three records alone, with an archive of all but the last. */
async function pruned(): Promise<ArchivedChain & { readonly early: string }> {
  const chain = await ArchivedChain.open(directory());
  await liveALittle(chain.engine);
  const early = await dumpOf(chain.engine, join(chain.directory, 'early.dump'));
  for (const amount of [1n, 2n, 3n]) await transfer(chain.engine, amount);
  await chain.archive();
  const writer = await ArchiveWriter.open(chain.path);
  await writer.pruneLog(chain.log);
  writer.close();
  await transfer(chain.engine, 4n);
  return Object.assign(chain, { early });
}

describe('a node with an empty store', () => {
  it('begins with an archive and goes on with the log, in memory, in a directory, as a reader or as the next writer', async () => {
    await using chain = await pruned();
    const { engine } = chain;
    const said: string[] = [];
    const path = join(chain.directory, 'reader');
    for (const store of [undefined, path]) {
      await using own = await reader(chain, chain.path, { store, log: ({ message }) => said.push(message) });
      await reached(own, engine.head.order);
      expect(own.head).toEqual(engine.head);
      expect(await rowsOf(own)).toEqual(await rowsOf(engine));
    }
    expect(said.filter((message) => message.includes(chain.path))).toHaveLength(2);
    await expectSound(path);
    const commitLog = await openDirectoryLog(join(chain.directory, 'log'));
    await using successor = await Engine.open({ commitLog, bootstrap: chain.path });
    expect(successor.head).toEqual(engine.head);
    await transfer(successor, 5n);
    expect(successor.head.order).toBe(engine.head.order + 1n);
  });

  it('begins with a dump only if the log continues it', async () => {
    await using chain = await pruned();
    const late = await dumpOf(chain.engine, join(chain.directory, 'late.dump'));
    await using own = await reader(chain, late);
    await transfer(chain.engine, 5n);
    await reached(own, chain.engine.head.order);
    expect(own.head).toEqual(chain.engine.head);
    await expect(reader(chain, chain.early)).rejects.toMatchObject({ code: 'pruned' });
    const unlike = await Engine.open();
    for (let order = 0n; order < chain.engine.head.order; order++) await transfer(unlike, 77n);
    const foreign = await dumpOf(unlike, join(chain.directory, 'foreign.dump'));
    await unlike.close();
    await expect(reader(chain, foreign)).rejects.toMatchObject({ code: 'log-mismatch' });
  });

  it('begins with a dump from a server, and asks for it only then', async () => {
    await using chain = await pruned();
    const dump = await dumpOf(chain.engine, join(chain.directory, 'late.dump'));
    await using server = await FileServer.open(readFileSync(dump));
    const url = `${server.url}/late.dump?key=secret`;
    const path = join(chain.directory, 'reader');
    const said: string[] = [];
    for (let time = 0; time < 2; time++) {
      await using own = await reader(chain, url, { store: path, log: ({ message }) => said.push(message) });
      await reached(own, chain.engine.head.order);
      expect(own.head).toEqual(chain.engine.head);
    }
    expect(server.requests).toEqual(['/late.dump?key=secret']);
    expect(said).toContain(`the store got the chain up to order ${chain.engine.head.order} from ${server.url}`);
    await expectSound(path);
  });

  it('is empty again after a download that ended early', async () => {
    await using chain = await pruned();
    const dump = readFileSync(await dumpOf(chain.engine, join(chain.directory, 'late.dump')));
    await using server = await FileServer.open(dump);
    const path = join(chain.directory, 'reader');
    server.endAfter(dump.length - 1);
    await expect(reader(chain, server.url, { store: path })).rejects.toMatchObject({ code: 'transport-failed' });
    const store = await openDirectory(path);
    expect(await store.range({ limit: 1 })).toEqual([]);
    await store.close();
    server.endAfter(dump.length);
    await using own = await reader(chain, server.url, { store: path });
    await reached(own, chain.engine.head.order);
  });

  it.skipIf(!isLinux)(
    `names a file that cannot be read, and is empty again${isLinux ? '' : ' (skipped: only Linux has one)'}`,
    async () => {
      await using chain = await pruned();
      const path = join(chain.directory, 'reader');
      // A file whose first byte is an input error.
      const unreadable = '/proc/self/mem';
      await expect(reader(chain, unreadable, { store: path })).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(/^\/proc\/self\/mem: EIO/),
      });
      const store = await openDirectory(path);
      expect(await store.range({ limit: 1 })).toEqual([]);
      await store.close();
    },
  );

  it('refuses what is neither a dump nor an archive', async () => {
    await using chain = await pruned();
    const log = join(chain.directory, 'log');
    await expect(reader(chain, log)).rejects.toMatchObject({ code: 'not-found' });
    await expect(reader(chain, join(log, 'nothing'))).rejects.toMatchObject({ code: 'not-found' });
    const text = join(chain.directory, 'text');
    writeFileSync(text, 'no dump at all');
    await expect(reader(chain, text)).rejects.toMatchObject({ code: 'malformed-bytes' });
    await expect(Engine.open({ bootstrap: chain.path })).rejects.toMatchObject({ code: 'invalid-argument' });
  });

  it('starts over if an earlier process was killed while it loaded the dump', async () => {
    await using chain = await pruned();
    const path = join(chain.directory, 'reader');
    mkdirSync(path);
    const store = await openDirectory(path);
    // A row of the tree that no chain refers to: without the head row, it is all that there is.
    await store.batch([{ type: 'put', key: Uint8Array.of(1, 2, 3), value: Uint8Array.of(4) }]);
    await store.close();
    await using own = await reader(chain, chain.path, { store: path });
    await reached(own, chain.engine.head.order);
    await own.close();
    await expectSound(path);
  });
});

describe('a node that is behind what the log holds', () => {
  it('goes on with an archive', async () => {
    await using chain = await pruned();
    const path = join(chain.directory, 'reader');
    const store = await openDirectory(path);
    await store.close();
    const early = await Engine.open({ store: path });
    await early.close();
    await expect(reader(chain, chain.early, { store: path })).rejects.toMatchObject({ code: 'pruned' });
    await using own = await reader(chain, chain.path, { store: path });
    await reached(own, chain.engine.head.order);
    expect((await logStatus(own, ({ state }) => state === 'following')).problem).toBeUndefined();
    await own.close();
    await expectSound(path);
  });
});
