/** A fork of a Rooch node: it executes what a whole copy of the chain executes, and has no roots. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { joinBytes } from '../../../src/base/bytes/bytes.ts';
import { compileSources } from '../../../src/compile/index.ts';
import { Engine } from '../../../src/engine/engine.ts';
import { packFork, type RemoteForkOptions } from '../../../src/engine/remote/open-remote.ts';
import type { ObjectValue } from '../../../src/query/values.ts';
import { createRpc } from '../../../src/server/index.ts';
import { runs, seed } from '../../effort.ts';
import { MIXED_OPTIONS, playMixedRun } from '../../log/recording/mixed-run.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { Origin, paidOrigin, transfer } from './origin.ts';

const ROOCH = { wire: 'rooch' } as const;
const directory = temporaryDirectories();

/** The same for all tests, none of which changes it. */
let origin: Origin;

beforeAll(async () => {
  origin = await paidOrigin({}, ROOCH);
  return () => origin[Symbol.asyncDispose]();
});

beforeEach(() => origin.requests());

const forkOf = ({ url }: Origin, more: Partial<RemoteForkOptions> = {}): Promise<Engine> =>
  Engine.open({ fork: { url, kind: 'rooch', cache: false, ...more } });

describe('a fork of a Rooch node', () => {
  it('has its balances, and executes as a fork beside it does', async () => {
    await using engine = await forkOf(origin);
    expect(engine.head.order).toBe(64n);
    expect(engine.balance('0x1007')).toBe(5n);
    expect(engine.balance('0x2000')).toBe(0n);
    const signed = engine.accounts[0]!.signTransaction(transfer('0x1007', 7n));
    const { order, hash, status, gasUsed, events, changes } = await engine.execute(signed);
    expect(status.kind).toBe('executed');
    expect(engine.balance('0x1007')).toBe(12n);
    const beside = await origin.run(async ({ engine: live }, bytes) => {
      const fork = live.fork();
      const receipt = await fork.execute(bytes);
      const told = JSON.stringify(
        [receipt.order, receipt.hash, receipt.status, receipt.gasUsed, receipt.events].map((part) =>
          typeof part === 'bigint' ? String(part) : part,
        ),
      );
      const shown = receipt.changes.map(String);
      await fork.close();
      return { told, shown };
    }, signed);
    const told = [order, hash, status, gasUsed, events].map((part) => (typeof part === 'bigint' ? String(part) : part));
    expect(JSON.stringify(told)).toBe(beside.told);
    expect(changes.map(String)).toEqual(beside.shown);
  });

  it('knows the roots where it begins, and none after its own transactions', async () => {
    await using engine = await forkOf(origin);
    const root = await origin.run(({ engine: live }) => live.head.stateRoot);
    expect(engine.head.stateRoot).toBe(root);
    expect(engine.status().fork).toMatchObject({
      kind: 'rooch',
      trust: 'remote',
      verified: {},
      hasLists: false,
    });
    expect(engine.status().fork!.unverified).toContainEqual(expect.stringMatching(/^objects/));
    const receipt = await engine.execute(engine.accounts[0]!.signTransaction(transfer('0x1007', 7n)));
    for (const value of [receipt, engine.head, engine.transactions.get(65n)!.executionInfo, engine.snapshot()]) {
      expect(() => value.stateRoot).toThrow(/stateRoot: a fork of a Rooch node .* roots are not known/);
      expect({ ...value }).not.toHaveProperty('stateRoot');
    }
    for (const value of [receipt, engine.head, engine.transactions.get(65n)!]) {
      expect(JSON.stringify(value)).toContain('"stateRoot":null');
    }
    expect(inspect(engine.head)).toContain('stateRoot: null');
    const rpc = createRpc(engine, { wire: 'rooch', dev: true });
    const ask = async (method: string, ...params: unknown[]): Promise<string> =>
      String(await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })));
    const [status, sent, state, changes] = await Promise.all([
      ask('rooch_status'),
      ask('rooch_getTransactionsByOrder', '64', '1', false),
      ask('rooch_getStates', `/object/${engine.accounts[0]!.address}`),
      ask('rooch_syncStates', 'all', '64', '1', { descending: false }),
    ]);
    expect(JSON.parse(status).result.rooch_status.root_state.state_root).toBeNull();
    expect(JSON.parse(sent).result.data[0].execution_info.state_root).toBeNull();
    expect(JSON.parse(changes).result.data[0].state_change_set.state_root).toBeNull();
    // What stands inside for such a root begins with this text.
    const inside = Buffer.from('unknown to all: ').toString('hex');
    for (const text of [status, sent, state, changes, JSON.stringify(receipt)]) expect(text).not.toContain(inside);
    expect(() => engine.proofs.object(engine.accounts[0]!.address)).toThrow(/a proof: a fork of a Rooch node/);
    expect(() => engine.proofs.transaction(65n)).toThrow(/proofs of transactions: a fork of a Rooch node/);
    await rpc.close();
  });

  it('publishes code and upgrades what the chain has', async () => {
    await using published = await Origin.open({}, undefined, ROOCH);
    const owner = await published.run(({ engine: live }) => live.accounts[0]!.address);
    const version = async (text: string) =>
      compileSources(
        { 'told.move': `module owner::told { public fun number(): u64 { ${text} } }` },
        { addresses: { owner } },
      );
    const modules = (await version('1')).modules.map(({ bytes }) => bytes);
    await published.run(({ engine: live }, given) => live.publish(given.owner, given.modules), { owner, modules });
    await using engine = await forkOf(published);
    const view = { function: `${owner}::told::number` };
    expect(engine.view(view)).toEqual([1n]);
    const upgrade = await engine.publish(owner, await version('2'));
    expect(upgrade).toMatchObject({ isUpgrade: true, status: { kind: 'executed' } });
    expect(engine.view(view)).toEqual([2n]);
    const refused = await engine.publish(
      owner,
      await compileSources({ 'told.move': 'module owner::told {}' }, { addresses: { owner } }),
    );
    expect(refused.status.kind).not.toBe('executed');
    expect(await published.run(({ engine: live }, asked) => String(live.view(asked)), view)).toBe('1');
  });

  it('is a local chain from there on: forks, snapshots, time, controls and mined blocks', async () => {
    await using engine = await forkOf(origin);
    const snapshot = engine.snapshot();
    await engine.dev.time.advance(1_000n);
    await engine.dev.mint('0x1007', 50n);
    await using fork = engine.fork();
    await fork.dev.mint('0x1007', 5n);
    expect([engine.balance('0x1007'), fork.balance('0x1007')]).toEqual([55n, 60n]);
    expect(engine.diff(fork).changes.map(({ kind }) => kind)).toContain('modified');
    expect(engine.at(64n).balance('0x1007')).toBe(5n);
    await engine.dev.mine({ to: engine.accounts[0]!.bitcoinAddress });
    await engine.revert(snapshot);
    expect(engine.balance('0x1007')).toBe(5n);
    expect(engine.head.order).toBe(64n);
  });

  it('begins at an order or a root, and reads earlier transactions and states', async () => {
    await using engine = await forkOf(origin, { at: 10n });
    expect([engine.head.order, engine.balance('0x1009'), engine.balance('0x100a')]).toEqual([10n, 5n, 0n]);
    // Only the head's accumulator can be had whole.
    expect(() => engine.head.accumulator.root).toThrow(/root: a fork of a Rooch node/);
    const receipt = await engine.execute(engine.accounts[0]!.signTransaction(transfer('0x1009', 7n)));
    expect(receipt.status.kind).toBe('executed');
    const sent = await origin.run(({ engine: live }) => JSON.stringify(live.transactions.get(4n)));
    expect(JSON.parse(JSON.stringify(engine.transactions.get(4n)))).toMatchObject({
      ...JSON.parse(sent),
      transaction: { data: JSON.parse(sent).transaction.data, sequenceInfo: { txOrder: '4' } },
    });
    expect(engine.at(4n).balance('0x1003')).toBe(5n);
    expect(engine.at(4n).balance('0x1004')).toBe(0n);
    const hash = await origin.run(({ engine: live }) => [
      live.transactions.get(4n)!.hash,
      live.transactions.get(11n)!.hash,
    ]);
    expect(engine.transactions.get(hash[0]!)?.order).toBe(4n);
    expect(engine.transactions.get(hash[1]!)).toBeUndefined();
    expect(String(engine.trace(4n))).toMatch(/transfer::transfer_coin/);
    const root = await origin.run(({ engine: live }) => live.transactions.get(20n)!.executionInfo.stateRoot);
    await using pinned = await forkOf(origin, { at: root });
    expect(pinned.head.order).toBe(20n);
    await expect(forkOf(origin, { at: 1_000n })).rejects.toMatchObject({ code: 'not-found' });
    await expect(forkOf(origin, { at: '11'.repeat(32) })).rejects.toThrow(/name the order/);
  });

  it('names what is not available', async () => {
    await using engine = await forkOf(origin);
    await engine.execute(engine.accounts[0]!.signTransaction(transfer('0x1007', 7n)));
    const { address } = engine.accounts[0]!;
    const lists = [
      () => engine.objects.list({ kind: 'owner', owner: address }),
      () => engine.transactions.list({ kind: 'sender', sender: address }),
      () => engine.events.list({ kind: 'sender', sender: address }),
    ];
    for (const list of lists) {
      await expect((async () => list())()).rejects.toMatchObject({
        code: 'not-supported',
        message: expect.stringContaining('lists of transactions, events and objects: a fork of a Rooch node'),
      });
    }
    expect(() => engine.events.ofTransaction(3n)).toThrow(
      /^events of transactions before the fork: a fork of a Rooch node/,
    );
    expect(() => engine.transactions.changeSet(3n)).toThrow(/^change sets of transactions before the fork/);
    await expect((async () => engine.objects.history(address))()).rejects.toThrow(
      /^the versions of an object.*a fork of a Rooch node has none/,
    );
    expect(engine.events.ofTransaction(65n).length).toBeGreaterThan(0);
    await expect(Engine.open({ fork: { url: origin.url, cache: false } })).rejects.toThrow(
      /--serve-nodes.*kind: 'rooch'/,
    );
    await expect(Engine.open({ fork: { url: origin.url, kind: 'sui' as 'rooch' } })).rejects.toThrow(
      /fork.kind: expected/,
    );
  });

  it('keeps what it has read: a second run asks for nothing, and a file holds all of it', async () => {
    const cache = directory();
    const play = async (more: Partial<RemoteForkOptions>): Promise<unknown> => {
      await using engine = await forkOf(origin, { at: 64n, cache, ...more });
      const receipt = await engine.execute(engine.accounts[0]!.signTransaction(transfer('0x1007', 7n)));
      return [receipt.status, receipt.gasUsed, receipt.events.length];
    };
    const first = await play({});
    expect((await origin.requests()).length).toBeGreaterThan(10);
    expect(await play({})).toEqual(first);
    expect(await play({ offline: true })).toEqual(first);
    expect(await origin.requests()).toEqual([]);
    const file = join(cache, 'live.fork');
    writeFileSync(file, packFork({ url: origin.url, kind: 'rooch', cache, at: 64n }));
    expect(await play({ url: undefined, kind: undefined, cache: undefined, file })).toEqual(first);
    await using engine = await forkOf(origin, { at: 64n, cache, offline: true });
    expect(() => engine.balance('0x1030')).toThrow(/offline, and the object 0x[0-9a-f]+ has not been read before/);
  });

  it('refuses an object that it did not ask for, and one that is cut', async () => {
    await using engine = await forkOf(origin);
    const answerWith = (change: string): Promise<void> =>
      origin.run((side, code) => {
        const edit = new Function('text', `return ${code}`);
        side.answer = async ({ method }, pass) => {
          const { text } = await pass();
          return { text: method === 'rooch_getStates' ? edit(text) : text };
        };
      }, change);
    await answerWith(`text.replace(/"id":"0x[0-9a-f]{4}/, '"id":"0xdead')`);
    expect(() => engine.balance('0x1007')).toThrow(expect.objectContaining({ code: 'remote-untrue' }));
    await answerWith(`text.replace(/"owner":"[^"]*",/, '')`);
    expect(() => engine.balance('0x1007')).toThrow(expect.objectContaining({ code: 'transport-failed' }));
    await answerWith('text');
    expect(engine.balance('0x1007')).toBe(5n);
  });

  it('has every object of the chain, and executes what a full copy executes', { timeout: 600_000 }, async () => {
    await using copy = await Engine.open(MIXED_OPTIONS);
    await playMixedRun(copy, { seed, orders: 40 });
    await using mixed = await Origin.open(MIXED_OPTIONS, await dumped(copy), ROOCH);
    await using fork = await forkOf(mixed);
    const objects = [...everyObject(copy, '0x')];
    expect(objects.length).toBeGreaterThan(150);
    for (const object of objects) {
      const [found] = fork.states.get(`/object/${object.meta.id}`);
      expect({ ...found!.meta, value: found!.value }).toEqual({ ...object.meta, value: object.value });
    }
    expect([...everyObject(fork, '0x')].map(({ meta }) => meta.id)).toEqual(objects.map(({ meta }) => meta.id));
    const begun = copy.head.order;
    for (const engine of [copy, fork])
      await playMixedRun(engine, { seed: seed + 1, orders: runs(30, 400), blocks: false });
    for (let made = 0; made < 4; made++) {
      const block = await copy.dev.mine({ to: copy.accounts[made]!.bitcoin });
      await fork.bitcoin.ingest(block.bytes, block.height);
    }
    expect(fork.head.order).toBe(copy.head.order);
    for (let order = begun + 1n; order <= copy.head.order; order++) {
      expect(outcome(fork, order)).toEqual(outcome(copy, order));
    }
    const after = [...everyObject(copy, '0x')];
    expect([...everyObject(fork, '0x')].map(withoutRoots)).toEqual(after.map(withoutRoots));
  });
});

/** All objects, each before what is below it. */
function* everyObject(engine: Engine, parent: string): Generator<ObjectValue> {
  let cursor: string | undefined;
  do {
    const page = engine.states.list(parent === '0x' ? '/object' : `/fields/${parent}`, { cursor, limit: 100 });
    for (const { object } of page.data) {
      yield object;
      if (object.meta.size > 0n) yield* everyObject(engine, object.meta.id);
    }
    cursor = page.hasNextPage ? page.nextCursor : undefined;
  } while (cursor !== undefined);
}

/** What a transaction did, but for the roots. The record of a control has roots in its data, so its hash is another. */
function outcome(engine: Engine, order: bigint): unknown {
  const { transactions, events } = engine;
  const { transaction, executionInfo } = transactions.get(order)!;
  const { data, sequenceInfo } = transaction;
  const isControl = JSON.stringify(withoutRoots(data)).includes('0x0::control::');
  const { status, gasUsed, size, eventRoot, txHash } = executionInfo;
  const did = { status, gasUsed, size, eventRoot, time: sequenceInfo.txTimestamp, ...(!isControl && { data, txHash }) };
  const emitted = events.ofTransaction(order).map(({ event, position, sender }) => ({ event, position, sender }));
  return withoutRoots([did, emitted, transactions.changeSet(order)]);
}

function withoutRoots(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member) =>
      name === 'stateRoot' ? undefined : typeof member === 'bigint' ? String(member) : member,
    ),
  );
}

async function dumped(engine: Engine): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of engine.dump()) parts.push(part);
  return joinBytes(parts);
}
