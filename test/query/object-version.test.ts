/** Differences, versions and blame: on random chains they are what a scan of all recorded change sets says. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS, Engine, type ObjectVersion, type StateChange } from '../../src/index.ts';
import { HistoryQueries } from '../../src/query/object-version.ts';
import type { Reader } from '../../src/query/reader.ts';
import { type ObjectState, objectState, parseObjectId } from '../../src/query/transaction-builder.ts';
import { scriptArbitrary } from '../arbitraries/chain.ts';
import { property, randomNumbers, runs, seed } from '../effort.ts';
import { forge } from '../forge.ts';
import { ChainPlayer } from '../journeys/chain-player.ts';
import { walkPages } from '../journeys/compare.ts';
import { type Edit, executionOf } from '../journeys/edits.ts';
import { payment } from '../payment.ts';
import { BOX, mixedChain } from './mixed-chain.ts';
import { type FlatState, recordedStates } from './recorded-states.ts';

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];

/** Everything about an object except its fields, as text. */
function own({ meta, value }: ObjectState): string {
  return toHex(encode(objectState, { meta: { ...meta, stateRoot: undefined, size: 0n }, value }));
}

function whole(object: ObjectState | undefined): string | undefined {
  return object === undefined ? undefined : toHex(encode(objectState, object));
}

/** Kind and id of each object whose own content differs, with both sides. */
function scannedDiff(before: FlatState, after: FlatState): string[] {
  const ids = [...new Set([...before.keys(), ...after.keys()])].sort();
  return ids.flatMap((id) => {
    const [from, to] = [before.get(id), after.get(id)];
    if (from !== undefined && to !== undefined && own(from) === own(to)) return [];
    const kind = from === undefined ? 'created' : to === undefined ? 'removed' : 'modified';
    return [`${kind} ${id} ${whole(from)} ${whole(to)}`];
  });
}

function shownDiff(changes: readonly StateChange[]): string[] {
  return changes.map(({ kind, id, inside: { before, after } }) => `${kind} ${id} ${whole(before)} ${whole(after)}`);
}

/** The orders at which an object changed, fields included, oldest first, with what it became. */
function scannedVersions(states: readonly FlatState[], id: string): { order: bigint; after: string | undefined }[] {
  return states.flatMap((state, index) => {
    const [before, after] = [whole(states[index - 1]?.get(id)), whole(state.get(id))];
    return before === after ? [] : [{ order: BigInt(index), after }];
  });
}

function scannedBlame(states: readonly FlatState[], id: string): bigint | undefined {
  const last = states.findLastIndex((state, index) => {
    const [before, after] = [states[index - 1]?.get(id), state.get(id)];
    return (before && own(before)) !== (after && own(after));
  });
  return last < 0 ? undefined : BigInt(last);
}

const shownVersions = (versions: readonly ObjectVersion[]) =>
  versions.map(({ order, change }) => ({ order, after: whole(change.inside.after) }));

async function expectSameHistory(engine: Engine, states: readonly FlatState[], id: string): Promise<void> {
  const expected = scannedVersions(states, id);
  const named = parseObjectId(id);
  const oldest = await engine.objects.history(named, { descending: false, limit: 9_999 });
  expect(shownVersions(oldest.data), id).toEqual(expected);
  expect(oldest.hasNextPage).toBe(false);
  const newest = await engine.objects.history(named, { limit: 9_999 });
  expect(shownVersions(newest.data), id).toEqual(expected.toReversed());
  const blamed = await engine.objects.blame(named);
  expect(blamed?.order, id).toBe(scannedBlame(states, id));
  if (blamed !== undefined) {
    expect(blamed.transactionHash).toEqual(engine.transactions.get(blamed.order)!.executionInfo.txHash);
  }
}

describe('on a random chain', () => {
  it('differences between any two orders equal those of a scan', async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(10), fc.nat(), async (script, from) => {
        const random = randomNumbers(from);
        await using player = await ChainPlayer.open();
        await player.play(script);
        const { engine } = player;
        const states = recordedStates(engine);
        for (let nth = 0; nth < 6; nth++) {
          const [a, b] = [random(states.length), random(states.length)];
          const diff = engine.at(BigInt(a)).diff(engine.at(BigInt(b)), { limit: 9_999 });
          expect(shownDiff(diff.changes)).toEqual(scannedDiff(states[a]!, states[b]!));
          expect(diff.hasMore).toBe(false);
          const paged: StateChange[] = [];
          for (let more = true; more; ) {
            const page = engine
              .at(BigInt(a))
              .diff(engine.at(BigInt(b)), { limit: 1 + random(9), cursor: paged.at(-1)?.id });
            paged.push(...page.changes);
            more = page.hasMore;
          }
          expect(shownDiff(paged)).toEqual(shownDiff(diff.changes));
          expect(String(diff)).toContain(diff.changes.length === 0 ? 'no difference' : String(diff.changes[0]));
        }
      }),
      property(3, 150),
    );
  });

  it('versions of any object, and who wrote it last, equal those of a scan', async () => {
    await fc.assert(
      fc.asyncProperty(scriptArbitrary(14), fc.nat(), async (script, from) => {
        const random = randomNumbers(from);
        await using player = await ChainPlayer.open();
        await player.play(script);
        const { engine } = player;
        const states = recordedStates(engine);
        const touched = new Set(states.slice(1).flatMap((state, index) => changedIds(states[index]!, state)));
        for (const id of touched) await expectSameHistory(engine, states, id);
        const all = [...states.at(-1)!.keys()];
        await expectSameHistory(engine, states, all[random(all.length)]!);
        await expectSameHistory(engine, states, `0x${'77'.repeat(32)}`);
      }),
      property(3, 150),
    );
  });
});

function changedIds(before: FlatState, after: FlatState): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (id) => whole(before.get(id)) !== whole(after.get(id)),
  );
}

describe('on a chain of transactions, blocks, reorganisations, controls and reverts', () => {
  let engine: Engine;
  let states: readonly FlatState[];

  beforeAll(async () => {
    engine = await mixedChain(randomNumbers(seed), runs(70, 500));
    states = recordedStates(engine);
  });

  afterAll(() => engine.close());

  it('differences equal those of a scan, between orders, roots and engines', async () => {
    const random = randomNumbers(seed);
    for (let nth = 0; nth < 12; nth++) {
      const [a, b] = [random(states.length), random(states.length)];
      const expected = scannedDiff(states[a]!, states[b]!);
      expect(shownDiff(engine.at(BigInt(a)).diff(engine.at(BigInt(b))).changes)).toEqual(expected);
      const [from, to] = [a, b].map((order) => engine.transactions.get(BigInt(order))!.executionInfo.stateRoot);
      expect(shownDiff(engine.at(from!).diff(engine.at(String(to))).changes)).toEqual(expected);
    }
    await using fork = engine.fork();
    await mineAndFund(fork);
    const forked = recordedStates(fork);
    expect(shownDiff(engine.diff(fork).changes)).toEqual(scannedDiff(states.at(-1)!, forked.at(-1)!));
    expect(shownDiff(fork.diff(engine).changes)).toEqual(scannedDiff(forked.at(-1)!, states.at(-1)!));
    expect(engine.diff(engine).changes).toEqual([]);
  });

  it('versions and blame equal those of a scan', async () => {
    const ids = new Set(states.slice(1).flatMap((state, index) => changedIds(states[index]!, state)));
    const random = randomNumbers(seed);
    const some = [...ids].filter(() => random(ids.size) < runs(60, 2_000));
    for (const id of some) await expectSameHistory(engine, states, id);
  });

  it('pages join, in both directions, and skip versions of fields when those are not wanted', async () => {
    const busy = '0x2::timestamp::Timestamp';
    const [all] = [(await engine.objects.history(busy, { limit: 9_999 })).data.map(({ order }) => order)];
    expect(all.length).toBeGreaterThan(1);
    for (const descending of [true, false]) {
      const paged = await walkPages<ObjectVersion, bigint>(
        (page) => engine.objects.history(busy, page),
        { descending, limit: 2 },
        undefined,
      );
      expect(paged.map(({ order }) => order)).toEqual(descending ? all : all.toReversed());
    }
    const withFields = (await engine.objects.history(BOX, { limit: 9_999 })).data;
    const without = (await engine.objects.history(BOX, { limit: 9_999, fields: false })).data;
    expect(without.map(({ order }) => order)).toEqual(
      withFields.filter(({ change }) => change.kind !== 'fields').map(({ order }) => order),
    );
  });
});

async function mineAndFund(engine: Engine): Promise<void> {
  await engine.dev.mint(ALICE, 5n);
  await engine.dev.mine({ to: DEV_ACCOUNTS[1]!.regtestAddress });
}

describe('what is shown', () => {
  it('says which members of a decoded value differ, and reads as text', async () => {
    await using engine = await Engine.open();
    const receipt = await engine.executeAs(ALICE, payment(BOB, 7n));
    const diff = engine.at(0n).diff(engine.at(receipt.order));
    const account = diff.changes.find(({ id }) => String(id) === ALICE)!;
    expect(account.members).toEqual([{ path: 'value.sequence_number', before: 0n, after: 1n }]);
    expect(String(account)).toBe(`~ 0x2::account::Account ${ALICE}\n    value.sequence_number: 0 -> 1`);
    expect(JSON.parse(JSON.stringify(account))).toEqual({
      kind: 'modified',
      id: ALICE,
      type: '0x2::account::Account',
      isField: false,
      members: [{ path: 'value.sequence_number', before: '0', after: '1' }],
    });
    expect(String(diff).split('\n')[0]).toMatch(
      /^order 0 \(0x\w{8}\.\.\.\) -> order 1 \(0x\w{8}\.\.\.\): \d+ created, \d+ modified, 0 removed$/,
    );
    const two = engine.at(0n).diff(engine.at(receipt.order), { limit: 2 });
    expect(two).toMatchObject({ hasMore: true, changes: { length: 2 } });
    expect(String(two)).toContain('and more');
  });

  it('names owner and flag when they are all that changed, and fields by their names', async () => {
    await using engine = await Engine.open();
    await engine.dev.setObject(BOX, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 5n }, owner: ALICE });
    const { order } = await engine.dev.setObject(BOX, { owner: BOB });
    await engine.dev.setField(BOX, { keyType: 'u64', key: 3n, valueType: 'bool', value: true });
    const { data } = await engine.objects.history(BOX);
    expect(data.map(({ change }) => change.kind)).toEqual(['fields', 'modified', 'created']);
    const [field, moved, made] = data as [ObjectVersion, ObjectVersion, ObjectVersion];
    expect(moved.change.members.map(({ path, before, after }) => [path, String(before), String(after)])).toEqual([
      ['owner', ALICE, BOB],
    ]);
    expect(field.fields.map(String)).toEqual([`+ field 3 of ${BOX}\n    value: true`]);
    expect(String(field)).toContain(`+ field 3 of ${BOX}`);
    expect(made.change.after?.decoded).toMatchObject({ milliseconds: 5n });
    expect(await engine.objects.blame(BOX)).toMatchObject({ order });
    const { id } = field.fields[0]!;
    expect(await engine.objects.blame(BOX, `0x${id.slice(-64)}`)).toMatchObject({
      order: order + 1n,
      change: { kind: 'created' },
    });
    expect(await engine.objects.blame(BOX, '0x1')).toBeUndefined();
  });

  it('names who removed what is gone, and every owner of what went to and fro', async () => {
    let now = 1_800_000_000_000n;
    await using engine = await Engine.open({ clock: () => now });
    await engine.dev.setObject(BOX, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 5n }, owner: ALICE });
    // Again and again byte for byte what it was before.
    const owners = [BOB, ALICE, BOB, ALICE, BOB];
    for (const owner of owners) await engine.dev.setObject(BOX, { owner });
    now++;
    await engine.dev.mint(ALICE, 1n);
    const { data } = await engine.objects.history(BOX, { descending: false });
    expect(data.map(({ change }) => String(change.after?.meta.owner))).toEqual([ALICE, ...owners]);
    expect(data.map(({ order }) => order)).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
    // A spent output is gone, by the transaction that spent it.
    const { transactions } = await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
    expect(transactions).toHaveLength(1);
  });

  it('names who removed an object next to one whose leaf moves up into its place', async () => {
    await using engine = await Engine.open();
    await engine.dev.setObject(BOX, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 5n } });
    const box = parseObjectId(BOX)[0]!;
    const [gone, neighbour, other] = [0x11, 0x12, 0x21].map((first) => [box, new Uint8Array(32).fill(first)]);
    const type = '0x2::timestamp::Timestamp';
    let nth = 0n;
    const edit = (...edits: Edit[]) =>
      forge(engine, { kind: 'l1-block', chainId: 0n, blockHeight: nth++, blockHash: new Uint8Array(32) }, (state) =>
        executionOf(state, { edits }),
      );
    await edit({ id: neighbour!, type, value: new Uint8Array(8) }, { id: other!, type, value: new Uint8Array(8) });
    await edit({ id: gone!, type, value: new Uint8Array(8) });
    await edit({ id: gone!, isDeleted: true });
    const { data } = await engine.objects.history(gone!);
    expect(data.map(({ order, change }) => `${order} ${change.kind}`)).toEqual(['4 removed', '3 created']);
    expect((await engine.objects.blame(gone!))?.order).toBe(4n);
  });

  it('takes steps from version to version, not through all transactions', async () => {
    await using engine = await Engine.open();
    const [from, to] = engine.accounts;
    await engine.dev.setObject(BOX, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 5n }, owner: ALICE });
    for (let nth = 0; nth < 40; nth++) {
      await engine.executeAs(from!.address, payment(to!.address));
    }
    const reader = engine.inside.core.current();
    let reads = 0;
    const get = (key: Uint8Array): Uint8Array | undefined => {
      reads++;
      return reader.rows.get(key);
    };
    const counted: Reader = {
      ...reader,
      rows: { get, range: (range) => reader.rows.range(range), scan: (range) => reader.rows.scan(range) },
    };
    const history = new HistoryQueries({
      current: () => counted,
      hold: () => ({ reader: counted, release: () => {} }),
      present: () => reader,
    });
    expect((await history.versions(BOX)).data.map(({ order }) => order)).toEqual([1n]);
    // Two steps in each of two walks: to the version, and from before it to the beginning.
    expect(reads).toBeLessThan(60);
  });
});

describe('a page that ends before its limit', () => {
  it('says so, and is continued from there to the same versions in total', async () => {
    const now = 1_800_000_000_000n;
    await using engine = await Engine.open({ clock: () => now });
    await engine.dev.setObject(BOX, { type: '0x2::timestamp::Timestamp', value: { milliseconds: 5n }, owner: ALICE });
    for (let nth = 0; nth < 8; nth++) {
      await engine.dev.setObject(BOX, { owner: nth % 2 === 0 ? BOB : ALICE });
      await engine.dev.mint(ALICE, 1n);
    }
    const { data: all } = await engine.objects.history(BOX);
    expect(all).toHaveLength(9);
    const history = new HistoryQueries(engine.inside.core, 3);
    for (const descending of [true, false]) {
      const found: ObjectVersion[] = [];
      let ended = 0;
      let cursor: bigint | undefined;
      for (;;) {
        const page = await history.versions(BOX, { descending, limit: 5, cursor });
        found.push(...page.data);
        if (!page.hasNextPage) break;
        if (page.data.length < 5) ended++;
        cursor = page.nextCursor;
      }
      const orders = found.map(({ order }) => order);
      expect(descending ? orders : orders.toReversed()).toEqual(all.map(({ order }) => order));
      if (descending) expect(ended).toBeGreaterThan(0);
    }
  });
});

describe('a chain with a bounded history', () => {
  it('compares the states that it keeps, and refuses what it cannot know', async () => {
    await using engine = await Engine.open({ history: 2 });
    for (let nth = 0; nth < 6; nth++) await engine.dev.mint(ALICE, 1n);
    await engine.prune();
    const { order } = engine.head;
    expect(engine.at(order - 1n).diff(engine).changes.length).toBeGreaterThan(0);
    const refused = { code: 'pruned' };
    expect(() => engine.at(1n)).toThrow(expect.objectContaining(refused));
    await expect(engine.objects.history(ALICE)).rejects.toMatchObject(refused);
    await expect(engine.objects.blame(ALICE)).rejects.toMatchObject(refused);
  });
});
