/** Engines that share a commit log: what the writer acknowledges, what readers show, who is refused. */
import { truncateSync } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { fromHex, toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, type Engine, type LogRecord } from '../../src/index.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { payment } from '../payment.ts';
import { liveALittle, transfer } from './archive/archived-chain.ts';
import { Cluster, logStatus, reached, rowsOf } from './cluster.ts';
import { type Fault, FaultyLog } from './faulty-log.ts';

const [alice, bob] = DEV_ACCOUNTS as unknown as readonly [(typeof DEV_ACCOUNTS)[0], (typeof DEV_ACCOUNTS)[0]];

/** As the log of a writer with this secret shows it. */
async function publicKeyOf(sequencerKey: Uint8Array): Promise<Uint8Array> {
  await using cluster = new Cluster();
  const said: string[] = [];
  await cluster.writer({ sequencerKey, log: ({ message }) => said.push(message) });
  return fromHex(/signs the log with the key 0x([0-9a-f]{66})/.exec(said.join('\n'))![1]!);
}

describe('a writer and its readers', () => {
  it('hold the same rows, to the byte, whatever was done', async () => {
    await using cluster = new Cluster();
    let now = 1_800_000_000_000n;
    const writer = await cluster.writer({ clock: () => now++ });
    const early = await cluster.reader();
    await liveALittle(writer);
    const late = await cluster.reader({ store: join(cluster.directory, 'late') });
    const { order } = writer.head;
    expect(order).toBeGreaterThan(6n);
    const rows = await rowsOf(writer);
    for (const reader of [early, late]) {
      await reached(reader, order);
      expect(reader.head).toEqual(writer.head);
      const own = await rowsOf(reader);
      expect([...own].filter(([key, value]) => rows.get(key) !== value)).toEqual([]);
      expect(own.size).toBe(rows.size);
    }
  });

  it('tell listeners of the reader what the writer told its own', async () => {
    await using cluster = new Cluster();
    const [writer, reader] = [await cluster.writer(), await cluster.reader()];
    const told = new Map<Engine, string[]>();
    for (const engine of [writer, reader]) {
      const heard: string[] = [];
      told.set(engine, heard);
      engine.on('transaction', ({ order, hash }) => heard.push(`transaction ${order} ${hash}`));
      engine.on('event', ({ position }) => heard.push(`event ${position.order} ${position.index}`));
      engine.on('head', ({ head }) => heard.push(`head ${head.order} ${head.stateRoot}`));
    }
    await transfer(writer, 3n);
    await reached(reader, writer.head.order);
    expect(told.get(writer)!.length).toBeGreaterThan(3);
    expect(told.get(reader)).toEqual(told.get(writer));
  });

  it('have the same time, whoever moved the clock', async () => {
    await using cluster = new Cluster();
    let now = 1_800_000_000_000n;
    const clock = (): bigint => now;
    const writer = await cluster.writer({ clock });
    const reader = await cluster.reader({ clock });
    for (const step of [86_400_000n, 5n]) {
      await writer.dev.time.advance(step);
      await reached(reader, writer.head.order);
      now += 7_000n;
      expect([reader.dev.time.now(), reader.inside.core.clock?.offset]).toEqual([
        writer.dev.time.now(),
        writer.inside.core.clock?.offset,
      ]);
    }
    const late = await cluster.reader({ clock });
    await reached(late, writer.head.order);
    expect(late.dev.time.now()).toBe(writer.dev.time.now());
  });

  it('go on where they were when they are opened again', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const readerPath = join(cluster.directory, 'reader');
    const first = await cluster.writer({ store: path });
    await transfer(first, 5n);
    const reader = await cluster.reader({ store: readerPath });
    await reached(reader, first.head.order);
    await reader.close();
    await first.close();
    const second = await cluster.writer({ store: path });
    expect(second.status().log).toMatchObject({ role: 'writer', state: 'writing', epoch: 2n, behind: 0n });
    await transfer(second, 6n);
    const again = await cluster.reader({ store: readerPath });
    await reached(again, second.head.order);
    expect(again.head).toEqual(second.head);
  });

  it('a writer with an empty store gets the chain from the log', async () => {
    await using cluster = new Cluster();
    const first = await cluster.writer();
    await liveALittle(first);
    const { head } = first;
    const rows = await rowsOf(first);
    await first.close();
    const second = await cluster.writer();
    expect(second.head).toEqual(head);
    expect(await rowsOf(second)).toEqual(rows);
  });

  it('a log may begin with a chain that is older than itself', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const alone = await cluster.open({ store: path });
    await transfer(alone, 5n);
    await alone.close();
    const writer = await cluster.writer({ store: path });
    await transfer(writer, 6n);
    await expect(cluster.reader()).rejects.toMatchObject({ code: 'pruned', details: { order: '1', oldest: '2' } });
  });

  it('a node that needs what was pruned says so, and what to do', async () => {
    await using cluster = new Cluster();
    const log = await cluster.log(1);
    const path = join(cluster.directory, 'reader');
    const writer = await cluster.open({ commitLog: log });
    await transfer(writer, 1n);
    const early = await cluster.reader({ store: path });
    await reached(early, 1n);
    await early.close();
    for (const amount of [2n, 3n, 4n]) await transfer(writer, amount);
    await log.prune(3n);
    const advice = { code: 'pruned', message: expect.stringContaining('begin with an archive or a newer dump') };
    await expect(cluster.reader({ store: path })).rejects.toMatchObject(advice);
    await expect(cluster.reader()).rejects.toMatchObject(advice);
    await transfer(writer, 5n);
    expect(writer.status().log).toMatchObject({ state: 'writing' });
  });

  it('a reader overtaken by pruning stops, and says what to do', async () => {
    await using cluster = new Cluster();
    const log = await cluster.log(1);
    const writer = await cluster.open({ commitLog: log });
    await transfer(writer, 1n);
    let isAway = false;
    const reader = await cluster.open({
      commitLog: new FaultyLog(await cluster.log(), { head: () => isAway }),
      role: 'reader',
    });
    await reached(reader, 1n);
    isAway = true;
    for (const amount of [2n, 3n, 4n]) await transfer(writer, amount);
    await log.prune(4n);
    isAway = false;
    const { problem } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(problem).toContain('begin with an archive or a newer dump');
    expect(reader.head.order).toBe(1n);
  });

  it('let a stream wait for what another node has shown its client before', async () => {
    await using cluster = new Cluster();
    await cluster.writer();
    const reader = await cluster.reader();
    const sent: string[] = [];
    const client = new AbortController();
    const sink = {
      send: (event: string) => sent.push(event),
      isWritable: () => true,
      end: () => {},
      closed: client.signal,
    };
    const lastOrder = `${reader.head.order + 1n}`;
    const asked = { topic: 'transactions', filter: '"all"', lastOrder, forms: 'current' } as const;
    await createRpc(reader).stream(asked, sink);
    const fork = reader.fork();
    await createRpc(fork).stream(asked, sink);
    await fork.close();
    // The fork is a chain of its own.
    expect(sent).toEqual(['reverted', 'error']);
    client.abort();
  });

  it('refuse what a log rules out: a reader takes no writes, and nobody reverts', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    const reader = await cluster.reader({ writerUrl: 'http://writer.example:6767' });
    await expect(transfer(reader, 1n)).rejects.toMatchObject({
      code: 'read-only',
      details: { writer: 'http://writer.example:6767' },
    });
    expect(reader.status()).toMatchObject({ service: 'read-only-mode', log: { role: 'reader', state: 'following' } });
    for (const engine of [writer, reader]) {
      expect(() => engine.snapshot()).toThrow(/commit log/);
      await expect(engine.reset()).rejects.toMatchObject({ code: 'not-supported' });
    }
    const fork = reader.fork();
    await transfer(fork, 1n);
    expect(fork.status().log).toBeUndefined();
    await fork.close();
  });
});

describe('a writer that was superseded', () => {
  it('answers fenced to every submit, reads on, and says so', async () => {
    await using cluster = new Cluster();
    const first = await cluster.writer();
    await transfer(first, 5n);
    const { head } = first;
    const second = await cluster.writer();
    await expect(transfer(first, 6n)).rejects.toMatchObject({ code: 'fenced' });
    await expect(transfer(first, 6n)).rejects.toMatchObject({ code: 'fenced' });
    expect(first.head).toEqual(head);
    expect(first.balances.amount(bob!.address, '0x3::gas_coin::RGas')).toBe(
      second.balances.amount(bob!.address, '0x3::gas_coin::RGas'),
    );
    expect(first.status()).toMatchObject({ service: 'maintenance', log: { role: 'writer', state: 'fenced' } });
    await transfer(second, 6n);
    expect(second.head.order).toBe(head.order + 1n);
  });
});

describe('a writer whose disk fails under its log', () => {
  it('says so, does not blame another writer, and goes on when it is opened again', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    await transfer(writer, 1n);
    const file = await openFile(cluster.directory);
    const sync = vi.spyOn(Object.getPrototypeOf(file), 'datasync');
    await file.close();
    sync.mockRejectedValueOnce(new Error('EIO: i/o error, fdatasync'));
    try {
      for (let times = 0; times < 2; times++) {
        await expect(transfer(writer, 2n)).rejects.toMatchObject({
          code: 'fenced',
          message: expect.stringMatching(/^the disk of the log failed.*EIO: i\/o error, fdatasync/),
        });
      }
    } finally {
      sync.mockRestore();
    }
    expect(writer.status().log!.problem).toContain('the disk of the log failed');
    // Nobody took over: whoever stands by for this writer has to.
    expect(writer.status().log!.state).toBe('failed');
    const again = await cluster.writer();
    expect(again.head).toEqual(writer.head);
    await transfer(again, 2n);
    expect(again.head.order).toBe(2n);
  });
});

describe('a store that does not belong to the log', () => {
  it('belongs to it again once a writer has taken over, if a power failure took the mark of the log', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const first = await cluster.writer();
    await transfer(first, 5n);
    await first.close();
    const writer = await cluster.writer();
    const reader = await cluster.reader({ store: path });
    await transfer(writer, 6n);
    await reached(reader, 2n);
    await reader.close();
    await writer.close();
    truncateSync(join(cluster.directory, 'log', '0000000002.mark'), 0);
    await expect(cluster.reader({ store: path })).rejects.toMatchObject({
      code: 'log-mismatch',
      message: expect.stringMatching(/start the writer first/),
    });
    const next = await cluster.writer();
    expect(next.head).toEqual(writer.head);
    const again = await cluster.reader({ store: path });
    expect(again.head).toEqual(writer.head);
  });

  it('is read on from if a power failure took the mark of its first epoch, so that it looked empty', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const writer = await cluster.writer();
    const reader = await cluster.reader({ store: path });
    for (const amount of [5n, 6n]) await transfer(writer, amount);
    await reached(reader, 2n);
    await reader.close();
    await writer.close();
    truncateSync(join(cluster.directory, 'log', '0000000001.mark'), 0);
    const again = await cluster.reader({ store: path });
    expect(again.head).toEqual(writer.head);
    const next = await cluster.writer();
    await logStatus(again, ({ epoch, state }) => epoch === 2n || state === 'stopped');
    for (const amount of [7n, 8n]) await transfer(next, amount);
    expect(again.status().log).toMatchObject({ state: 'following', problem: undefined });
    await reached(again, 4n);
    expect(await rowsOf(again)).toEqual(await rowsOf(next));
  });

  it('stops a reader if the log looked empty and then holds another chain', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const alone = await cluster.open({ store: path });
    for (const amount of [5n, 6n]) await transfer(alone, amount);
    await alone.close();
    const reader = await cluster.reader({ store: path });
    const writer = await cluster.writer();
    for (const amount of [1n, 2n, 3n]) await transfer(writer, amount);
    const { problem } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(problem).toMatch(/^the commit log (?:is not of the chain|ends at order)|^the store is at order/);
    expect(reader.head).toEqual(alone.head);
  });

  it('is refused when it is ahead', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const writer = await cluster.writer({ store: path });
    await transfer(writer, 5n);
    await writer.close();
    const alone = await cluster.open({ store: path });
    await transfer(alone, 6n);
    await alone.close();
    await expect(cluster.writer({ store: path })).rejects.toMatchObject({
      code: 'log-mismatch',
      message: expect.stringContaining('restore the log'),
    });
    await expect(cluster.reader({ store: path })).rejects.toMatchObject({ code: 'log-mismatch' });
  });

  it('leaves no log open when it cannot be opened itself', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    await cluster.open({ store: path });
    const log = await cluster.log();
    await expect(cluster.open({ store: path, commitLog: log })).rejects.toMatchObject({ code: 'store-locked' });
    await expect(log.head()).rejects.toMatchObject({ code: 'closed' });
  });

  it('is refused when it diverged from the log, or belongs to another chain', async () => {
    await using cluster = new Cluster();
    const path = join(cluster.directory, 'store');
    const other = await cluster.open({ store: path });
    await transfer(other, 7n);
    await other.close();
    const writer = await cluster.writer();
    await transfer(writer, 5n);
    await transfer(writer, 5n);
    await expect(cluster.reader({ store: path })).rejects.toMatchObject({ code: 'log-mismatch' });
    await expect(cluster.reader({ chainId: 77n })).rejects.toMatchObject({ code: 'log-mismatch' });
  });
});

describe('a reader that meets a wrong record', () => {
  /** A chain of 4 commits, and a reader that is shown it through `read`. */
  async function shown(cluster: Cluster, read: (record: LogRecord) => LogRecord | undefined): Promise<Engine> {
    const log = new FaultyLog(await cluster.log(), { read });
    return cluster.open({ commitLog: log, role: 'reader' });
  }

  async function chain(cluster: Cluster): Promise<{ readonly roots: string[] }> {
    const writer = await cluster.writer();
    const roots: string[] = [];
    for (let amount = 1n; amount <= 4n; amount++) {
      await transfer(writer, amount);
      roots.push(String(writer.head.stateRoot));
    }
    await writer.close();
    return { roots };
  }

  it('stops at any byte that was changed, names it, and answers at the last good root', async () => {
    await using cluster = new Cluster();
    const { roots } = await chain(cluster);
    let length = 0;
    const whole = await shown(cluster, (record) => {
      if (record.order === 3n) length = record.bytes.length;
      return record;
    });
    await reached(whole, 4n);
    const step = Math.ceil(length / 24);
    for (let at = 0; at < length; at += step) {
      const reader = await shown(cluster, (record) => {
        if (record.order !== 3n) return record;
        const bytes = record.bytes.slice();
        bytes[at]! ^= 1;
        return { ...record, bytes };
      });
      const { problem, applied } = await logStatus(reader, ({ state }) => state === 'stopped');
      expect(applied, `byte ${at}`).toBe(2n);
      expect(problem, `byte ${at}`).toContain('order 3');
      expect(String(reader.head.stateRoot), `byte ${at}`).toBe(roots[1]);
      expect(reader.status().service).toBe('maintenance');
      expect(reader.balances.amount(bob!.address, '0x3::gas_coin::RGas')).toBeGreaterThan(0n);
      await reader.close();
    }
  });

  it('stops where records are out of order, missing, or from another epoch or chain', async () => {
    await using cluster = new Cluster();
    await chain(cluster);
    await using other = new Cluster();
    const stranger = await other.writer({ chainId: 77n });
    for (let amount = 1n; amount <= 4n; amount++) await transfer(stranger, amount);
    const foreign = new Map<bigint, LogRecord>();
    for await (const record of (await other.log()).read(1n)) foreign.set(record.order, record);
    const own = new Map<bigint, LogRecord>();
    for await (const record of (await cluster.log()).read(1n)) own.set(record.order, record);
    const lies: Readonly<Record<string, (record: LogRecord) => LogRecord | undefined>> = {
      swapped: (record) => (record.order === 3n ? own.get(4n) : record.order === 4n ? own.get(3n) : record),
      'under another order': (record) => (record.order === 3n ? { ...own.get(4n)!, order: 3n } : record),
      missing: (record) => (record.order === 3n ? undefined : record),
      'of another chain': (record) => (record.order === 3n ? foreign.get(3n) : record),
      'of another epoch': (record) => (record.order === 3n ? { ...record, epoch: 9n } : record),
      twice: (record) => (record.order === 3n ? own.get(2n) : record),
    };
    for (const [name, lie] of Object.entries(lies)) {
      const reader = await shown(cluster, lie);
      const { applied, problem } = await logStatus(reader, ({ state }) => state === 'stopped');
      expect([applied, problem], name).toEqual([2n, expect.stringContaining('order')]);
      await reader.close();
    }
  });

  it('stops at a record signed with another key', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    await transfer(writer, 1n);
    await writer.close();
    const thief = await cluster.writer({ sequencerKey: new Uint8Array(32).fill(7) });
    await transfer(thief, 2n);
    const reader = await cluster.reader();
    const { applied, problem } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(applied).toBe(1n);
    expect(problem).toContain('key of the writer');
  });

  it('accepts the keys that it is given, and no others', async () => {
    await using cluster = new Cluster();
    const [theirs, ours] = [new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)];
    const first = await cluster.writer({ sequencerKey: theirs });
    await transfer(first, 1n);
    await first.close();
    const keys = await Promise.all([theirs, ours].map(publicKeyOf));
    const [theirKey, ourKey] = keys as [Uint8Array, Uint8Array];
    // The first record decides if no key is given, but not if one is.
    const wary = await cluster.reader({ writerKey: ourKey });
    const { applied, problem } = await logStatus(wary, ({ state, applied }) => state === 'stopped' || applied > 0n);
    expect(applied).toBe(0n);
    expect(problem).toContain(`key of the writer: expected ${toHexPrefixed(ourKey)}, got ${toHexPrefixed(theirKey)}`);
    await expect(cluster.writer({ writerKey: ourKey })).rejects.toMatchObject({ code: 'corrupt' });
    // Another writer takes over with another key: a reader told of both follows, one told of only one stops.
    const second = await cluster.writer({ sequencerKey: ours, writerKey: keys });
    await transfer(second, 2n);
    const told = await cluster.reader({ writerKey: keys });
    await reached(told, 2n);
    const pinned = await cluster.reader({ writerKey: theirKey });
    expect((await logStatus(pinned, ({ state, applied }) => state === 'stopped' || applied > 1n)).applied).toBe(1n);
    // What the store holds does not outweigh what is given.
    const path = join(cluster.directory, 'reader');
    const stored = await cluster.reader({ store: path, writerKey: keys });
    await reached(stored, 2n);
    await stored.close();
    const third = await cluster.writer({ sequencerKey: theirs, writerKey: keys });
    await transfer(third, 3n);
    const again = await cluster.reader({ store: path, writerKey: theirKey });
    await reached(again, 3n);
    expect(again.head).toEqual(third.head);
  });

  it('takes nothing that is not a key', async () => {
    await using cluster = new Cluster();
    for (const writerKey of [[], new Uint8Array(33), new Uint8Array(32).fill(2), '0x02', [5]] as never[]) {
      await expect(cluster.reader({ writerKey })).rejects.toThrow(/writerKey: expected a compressed public key/);
    }
  });

  it('stops where the log has lost what was read from it', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    await transfer(writer, 1n);
    await transfer(writer, 2n);
    const log = await cluster.log();
    let isCut = false;
    const reader = await cluster.open({
      role: 'reader',
      commitLog: {
        takeOver: () => log.takeOver(),
        head: async () => (isCut ? { ...(await log.head()), order: 1n } : log.head()),
        append: (after, records) => log.append(after, records),
        read: (from, options) => log.read(from, options),
        changed: (signal) => log.changed(signal),
        prune: (beforeOrder) => log.prune(beforeOrder),
        close: () => log.close(),
      },
    });
    await reached(reader, 2n);
    isCut = true;
    await transfer(writer, 3n);
    const { problem } = await logStatus(reader, ({ state }) => state === 'stopped');
    expect(problem).toContain('ends at order 1');
    expect(reader.head.order).toBe(2n);
  });

  it('waits for a log that cannot be reached, and goes on', async () => {
    await using cluster = new Cluster();
    const writer = await cluster.writer();
    let isAway = false;
    const log = new FaultyLog(await cluster.log(), { head: () => isAway });
    const reader = await cluster.open({ commitLog: log, role: 'reader' });
    await logStatus(reader, ({ state, ageMs }) => state === 'following' && ageMs < 5_000);
    isAway = true;
    await transfer(writer, 1n);
    const { problem } = await logStatus(reader, ({ state }) => state === 'waiting');
    expect(problem).toContain('no route');
    isAway = false;
    await reached(reader, 1n);
    expect((await logStatus(reader, ({ state }) => state === 'following')).problem).toBeUndefined();
  });
});

describe('a writer whose log fails', () => {
  it.each<[Fault]>([['refused'], ['lost before'], ['lost after']])(
    'tries again where an append is %s, once',
    async (fault) => {
      await using cluster = new Cluster();
      const faults: Fault[] = ['none', fault];
      const log = new FaultyLog(await cluster.log(), { append: () => faults.shift() ?? 'none' });
      const writer = await cluster.open({ commitLog: log });
      for (let amount = 1n; amount <= 3n; amount++) await transfer(writer, amount);
      const reader = await cluster.reader();
      await reached(reader, 3n);
      expect(reader.head).toEqual(writer.head);
      expect(log.appends).toBe(fault === 'lost after' ? 3 : 4);
    },
  );

  it.each<[Fault]>([['refused'], ['lost before'], ['lost after']])(
    'goes on by itself when a log whose appends were %s is back, and answers meanwhile',
    async (fault) => {
      await using cluster = new Cluster();
      let isAway = false;
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const log = new FaultyLog(await cluster.log(), {
        append: () => (isAway ? fault : 'none'),
        head: () => isAway,
        hold: async () => (isAway ? held : undefined),
      });
      const said: string[] = [];
      const writer = await cluster.open({
        commitLog: log,
        logOutageMsMax: 0,
        log: ({ message }) => said.push(message),
      });
      await transfer(writer, 1n);
      isAway = true;
      const first = writer.executeAs(alice!.address, payment(bob!.address, 2n));
      // After the first, and not begun when the log turns out to be away.
      while (log.appends < 2) await new Promise(setImmediate);
      const second = writer.executeAs(alice!.address, payment(bob!.address, 3n));
      release();
      await expect(first).rejects.toMatchObject({ code: 'log-unknown' });
      await expect(second).rejects.toMatchObject({ code: 'log-failed' });
      await expect(transfer(writer, 4n)).rejects.toMatchObject({ code: 'log-failed' });
      expect(writer.head.order).toBe(1n);
      const { problem } = await logStatus(writer, ({ state }) => state === 'waiting');
      expect(problem).toMatch(/refuses|lost|no route/);
      expect(writer.status().service).toBe('maintenance');
      isAway = false;
      await logStatus(writer, ({ state }) => state === 'writing');
      // The first, and nothing else.
      expect(writer.head.order).toBe(2n);
      await transfer(writer, 5n);
      const reader = await cluster.reader();
      await reached(reader, 3n);
      expect(reader.head).toEqual(writer.head);
      expect(said.flatMap((line) => /does not answer|answers again/.exec(line)?.[0] ?? [])).toEqual([
        'does not answer',
        'answers again',
      ]);
    },
  );

  it('is closed while its log is away, and finds out what the log has when it is opened again', async () => {
    for (const fault of ['refused', 'lost after'] as const) {
      await using cluster = new Cluster();
      let isAway = false;
      const log = new FaultyLog(await cluster.log(), { append: () => (isAway ? fault : 'none'), head: () => isAway });
      const path = join(cluster.directory, 'store');
      const writer = await cluster.open({ commitLog: log, store: path, logOutageMsMax: 0 });
      await transfer(writer, 1n);
      isAway = true;
      await expect(transfer(writer, 2n)).rejects.toMatchObject({ code: 'log-unknown' });
      await writer.close();
      const again = await cluster.writer({ store: path });
      expect(again.head.order).toBe(fault === 'refused' ? 1n : 2n);
    }
  });

  it('waits no longer than configured for a log that falls silent', async () => {
    await using cluster = new Cluster();
    let release = (): void => {};
    const silence = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSilent = false;
    const log = new FaultyLog(await cluster.log(), { hold: async () => (isSilent ? silence : undefined) });
    const writer = await cluster.open({ commitLog: log, logOutageMsMax: 2000 });
    await transfer(writer, 1n);
    isSilent = true;
    const first = writer.executeAs(alice!.address, payment(bob!.address, 2n));
    // After the first, and not begun when the log has been silent for too long.
    while (log.appends < 2) await new Promise(setImmediate);
    const second = writer.executeAs(alice!.address, payment(bob!.address, 3n));
    await expect(first).rejects.toMatchObject({ code: 'log-unknown' });
    await expect(second).rejects.toMatchObject({ code: 'log-failed' });
    await expect(transfer(writer, 4n)).rejects.toMatchObject({ code: 'log-failed' });
    expect(writer.status()).toMatchObject({ service: 'maintenance', log: { state: 'waiting', applied: 1n } });
    expect(writer.head.order).toBe(1n);
    isSilent = false;
    release();
    await logStatus(writer, ({ state }) => state === 'writing');
    expect(writer.head.order).toBe(2n);
    await transfer(writer, 5n);
    expect(writer.head.order).toBe(3n);
  });

  it('makes writes wait as long as configured', async () => {
    await using cluster = new Cluster();
    let isAway = false;
    const log = new FaultyLog(await cluster.log(), { append: () => (isAway ? 'refused' : 'none') });
    const writer = await cluster.open({ commitLog: log });
    isAway = true;
    const waiting = transfer(writer, 1n);
    while (log.appends < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(writer.status()).toMatchObject({ service: 'active', log: { state: 'writing' } });
    isAway = false;
    await waiting;
    expect(writer.head.order).toBe(1n);
  });
});

describe('engine.waitFor', () => {
  it('waits for an order, up to a bound', async () => {
    await using cluster = new Cluster();
    const [writer, reader] = [await cluster.writer(), await cluster.reader()];
    const waiting = reader.waitFor(2n);
    await transfer(writer, 1n);
    await transfer(writer, 2n);
    await waiting;
    expect(reader.head.order).toBe(2n);
    await reader.waitFor(1n);
    await expect(reader.waitFor(9n, 1)).rejects.toMatchObject({
      code: 'behind',
      details: { expected: '9', received: '2' },
    });
    const never = reader.waitFor(9n).catch((error: unknown) => error);
    await reader.close();
    expect(await never).toMatchObject({ code: 'closed' });
  });
});

describe('over JSON-RPC', () => {
  it('a request waits for the order that it names, in the message, the context or the header', async () => {
    await using cluster = new Cluster();
    const [writer, reader] = [await cluster.writer(), await cluster.reader()];
    const rpc = createRpc(reader);
    const server = await serveHttp(rpc, { port: 0 });
    const message = (more: object): string =>
      JSON.stringify({
        jsonrpc: '2.0',
        id: 7,
        method: 'chain_status',
        params: [],
        ...more,
      });
    const newest = (answer: string | undefined): unknown =>
      JSON.parse(answer!).result?.chain_status.sequencer_info.last_order ?? JSON.parse(answer!).error.data.code;
    const overHttp = async (order: string, body = message({})): Promise<unknown> => {
      const headers = { 'content-type': 'application/json', 'x-movelet-min-order': order };
      return newest(await (await fetch(server.url, { method: 'POST', headers, body })).text());
    };
    try {
      for (const [index, ask] of [
        (order: string) => rpc.handle(message({ min_order: order })).then(newest),
        (order: string) => rpc.handle(message({}), { minOrder: BigInt(order) }).then(newest),
        (order: string) =>
          rpc
            .request('chain_status', [], { minOrder: BigInt(order) })
            .then((result) => newest(JSON.stringify({ result }))),
        overHttp,
      ].entries()) {
        const asked = ask(String(index + 1));
        await transfer(writer, 1n);
        expect(String(await asked)).toBe(String(index + 1));
      }
      expect(newest(await rpc.handle(message({ min_order: 'soon' })))).toBe('invalid-request');
      expect(await overHttp('-1')).toBe('malformed-bytes');
    } finally {
      await server.close();
      await rpc.close();
    }
  });

  it('a node reports its role in a log', async () => {
    await using cluster = new Cluster();
    const [writer, reader] = [await cluster.writer(), await cluster.reader()];
    await transfer(writer, 1n);
    await reached(reader, 1n);
    for (const [engine, role] of [
      [writer, 'writer'],
      [reader, 'reader'],
    ] as const) {
      const rpc = createRpc(engine);
      const status = (await rpc.request('chain_status')) as Record<string, unknown>;
      expect(status['log_status']).toMatchObject({ role, applied: '1', head: '1', behind: '0' });
      await rpc.close();
    }
  });
});
