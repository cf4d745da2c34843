/** A directory from an earlier version opens with what that version said of it, takes the next block, and is sound. */

import { describe, expect, it } from 'vitest';
import { fromHex } from '../src/base/bytes/bytes.ts';
import { DATA_FORMAT_VERSION } from '../src/base/config.ts';
import { formatBitcoinHash } from '../src/bitcoin/index.ts';
import { HEAD_KEY } from '../src/chain/ledger/head.ts';
import { DEV_ACCOUNTS, Engine } from '../src/index.ts';
import { verifyStore } from '../src/query/verify/verify.ts';
import { openDirectory } from '../src/store/index.ts';
import { toldBy, unpackedDirectory } from './older-directory.ts';
import { temporaryDirectories } from './store/temporary.ts';

const directory = temporaryDirectories();

/** The commits that wrote the directories, oldest first, each with its format. */
const VERSIONS = [
  { commit: '6c57e4c', formatVersion: 2 },
  { commit: '95f1e97', formatVersion: 3 },
];

const unpackedOf = (commit: string): string => unpackedDirectory(commit, directory());

async function expectSound(path: string): Promise<void> {
  const store = await openDirectory(path);
  expect((await verifyStore(store)).problems).toEqual([]);
  await store.close();
}

/** Mends what verification finds, as `movelet verify --repair` does. */
async function mendLists(path: string): Promise<void> {
  const store = await openDirectory(path);
  const { problems, remedy } = await verifyStore(store);
  expect(problems.length).toBeGreaterThan(0);
  for (const found of problems) expect(found).toMatch(/^the detachedTrees row \w+ is missing$/);
  await store.batch(remedy!);
  await store.close();
}

describe.each(VERSIONS)('a directory of commit $commit', ({ commit, formatVersion }) => {
  const told = toldBy(commit);
  const unpacked = (): string => unpackedOf(commit);

  it('has the format that it is kept for', () => expect(told.formatVersion).toBe(formatVersion));

  it('is sound, but for lists of the trees to prune with removed objects, which its version did not keep', async () => {
    const path = unpacked();
    await mendLists(path);
    await expectSound(path);
  });

  it('opens with its head, its inscription and its output, takes the next block and opens again', async () => {
    const path = unpacked();
    const engine = await Engine.open({ store: path, reorganisationDepth: 1 });
    const { head } = engine;
    expect({
      formatVersion: head.formatVersion,
      order: String(head.order),
      stateRoot: head.stateRoot.slice(2),
      size: String(head.size),
      accumulatorRoot: head.accumulator.root.slice(2),
      genesisHash: head.genesisHash.slice(2),
    }).toEqual({
      formatVersion: told.formatVersion,
      order: told.order,
      stateRoot: told.stateRoot,
      size: told.size,
      accumulatorRoot: told.accumulatorRoot,
      genesisHash: told.genesisHash,
    });
    const txid = fromHex(told.inscribed);
    expect(engine.bitcoin.inscription({ txid, index: 0 })!.owner.slice(2)).toBe(told.inscriptionOwner);
    expect(String(engine.bitcoin.utxo({ txid, vout: 0 })!.value)).toBe(told.value);
    for (const [height, hash] of told.blocks.entries()) {
      expect(engine.bitcoin.block(height)!.blockHash).toBe(formatBitcoinHash(fromHex(hash)));
    }
    expect(engine.status().lostCommits).toBe(0n);

    // The block that was pending is processed under the next one.
    const mined = await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    expect([mined.height, mined.header.previousHash]).toEqual([3, formatBitcoinHash(fromHex(told.blocks[2]!))]);
    const after = engine.head;
    expect([after.order, after.formatVersion]).toEqual([8n, DATA_FORMAT_VERSION]);
    await engine.close();
    await mendLists(path);
    await expectSound(path);
    await using again = await Engine.open({ store: path, reorganisationDepth: 1 });
    expect(again.head.stateRoot.slice(2)).toBe(after.stateRoot.slice(2));
    expect(again.bitcoin.block(3)).toMatchObject({ isConfirmed: false });
  });

  it('takes a bound on its history, is pruned to it, goes on and is sound', async () => {
    const path = unpacked();
    await mendLists(path);
    const engine = await Engine.open({ store: path, history: 1, treeCacheNodesMax: 0 });
    expect(await engine.prune()).toMatchObject({ kept: 1, oldestOrder: engine.head.order - 1n });
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    expect(String(engine.bitcoin.utxo({ txid: fromHex(told.inscribed), vout: 0 })!.value)).toBe(told.value);
    expect(engine.accounts).toHaveLength(10);
    await engine.close();
    await expectSound(path);
  });
});

describe('a directory of an older format', () => {
  const unpacked = (): string => unpackedOf('6c57e4c');

  it('says on opening that its next commit brings it to the present format', async () => {
    const messages: string[] = [];
    const open = (path: string): Promise<Engine> =>
      Engine.open({ store: path, reorganisationDepth: 1, log: ({ message }) => messages.push(message) });
    const path = unpacked();
    await using engine = await open(path);
    expect(messages).toEqual([
      expect.stringMatching(/^the store has data format 2; the next commit makes it \d+, .*copy$/),
    ]);
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    await engine.close();
    await (await open(path)).close();
    expect(messages, 'from then on it is').toHaveLength(1);
  });

  it('is unsound if its head names an older format than that of its rows', async () => {
    const path = unpacked();
    const engine = await Engine.open({ store: path, reorganisationDepth: 1 });
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    await engine.close();
    const store = await openDirectory(path);
    const head = store.get(HEAD_KEY)!.slice();
    new DataView(head.buffer).setUint32(0, 2, true);
    await store.batch([{ type: 'put', key: HEAD_KEY, value: head }]);
    const { problems } = await verifyStore(store);
    expect(problems[0]).toMatch(/^the node row \w+ has a form of data format 3, and the head names 2$/);
    await store.close();
  });
});
