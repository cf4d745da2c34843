/** Opening: what an engine finds in a store, what it may not be given, and what it leaves behind. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Level } from 'level';
import { describe, expect, it } from 'vitest';
import { DATA_FORMAT_VERSION } from '../src/base/config.ts';
import { EngineError } from '../src/base/error.ts';
import type { LogEntry } from '../src/base/log.ts';
import { HEAD_KEY } from '../src/chain/ledger/head.ts';
import { Engine } from '../src/engine/engine.ts';
import { type EngineOptions, nodeCache } from '../src/engine/engine-options.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { parseAddress } from '../src/move/address.ts';
import { parseStructTag } from '../src/move/type-tag.ts';
import { columnKey } from '../src/store/column.ts';
import { openDirectory } from '../src/store/directory.ts';
import { loadDump } from '../src/store/dump.ts';
import { MemoryStore, OverlayStore } from '../src/store/memory.ts';
import type { Store } from '../src/store/store.ts';
import { Leaf, Link } from '../src/store/tree/node.ts';
import type { ScriptStep } from './arbitraries/chain.ts';
import { blockAt, emitted, forge } from './forge.ts';
import { ChainPlayer } from './journeys/chain-player.ts';
import { expectSame } from './journeys/compare.ts';
import { temporaryDirectories } from './store/temporary.ts';
import { TestLevel } from './store/test-level.ts';

const directory = temporaryDirectories();
const GAS = parseStructTag('0x3::gas_coin::RGas');
const STEP: ScriptStep = {
  kind: 'l2-transaction',
  sender: 0,
  advance: 1,
  actions: [{ kind: 'create', pick: 0, owner: 0, type: 1, value: Uint8Array.of(1, 2) }],
  events: [{ type: 0, handle: 0, data: Uint8Array.of(3) }],
  isQueued: true,
};

async function refusal(options: EngineOptions): Promise<EngineError> {
  const outcome = await Engine.open(options).catch((error: unknown) => error);
  if (!(outcome instanceof EngineError)) throw outcome instanceof Error ? outcome : new Error('it opened');
  expect(outcome.message).not.toContain('\n');
  return outcome;
}

describe('a store', () => {
  const kinds: readonly (readonly [what: string, make: () => EngineOptions['store'], kind: string])[] = [
    ['a directory', () => directory(), 'level'],
    ['a database with synchronous reads', () => new TestLevel({ getSync: true }), 'level'],
    ['a database without them', () => new TestLevel({ getSync: false }), 'mirror'],
    ['a memory store', () => new MemoryStore(), 'memory'],
    ['a store over another one', () => OverlayStore.over(new MemoryStore().view()), 'overlay'],
    ['nothing', () => undefined, 'memory'],
  ];

  it.each(kinds)('may be %s', async (_, make, kind) => {
    await using player = await ChainPlayer.open({ store: make() });
    expect(player.engine.inside.core.writer.store.kind).toBe(kind);
    await player.play([STEP, STEP, { ...STEP, isQueued: false }]);
    await expectSame(player.engine, player.model, { limit: 5, descending: false });
  });

  const given: [what: string, make: () => Store | TestLevel][] = [
    ['a memory store', () => new MemoryStore()],
    ['a database with synchronous reads', () => new TestLevel({ getSync: true })],
    ['a database without them', () => new TestLevel({ getSync: false })],
  ];
  it.each(given)('is held by one engine at a time: %s', async (_, make) => {
    const store = make();
    const engine = await Engine.open({ store });
    const both = await Promise.all([refusal({ store }), refusal({ store, chainId: 5n })]);
    for (const { code, message } of both)
      expect([code, message]).toEqual(['store-locked', expect.stringMatching(/^store: another engine/)]);
    await engine.dev.mint('0x42', 1n);
    await using fork = await engine.fork();
    expect(fork.head.order).toBe(1n);
    await fork.close();
    await engine.close();
  });

  it('may be given to another engine once it is closed, or if the first could not open it', async () => {
    const store = new TestLevel({ getSync: true });
    const first = await Engine.open({ store });
    const { head } = await first.dev.mint('0x42', 1n).then(() => first);
    await first.close();
    expect((await refusal({ store, chainId: 5n })).code).not.toBe('store-locked');
    const second = await Engine.open({ store });
    expect(second.head).toEqual(head);
    await first.close();
    expect((await refusal({ store })).code).toBe('store-locked');
    await second.close();
  });

  it('of any other kind is refused', async () => {
    expect((await refusal({ store: 5 as never })).code).toBe('invalid-argument');
    expect((await refusal({ store: '' })).code).toBe('invalid-argument');
    expect((await refusal({ store: {} as never })).code).toBe('invalid-argument');
  });

  it('continues where it stopped, with all that it held', async () => {
    const path = directory();
    const player = await ChainPlayer.open({ store: path });
    await player.play([STEP, STEP]);
    const { head } = player.engine;
    await player.engine.close();
    await using again = await Engine.open({ store: path });
    expect(again.head).toEqual(head);
    await expectSame(again, player.model, { limit: 3, descending: true });
    expect(again.status()).toMatchObject({ service: 'active', lostCommits: 0n });
  });
});

describe('a directory', () => {
  it('is held by one engine in a process', async () => {
    const path = directory();
    await using engine = await Engine.open({ store: path });
    const error = await refusal({ store: path });
    expect(error.code).toBe('store-locked');
    expect(error.message).toMatch(/an engine of this thread holds it .*; close that one first/);
    expect(engine.head.order).toBe(0n);
  });

  it('is held by one process', async () => {
    const path = directory();
    const child = spawn(process.execPath, [
      fileURLToPath(new URL('../dist/cli.js', import.meta.url)),
      'stdio',
      '--data',
      path,
    ]);
    try {
      child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"chain_getChainID"}\n');
      expect(String((await once(child.stdout, 'data'))[0])).toContain('"result":"4"');
      const error = await refusal({ store: path });
      expect(error.code).toBe('store-locked');
      child.stdin.write('{"jsonrpc":"2.0","id":2,"method":"chain_getChainID"}\n');
      expect(String((await once(child.stdout, 'data'))[0]), 'the holder goes on').toContain('"id":2');
      child.stdin.end();
      expect((await once(child, 'close'))[0]).toBe(0);
    } finally {
      child.kill('SIGKILL');
    }
    await (await Engine.open({ store: path })).close();
  });

  it('that cannot be made is reported', async () => {
    const file = join(directory(), 'file');
    writeFileSync(file, '');
    expect((await refusal({ store: join(file, 'data') })).code).toBe('store-failed');
  });

  it('is released when opening fails', async () => {
    const path = directory();
    await (await Engine.open({ store: path })).close();
    expect((await refusal({ store: path, chainId: 9n })).code).toBe('genesis-mismatch');
    await (await Engine.open({ store: path })).close();
  });

  it.each([
    [DATA_FORMAT_VERSION + 1, /newer movelet; open it with that version or a later one: npm install movelet@latest$/],
    [0, /older movelet; open it with that version/],
  ])('of format %i is refused, and nothing in it is lost', async (version, message) => {
    const path = directory();
    await (await Engine.open({ store: path })).close();
    const store = await openDirectory(path);
    const row = store.get(HEAD_KEY)!.slice();
    new DataView(row.buffer).setUint32(0, version, true);
    await store.batch([{ type: 'put', key: HEAD_KEY, value: row }]);
    await store.close();
    const error = await refusal({ store: path });
    expect(error.code).toBe('format-unknown');
    expect(error.message).toMatch(message);
    const after = await openDirectory(path);
    expect(after.get(HEAD_KEY)).toEqual(row);
    await after.close();
  });

  it('whose head is damaged is reported', async () => {
    const path = directory();
    await (await Engine.open({ store: path })).close();
    const level = new Level<Uint8Array, Uint8Array>(path, { keyEncoding: 'view', valueEncoding: 'view' });
    const sealed = Uint8Array.from((await level.get(HEAD_KEY))!);
    sealed[9]! ^= 1;
    await level.put(HEAD_KEY, sealed);
    await level.close();
    expect((await refusal({ store: path })).code).toBe('corrupt');
  });

  it('with rows but no head, as a killed load leaves it, gets no genesis on top of them', async () => {
    const path = directory();
    const store = await openDirectory(path);
    await store.batch([{ type: 'put', key: columnKey('event', new Uint8Array(8)), value: Uint8Array.of(1) }]);
    await store.close();
    const error = await refusal({ store: path });
    expect(error.code).toBe('corrupt');
    expect(error.message).toContain('rows without a head');
  });
});

describe('options', () => {
  it('that contradict the store are refused', async () => {
    const path = directory();
    await (await Engine.open({ store: path, bitcoinNetwork: 'testnet' })).close();
    const chain = await refusal({ store: path, chainId: 3n });
    expect(chain.code).toBe('genesis-mismatch');
    expect(chain.message).toMatch(/expected chain 3, got chain 4/);
    const network = await refusal({ store: path, bitcoinNetwork: 'bitcoin' });
    expect(network.code).toBe('genesis-mismatch');
    expect(network.message).toMatch(/bitcoin, got testnet/);
    await (await Engine.open({ store: path, chainId: 4n, bitcoinNetwork: 'testnet' })).close();
  });

  it('with a depth that the store does not have are refused', async () => {
    const path = directory();
    await (await Engine.open({ store: path, reorganisationDepth: 3 })).close();
    for (const reorganisationDepth of [0, 2, 4]) {
      const error = await refusal({ store: path, reorganisationDepth });
      expect(error.code).toBe('genesis-mismatch');
      expect(error.message).toContain(`at most ${reorganisationDepth} blocks deep, got 3: choose another directory`);
    }
    await (await Engine.open({ store: path, reorganisationDepth: 3 })).close();
    await (await Engine.open({ store: path })).close();
  });

  it('that contradict each other are refused before anything is written', async () => {
    const path = join(directory(), 'new');
    const genesis = new Uint8Array(8);
    expect((await refusal({ store: path, genesis })).code).toBe('malformed-bytes');
    expect((await refusal({ store: path, genesis, accountBalance: 1n })).code).toBe('invalid-argument');
    expect((await refusal({ store: path, sequencerKey: new Uint8Array(32) })).code).toBe('invalid-argument');
    expect((await refusal({ store: path, sequencerKey: new Uint8Array(5) })).code).toBe('invalid-argument');
    expect(existsSync(path) ? readdirSync(path) : []).toEqual([]);
  });

  it('that are secret are not repeated in errors', async () => {
    const { message } = await refusal({ sequencerKey: '0xabcdef' as never });
    expect(message).toBe('sequencerKey: expected a secp256k1 secret key of 32 bytes');
  });

  it('shape the default genesis', async () => {
    await using engine = await Engine.open({ chainId: 77n, accountBalance: 5n, bitcoinNetwork: 'signet' });
    expect([engine.chainId, engine.bitcoin.network()]).toEqual([77n, 'signet']);
    expect(engine.balances.get(parseAddress(DEV_ACCOUNTS[9]!.address), GAS)).toMatchObject({
      balance: 5n,
      info: { supply: 50n },
    });
    await using other = await Engine.open({ chainId: 77n });
    expect(other.head.genesisHash).not.toEqual(engine.head.genesisHash);
    await using same = await Engine.open({
      store: new MemoryStore(),
      chainId: 77n,
      accountBalance: 5n,
      bitcoinNetwork: 'signet',
    });
    expect(same.head).toEqual(engine.head);
  });

  it('bound the tree nodes in memory', async () => {
    await using player = await ChainPlayer.open({ treeCacheNodesMax: 3, treeCacheBytesMax: 5_000 });
    await player.play([STEP, STEP]);
    await expectSame(player.engine, player.model, { limit: 100, descending: true });
  });

  it('may give a clock that goes backwards, which the chain does not follow', async () => {
    let now = 1_700_000_000_500n;
    const player = await ChainPlayer.open();
    const engine = await Engine.open({ store: new MemoryStore(), clock: () => now });
    const times: bigint[] = [];
    for (const next of [now, now - 400n, now + 1n, 0n]) {
      now = next;
      const commit = await forge(engine, blockAt(times.length), emitted);
      times.push(commit.record.transaction.sequenceInfo.txTimestamp);
    }
    expect(times).toEqual([1_700_000_000_500n, 1_700_000_000_500n, 1_700_000_000_501n, 1_700_000_000_501n]);
    await engine.close();
    await player.engine.close();
  });
});

describe('commits that a store lost', () => {
  it('are counted and reported once', async () => {
    const path = directory();
    const player = await ChainPlayer.open({ store: path });
    await player.play([STEP, STEP, { ...STEP, isQueued: false }]);
    await player.engine.close();
    // What a cut log leaves: the head of an earlier commit. The record beside the database knows better.
    const store = await openDirectory(path);
    const row = store.get(HEAD_KEY)!.slice();
    new DataView(row.buffer).setBigUint64(4 + 32 + 8, 1n, true);
    await store.batch([{ type: 'put', key: HEAD_KEY, value: row }]);
    await store.close();
    const said: LogEntry[] = [];
    await using engine = await Engine.open({ store: path, log: (entry) => said.push(entry) });
    expect(engine.status().lostCommits).toBe(2n);
    expect(said).toMatchObject([{ level: 'warning', details: { lost: '2', order: '1' } }]);
    expect(said[0]?.message).toMatch(/lost its last 2 commits \(orders 2 to 3\)/);
  });
});

describe('a dump', () => {
  it('is a consistent snapshot while writes go on, and loads into another store', async () => {
    const path = directory();
    await using player = await ChainPlayer.open({ store: path });
    await player.play([STEP, STEP]);
    const moment = player.remember();
    const chunks: Uint8Array[] = [];
    const commits: Promise<unknown>[] = [];
    for await (const chunk of player.engine.dump()) {
      chunks.push(chunk);
      commits.push(player.submit(STEP));
    }
    await Promise.all(commits);
    expect(commits.length).toBeGreaterThan(0);
    const store = new MemoryStore();
    await loadDump(store, chunks, { headKey: HEAD_KEY });
    await using loaded = await Engine.open({ store });
    expect(loaded.head.order).toBe(2n);
    await expectSame(loaded, moment.model, { limit: 50, descending: true });
  });
});

describe('the bounds of the tree nodes in memory', () => {
  it('are those of the options, either alone and both together', () => {
    for (const [options, wanted] of [
      [{ treeCacheNodesMax: 2 }, { nodes: 2 }],
      [{ treeCacheBytesMax: 0 }, { nodes: 0, bytes: 0 }],
      [{ treeCacheNodesMax: 1, treeCacheBytesMax: 1_000_000 }, { nodes: 1 }],
      [{}, { nodes: 5 }],
    ] as const) {
      const cache = nodeCache(options);
      for (let byte = 0; byte < 5; byte++) {
        cache.hold(new Link(undefined), Leaf.of(new Uint8Array(32).fill(byte), new Uint8Array(20)));
      }
      expect(cache, JSON.stringify(options)).toMatchObject(wanted);
    }
  });
});
