/** A fork of a chain on another machine: it is what a fork beside that chain would be, and asks for little. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { record } from '../../../src/engine/recordings.ts';
import { packFork } from '../../../src/engine/remote/open-remote.ts';
import { replay } from '../../../src/engine/replay.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { paidOrigin, sharedOrigin, transfer } from './origin.ts';

const directory = temporaryDirectories();
const shared = sharedOrigin();

describe('a fork of a chain on another machine', () => {
  it('has its balances, and executes as a fork beside it does', async () => {
    const origin = shared();
    await using engine = await Engine.open({ fork: { url: origin.url, cache: false } });
    expect(engine.head.order).toBe(64n);
    expect(engine.balance('0x1007')).toBe(5n);
    expect(engine.balance('0x2000')).toBe(0n);
    const signed = engine.accounts[0]!.signTransaction(transfer('0x1007', 7n));
    const receipt = await engine.execute(signed);
    expect(receipt.status).toMatchObject({ kind: 'executed' });
    expect(engine.balance('0x1007')).toBe(12n);
    const beside = await origin.run(async ({ engine: live }, bytes) => {
      const fork = live.fork();
      const { stateRoot } = await fork.execute(bytes);
      await fork.close();
      return { root: String(stateRoot), order: live.head.order };
    }, signed);
    expect(beside).toEqual({ root: String(receipt.stateRoot), order: 64n });
  });

  it('asks once for a first transfer, and once more for each account that it has not met', async () => {
    const origin = shared();
    await using engine = await Engine.open({ fork: { url: origin.url, cache: false } });
    const [alice, bob] = engine.accounts;
    const signed = alice!.signTransaction(transfer('0x1007', 7n));
    expect((await origin.requests())[0]).toBe('movelet_getForkPoint');
    await engine.execute(signed);
    expect(await origin.requests()).toEqual(['movelet_getRows']);
    await engine.execute(alice!.signTransaction(transfer('0x1007', 8n)));
    expect(await origin.requests()).toEqual([]);
    await engine.executeAs(bob!.address, transfer('0x1007', 9n));
    expect((await origin.requests()).length).toBeLessThanOrEqual(2);
    expect(engine.balance('0x1007')).toBe(29n);
    expect(await origin.requests()).toEqual([]);
  });

  it('sees nothing of what its origin does later, lists included', async () => {
    await using origin = await paidOrigin();
    await using engine = await Engine.open({ fork: { url: origin.url, cache: false } });
    const { address } = engine.accounts[0]!;
    await origin.run(async ({ engine: live, transfer: pay }) => {
      await live.executeAs(live.accounts[0]!.address, pay('0x1007', 100n));
      await live.executeAs(live.accounts[0]!.address, pay('0x7777', 100n));
    });
    expect(engine.balance('0x1007')).toBe(5n);
    expect(engine.balance('0x7777')).toBe(0n);
    expect(engine.transactions.get(65n)).toBeUndefined();
    const sent = await engine.transactions.list({ kind: 'sender', sender: address }, { limit: 100 });
    expect(sent.data).toHaveLength(64);
    const owned = await engine.objects.list({ kind: 'owner', owner: '0x7777' }, { limit: 10 });
    expect(owned.data).toEqual([]);
  });

  it('begins at an earlier order, or at a state root, which everything then follows from', async () => {
    const origin = shared();
    await using earlier = await Engine.open({ fork: { url: origin.url, at: 10n, cache: false } });
    expect(earlier.head.order).toBe(10n);
    expect(earlier.balance('0x1009')).toBe(5n);
    expect(earlier.balance('0x100a')).toBe(0n);
    expect(earlier.transactions.get(11n)).toBeUndefined();
    const { stateRoot } = earlier.head;
    await using pinned = await Engine.open({ fork: { url: origin.url, at: stateRoot, cache: false } });
    expect(pinned.head.order).toBe(10n);
    const [one, other] = await Promise.all(
      [earlier, pinned].map((engine) => engine.executeAs(engine.accounts[1]!.address, transfer('0x1009', 1n))),
    );
    expect(String(one!.stateRoot)).toBe(String(other!.stateRoot));
    const sent = { kind: 'sender', sender: earlier.accounts[0]!.address } as const;
    expect((await earlier.transactions.list(sent, { limit: 100 })).data).toHaveLength(10);
    const owner = { kind: 'owner', owner: '0x1009' } as const;
    await expect(earlier.objects.list(owner, { limit: 10 })).rejects.toMatchObject({ code: 'pruned' });
    await expect(Engine.open({ fork: { url: origin.url, at: 1_000n, cache: false } })).rejects.toMatchObject({
      code: 'not-found',
    });
  });

  it('is a local chain from there on: forks, snapshots, time and controls', async () => {
    const origin = shared();
    await using engine = await Engine.open({ fork: { url: origin.url, cache: false } });
    const snapshot = engine.snapshot();
    await engine.dev.time.advance(1_000n);
    await engine.dev.mint('0x1007', 50n);
    expect(engine.balance('0x1007')).toBe(55n);
    await using fork = engine.fork();
    await fork.dev.mint('0x1007', 5n);
    expect([engine.balance('0x1007'), fork.balance('0x1007')]).toEqual([55n, 60n]);
    await engine.revert(snapshot);
    expect(engine.balance('0x1007')).toBe(5n);
    await engine.dev.mine({ to: engine.accounts[0]!.bitcoinAddress });
    await engine.reset();
    expect(engine.head.order).toBe(64n);
    expect(await origin.run(({ engine: live }) => live.head.order)).toBe(64n);
  });
});

describe('a run on a fork', () => {
  it('is recorded from where the fork begins, and replayed on another one', async () => {
    const cache = directory();
    await using origin = await paidOrigin();
    const fork = { url: origin.url, cache };
    await using engine = await Engine.open({ fork });
    const recording = record(engine);
    const snapshot = engine.snapshot();
    await engine.executeAs(engine.accounts[0]!.address, transfer('0x1007', 7n));
    await engine.revert(snapshot);
    await engine.executeAs(engine.accounts[1]!.address, transfer('0x1008', 8n));
    const run = await recording.bytes();
    // The node has gone on.
    await origin.run(({ engine: live, transfer: pay }) => live.executeAs(live.accounts[0]!.address, pay('0x77', 5n)));
    await using again = await replay(run, { fork: { ...fork, offline: true } });
    expect(again.head.stateRoot).toBe(engine.head.stateRoot);
    expect(again.balance('0x1008')).toBe(13n);
    await expect(replay(run, { fork, store: directory() })).rejects.toMatchObject({ code: 'invalid-argument' });
    await using other = await Engine.open({ fork });
    await other.executeAs(other.accounts[0]!.address, transfer('0x1007', 7n));
    await expect(record(other).bytes()).rejects.toMatchObject({ code: 'not-supported' });
  });
});

describe('rows that were read before', () => {
  it('are read again from disk, with no request, also by a fork that is offline', async () => {
    const cache = directory();
    const origin = shared();
    const suite = async (more: object): Promise<string> => {
      await using engine = await Engine.open({ fork: { url: origin.url, at: 64n, cache, ...more } });
      const [alice] = engine.accounts;
      await engine.execute(alice!.signTransaction(transfer('0x1007', 7n)));
      await engine.transactions.list({ kind: 'sender', sender: alice!.address }, { limit: 10 });
      await engine.objects.list({ kind: 'owner', owner: '0x1007' }, { limit: 10 });
      return String(engine.head.stateRoot);
    };
    const first = await suite({});
    expect((await origin.requests()).length).toBeGreaterThan(2);
    expect(await suite({})).toBe(first);
    expect(await suite({ offline: true })).toBe(first);
    expect(await origin.requests()).toEqual([]);
    await using engine = await Engine.open({ fork: { url: origin.url, at: 64n, cache, offline: true } });
    expect(() => engine.balance('0x1030')).toThrow(
      /offline, and the tree node 0x[0-9a-f]{64} has not been read before/,
    );
    const unread = engine.executeAs(engine.accounts[0]!.address, transfer('0x1030', 1n));
    await expect(unread).rejects.toMatchObject({ code: 'offline' });
    expect(engine.balance('0x1007')).toBe(5n);
    expect(await origin.requests()).toEqual([]);
  });

  it('go into a file, with which a fork goes on where the folder is not', async () => {
    const cache = directory();
    const origin = shared();
    const url = origin.url;
    const signed = await (async () => {
      await using engine = await Engine.open({ fork: { url, cache } });
      const [alice] = engine.accounts;
      const transaction = alice!.signTransaction(transfer('0x1007', 7n));
      await engine.execute(transaction);
      engine.trace(64n);
      return transaction;
    })();
    const file = join(cache, 'live.fork');
    writeFileSync(file, packFork({ url, cache, at: 64n }));
    await origin.requests();
    await using engine = await Engine.open({ fork: { file } });
    await engine.execute(signed);
    expect(engine.balance('0x1007')).toBe(12n);
    expect(String(engine.trace(64n))).toContain('transfer_coin');
    expect(engine.status().fork).toMatchObject({
      remote: url,
      order: 64n,
      trust: 'remote',
      isOffline: true,
      requests: 0,
    });
    expect(() => engine.balance('0x1030')).toThrow(/offline/);
    expect(await origin.requests()).toEqual([]);
    writeFileSync(file, packFork({ url, cache, at: 64n }).subarray(0, -20));
    await expect(Engine.open({ fork: { file } })).rejects.toMatchObject({ code: 'malformed-bytes' });
    expect(() => packFork({ url, cache, at: 3n })).toThrow(/nothing was read/);
  });

  it('are not needed: without any, a fork that is offline says so', async () => {
    const fork = { url: 'http://127.0.0.1:9', cache: directory(), offline: true };
    await expect(Engine.open({ fork })).rejects.toMatchObject({ code: 'offline' });
    await expect(Engine.open({ fork: { ...fork, cache: false } })).rejects.toMatchObject({ code: 'invalid-argument' });
  });
});
