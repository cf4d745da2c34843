/**
 * What renders a page comes from the moment at which the page was read: layouts, display rules, addresses.
 *
 * Anything may be committed between a query and the rendering of its answer. These tests commit just then, and compare
 * with what a fork of that moment answers, where nothing is committed.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, pair, string, vector } from '../../../src/base/bcs.ts';
import { parseBitcoinAddress, utxo } from '../../../src/bitcoin/index.ts';
import {
  ADDRESS_MAPPING_ID,
  addressMappingField,
  addressMappingKey,
} from '../../../src/execution/bitcoin-move/address-mapping.ts';
import { UTXO_STORE_ID, utxoObjectId } from '../../../src/execution/bitcoin-move/object-id.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { addressOf } from '../../../src/move/address.ts';
import { namedObjectId, parseStructTag } from '../../../src/query/transaction-builder.ts';
import { createRpc, type RpcEngine } from '../../../src/server/index.ts';
import { runs } from '../../effort.ts';
import { forge } from '../../forge.ts';
import { type Edit, executionOf, type HandOutput } from '../../journeys/edits.ts';
import { publish } from '../../query/published.ts';

/** The same eight bytes read as one number or as two: whichever module is asked, they decode. */
const SHAPES = ['n: u64', 'left: u32, right: u32', 'bytes: 0x42::shape::Four, last: u32'].map(
  (fields) => `module 0x42::shape
  struct Four has copy, drop, store { n: u32 }
  struct Item has key, store { ${fields} }
  struct Seen has copy, drop, store { ${fields} }`,
);
const ITEM = '0x42::shape::Item';
const SEEN = '0x42::shape::Seen';
const OWNERS = [addressOf(0x51), addressOf(0x52)];
const DISPLAY = '0x2::display::Display<0x42::shape::Item>';
const BITCOIN_ADDRESSES = DEV_ACCOUNTS.slice(0, 3).map(({ regtestAddress }) => parseBitcoinAddress(regtestAddress));

/** Everything that changes how a page is shown, and some of what changes what it shows. */
type Change =
  | { readonly kind: 'publish'; readonly shape: number }
  | { readonly kind: 'map'; readonly owner: number; readonly to: number }
  | { readonly kind: 'unmap'; readonly owner: number }
  | { readonly kind: 'display'; readonly text: string }
  | { readonly kind: 'no-display' }
  | { readonly kind: 'item'; readonly item: number; readonly owner: number; readonly byte: number }
  | { readonly kind: 'utxo'; readonly vout: number; readonly owner: number }
  | { readonly kind: 'event'; readonly byte: number };

const small = fc.nat({ max: 2 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('publish' as const), shape: small }),
  fc.record({ kind: fc.constant('map' as const), owner: fc.nat({ max: 1 }), to: small }),
  fc.record({ kind: fc.constant('unmap' as const), owner: fc.nat({ max: 1 }) }),
  fc.record({
    kind: fc.constant('display' as const),
    text: fc.constantFrom('{n}', '{left}', 'fixed', '{metadata.owner}'),
  }),
  fc.record({ kind: fc.constant('no-display' as const) }),
  fc.record({ kind: fc.constant('item' as const), item: small, owner: fc.nat({ max: 1 }), byte: fc.nat({ max: 255 }) }),
  fc.record({ kind: fc.constant('utxo' as const), vout: small, owner: fc.nat({ max: 1 }) }),
  fc.record({ kind: fc.constant('event' as const), byte: fc.nat({ max: 255 }) }),
);

const eight = (byte: number): Uint8Array => Uint8Array.of(byte, 0, 0, 0, byte, 1, 0, 0);
const displayId = namedObjectId(parseStructTag(DISPLAY));
const mappingOf = (owner: number): Edit['id'] => [...ADDRESS_MAPPING_ID, addressMappingKey(OWNERS[owner]!)];
const output = (vout: number) => ({ txid: new Uint8Array(32).fill(7), vout });

function effects(state: { object(id: Edit['id']): unknown }, made: Change): HandOutput {
  const remove = (id: Edit['id']): HandOutput =>
    state.object(id) === undefined ? {} : { edits: [{ id, isDeleted: true }] };
  switch (made.kind) {
    case 'map': {
      const value = encode(addressMappingField, {
        name: OWNERS[made.owner]!,
        bitcoinAddress: BITCOIN_ADDRESSES[made.to]!,
      });
      const type = '0x2::object::DynamicField<address, 0x3::bitcoin_address::BitcoinAddress>';
      return { edits: [{ id: mappingOf(made.owner), type, value }] };
    }
    case 'unmap':
      return remove(mappingOf(made.owner));
    case 'display':
      return {
        edits: [{ id: displayId, type: DISPLAY, value: encode(vector(pair(string, string)), [['name', made.text]]) }],
      };
    case 'no-display':
      return remove(displayId);
    case 'item': {
      const id = [new Uint8Array(32).fill(0x80 + made.item)];
      return { edits: [{ id, type: ITEM, value: eight(made.byte), owner: OWNERS[made.owner]! }] };
    }
    case 'utxo': {
      const value = encode(utxo, { ...output(made.vout), value: 5n, seals: [] });
      const id = utxoObjectId(output(made.vout));
      return { edits: [{ id, type: '0x4::utxo::UTXO', value, owner: OWNERS[made.owner]! }] };
    }
    case 'event':
      return { events: [{ type: SEEN, data: eight(made.byte) }] };
    case 'publish':
      return {};
  }
}

let serial = 0n;

async function commit(engine: Engine, made: Change): Promise<void> {
  if (made.kind === 'publish') return publish(engine, SHAPES[made.shape]!);
  const action = { kind: 'modules', modules: [] } as const;
  const data = { sender: OWNERS[0]!, sequenceNumber: serial++, chainId: engine.chainId, maxGasAmount: 0n, action };
  const authenticator = { validatorId: 0n, payload: new Uint8Array(0) };
  await forge(engine, { kind: 'l2-transaction', data, authenticator }, (state) =>
    executionOf(state, effects(state, made)),
  );
}

const newest = { descending: true, decode: true, showDisplay: true };
const owned = { object_type_with_owner: { object_type: ITEM, owner: `0x${'0'.repeat(62)}51` } };

/** Requests whose answers show what rendering looks up. */
const REQUESTS: readonly (readonly [method: string, params: readonly unknown[]])[] = [
  ['queryObjectStates', [{ object_type: ITEM }, null, '10', newest]],
  ['queryObjectStates', [owned, null, '10', newest]],
  ['getObjectStates', [`0x${'80'.repeat(32)},0x${'81'.repeat(32)}`, newest]],
  ['getStates', [`/object/0x${'80'.repeat(32)}`, newest]],
  ['listStates', ['/object', null, '200', { decode: false, showDisplay: false }]],
  ['queryEvents', [{ event_type: SEEN }, null, '10', newest]],
  ['getEventsByEventHandle', [SEEN, null, '10', true, { decode: true }]],
  ['queryTransactions', [{ sender: `0x${'0'.repeat(62)}51` }, null, '10', true]],
  ['status', []],
].map(([method, params]) => [method as string, params as readonly unknown[]]);

/** An engine whose queries, having read their pages, wait until `during` has been committed. */
function disturbed(engine: Engine, during: () => Promise<void>): RpcEngine {
  const slow = <T extends object>(family: T): T =>
    new Proxy(family, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function') return member;
        return (...given: readonly unknown[]) => {
          const result: unknown = member.apply(target, given);
          return result instanceof Promise ? result.then((page) => during().then(() => page)) : result;
        };
      },
    });
  const families = ['objects', 'events', 'transactions', 'bitcoin', 'balances', 'fields'] as const;
  return {
    on: ((kind: 'head', listener: () => void) => engine.on(kind, listener)) as RpcEngine['on'],
    execute: (signed) => engine.execute(signed),
    simulate: (data) => engine.simulate(data),
    waitFor: (order) => engine.waitFor(order),
    at: () => {
      const view = engine.at();
      const chain = view.inside;
      const slowed = Object.fromEntries(families.map((name) => [name, slow(chain[name])]));
      const inside = new Proxy(chain, { get: (target, name) => slowed[name as string] ?? bound(target, name) });
      return { inside, [Symbol.dispose]: () => view[Symbol.dispose]() };
    },
  };
}

function bound(target: object, name: string | symbol): unknown {
  const member: unknown = Reflect.get(target, name, target);
  return typeof member === 'function' ? member.bind(target) : member;
}

describe('an answer', () => {
  it('is of one moment, whatever is committed while it is made', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 8 }),
        fc.array(change, { minLength: 1, maxLength: 5 }),
        async (before, during) => {
          await using engine = await Engine.open();
          await publish(engine, SHAPES[0]!);
          for (const made of before) await commit(engine, made);
          // Each request is disturbed once, by the next change: it is answered from the moment before.
          let next = 0;
          const disturb = (): Promise<void> => commit(engine, during[next++ % during.length]!);
          const rpc = createRpc(disturbed(engine, disturb));
          for (const prefix of ['chain', 'rooch']) {
            for (const [method, params] of REQUESTS) {
              const request = JSON.stringify({ jsonrpc: '2.0', id: 1, method: `${prefix}_${method}`, params });
              const quiet = engine.fork();
              const expected = await createRpc(quiet).handle(request);
              await quiet.close();
              expect(await rpc.handle(request)).toBe(expected);
            }
          }
          for (const path of ['/', '/rooch']) {
            const request = '{"jsonrpc":"2.0","id":1,"method":"btc_queryUTXOs","params":[null,null,"10",true]}';
            const quiet = engine.fork();
            const expected = await createRpc(quiet).handle(request, { path });
            await quiet.close();
            expect(await rpc.handle(request, { path })).toBe(expected);
          }
          expect(next).toBeGreaterThan(0);
        },
      ),
      { numRuns: runs(15, 30) },
    );
  });

  it('shows an object by the module that its page was read with, not by the one that has come since', async () => {
    await using engine = await Engine.open();
    await publish(engine, SHAPES[0]!);
    await commit(engine, { kind: 'item', item: 0, owner: 0, byte: 9 });
    const rpc = createRpc(disturbed(engine, () => publish(engine, SHAPES[1]!)));
    const params = [{ object_type: ITEM }, null, '10', { decode: true }] as const;
    const shown = async () => (await rpc.request('chain_queryObjectStates', params)).data[0]!['value'];
    expect(await shown()).toMatchObject({ value: { n: (9n + (0x109n << 32n)).toString() } });
    expect(await shown()).toMatchObject({ value: { left: 9, right: 0x109 } });
  });

  it('names the Bitcoin address that was known when its page was read', async () => {
    await using engine = await Engine.open();
    await publish(engine, SHAPES[0]!);
    await commit(engine, { kind: 'item', item: 0, owner: 0, byte: 9 });
    const rpc = createRpc(disturbed(engine, () => commit(engine, { kind: 'map', owner: 0, to: 1 })));
    const owner = async () =>
      (await rpc.request('chain_queryObjectStates', [{ object_type: ITEM }])).data[0]!['owner_bitcoin_address'];
    expect(await owner()).toBeNull();
    expect(await owner()).toBe(DEV_ACCOUNTS[1]!.regtestAddress);
  });
});

describe('a result', () => {
  it('is decoded by the modules of its moment, also later', async () => {
    await using engine = await Engine.open();
    await publish(engine, SHAPES[0]!);
    await commit(engine, { kind: 'item', item: 0, owner: 0, byte: 9 });
    await commit(engine, { kind: 'event', byte: 3 });
    const read = async () => {
      const [object] = (await engine.objects.list({ kind: 'type', type: ITEM })).data;
      const [event] = (await engine.events.list({ kind: 'type', type: SEEN })).data;
      return [
        object!.object,
        engine.objects.get(object!.object.meta.id)!,
        event!,
        engine.events.byHandle(SEEN).data[0]!,
      ];
    };
    const first = await read();
    await publish(engine, SHAPES[1]!);
    const second = await read();
    expect(first.map(({ decoded }) => decoded)).toEqual(
      [9, 9, 3, 3].map((byte) => ({ n: BigInt(byte) + (BigInt(0x100 + byte) << 32n) })),
    );
    expect(second.map(({ decoded }) => decoded)).toEqual(
      [9, 9, 3, 3].map((byte) => ({ left: byte, right: 0x100 + byte })),
    );
  });

  it('of a moment that was reverted says so', async () => {
    await using engine = await Engine.open();
    const start = engine.snapshot();
    await publish(engine, SHAPES[0]!);
    await commit(engine, { kind: 'item', item: 0, owner: 0, byte: 9 });
    const [found] = (await engine.objects.list({ kind: 'type', type: ITEM })).data;
    await engine.revert(start);
    expect(() => found!.object.decoded).toThrow(expect.objectContaining({ code: 'not-found' }));
  });
});

describe('a moment', () => {
  it('holds together while blocks are ingested: state, index, addresses', async () => {
    await using engine = await Engine.open();
    const to = DEV_ACCOUNTS[0]!.regtestAddress;
    const coinbaseOutputs = Array.from({ length: 12 }, (_, index) => ({
      to: DEV_ACCOUNTS[index % 4]!.regtestAddress,
      value: 1n,
    }));
    let isMining = true;
    const mined = (async () => {
      for (let height = 0; height < 12; height++) await engine.dev.mine({ to, coinbaseOutputs });
      isMining = false;
    })();
    const seen = new Set<number>();
    for (let reads = 1; isMining; reads++) {
      // A writer whose group takes long waits for the event loop, which short reads alone would never let go round.
      if (reads % 4 === 0) await new Promise((resolve) => setImmediate(resolve));
      using chain = engine.at();
      const { order } = chain.head;
      const indexed: string[] = [];
      for (let cursor: { order: bigint; index: number } | undefined, more = true; more; ) {
        const page = await chain.bitcoin.utxos({ kind: 'all' }, { cursor, limit: 5, descending: false });
        for (const { owner, objectId } of page.data) {
          expect(chain.bitcoin.addressOf(owner), 'the address of an owner').toBeDefined();
          indexed.push(String(objectId));
        }
        [cursor, more] = [page.nextCursor, page.hasNextPage];
      }
      const stored = chain.states.list({ kind: 'object', ids: [UTXO_STORE_ID] }, { limit: 1000 });
      expect(indexed.sort()).toEqual(stored.data.map(({ object }) => object.meta.id).sort());
      expect(chain.head.order).toBe(order);
      expect(chain.status().head.order).toBe(order);
      seen.add(indexed.length);
    }
    await mined;
    expect(seen.size, 'views with different pages').toBeGreaterThan(2);
  });

  it('cannot be read once it was disposed of', async () => {
    await using engine = await Engine.open();
    const chain = engine.at();
    const again = chain.at();
    const page = chain.balances.list(DEV_ACCOUNTS[0]!.address);
    chain[Symbol.dispose]();
    chain[Symbol.dispose]();
    expect((await page).data).toHaveLength(1);
    expect(() => chain.chainId).toThrow(expect.objectContaining({ code: 'closed' }));
    expect(again.chainId).toBe(4n);
    again[Symbol.dispose]();
    expect(() => again.inside.state).toThrow(expect.objectContaining({ code: 'closed' }));
    expect(engine.chainId).toBe(4n);
  });
});
