/**
 * One opener of a directory at a time: across threads, processes, crashes, copies and containers.
 */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Level } from 'level';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { type Operation, openDirectory } from '../../src/store/index.ts';
import { runs } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

const directory = temporaryDirectories();
const dist = fileURLToPath(new URL('../../dist', import.meta.url));
const program = fileURLToPath(new URL('directory-child.mjs', import.meta.url));
const isBuilt = existsSync(join(dist, 'store', 'index.js'));
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
const ownerFiles = (path: string): string[] => readdirSync(path).filter((name) => name.startsWith('owner-'));

const put = (value: string): Operation => ({
  type: 'put',
  key: Uint8Array.of(1),
  value: Uint8Array.from(Buffer.from(value)),
});

function tryInProcess(path: string): string {
  const { stdout, stderr } = spawnSync(process.execPath, [program, dist, path, 'try'], { encoding: 'utf8' });
  return stdout.trim() || stderr;
}

async function tryInWorker(path: string): Promise<unknown> {
  const worker = new Worker(program, { workerData: [dist, path, 'try'] });
  const [told] = (await once(worker, 'message')) as unknown[];
  await worker.terminate();
  return told;
}

/** A process that has the directory, or says why not. */
class Holder {
  readonly process: ChildProcessWithoutNullStreams;
  #said = '';

  constructor(path: string) {
    this.process = spawn(process.execPath, [program, dist, path, 'hold']);
    this.process.stdout.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    onTestFinished(() => {
      this.process.kill('SIGKILL');
    });
  }

  async line(): Promise<string> {
    while (!this.#said.includes('\n')) await once(this.process.stdout, 'data');
    const [line = '', ...rest] = this.#said.split('\n');
    this.#said = rest.join('\n');
    return line;
  }

  write(value: string): Promise<string> {
    this.process.stdin.write(`${value}\n`);
    return this.line();
  }

  async kill(): Promise<void> {
    this.process.kill('SIGKILL');
    await once(this.process, 'close');
  }
}

async function holding(path: string): Promise<Holder> {
  const holder = new Holder(path);
  expect(await holder.line()).toBe('opened');
  return holder;
}

/** What the file of a directory's owner says, changed. */
function changeClaim(path: string, change: Readonly<Record<string, unknown>>): void {
  const [name = ''] = ownerFiles(path);
  const text = readFileSync(join(path, name), 'utf8');
  writeFileSync(
    join(path, name),
    `${text.slice(0, 5)}${JSON.stringify({ ...JSON.parse(text.slice(5)), ...change })}\n`,
  );
}

describe.skipIf(!isBuilt)(`the owner of a directory${note}`, () => {
  it('is not driven out by a refused thread of its own process, and loses nothing that it acknowledged', async () => {
    const path = directory();
    const store = await openDirectory(path);
    expect(await tryInWorker(path)).toBe('store-locked');
    expect(tryInProcess(path)).toBe('store-locked');
    await store.batch([put('acknowledged')]);
    await store.close();
    const again = await openDirectory(path);
    expect(Buffer.from(again.get(Uint8Array.of(1)) ?? []).toString()).toBe('acknowledged');
    await again.close();
  });

  it('is not driven out by a copy of the directory that its process makes, and the copy is free', async () => {
    const path = directory();
    const copy = join(directory(), 'copy');
    const store = await openDirectory(path);
    await store.batch([put('copied')]);
    cpSync(path, copy, { recursive: true });
    // Whatever part of the process closes the file drops LevelDB's lock.
    closeSync(openSync(join(path, 'LOCK'), 'r'));
    expect(tryInProcess(path)).toBe('store-locked');
    expect(tryInProcess(copy)).toBe('opened');
    await store.batch([put('after')]);
    await store.close();
  });

  it.each(['another opener has it', 'it was removed'])('acknowledges nothing once it has lost it: %s', async (how) => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([put('mine')]);
    const view = store.view();
    if (how === 'it was removed') rmSync(path, { recursive: true });
    else {
      // Somebody removed the file by hand, and LevelDB's lock was dropped as above.
      for (const name of ownerFiles(path)) rmSync(join(path, name));
      closeSync(openSync(join(path, 'LOCK'), 'r'));
      const holder = await holding(path);
      expect(await holder.write('theirs')).toBe('written');
    }
    const lost = { code: 'store-lost', message: expect.stringContaining(path) };
    await expect(store.batch([put('lost')])).rejects.toMatchObject(lost);
    await expect(store.batch([put('lost')])).rejects.toMatchObject(lost);
    expect(() => store.begin()).toThrow(expect.objectContaining({ code: 'store-lost' }));
    expect(Buffer.from(view.get(Uint8Array.of(1)) ?? []).toString()).toBe('mine');
    view.release();
    await store.close();
  });

  it('is missed by an engine at its next commit, which keeps its head', async () => {
    const path = directory();
    const engine = await Engine.open({ store: path });
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    await engine.dev.mine({ to });
    const { order } = engine.head;
    for (const name of ownerFiles(path)) rmSync(join(path, name));
    for (let round = 0; round < 2; round++) {
      await expect(engine.dev.mine({ to })).rejects.toMatchObject({ code: 'store-lost' });
    }
    expect(engine.head.order).toBe(order);
    await engine.close();
    await using again = await Engine.open({ store: path });
    expect(again.head.order).toBe(order);
  });

  it('leaves it free at once when its process is killed or its thread is stopped', async () => {
    const path = directory();
    const holder = await holding(path);
    expect(tryInProcess(path)).toBe('store-locked');
    await expect(openDirectory(path)).rejects.toMatchObject({
      code: 'store-locked',
      details: { pid: holder.process.pid },
    });
    expect(await holder.write('held')).toBe('written');
    await holder.kill();
    const worker = new Worker(program, { workerData: [dist, path, 'hold'] });
    expect(await once(worker, 'message')).toEqual(['opened']);
    await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-locked' });
    await worker.terminate();
    const store = await openDirectory(path);
    expect(Buffer.from(store.get(Uint8Array.of(1)) ?? []).toString()).toBe('held');
    await store.close();
    expect(ownerFiles(path)).toHaveLength(1);
  });

  it('says that the directory was not closed if the database could not be', async () => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([put('kept')]);
    const close = vi.spyOn(Level.prototype, 'close').mockRejectedValueOnce(new Error('EIO: i/o error, close'));
    await expect(store.close()).rejects.toMatchObject({ code: 'store-failed', message: expect.stringMatching(/EIO/) });
    const [file] = ownerFiles(path);
    expect(readFileSync(join(path, file!), 'utf8')).toMatch(/^torn /);
    await (close.mock.contexts[0] as Level).close();
    close.mockRestore();
  });

  it('counts as gone if its number belongs to another process by now', async () => {
    const path = directory();
    const holder = await holding(path);
    await holder.kill();
    changeClaim(path, { pid: process.pid, tid: process.pid });
    await (await openDirectory(path)).close();
    changeClaim(path, { pid: process.pid, tid: 0 });
    expect(tryInProcess(path)).toBe('opened');
  });

  it('relies on LevelDB where it cannot tell: another container, another machine, a file that says nothing', async () => {
    for (const spoil of [
      (path: string) => changeClaim(path, { place: 'another machine' }),
      (path: string) => writeFileSync(join(path, ownerFiles(path)[0]!), ''),
    ]) {
      const path = directory();
      const holder = await holding(path);
      const [name] = ownerFiles(path);
      spoil(path);
      // As a log looks while it is written.
      const log = join(path, readdirSync(path).find((file) => file.endsWith('.log'))!);
      appendFileSync(log, 'torn');
      const { size } = statSync(log);
      await expect(openDirectory(path)).rejects.toMatchObject({ code: 'store-locked' });
      expect(statSync(log).size).toBe(size);
      expect(ownerFiles(path)).toEqual([name]);
      expect(await holder.write('still held')).toBe('written');
      await holder.kill();
      const store = await openDirectory(path);
      await store.batch([put('mine')]);
      expect(tryInProcess(path)).toBe('store-locked');
      await store.close();
      expect(ownerFiles(path)).toHaveLength(1);
      expect(tryInProcess(path)).toBe('opened');
    }
  });

  it('is one at a time, however many race', async () => {
    const path = directory();
    const rounds = runs(4, 16);
    const processes = Array.from({ length: 3 }, () =>
      spawn(process.execPath, [program, dist, path, 'count', String(rounds)], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    const workers = Array.from({ length: 3 }, () => new Worker(program, { workerData: [dist, path, 'count', rounds] }));
    // Processes that are killed at any moment, while they hold the directory or take it.
    let killed = 0;
    let isRacing = true;
    const killing = (async () => {
      while (isRacing) {
        const victim = spawn(process.execPath, [program, dist, path, 'hold'], { stdio: 'ignore' });
        // Asked at once: one that is refused ends by itself, before it is killed.
        const closed = once(victim, 'close');
        await new Promise((resolve) => setTimeout(resolve, 60 + Math.random() * 120));
        if (victim.kill('SIGKILL')) killed++;
        await closed;
      }
    })();
    const ends = [...processes.map((one) => once(one, 'close')), ...workers.map((one) => once(one, 'exit'))];
    for (const [code] of await Promise.all(ends)) expect(code).toBe(0);
    isRacing = false;
    await killing;
    expect(killed).toBeGreaterThan(0);
    const store = await openDirectory(path);
    expect(Buffer.from(store.get(Uint8Array.of(1)) ?? []).toString()).toBe(String(6 * rounds));
    await store.close();
    // A process that was killed while it asked may leave the draft of the same number, which goes with the next owner.
    await (await openDirectory(path)).close();
    expect(ownerFiles(path)).toHaveLength(1);
  });
});
