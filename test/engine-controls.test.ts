/** Controls of the engine: coins, objects, fields and time set from outside, each a transaction that can be proven and replayed. */

import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { decode, encode, u64 } from '../src/base/bcs.ts';
import { CONTROL_VALIDATOR_ID } from '../src/base/config.ts';
import { HEAD_KEY } from '../src/chain/ledger/head.ts';
import { readTransaction } from '../src/chain/ledger/transactions.ts';
import { controlRecord, recordedControl } from '../src/chain/transaction/control.ts';
import { coinInfo, coinInfoId } from '../src/execution/framework/coin.ts';
import { DEV_ACCOUNTS, Engine, GAS_COIN_TYPE, type LogEntry, type Snapshot, verifyStateProof } from '../src/index.ts';
import { addressOf } from '../src/move/address.ts';
import { publishAction } from '../src/pipeline/publish.ts';
import { formatAddress, ledgerTransaction, parseStructTag } from '../src/query/transaction-builder.ts';
import { verifyStore } from '../src/query/verify/verify.ts';
import { columnKey, orderBytes } from '../src/store/column.ts';
import { loadDump, MemoryStore } from '../src/store/index.ts';
import { payment } from './payment.ts';
import { assembleFor } from './pipeline/contract.ts';
import { temporaryDirectories } from './store/temporary.ts';
import { hasReference, referenceNote } from './vm/corpus.ts';

const directories = temporaryDirectories();
const GAS = '0x3::gas_coin::RGas';
const ALICE = DEV_ACCOUNTS[0]!;
const [alice, bob] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
const NEWCOMER = formatAddress(addressOf(0xf00d));
const START = 1_000_000n;
const TEST_GENESIS = `${process.env['MOVELET_REFERENCE'] ?? ''}/crates/rooch-genesis/released/test`;

/** A coin whose description the module keeps in a treasury, and a box with a field of every kind that a test needs. */
const CONTRACT = `module 0xa11ce::box
  struct Gold has key, store { x: bool }
  struct Treasury has key, store { info: 0x2::object::Object<0x3::coin::CoinInfo<Gold>> }
  struct Box has key, store { count: u64, name: 0x1::string::String }
  struct Loose has copy, drop { x: bool }
  fun init() {
    let info: 0x2::object::Object<0x3::coin::CoinInfo<Gold>>
    LdConst vector<u8> 0x04476f6c64; Call 0x1::string::utf8
    LdConst vector<u8> 0x0147; Call 0x1::string::utf8
    Call 0x1::option::none<0x1::string::String>; LdU8 2
    Call 0x3::coin::register_extend<Gold>; Pack Treasury
    Call 0x2::object::new_named_object<Treasury>
    Call 0x2::object::to_shared<Treasury>; Ret
  }
  public fun count(box: &0x2::object::Object<Box>): u64 {
    MoveLoc box; Call 0x2::object::borrow<Box>; ImmBorrowField Box.count; ReadRef; Ret
  }
  public fun field(box: &0x2::object::Object<Box>, key: address): u64 {
    MoveLoc box; MoveLoc key; Call 0x2::object::borrow_field<Box, address, u64>; ReadRef; Ret
  }`;

const own = (name: string): string => `${alice}::box::${name}`;

async function withContract(engine: Engine): Promise<void> {
  const receipt = await engine.executeAs(alice, publishAction([assembleFor(ALICE, CONTRACT)]));
  expect(receipt.failure).toBeUndefined();
}

const supply = (engine: Engine): bigint => engine.balances.get(alice, GAS).info.supply;

describe('fund', () => {
  it('mints for any account, with the framework’s events, and the supply grows by as much', async () => {
    await using engine = await Engine.open();
    const before = supply(engine);
    for (const account of [bob, NEWCOMER]) {
      const had = engine.balances.get(account, GAS).balance;
      const receipt = await engine.dev.mint(account, 7n);
      expect([receipt.status, receipt.isUpgrade]).toEqual([{ kind: 'executed' }, false]);
      const events = receipt.events.map(({ type }) => type.split('::').at(-1));
      expect(events.filter((name) => name !== 'CreateEvent')).toEqual(['MintEvent', 'DepositEvent']);
      expect(engine.balances.get(account, GAS).balance).toBe(had + 7n);
    }
    expect(supply(engine)).toBe(before + 14n);
    // What was funded can be spent.
    const transfer = payment(alice, 5n);
    await engine.dev.mint(NEWCOMER, 10n ** 10n);
    expect((await engine.executeAs(NEWCOMER, transfer)).status).toEqual({ kind: 'executed' });
  });

  it('sets the balance of an account up, down and to zero, also where there was none', async () => {
    await using engine = await Engine.open();
    const transfer = payment(alice);
    for (const amount of [5n, 10n ** 20n, 7n, 7n, 0n]) {
      for (const account of [bob, NEWCOMER]) {
        expect((await engine.dev.setBalance(account, amount)).status).toEqual({ kind: 'executed' });
        expect(engine.balance(account)).toBe(amount);
      }
    }
    await engine.dev.setBalance(bob, 10n ** 12n);
    expect((await engine.executeAs(bob, transfer)).status).toEqual({ kind: 'executed' });
    await engine.dev.setBalance('0x99', 0n);
    expect(engine.balances.get('0x99', GAS).balance).toBe(0n);
    await expect(engine.dev.setBalance(bob, -1n)).rejects.toThrow('amount: expected a bigint from 0 to 2^256 - 1');
  });

  it('also mints a coin whose description is held by another object', async () => {
    await using engine = await Engine.open();
    await withContract(engine);
    await engine.dev.mint(bob, 5n, own('Gold'));
    const { balance, info } = engine.balances.get(bob, own('Gold'));
    expect([balance, info.supply]).toEqual([5n, 5n]);
    expect(engine.view({ function: '0x3::coin::supply_by_type', typeArguments: [own('Gold')] })[0]).toBe(5n);
    // The treasury still has it: nobody owns it, and it is neither shared nor frozen.
    const { meta } = engine.objects.get(coinInfoId(parseStructTag(own('Gold'))))!;
    expect([String(meta.owner), meta.flag]).toEqual([formatAddress(addressOf(0)), 0]);
  });

  it.each([
    [() => [bob, '0x3::coin::Coin', 1n], 'invalid-argument', /is no coin of this chain/],
    [() => [bob, GAS, 0n], 'invalid-argument', /amount: expected a bigint from 1/],
    [() => [bob, GAS, 2n ** 256n - 1n], 'transaction-rejected', /0x3::coin::mint_extend/],
    [() => ['nobody', GAS, 1n], 'invalid-argument', /account: expected an address/],
  ] as const)('refuses %#, and nothing is written', async (given, code, message) => {
    await using engine = await Engine.open();
    const [account, coin, amount] = given() as [string, string, bigint];
    await expect(engine.dev.mint(account, amount, coin)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    });
    expect(engine.head.order).toBe(0n);
  });
});

describe('setObject', () => {
  it('makes an object, writes its value by its type, and gives it away; Move code sees it', async () => {
    await using engine = await Engine.open();
    await withContract(engine);
    const id = `0x${'b0'.repeat(32)}`;
    await engine.dev.setObject(id, { type: own('Box'), value: { count: 7n, name: 'seven' }, owner: bob });
    const object = engine.objects.get(id)!;
    expect(object.decoded).toMatchObject({ count: 7n, name: 'seven' });
    expect([String(object.meta.owner), object.meta.flag]).toEqual([bob, 0]);
    expect(engine.view({ function: own('count'), arguments: [id] })[0]).toBe(7n);
    const found = await engine.objects.list({ kind: 'type-and-owner', type: own('Box'), owner: bob });
    expect(found.data.map(({ object: { meta } }) => meta.id)).toEqual([id]);
    await engine.dev.setObject(id, { owner: alice });
    expect((await engine.objects.list({ kind: 'type-and-owner', type: own('Box'), owner: bob })).data).toEqual([]);
    expect((await engine.objects.list({ kind: 'type-and-owner', type: own('Box'), owner: alice })).data).toHaveLength(
      1,
    );
    await engine.dev.setObject(id, { value: { count: 8n, name: '' } });
    expect(engine.view({ function: own('count'), arguments: [id] })[0]).toBe(8n);
    // A shared one has no owner.
    await engine.dev.setObject(id, { flag: 1 });
    expect(String(engine.objects.get(id)?.meta.owner)).toBe(formatAddress(addressOf(0)));
    await engine.dev.setObject(id, { flag: 0, owner: bob });
    const proof = engine.proofs.object(id);
    expect(verifyStateProof(proof, engine.head.stateRoot)).toMatchObject({ object: { meta: { flag: 0 } } });
  });

  it.each([
    [{ type: '0x3::coin::Nothing', value: { bcs: new Uint8Array(1) } }, /there is no type 0x3::coin::Nothing/],
    [{ type: 'BOX', value: { count: 1n } }, /value\.name/],
    [{ type: 'BOX', value: { bcs: Uint8Array.of(1, 2) } }, /expected the BCS of a .*Box, got 2 bytes/],
    [{ type: 'LOOSE', value: { x: true } }, /expected a type with key, got .*Loose with copy and drop/],
    [{ type: 'BOX' }, /a new object needs a type and a value/],
    [{ value: { count: 1n } }, /does not exist; a new object needs a type/],
    [{}, /expected an owner, a flag, a type or a value/],
    [{ type: 'BOX', value: { count: 1n, name: '' }, flag: 4 }, /flag: expected 0, 1 \(shared\)/],
    [{ type: 'BOX', value: { count: 1n, name: '' }, flag: 1, owner: bob }, /a shared or frozen object has none/],
  ] as const)('refuses %#, naming what cannot be written', async (given, message) => {
    await using engine = await Engine.open();
    await withContract(engine);
    const { type, ...rest } = given as { type?: string };
    const named = type?.replace(/^BOX$/, own('Box')).replace(/^LOOSE$/, own('Loose'));
    const edit = { ...rest, ...(named !== undefined && { type: named }) };
    const { order } = engine.head;
    await expect(engine.dev.setObject(`0x${'b1'.repeat(32)}`, edit)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(message),
    });
    expect(engine.head.order).toBe(order);
  });

  it('refuses code, the clock, the root object and what has no parent', async () => {
    await using engine = await Engine.open();
    const value = { bcs: encode(u64, 5n) };
    await expect(engine.dev.setObject('0x2::timestamp::Timestamp', { value })).rejects.toThrow(/set the time instead/);
    await expect(engine.dev.setObject('0x2::module_store::ModuleStore', { flag: 0 })).rejects.toThrow(
      /publish modules/,
    );
    await expect(engine.dev.setObject('0x', { flag: 0 })).rejects.toThrow(/root object/);
    const orphan = `0x${'b1'.repeat(32)}${'b2'.repeat(32)}`;
    await expect(engine.dev.setObject(orphan, { type: '0x2::timestamp::Timestamp', value })).rejects.toThrow(
      /object id: 0x(b1){32} above it does not exist/,
    );
  });

  it('counts a new object where it stands, and nowhere above', async () => {
    await using engine = await Engine.open();
    await withContract(engine);
    const ids = ['b1', 'b2', 'b3'].map(
      (_, at, bytes) =>
        `0x${bytes
          .slice(0, at + 1)
          .map((byte) => byte.repeat(32))
          .join('')}`,
    );
    const sizes = (): unknown[] => [engine.head.size, ...ids.map((id) => engine.objects.get(id)?.meta.size)];
    const { size } = engine.head;
    const box = { type: own('Box'), value: { count: 0n, name: '' } };
    const found: unknown[] = [];
    for (const id of ids) {
      await engine.dev.setObject(id, box);
      found.push(sizes());
    }
    await engine.dev.setObject(ids[2]!, { value: { count: 1n, name: '' } });
    expect([...found, sizes()]).toEqual([
      [size + 1n, 0n, undefined, undefined],
      [size + 1n, 1n, 0n, undefined],
      [size + 1n, 1n, 1n, 0n],
      [size + 1n, 1n, 1n, 0n],
    ]);
  });
});

describe('setField', () => {
  const id = `0x${'b0'.repeat(32)}`;

  it('adds a field and writes it, as Move code would', async () => {
    await using engine = await Engine.open();
    await withContract(engine);
    await engine.dev.setObject(id, { type: own('Box'), value: { count: 0n, name: '' }, owner: bob });
    const field = { keyType: 'address', key: bob, valueType: 'u64', value: 7n };
    await engine.dev.setField(id, field);
    const read = (): unknown => {
      const { status, values } = engine.tryView({ function: own('field'), arguments: [id, bob] });
      expect(status).toEqual({ kind: 'executed' });
      return values[0]?.decoded;
    };
    expect([read(), engine.objects.get(id)?.meta.size]).toEqual([7n, 1n]);
    await engine.dev.setField(id, { ...field, value: 8n });
    expect([read(), engine.objects.get(id)?.meta.size]).toEqual([8n, 1n]);
    const [listed] = engine.states.list(`/fields/${id}`).data;
    expect(listed!.object.meta.objectType).toBe('0x2::object::DynamicField<address, u64>');
  });

  it.each([
    [{ valueType: 'u128' }, /value type: the field is 0x2::object::DynamicField<address, u64>/],
    [{ key: 7 }, /key \(address\)/],
    [{ keyType: 'BOX', key: { count: 1n, name: '' } }, /key type: expected a type with copy and drop and store/],
    [{ valueType: 'LOOSE', value: { x: true } }, /value type: expected a type with store/],
    [{ keyType: 'nothing' }, /keyType: expected a Move type/],
  ] as const)('refuses %#', async (part, message) => {
    await using engine = await Engine.open();
    await withContract(engine);
    await engine.dev.setObject(id, { type: own('Box'), value: { count: 0n, name: '' } });
    const field = { keyType: 'address', key: bob, valueType: 'u64', value: 7n };
    await engine.dev.setField(id, field);
    const types = { BOX: own('Box'), LOOSE: own('Loose') } as Record<string, string>;
    const edit = { ...field, ...part };
    const named = {
      ...edit,
      keyType: types[edit.keyType] ?? edit.keyType,
      valueType: types[edit.valueType] ?? edit.valueType,
    };
    await expect(engine.dev.setField(id, named)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(message),
    });
  });

  it('needs an object to put it in', async () => {
    await using engine = await Engine.open();
    const field = { keyType: 'u8', key: 1, valueType: 'u8', value: 1 };
    await expect(engine.dev.setField(id, field)).rejects.toThrow(/does not exist/);
    await withContract(engine);
    await engine.dev.setObject(id, { type: own('Box'), value: { count: 0n, name: '' } });
    await engine.dev.setField(id, field);
    const [listed] = engine.states.list(`/fields/${id}`).data;
    await expect(engine.dev.setField(listed!.object.meta.id, field)).rejects.toThrow(/is a field, which has none/);
  });
});

describe.skipIf(!hasReference)(`on the test network’s genesis, by its own Move code${referenceNote}`, () => {
  it('coins are minted for an address never seen before, and pay for a transaction; time moves on', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, genesis: readFileSync(TEST_GENESIS) });
    const { info } = engine.balances.get(bob, GAS);
    await engine.dev.mint(bob, 7_000_000_000n);
    expect(engine.balances.get(bob, GAS)).toMatchObject({
      balance: 7_000_000_000n,
      info: { supply: info.supply + 7_000_000_000n },
    });
    const time = await engine.dev.time.advance(START);
    const transfer = payment(alice, 5n);
    expect((await engine.executeAs(bob, transfer)).status).toEqual({ kind: 'executed' });
    expect(engine.view({ function: '0x2::timestamp::now_milliseconds' })[0]).toBe(time);
    expect((await verifyStore(store)).problems).toEqual([]);
  });
});

describe('time', () => {
  const seen = (engine: Engine): unknown => engine.view({ function: '0x2::timestamp::now_milliseconds' })[0];
  const idle = payment(bob);

  it('is set and advanced, Move code sees it, and transactions go on from there', async () => {
    await using engine = await Engine.open();
    const now = engine.dev.time.now();
    const set = now + START;
    expect(await engine.dev.time.set(set)).toBe(set);
    expect(await engine.dev.time.set(new Date(Number(set)))).toBe(set);
    await expect(engine.dev.time.set(new Date('no date'))).rejects.toThrow(/milliseconds: expected an integer/);
    expect([engine.dev.time.now(), seen(engine), engine.head.timestamp]).toEqual([set, set, set]);
    expect(await engine.dev.time.advance(5)).toBe(set + 5n);
    const { order } = await engine.executeAs(alice, idle);
    expect(engine.transactions.get(order)?.transaction.sequenceInfo.txTimestamp).toBe(set + 5n);
    expect(seen(engine)).toBe(set + 5n);
  });

  it('runs on from what was set if the engine has a clock', async () => {
    let clock = 5_000_000_000_000n;
    await using engine = await Engine.open({ clock: () => clock });
    expect(engine.dev.time.now()).toBe(clock);
    await engine.dev.time.advance(1_000n);
    clock += 7n;
    const { order } = await engine.executeAs(alice, idle);
    expect(engine.transactions.get(order)?.transaction.sequenceInfo.txTimestamp).toBe(5_000_000_001_007n);
    await using fork = engine.fork();
    await engine.dev.time.advance(1n);
    expect([fork.dev.time.now(), engine.dev.time.now()]).toEqual([5_000_000_001_007n, 5_000_000_001_008n]);
    // Two that wait together are both counted.
    await Promise.all([engine.dev.time.advance(10n), engine.dev.time.advance(10n)]);
    expect(engine.dev.time.now()).toBe(5_000_000_001_028n);
  });

  it('is advanced by less than the clock takes between two readings', async () => {
    let now = 1_800_000_000_000n;
    // A process that is busy: the clock goes on whenever it is read.
    const clock = (): bigint => {
      now += 7n;
      return now;
    };
    await using engine = await Engine.open({ clock });
    for (const by of [0n, 1n, 0n, 7n]) {
      const time = await engine.dev.time.advance(by);
      expect(time).toBe(now + engine.inside.core.clock!.offset);
      expect(engine.head.timestamp).toBe(time);
    }
  });

  it('goes on from where it was when the chain is reopened, loaded from a dump, forked or reverted', async () => {
    const directory = directories();
    let clock = 5_000_000_000_000n;
    const options = { clock: () => clock };
    const first = await Engine.open({ ...options, store: directory });
    await first.dev.time.advance(1_000_000n);
    clock += 5n;
    await first.dev.time.advance(2_000n);
    await using other = first.fork({ clock: () => clock });
    expect(other.dev.time.now()).toBe(first.head.timestamp);
    await first.close();
    // What passed while it was closed has passed on the chain.
    clock += 70n;
    const now = 5_000_001_002_075n;
    const again = await Engine.open({ ...options, store: directory });
    expect(again.dev.time.now()).toBe(now);
    const { order } = await again.executeAs(alice, idle);
    expect(again.transactions.get(order)?.transaction.sequenceInfo.txTimestamp).toBe(now);
    const copy = new MemoryStore();
    await loadDump(copy, again.dump(), { headKey: HEAD_KEY });
    await again.close();
    expect((await verifyStore(copy)).problems).toEqual([]);

    await using loaded = await Engine.open({ ...options, store: copy });
    const snapshot = loaded.snapshot();
    await using fork = loaded.fork();
    await loaded.dev.time.advance(10n);
    clock += 1n;
    expect([loaded.dev.time.now(), fork.dev.time.now()]).toEqual([now + 11n, now + 1n]);
    await loaded.revert(snapshot);
    expect(loaded.dev.time.now()).toBe(now + 1n);
    await fork.dev.time.advance(10n);
    expect(fork.dev.time.now()).toBe(now + 11n);
  });

  it('goes on from a snapshot and in a fork that a listener took of a time that was set', async () => {
    let clock = 5_000_000_000_000n;
    await using engine = await Engine.open({ clock: () => clock });
    const taken: { snapshot: Snapshot; fork: Engine }[] = [];
    const stop = engine.on('head', () => taken.push({ snapshot: engine.snapshot(), fork: engine.fork() }));
    await engine.dev.time.advance(1_000n);
    stop();
    const [{ snapshot, fork } = expect.fail()] = taken;
    clock += 5n;
    await engine.revert(snapshot);
    expect([engine.dev.time.now(), fork.dev.time.now()]).toEqual([5_000_000_001_005n, 5_000_000_001_005n]);
    await fork.close();
  });

  it('is refused from a clock that gives no milliseconds, and the chain goes on once it does again', async () => {
    let given: unknown = 5_000_000_000_000n;
    await using engine = await Engine.open({ clock: () => given as bigint });
    // A number, and nanoseconds: a time that was once taken could never be set again.
    for (given of [5_000_000_000_001, 5_000_000_000_000_000_000n, -1n, undefined]) {
      const refused = {
        code: 'invalid-argument',
        message: `clock: expected milliseconds as a bigint from 0 to 253402300799999 (CHAIN_TIME_MS_MAX), got ${inspect(given)}`,
      };
      await expect(engine.executeAs(alice, idle)).rejects.toMatchObject(refused);
      await expect(engine.dev.time.advance(1n)).rejects.toMatchObject(refused);
      expect(() => engine.dev.time.now()).toThrow(expect.objectContaining(refused));
    }
    given = 5_000_000_000_002n;
    await engine.executeAs(alice, idle);
    expect([engine.head.order, engine.dev.time.now()]).toEqual([1n, given]);
  });

  it('goes on from its own time when it is reopened with a clock that is behind', async () => {
    const directory = directories();
    const without = await Engine.open({ store: directory });
    const set = await without.dev.time.set(5_000_000_000_000n);
    await without.close();
    let now = 4_000_000_000_000n;
    const log: LogEntry[] = [];
    await using behind = await Engine.open({ store: directory, clock: () => now, log: (entry) => log.push(entry) });
    expect(log.map(({ message }) => message)).toEqual([
      "the chain's time is ahead of the clock, and goes on from 2128-06-11T08:53:20.000Z",
    ]);
    expect(behind.dev.time.now()).toBe(set);
    now += 30n;
    expect((await behind.executeAs(alice, idle)).status).toEqual({ kind: 'executed' });
    expect([behind.head.timestamp, seen(behind)]).toEqual([set + 30n, set + 30n]);
    await using fork = behind.fork();
    const snapshot = fork.snapshot();
    await fork.dev.time.advance(1_000n);
    now += 5n;
    expect([behind.dev.time.now(), fork.dev.time.now()]).toEqual([set + 35n, set + 1_035n]);
    await fork.revert(snapshot);
    expect(fork.dev.time.now()).toBe(set + 35n);
  });

  it('is that of this machine, or stands still, as the word for the clock says', async () => {
    const before = BigInt(Date.now());
    await using running = await Engine.open({ clock: 'system' });
    await running.executeAs(alice, idle);
    const after = BigInt(Date.now());
    expect(seen(running)).toBe(running.head.timestamp);
    expect(running.head.timestamp >= before && running.head.timestamp <= after).toBe(true);
    await using still = running.fork({ clock: 'fixed' });
    const { timestamp } = still.head;
    await using genesis = await Engine.open({ clock: 'fixed' });
    await using runs = genesis.fork({ clock: 'system' });
    while (BigInt(Date.now()) <= after) await new Promise((resolve) => setTimeout(resolve, 1));
    expect([still.dev.time.now(), genesis.dev.time.now()]).toEqual([timestamp, seen(genesis)]);
    expect(runs.dev.time.now() > after).toBe(true);
    expect(running.dev.time.now() > after).toBe(true);
  });

  it('is the time of the blocks that are mined, if the engine has a clock', async () => {
    let clock = 1_800_000_000_500n;
    await using engine = await Engine.open({ clock: () => clock });
    const to = ALICE.regtestAddress;
    const mined = async (): Promise<number> => (await engine.dev.mine({ to })).header.time;
    // Bitcoin Core: the present second, but after the median of the eleven blocks before.
    const times: number[] = [];
    for (let block = 0; block < 7; block++) times.push((await mined()) - 1_800_000_000);
    expect(times).toEqual([0, 1, 2, 2, 3, 3, 3]);
    clock += 61_000n;
    times.length = 0;
    for (let block = 0; block < 9; block++) times.push((await mined()) - 1_800_000_000);
    expect(times).toEqual([61, 61, 61, 61, 61, 61, 62, 62, 62]);
    expect((await engine.dev.mine({ to, time: 1_900_000_000 })).header.time).toBe(1_900_000_000);
    expect(seen(engine)).toBe(1_900_000_000_000n);
  });

  it('refuses a snapshot of another engine, and one of its own fork, by the name of the argument', async () => {
    await using engine = await Engine.open();
    await using other = await Engine.open();
    await using fork = engine.fork();
    for (const stranger of [other, fork]) {
      await expect(engine.revert(stranger.snapshot())).rejects.toMatchObject({
        code: 'invalid-argument',
        message: expect.stringMatching(/^snapshot: expected a snapshot of this engine, got one of another/),
      });
    }
    await engine.dev.mint('0x42', 1n);
    expect(engine.head.order).toBe(1n);
  });

  it('never goes back, except to a snapshot', async () => {
    let clock = 5_000_000_000_000n;
    await using engine = await Engine.open({ clock: () => clock });
    await engine.executeAs(alice, idle);
    const snapshot = engine.snapshot();
    await engine.dev.time.advance(1_000n);
    await expect(engine.dev.time.set(clock)).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/expected 5000000001000 or later, got 5000000000000/),
    });
    await expect(engine.dev.time.set(-1n)).rejects.toThrow(/milliseconds: expected an integer/);
    await expect(engine.dev.time.advance(253_402_300_799_999n)).rejects.toThrow(/CHAIN_TIME_MS_MAX/);
    await engine.revert(snapshot);
    clock += 1n;
    expect(engine.dev.time.now()).toBe(clock);
  });
});

describe('reset', () => {
  it('goes back to the genesis of a new chain, and a fork to where it began', async () => {
    await using engine = await Engine.open();
    const { stateRoot } = engine.head;
    await engine.dev.mint(bob, 1n);
    await using fork = engine.fork();
    await fork.dev.mint(bob, 1n);
    await engine.reset();
    expect(engine.head).toMatchObject({ order: 0n, stateRoot });
    await fork.reset();
    expect(fork.head.order).toBe(1n);
    await engine.dev.mint(bob, 1n);
    await engine.reset();
    expect(engine.head.order).toBe(0n);
  });
});

/** One control of each kind. */
async function doAll(engine: Engine): Promise<void> {
  await engine.dev.mint(bob, 7n);
  await engine.dev.time.advance(START);
  await engine.dev.setObject(coinInfoId(GAS_COIN_TYPE), { flag: 1 });
  const fee = '0x3::transaction_fee::TransactionFeePool';
  await engine.dev.setField(fee, { keyType: 'u8', key: 1, valueType: 'u8', value: 2 });
}

describe('the record of a control', () => {
  it('reads like any transaction, holds what was done and what it changed, and is verified', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    const told: bigint[] = [];
    engine.on('transaction', ({ order }) => told.push(order));
    await doAll(engine);
    expect(told).toEqual([1n, 2n, 3n, 4n]);
    const names = ['fund', 'set_time', 'set_object', 'set_field'];
    for (const [index, name] of names.entries()) {
      const record = engine.transactions.get(BigInt(index + 1))!;
      const { data } = engine.inside.transactions.get(BigInt(index + 1))!.transaction;
      expect(data).toMatchObject({
        kind: 'l2-transaction',
        data: { sequenceNumber: record.order, maxGasAmount: 0n, action: { kind: 'function' } },
        authenticator: { validatorId: CONTROL_VALIDATOR_ID, payload: new Uint8Array(0) },
      });
      expect(record.transaction.data).toMatchObject({ data: { action: { function: `0x0::control::${name}` } } });
      expect(record.executionInfo).toMatchObject({ gasUsed: 0n, status: { kind: 'executed' } });
      expect(engine.transactions.get(record.hash)?.order).toBe(record.order);
      expect(recordedControl(data)?.control.kind).toBe(name.replace('_', '-'));
    }
    expect(decode(coinInfo, engine.objects.get(coinInfoId(GAS_COIN_TYPE))!.value).supply).toBe(supply(engine));
    const bySystem = await engine.transactions.list({ kind: 'sender', sender: addressOf(0) });
    expect(bySystem.data.filter(({ order }) => order > 0n)).toHaveLength(4);
    expect((await verifyStore(store)).problems).toEqual([]);
  });

  it('has the same root in memory, on disk, in a fork and after a snapshot, and is there after reopening', async () => {
    const directory = directories();
    await using engine = await Engine.open();
    await using fork = engine.fork();
    const snapshot = engine.snapshot();
    await doAll(engine);
    const { stateRoot, order, accumulator } = engine.head;
    await engine.revert(snapshot);
    await doAll(engine);
    await doAll(fork);
    const stored = await Engine.open({ store: directory });
    await doAll(stored);
    for (const { head } of [engine, fork, stored]) expect(head).toMatchObject({ stateRoot, order, accumulator });
    const now = stored.dev.time.now();
    await stored.close();
    await using reopened = await Engine.open({ store: directory });
    expect([reopened.dev.time.now(), reopened.head.stateRoot]).toEqual([now, stateRoot]);
    expect(recordedControl(reopened.inside.transactions.get(1n)!.transaction.data)?.control.kind).toBe('fund');
    const copy = new MemoryStore();
    await loadDump(copy, reopened.dump(), { headKey: HEAD_KEY });
    expect((await verifyStore(copy)).problems).toEqual([]);
  });

  it('of a moved clock must follow from a time that was set', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store, clock: () => 5_000_000_000_000n });
    const problems = async (offset: bigint): Promise<readonly string[]> => {
      await store.batch([{ type: 'put', key: columnKey('clockOffset'), value: orderBytes(offset) }]);
      return (await verifyStore(store)).problems;
    };
    expect(await problems(1n)).toEqual(['the clockOffset row 26 follows from no time that was set']);
    const set = await engine.dev.time.advance(1_000n);
    expect(store.get(columnKey('clockOffset'))).toEqual(orderBytes(1_000n));
    expect(await problems(1_000n)).toEqual([]);
    expect(await problems(set + 1n)).toEqual(['the clockOffset row 26 follows from no time that was set']);
  });

  it('is reported by movelet verify if it was tampered with', async () => {
    const store = new MemoryStore();
    await using engine = await Engine.open({ store });
    await doAll(engine);
    const key = columnKey('transaction', orderBytes(2n));
    const { transaction } = readTransaction(store, 2n)!;
    const recorded = recordedControl(transaction.data)!;
    const other = { ...recorded.changeSet, changes: [] };
    const data = controlRecord({ control: recorded.control, changeSet: other }, 2n, engine.chainId);
    const value = encode(ledgerTransaction, { ...transaction, data });
    await store.batch([{ type: 'put', key, value }]);
    const { problems } = await verifyStore(store);
    expect(problems).toContain('the record of the control at order 2 leads to another state than its execution info');
  });
});
