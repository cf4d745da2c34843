/** getHistory, getBlame and getDiff answer what the engine says, page by page, on a chain of many kinds of transactions. */

import { afterAll, describe, expect, it } from 'vitest';
import { plainJson } from '../../../src/chain/value/readable.ts';
import { Engine } from '../../../src/index.ts';
import { HistoryQueries } from '../../../src/query/object-version.ts';
import { createRpc, type MethodResult } from '../../../src/server/index.ts';
import { VERSION_FIELDS_MAX } from '../../../src/server/rpc/history.ts';
import { randomNumbers, seed } from '../../effort.ts';
import { BOX, mixedChain } from '../../query/mixed-chain.ts';

interface ChangeJson {
  readonly kind: string;
  readonly object_id: string;
  readonly members: readonly unknown[];
  readonly omitted_members: number;
  readonly text: string;
}

interface VersionJson {
  readonly tx_order: number;
  readonly tx_hash: string;
  readonly change: ChangeJson;
  readonly fields: readonly ChangeJson[];
  readonly has_more_fields: boolean;
}

const CLOCK = '0x2::timestamp::Timestamp';

const engine = await mixedChain(randomNumbers(seed), 60);
const rpc = createRpc(engine);
afterAll(async () => {
  await rpc.close();
  await engine.close();
});

describe('an order that the chain does not have', () => {
  it.each([
    ['rooch_getStates', ['/object/0x3', { order: '999' }]],
    ['rooch_getBalance', ['0x3', '0x3::gas_coin::RGas', { order: '999' }]],
  ])('is named as the client named it: %s', async (method, params) => {
    const message = `order: expected an order from 0 to ${engine.head.order}, got 999`;
    await expect(rpc.request(method as 'rooch_getStates', params as never)).rejects.toThrow(message);
  });
});

describe('getHistory', () => {
  it('lists the versions that the engine knows, over pages, in both directions', async () => {
    for (const object of [CLOCK, BOX, '0x3', `0x${'77'.repeat(32)}`]) {
      for (const descending of [true, false]) {
        const expected = (await engine.objects.history(object, { descending, limit: 9_999 })).data;
        const found: VersionJson[] = [];
        for (let cursor = null; ; ) {
          const page = await rpc.request('chain_getHistory', [object, cursor, 2, { descending }]);
          found.push(...(page.data as never as VersionJson[]));
          if (!page.has_next_page) break;
          cursor = page.next_cursor as never;
        }
        expect(found.map(({ tx_order: order, tx_hash: hash }) => [BigInt(order), hash])).toEqual(
          expected.map(({ order, transactionHash }) => [order, String(transactionHash)]),
        );
        expect(found.map(({ change, fields }) => [change, ...fields].map(({ text }) => text).join('\n'))).toEqual(
          expected.map(({ change, fields }) => [change, ...fields.slice(0, VERSION_FIELDS_MAX)].map(String).join('\n')),
        );
        expect(found.map(({ has_more_fields: hasMore }) => hasMore)).toEqual(
          expected.map(({ fields }) => fields.length > VERSION_FIELDS_MAX),
        );
      }
    }
  });

  it('is of one field, or of the object alone, if asked for', async () => {
    await using own = await Engine.open();
    const asked = createRpc(own);
    await own.dev.setObject(BOX, { type: CLOCK, value: { milliseconds: 5n } });
    await own.dev.setField(BOX, { keyType: 'u64', key: 3n, valueType: 'u64', value: 1n });
    await own.dev.setField(BOX, { keyType: 'u64', key: 3n, valueType: 'u64', value: 2n });
    const alone = await asked.request('chain_getHistory', [BOX, null, null, { fields: false }]);
    expect(alone.data.map((version) => (version as never as VersionJson).change.kind)).toEqual(['created']);
    const [id] = (await own.objects.history(BOX)).data[0]!.fields.map(({ id }) => String(id));
    const key = `0x${id!.slice(-64)}`;
    const field = await asked.request('chain_getHistory', [BOX, null, null, { field_key: key }]);
    expect((field.data as never as VersionJson[]).map(({ change }) => change.members)).toEqual([
      [{ path: 'value', before: '1', after: '2' }],
      [],
    ]);
    const blame = await asked.request('chain_getBlame', [BOX, key]);
    expect(blame).toMatchObject({ version: { tx_order: 3 }, next_cursor: null });
    expect(await asked.request('chain_getBlame', [BOX])).toMatchObject({ version: { tx_order: 1 } });
    await asked.close();
  });
});

describe('getBlame', () => {
  it('names the transaction that the engine names', async () => {
    for (const object of [CLOCK, BOX, '0x3']) {
      const { version, next_cursor: next } = await rpc.request('chain_getBlame', [object]);
      expect(next).toBeNull();
      expect((version as VersionJson | null)?.tx_hash).toBe(
        (await engine.objects.blame(object)) && String((await engine.objects.blame(object))!.transactionHash),
      );
    }
    const none = await rpc.request('rooch_getBlame', [`0x${'77'.repeat(32)}`]);
    expect(none).toEqual({ version: null, next_cursor: null });
  });

  it('goes on from its cursor after a search that ended early', async () => {
    const queries = new HistoryQueries(engine.inside.core, 1);
    for (const object of [CLOCK, BOX]) {
      let found = await queries.last(object);
      while (found.nextCursor !== undefined) found = await queries.last(object, found.nextCursor);
      expect(found.version?.order).toBe((await engine.objects.blame(object))?.order);
    }
  });
});

describe('getDiff', () => {
  it('lists the changes that the engine finds, over pages of any size', async () => {
    const last = engine.head.order;
    for (const [from, to] of [
      [0n, last],
      [last, 0n],
      [last / 2n, last],
      [last, last],
    ] as const) {
      const expected = engine.at(from).diff(engine.at(to)).changes;
      for (const limit of [1, 3, 1_000]) {
        const found: ChangeJson[] = [];
        for (let cursor: string | null = null; ; ) {
          const page: MethodResult<'chain_getDiff'> = await rpc.request('chain_getDiff', [from, to, cursor, limit]);
          expect(page.before).toEqual({ tx_order: Number(from), state_root: String(engine.at(from).head.stateRoot) });
          found.push(...(page.data as never as ChangeJson[]));
          expect(page.data.length).toBeLessThanOrEqual(limit);
          if (!page.has_next_page) break;
          cursor = page.next_cursor;
        }
        expect(found.map(({ kind, object_id: id, text }) => [kind, id, text])).toEqual(
          expected.map((change) => [change.kind, String(change.id), String(change)]),
        );
      }
    }
  });

  it('takes roots, compares with the head by default, and shows both sides of a member', async () => {
    const { order, stateRoot } = engine.head;
    const byRoot = await rpc.request('chain_getDiff', [String(engine.at(0n).head.stateRoot), String(stateRoot)]);
    const byDefault = await rpc.request('chain_getDiff', [0]);
    expect(byDefault.after).toEqual({ tx_order: Number(order), state_root: String(stateRoot) });
    expect(byRoot.data).toEqual(byDefault.data);
    const clock = (byDefault.data as never as ChangeJson[]).find(({ members }) => members.length > 0)!;
    const expected = engine
      .at(0n)
      .diff(engine)
      .changes.find(({ members }) => members.length > 0)!;
    expect(clock.members).toEqual(plainJson(expected.members));
    expect(clock.omitted_members).toBe(0);
  });

  it('is written in pieces as long pages are, over the wire', async () => {
    const text = await rpc.handle('{"jsonrpc":"2.0","id":1,"method":"chain_getDiff","params":["0",null,null,"1000"]}');
    const { result } = JSON.parse(text!) as { readonly result: { readonly data: readonly ChangeJson[] } };
    expect(result.data.map(({ text: change }) => change)).toEqual(engine.at(0n).diff(engine).changes.map(String));
  });

  it('refuses states that the chain never had', async () => {
    for (const place of [9_999_999, `0x${'11'.repeat(32)}`]) {
      await expect(rpc.request('chain_getDiff', [0, place])).rejects.toMatchObject({ data: { code: 'not-found' } });
    }
    await expect(rpc.request('chain_getDiff', ['soon'])).rejects.toMatchObject({ code: -32_602 });
  });
});
