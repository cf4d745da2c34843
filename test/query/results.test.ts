/** What public methods return can be written as JSON and read in a terminal: no bytes as numbers, no lost bigints. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reveal } from '../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS, Engine, GAS_COIN_TYPE } from '../../src/index.ts';
import { ALICE, ALICE_HEX, GOLD, INSCRIPTION_ID, TXID, World } from '../server/rpc/world.ts';

let world: World;
let mined: Engine;
const results = new Map<string, unknown>();

beforeAll(async () => {
  world = await World.open();
  mined = await Engine.open({ reorganisationDepth: 1 });
  await using ingested = await Engine.open();
  const [to] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string];
  const first = await mined.dev.mine({ to });
  const coins = { txid: first.transactions[0]!.txid, vout: 0 };
  const content = { contentType: 'text/plain', body: 'hello' };
  const second = await mined.dev.mine({ to, transactions: [reveal(coins, content, [{ to, value: 10_000n }])] });
  const { engine } = world;
  const all = { limit: 1000 };
  for (const [name, result] of Object.entries({
    head: engine.head,
    status: engine.status(),
    'status with blocks': mined.status(),
    balance: engine.balances.get(ALICE, GAS_COIN_TYPE),
    balances: await engine.balances.list(ALICE),
    object: engine.objects.get('0x3'),
    states: engine.states.get('/object/0x3,0x2,0x99'),
    fields: engine.states.list('/resource/0x3'),
    'sorted fields': await engine.fields.list(['0x3']),
    objects: await engine.objects.list({ kind: 'owner', owner: ALICE }),
    transaction: engine.transactions.get(1n),
    transactions: await engine.transactions.list(undefined, all),
    'change sets': await engine.transactions.changeSets(all),
    events: await engine.events.list({ kind: 'order', from: 0n, to: 99n }, all),
    'events of a handle': engine.events.byHandle('0x3::coin_store::DepositEvent'),
    utxo: engine.bitcoin.utxo({ txid: TXID, vout: 1 }),
    utxos: await engine.bitcoin.utxos(),
    inscription: engine.bitcoin.inscription({ txid: TXID, index: 0 }),
    inscriptions: await engine.bitcoin.inscriptions(),
    block: mined.bitcoin.block(0),
    mined: second,
    ingested: await ingested.bitcoin.ingest(first.bytes, 0),
    view: engine.tryView({ function: '0x3::gas_coin::balance', arguments: [ALICE] }),
    'failed view': engine.tryView({ function: '0x3::gas_coin::balance' }),
    proof: engine.proofs.object('0x3'),
    decoded: engine.objects.get(INSCRIPTION_ID)!.decoded,
  })) {
    results.set(name, result);
  }
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await mined.close();
});

const jsonOf = (name: string): unknown => JSON.parse(JSON.stringify(results.get(name)));

/** Everything inside a JSON value. */
function* partsOf(value: unknown): Generator<unknown> {
  yield value;
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) yield* partsOf(part);
}

describe('a result', () => {
  it('is JSON, without bytes as objects of numbers', () => {
    for (const name of results.keys()) {
      for (const part of partsOf(jsonOf(name))) {
        const isBytes = typeof part === 'object' && part !== null && !Array.isArray(part) && Object.hasOwn(part, '0');
        expect(isBytes, `${name}: ${JSON.stringify(part)}`).toBe(false);
      }
    }
  });

  it('prints without bytes as numbers', () => {
    for (const [name, result] of results) {
      const text = inspect(result, { depth: 20 });
      expect(text, name).not.toMatch(/Uint8Array|Buffer|Symbol\(|typeArguments: \[ \{/);
    }
  });

  it('in a list is what a single look-up gives', () => {
    const { engine } = world;
    const withPosition = (one: object, position: unknown): object => ({ ...one, position });
    const [utxo] = (results.get('utxos') as { data: { position: unknown }[] }).data;
    expect({ ...utxo }).toEqual(withPosition(engine.bitcoin.utxo({ txid: TXID, vout: 1 })!, utxo!.position));
    const [made] = (results.get('inscriptions') as { data: { position: unknown }[] }).data;
    expect({ ...made }).toEqual(withPosition(engine.bitcoin.inscription({ txid: TXID, index: 0 })!, made!.position));
    const page = engine.events.byHandle('0x3::coin_store::DepositEvent', { limit: 1 });
    const found = results.get('events') as { data: { event: { eventType: object } }[] };
    const deposits = found.data.filter(({ event }) => String(event.eventType) === '0x3::coin_store::DepositEvent');
    expect(deposits.map((event) => JSON.stringify(event))).toContain(JSON.stringify(page.data[0]));
    for (const { object } of (results.get('objects') as { data: { object: { meta: { id: never } } }[] }).data) {
      expect(engine.objects.get(object.meta.id)).toEqual(object);
    }
    for (const one of (results.get('transactions') as { data: { hash: never }[] }).data) {
      expect(engine.transactions.get(one.hash)).toEqual(one);
    }
  });
});

describe('as JSON', () => {
  it('a balance has decimal strings', () => {
    const { info } = world.engine.balances.get(ALICE, GAS_COIN_TYPE);
    expect(jsonOf('balance')).toEqual({
      coinType: '0x3::gas_coin::RGas',
      info: { ...info, supply: info.supply.toString() },
      balance: '99999999999995',
    });
  });

  it('a status has decimal strings, hex roots and Bitcoin hashes as people write them', () => {
    const { head } = world.engine;
    expect(jsonOf('status')).toEqual({
      service: 'active',
      head: jsonOf('head'),
      bitcoin: {},
      code: 'translated',
      lostCommits: '0',
      history: { kept: 'all', oldestOrder: '0', oldestRoot: expect.stringMatching(/^0x[0-9a-f]{64}$/) as string },
    });
    expect(jsonOf('head')).toMatchObject({
      chainId: '4',
      order: '8',
      stateRoot: head.stateRoot,
      accumulator: { numLeaves: '9', root: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
    });
    expect(jsonOf('status with blocks')).toMatchObject({
      bitcoin: { pending: { blockHeight: '1', blockHash: (jsonOf('mined') as { hash: string }).hash } },
    });
  });

  it('transactions name senders, functions and types', () => {
    expect(jsonOf('transaction')).toMatchObject({
      order: '1',
      transaction: {
        data: {
          kind: 'l2-transaction',
          data: {
            sender: ALICE_HEX,
            action: {
              kind: 'function',
              function: '0x3::transfer::transfer_coin',
              typeArguments: ['0x3::gas_coin::RGas'],
            },
          },
        },
      },
      executionInfo: { gasUsed: '1234', status: { kind: 'executed' } },
    });
    const [newest] = (jsonOf('transactions') as { data: { order: string }[] }).data;
    expect(newest!.order).toBe('8');
  });

  it('outputs, inscriptions and events carry texts', () => {
    const txid = Buffer.from(TXID).reverse().toString('hex');
    expect(jsonOf('utxo')).toMatchObject({ txid, vout: 1, value: '5000000000', owner: ALICE_HEX });
    expect(jsonOf('inscription')).toMatchObject({ id: `${txid}i0`, location: { outpoint: `${txid}:1`, offset: '3' } });
    const { data } = jsonOf('events of a handle') as { data: { sender: string; event: { eventType: string } }[] };
    expect(data[0]).toMatchObject({
      sender: ALICE_HEX,
      event: { eventType: '0x3::coin_store::DepositEvent', eventSeq: expect.any(String) },
    });
    const coins = (jsonOf('balances') as { data: { coinType: string; balance: string }[] }).data;
    expect(coins.map(({ coinType, balance }) => [coinType, balance])).toEqual(
      expect.arrayContaining([
        ['0x3::gas_coin::RGas', '99999999999995'],
        [`0x42::gold::Gold`, '12'],
      ]),
    );
    expect(GOLD.name).toBe('Gold');
  });

  it('ingested transactions name their block', () => {
    const [block, coinbase] = jsonOf('ingested') as { record: { transaction: { data: object } }; events: object[] }[];
    const hash = String(mined.bitcoin.block(0)!.blockHash);
    expect(block!.record.transaction.data).toMatchObject({ kind: 'l1-block', blockHash: hash });
    expect(coinbase!.record.transaction.data).toMatchObject({ kind: 'l1-transaction', blockHash: hash });
    expect(inspect(results.get('ingested'), { depth: 9 })).toContain(`blockHash: '${hash}'`);
  });

  it('a view has its values decoded', () => {
    expect(jsonOf('view')).toMatchObject({
      status: { kind: 'executed' },
      values: [{ type: 'u256', decoded: '99999999999995', bytes: expect.stringMatching(/^0x[0-9a-f]{64}$/) }],
    });
  });
});

describe('in a terminal', () => {
  it('a status is readable', () => {
    const text = inspect(results.get('status with blocks'), { depth: 4 });
    expect(text).toMatch(/order: 3n|order: \d+n/);
    expect(text).toMatch(/stateRoot: '0x[0-9a-f]{64}'/);
    expect(text).toMatch(/blockHash: '[0-9a-f]{64}'/);
  });

  it('decoded values are those of the Move type', () => {
    expect(inspect(results.get('decoded'), { depth: 4 })).toMatch(/inscription_number: 2/);
  });
});
