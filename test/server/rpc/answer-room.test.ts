/**
 * What a short request can ask for: one large thing, many times. Answers are refused before they are made, not once they
 * are text. A request of 67 kB that named one transaction of 200 kB a thousand times held the thread for 78 s and took
 * 2.8 GB; one of 7 kB that decoded an object of 900,000 parts a hundred times, 113 s.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bool, encode, u64, vector } from '../../../src/base/bcs.ts';
import { concatBytes } from '../../../src/base/bytes/bytes.ts';
import { RESPONSE_CHARACTERS_MAX } from '../../../src/base/config.ts';
import { Engine } from '../../../src/index.ts';
import { CHANGE_TEXT_MEMBERS_MAX } from '../../../src/query/change.ts';
import { parseObjectId } from '../../../src/query/transaction-builder.ts';
import { createRpc, type JsonValue, type MethodName, type RpcEngine } from '../../../src/server/index.ts';
import {
  ANSWER_PARTS_MAX,
  BATCH_CHARACTERS_FREE,
  BATCHES_CHARACTERS_MAX,
  BatchAnswers,
} from '../../../src/server/rpc/answer.ts';
import { CHANGE_MEMBERS_MAX } from '../../../src/server/rpc/history.ts';
import { forge } from '../../forge.ts';
import { executionOf } from '../../journeys/edits.ts';
import { publish } from '../../query/published.ts';
import { asked } from '../asked.ts';
import { at } from './forms.ts';

const MODULE = `module 0x42::large
  struct Flags has key, store { items: vector<bool> }
  struct Seen has copy, drop, store { bytes: vector<u8> }
  public entry fun take(bytes: vector<u8>) { MoveLoc bytes; Pack Seen; Call 0x2::event::emit<Seen>; Ret }`;

const FLAGS = `0x${'f1'.repeat(32)}`;
const PARTS = 100_000;
/** Of the long things in these tests. */
const BYTES = 20_000;
const CHARACTERS_MAX = 200_000;

let engine: Engine;
let hash: string;
beforeAll(async () => {
  engine = await Engine.open();
  await publish(engine, MODULE);
  await engine.dev.setObject(FLAGS, {
    type: '0x42::large::Flags',
    value: { items: Array.from({ length: PARTS }, () => true) },
  });
  const sender = engine.accounts[0]!.address;
  for (let count = 0; count < 12; count++) {
    const call = { function: '0x42::large::take', arguments: [new Uint8Array(BYTES)] };
    hash = String((await engine.executeAs(sender, call)).hash);
  }
});
afterAll(() => engine.close());

async function refusalOf(method: MethodName, params: readonly unknown[], charactersMax?: number, of = engine) {
  const rpc = createRpc(of, charactersMax === undefined ? {} : { responseCharactersMax: charactersMax });
  const answer = await asked(rpc, method, params);
  expect(answer).toMatchObject({ error: { code: -32_008, data: { code: 'limit-exceeded' } } });
  return answer.error!.data as { readonly expected: string; readonly received: number };
}

interface Versions {
  readonly data: readonly {
    readonly change: { readonly members: { path: string }[]; readonly omitted_members: number; readonly text: string };
  }[];
}

const times = <T>(count: number, item: T): T[] => Array.from({ length: count }, () => item);

describe('an answer that would be too long', () => {
  it.each<[MethodName, readonly unknown[]]>([
    ['rooch_getTransactionsByHash', [times(1_000, '')]],
    ['chain_getTransactionsByHash', [times(1_000, '')]],
    ['rooch_getTransactionsByOrder', [null, '12']],
    ['chain_queryTransactions', [{ tx_order_range: { from_order: 0, to_order: 1_000 } }, null, '12']],
    ['rooch_queryEvents', [{ event_type: '0x42::large::Seen' }, null, '12']],
    ['rooch_getEventsByEventHandle', ['0x42::large::Seen', null, '12']],
    ['rooch_getStates', [`/object/${times(100, FLAGS).join()}`]],
    ['chain_getStates', [`/object/${times(100, FLAGS).join()}`]],
    ['rooch_getObjectStates', [times(100, FLAGS).join()]],
    ['rooch_queryObjectStates', [{ object_id: times(100, FLAGS).join() }]],
    ['rooch_listStates', ['/module/0x3', null, '50']],
    ['rooch_getFieldStates', ['0x', times(100, FLAGS)]],
  ])('is refused by %s as soon as that is known', async (method, params) => {
    const [first, ...others] = params;
    const asked = Array.isArray(first) ? [first.map(() => hash), ...others] : params;
    const { received } = await refusalOf(method, asked, CHARACTERS_MAX);
    // Not more than one item was made in vain.
    expect(received).toBeGreaterThan(CHARACTERS_MAX);
    expect(received).toBeLessThan(CHARACTERS_MAX + 2 * PARTS + 10_000);
  });

  it('has a value as long as its object, not twice as long', async () => {
    const rpc = createRpc(engine, { responseCharactersMax: 2 * PARTS + 2_000 });
    const { result } = await asked<JsonValue>(rpc, 'chain_getStates', [`/object/${FLAGS}`]);
    expect(String(at(result, 0, 'value')).length).toBeGreaterThan(2 * PARTS);
  });

  it('is still given to a program in this process', async () => {
    const rpc = createRpc(engine, { responseCharactersMax: CHARACTERS_MAX });
    const found = await rpc.request('rooch_getTransactionsByHash', [times(12, hash)]);
    expect(found).toHaveLength(12);
    expect(JSON.stringify(found).length).toBeGreaterThan(2 * CHARACTERS_MAX);
  });
});

describe('an answer that would have too many parts', () => {
  const many = times(ANSWER_PARTS_MAX / PARTS, FLAGS).join();

  it.each<[MethodName, readonly unknown[]]>([
    ['rooch_getStates', [`/object/${many}`, { decode: true }]],
    ['chain_getStates', [`/object/${many}`, { decode: true }]],
    ['rooch_getObjectStates', [many, { decode: true }]],
    ['chain_queryObjectStates', [{ object_id: many }]],
  ])('is refused by %s', async (method, params) => {
    const { expected } = await refusalOf(method, params);
    expect(expected).toBe(`an answer of at most ${ANSWER_PARTS_MAX} decoded values, those inside others included`);
  });

  it('is refused by chain_getHistory, however little of it would be shown', async () => {
    const fork = engine.fork();
    const large = `0x${'e1'.repeat(32)}`;
    for (let count = 0; count < ANSWER_PARTS_MAX / PARTS + 1; count++) {
      await fork.dev.setObject(large, { type: '0x42::large::Flags', value: { items: times(PARTS, count % 2 === 0) } });
    }
    const { expected } = await refusalOf('chain_getHistory', [large], undefined, fork);
    expect(expected).toContain(`${ANSWER_PARTS_MAX} decoded values`);
    const rpc = createRpc(fork);
    const { result } = await asked<Versions>(rpc, 'chain_getHistory', [large, null, '2']);
    expect(result.data).toHaveLength(2);
    const { change } = result.data[0]!;
    expect(change.members).toHaveLength(CHANGE_MEMBERS_MAX);
    expect(change.members.at(-1)!.path).toBe(`value.items[${CHANGE_MEMBERS_MAX - 1}]`);
    expect(change.omitted_members).toBe(PARTS - CHANGE_MEMBERS_MAX);
    expect(change.text).toContain(`... and ${PARTS - CHANGE_TEXT_MEMBERS_MAX} members that are not shown`);
    await fork.close();
  });

  it('is refused by chain_getDiff', async () => {
    const fork = engine.fork();
    const { order } = fork.head;
    const flags = { type: '0x42::large::Flags', value: { items: times(PARTS, false) } };
    for (let count = 0; count < ANSWER_PARTS_MAX / PARTS; count++) {
      await fork.dev.setObject(`0x${(count + 10).toString(16).repeat(32)}`, flags);
    }
    const { expected } = await refusalOf('chain_getDiff', [`${order}`], undefined, fork);
    expect(expected).toContain(`${ANSWER_PARTS_MAX} decoded values`);
    await fork.close();
  });
});

describe('a version in which several large fields changed', () => {
  it('is made in pieces, with turns for others in between', async () => {
    const parent = parseObjectId(FLAGS);
    const value = concatBytes(encode(u64, 7n), encode(vector(bool), times(PARTS, true)));
    const edits = [1, 2, 3, 4, 5].map((byte) => ({
      id: [...parent, new Uint8Array(32).fill(byte)],
      type: '0x2::object::DynamicField<u64, vector<bool>>',
      value,
    }));
    const fork = engine.fork();
    const data = { kind: 'l1-block', chainId: 0n, blockHeight: 1n, blockHash: new Uint8Array(32) } as const;
    await forge(fork, data, (state) => executionOf(state, { edits }));
    const rpc = createRpc(fork);
    let turns = 0;
    let isOver = false;
    const turn = (): void => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    const request = { jsonrpc: '2.0', id: 1, method: 'chain_getHistory', params: [FLAGS, null, '1'] };
    setImmediate(turn);
    const { result } = JSON.parse((await rpc.handle(JSON.stringify(request)))!);
    isOver = true;
    expect(result.data[0].fields).toHaveLength(edits.length);
    // One between any two.
    expect(turns).toBeGreaterThanOrEqual(edits.length - 1);
    await fork.close();
  });
});

const QUARTER = BATCHES_CHARACTERS_MAX / 4;
const letters = (count: number): string => 'x'.repeat(count);

describe('the answers of all batches', () => {
  it('refuse an answer for which there is no room, or that is too long, and regain room when others end', () => {
    const all = new BatchAnswers();
    const full = [0, 1, 2, 3].map(() => {
      const batch = all.begin();
      batch.add(letters(QUARTER), RESPONSE_CHARACTERS_MAX);
      return batch;
    });
    const batch = all.begin();
    batch.add(letters(BATCH_CHARACTERS_FREE), RESPONSE_CHARACTERS_MAX);
    const large = letters(QUARTER - BATCH_CHARACTERS_FREE);
    expect(() => batch.add(large, RESPONSE_CHARACTERS_MAX)).toThrow(/the node is busy.*may have been executed/);
    batch.end();
    full[2]!.end();
    const later = all.begin();
    expect(() => later.add(large, large.length - 1)).toThrow(/too big/);
    later.end();
    const last = all.begin();
    last.add(large, large.length);
    expect(last.text).toBe(`[${large}]`);
  });
});

describe('batches that exceed what all may hold together', () => {
  it('are all answered, since they wait for each other', async () => {
    await using engine = await Engine.open();
    const large = 2 ** 20;
    const list = async (): Promise<unknown> => {
      await new Promise((resolve) => setImmediate(resolve));
      return { data: [], nextCursor: new Uint8Array(large / 2), hasNextPage: true };
    };
    const slow = {
      at: () => ({ inside: { head: engine.head, balances: { list } }, [Symbol.dispose]: () => {} }),
    } as Partial<Record<keyof RpcEngine, unknown>> as RpcEngine;
    const rpc = createRpc(slow);
    const one = { jsonrpc: '2.0', id: 1, method: 'chain_getBalances', params: ['0x3'] };
    const requests = 12;
    const right = (await rpc.handle(JSON.stringify(new Array(requests).fill(one))))!;
    expect(right.length).toBeGreaterThan(requests * large);
    const batches = Math.ceil((1.5 * BATCHES_CHARACTERS_MAX) / right.length);
    const answers = await Promise.all(
      Array.from({ length: batches }, async () => {
        const answer = await rpc.handle(JSON.stringify(new Array(requests).fill(one)), { connection: {} });
        return answer === right ? 'right' : answer?.slice(0, 300);
      }),
    );
    expect(answers).toEqual(new Array(batches).fill('right'));
  });
});
