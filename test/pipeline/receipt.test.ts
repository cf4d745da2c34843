/** Receipts of transactions that were committed: what they say, and how they read. */

import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode, u64 } from '../../src/base/bcs.ts';
import { type DecodedStruct, Engine, type Receipt } from '../../src/index.ts';
import { addressOf } from '../../src/move/address.ts';
import { toTypeTag } from '../../src/move/type-tag.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import {
  type Action,
  namedObjectId,
  objectId,
  parseAddress,
  type StructTag,
} from '../../src/query/transaction-builder.ts';
import { expectRefusal } from '../refusal.ts';
import { assembleFor } from './contract.ts';
import { ALICE, BOB, callOf, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);

const MODULE = `module 0xa11ce::notes
  struct Note has key, store { text: 0x1::string::String, stars: u64 }
  struct Written has copy, drop { stars: u64, by: address }
  struct Bumped has copy, drop { by: address }
  public entry fun write(by: &signer, text: 0x1::string::String, stars: u64) {
    MoveLoc text; CopyLoc stars; Pack Note; Call 0x2::object::new_named_object<Note>; CopyLoc by
    Call 0x2::signer::address_of; Call 0x2::object::transfer<Note>
    MoveLoc stars; MoveLoc by; Call 0x2::signer::address_of; Pack Written; Call 0x2::event::emit<Written>; Ret
  }
  public entry fun bump(by: &signer, note: &mut 0x2::object::Object<Note>) {
    LdU64 4; MoveLoc note; Call 0x2::object::borrow_mut<Note>; MutBorrowField Note.stars; WriteRef
    MoveLoc by; Call 0x2::signer::address_of; Pack Bumped; Call 0x2::event::emit<Bumped>; Ret
  }
  public entry fun label(note: &mut 0x2::object::Object<Note>, name: u64, value: u64) {
    MoveLoc note; MoveLoc name; MoveLoc value; Call 0x2::object::add_field<Note, u64, u64>; Ret
  }
  public entry fun unlabel(note: &mut 0x2::object::Object<Note>, name: u64) {
    MoveLoc note; MoveLoc name; Call 0x2::object::remove_field<Note, u64, u64>; Pop; Ret
  }
  public entry fun burn(note: 0x2::object::Object<Note>) {
    MoveLoc note; Call 0x2::object::remove<Note>; Unpack Note; Pop; Pop; Ret
  }
  public entry fun fail() { LdU64 77; Abort }
  public entry fun divide() { LdU64 1; LdU64 0; Div; Pop; Ret }`;

let engine: Engine;

beforeAll(async () => {
  engine = await Engine.open();
  const { status } = await call(alice, publishAction([assembleFor(ALICE, MODULE)]));
  expect(status).toEqual({ kind: 'executed' });
});

afterAll(() => engine.close());

const call = (sender: Uint8Array, action: Action): Promise<Receipt> => engine.executeAs(sender, action);

const run = (name: string, ...given: readonly Uint8Array[]): Promise<Receipt> =>
  call(alice, callOf(`${ALICE.address}::notes::${name}`, [], ...given));

const note = (): Uint8Array => {
  const { struct } = toTypeTag(`${ALICE.address}::notes::Note`, 'type') as { struct: StructTag };
  return encode(objectId, namedObjectId(struct));
};

const bump = (): Promise<Receipt> => run('bump', note());

const number = (value: bigint): Uint8Array => encode(u64, value);

describe('a receipt', () => {
  it('says where the transaction stands and what it cost', async () => {
    const receipt = await call(alice, transfer(bob, 5n));
    expect(receipt.order).toBe(engine.head.order);
    expect(receipt.stateRoot).toEqual(engine.head.stateRoot);
    expect(engine.transactions.get(receipt.order)?.executionInfo.txHash).toEqual(receipt.hash);
    expect(receipt.status).toEqual({ kind: 'executed' });
    expect(receipt.gasUsed).toBeGreaterThan(0n);
    expect([receipt.failure, receipt.isUpgrade]).toEqual([undefined, false]);
  });

  it('has events and changes as JavaScript values', async () => {
    const text = Uint8Array.of(5, ...new TextEncoder().encode('hello'));
    const receipt = await run('write', text, Uint8Array.of(3, 0, 0, 0, 0, 0, 0, 0));
    const event = receipt.events.find(({ type }) => type.includes('::notes::'))!;
    expect(event.value).toMatchObject({ stars: 3n });
    expect(String((event.value as DecodedStruct)['by'])).toContain(ALICE.address.slice(2));
    const change = receipt.changes.find(({ type }) => type.endsWith('::Note'))!;
    expect(change).toMatchObject({ kind: 'created', isField: false, owner: ALICE.address });
    expect(change.value).toMatchObject({ text: 'hello', stars: 3n });
    // The one of a type, or what there is.
    expect(receipt.sender).toBe(ALICE.address);
    expect(receipt.created(change.type)).toBe(change.id);
    expect(receipt.created('notes::Note')).toBe(change.id);
    expect(receipt.event(event.type)).toEqual(event.value);
    expect(event.type.startsWith(`${receipt.sender}::notes::`)).toBe(true);
    expectRefusal(() => receipt.created('0x42::a::B'), 'not-found', change.type);
    expectRefusal(() => receipt.event('0x42::a::B'), 'not-found', event.type);
    expect(receipt.orThrow()).toBe(receipt);
    const failed = await call(alice, transfer(bob, 2n ** 200n));
    expectRefusal(() => failed.orThrow(), 'transaction-failed', failed.failure!.message);
    expectRefusal(() => failed.created(change.type), 'not-found', failed.failure!.message);
    const account = receipt.framework.changes.find(({ type }) => type === '0x2::account::Account')!;
    expect(account).toMatchObject({ kind: 'modified', value: { sequence_number: expect.any(BigInt) } });
    const stored = receipt.changes.filter(({ kind }) => kind !== 'removed');
    for (const { id, bytes } of stored) {
      if (bytes !== undefined) expect(engine.at(receipt.stateRoot).inside.state.object(id)?.value).toEqual(bytes);
    }
  });

  it('tells what the action did from what the framework did around it', async () => {
    const { order, events, changes, framework } = await bump();
    expect(events.map(({ type }) => type)).toEqual([`${ALICE.address}::notes::Bumped`]);
    expect(changes.map(({ kind, type }) => [kind, type])).toEqual([['modified', `${ALICE.address}::notes::Note`]]);
    // Together they are what the ledger has.
    const all = [...events, ...framework.events].sort((left, right) => left.index - right.index);
    expect(all.map(({ type }) => type)).toEqual(engine.events.ofTransaction(order).map(({ event }) => event.eventType));
    const changed = [...changes, ...framework.changes].map(({ id }) => id).sort();
    const { changes: written } = engine.at(order - 1n).diff(engine.at(order));
    expect(changed).toEqual(expect.arrayContaining(written.map(({ id }) => id)));
  });

  it('has nothing of an action that does nothing, whoever sends it', async () => {
    await using chain = await Engine.open({ gasGift: true });
    const nothing = { function: '0x3::empty::empty' };
    const [account] = chain.accounts;
    await chain.dev.mint('0x42', 10n ** 10n);
    const receipts = [
      await chain.executeAs(account!, nothing),
      await chain.execute(account!.signTransaction(nothing)),
      // An account that the framework makes, and one that it also gives coins to.
      await chain.executeAs('0x42', nothing),
      await chain.executeAs('0x43', nothing),
    ];
    for (const { status, events, changes, framework } of receipts) {
      expect([status.kind, events, changes]).toEqual(['executed', [], []]);
      expect([framework.events.length > 0, framework.changes.length > 0]).toEqual([true, true]);
    }
  });

  it('has the coins that the action moved, and not those that paid for the gas', async () => {
    const receipt = await call(alice, transfer(bob, 5n));
    expect(receipt.events.map(({ value }) => (value as DecodedStruct)['amount'])).toEqual([5n, 5n]);
    const sender = receipt.changes.find(({ owner }) => owner === ALICE.address);
    expect(sender?.type).toBe('0x3::coin_store::CoinStore<0x3::gas_coin::RGas>');
    const failed = await call(alice, transfer(bob, 2n ** 200n));
    expect([failed.events, failed.changes]).toEqual([[], []]);
    expect(failed.framework.changes.some(({ id }) => id === sender?.id)).toBe(true);
  });

  it('prints as a few lines, with names and short ids', async () => {
    const text = inspect(await bump());
    expect(text).toMatch(
      /^transaction \d+ executed: notes::bump by account 0, gas \d+\n {2}event notes::Bumped \{"by":"account 0"\}\n {2}modified notes::Note 0x[0-9a-f]{6}\.\.[0-9a-f]{4} \{"text":"hello","stars":"4"\}\n {2}around it: \d+ events, \d+ changes \(receipt\.framework\)$/,
    );
    const [title, ...what] = inspect(await run('fail')).split('\n');
    expect(title).toMatch(/^transaction \d+ failed: notes::fail by account 0, gas \d+$/);
    expect(what.slice(0, 2)).toEqual(['  aborted with code 77', '    in notes::fail, offset 1: Abort']);
  });

  it('says what accounts gained and lost, in coins and with the gas apart, and not what is left in one store', async () => {
    const receipt = await call(alice, transfer(bob, 25n * 10n ** 7n));
    const [title, ...lines] = String(receipt).split('\n');
    expect(title).toMatch(new RegExp(`, gas ${receipt.gasUsed}$`));
    const gas = `0.0${receipt.gasUsed}`.replace(/0+$/, '');
    expect(lines.filter((line) => line.includes('RGAS'))).toEqual([
      `  account 0: -2.5 RGAS, gas ${gas} RGAS`,
      '  account 1: +2.5 RGAS',
    ]);
    expect(lines.filter((line) => /^ {2}(created|modified) /.test(line))).toEqual([]);
  });

  it('keeps what it has in a copy', async () => {
    const receipt = await bump();
    const copy = { ...receipt };
    expect(copy.events).toEqual(receipt.events);
    expect({ ...copy.events[0]! }.value).toEqual({ by: ALICE.address });
    expect([copy.changes.length, copy.failure, copy.prints]).toEqual([1, undefined, []]);
  });

  it('stringifies with everything it says', async () => {
    const receipt = await call(alice, transfer(bob, 5n));
    const json = JSON.parse(JSON.stringify(receipt)) as Record<string, unknown>;
    expect(json).toMatchObject({ order: receipt.order.toString(), gasUsed: receipt.gasUsed.toString() });
    expect(json['hash']).toMatch(/^0x[0-9a-f]{64}$/);
    expect(json['events']).toHaveLength(receipt.events.length);
    const withdrawal = (json['events'] as { type: string; value: unknown }[])[0]!;
    expect(withdrawal.value).toMatchObject({ amount: expect.stringMatching(/^\d+$/) });
    expect((json['framework'] as { events: unknown[] }).events).toHaveLength(receipt.framework.events.length);
  });

  it('reads with fields by their names and values, and what is gone by its id', async () => {
    const changed = async (name: string, ...given: readonly Uint8Array[]): Promise<string[]> =>
      String(await run(name, note(), ...given))
        .split('\n')
        .map((line) => line.trim().replace(/0x[0-9a-f]{6}\.\.[0-9a-f]{4}/g, 'ID'))
        .filter((line) => /^(created|modified|removed) /.test(line));
    expect(await changed('label', number(7n), number(8n))).toEqual(['created field 7 of ID: 8']);
    expect(await changed('unlabel', number(7n))).toEqual(['removed field ID of ID']);
    expect(await changed('burn')).toEqual(['removed notes::Note ID']);
    const minted = await engine.dev.mint(ALICE.address, 1n);
    expect(String(minted)).not.toContain('around it');
    // What a control does is its own, the supply of gas coins too.
    expect(minted.changes.map(({ type }) => type)).toContain('0x3::coin::CoinInfo<0x3::gas_coin::RGas>');
    expect(minted.framework.changes).toEqual([]);
  });

  it('says whether it was an upgrade', async () => {
    const receipt = await call(alice, publishAction([assembleFor(ALICE, MODULE)]));
    expect(receipt.isUpgrade).toBe(true);
  });
});

describe('a failure', () => {
  it('of the contract’s own making has its code and its place', async () => {
    const { failure, status } = await run('fail');
    expect(status.kind).toBe('move-abort');
    expect(failure).toMatchObject({
      status: 'ABORTED',
      module: `${ALICE.address}::notes`,
      function: 'fail',
      codeOffset: 1,
      abortCode: 77n,
      abortName: undefined,
      message: `aborted with code 77 in ${ALICE.address}::notes::fail at offset 1`,
    });
  });

  it('of the framework is named', async () => {
    const { failure } = await call(alice, transfer(bob, 10n ** 30n));
    expect(failure?.message).toMatch(/^aborted with code \d+ \(Error\w+\) in 0x3::\w+::\w+ at offset \d+$/);
    expect(failure?.abortName).toMatch(/^Error/);
  });

  it('of arithmetic, of gas and before any code ran gives what it knows', async () => {
    expect((await run('divide')).failure?.message).toMatch(/^ARITHMETIC_ERROR in .*::notes::divide at offset 2/);
    const missing = encode(objectId, [addressOf(77)]);
    await expect(call(alice, callOf(`${ALICE.address}::notes::fail`, [], missing))).rejects.toThrow(
      /NUMBER_OF_ARGUMENTS_MISMATCH/,
    );
  });
});
