import { beforeAll, describe, expect, it } from 'vitest';
import { bytes, encode, option, string, struct, u8, u64, vector } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { freshAddress } from '../../../src/chain/object/object-id.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import { loadScript } from '../../../src/execution/runtime/action-check.ts';
import { keptStatusOf } from '../../../src/execution/runtime/kept-status.ts';
import type { SessionModules } from '../../../src/execution/runtime/module-source.ts';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { runSession } from '../../../src/execution/runtime/session.ts';
import { address, addressOf, parseAddressHex, SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import { displayStruct, parseStructTag, structTag } from '../../../src/move/type-tag.ts';
import { accountObjectId, deriveFieldKey, namedObjectId, objectId } from '../../../src/query/transaction-builder.ts';
import type { CodeLocation, Failure } from '../../../src/vm/failure.ts';
import { StatusCode } from '../../../src/vm/status.ts';
import { assembleScriptBytes } from '../../vm/assemble.ts';
import { callAll, contextOf, SENDER, SessionWorld, TX_HASH } from './session-world.ts';

const ACCOUNT = parseAddressHex(DEV_ACCOUNTS[0]!.address);
const num = (value: bigint): Uint8Array => encode(u64, value);
const text = (value: string): Uint8Array => encode(string, value);

/** Changes in short: `new 0x..:Type` with indented fields. */
function shape(changes: FieldChanges, indent = ''): string[] {
  return changes.flatMap(([, { meta, value, fields }]) => [
    `${indent}${value?.kind ?? 'meta'} ${displayStruct(meta.objectType)} of ${toHex(meta.owner).replace(/^0+(?=.)/, '')}, ${meta.size} fields`,
    ...shape([...fields], `${indent}  `),
  ]);
}

const SHELF = `module 0x42::shelf
  struct Shelf has key { table: 0x2::table::Table<u64, u64> }
  public fun make(): u64 {
    let table: 0x2::table::Table<u64, u64>
    Call 0x2::table::new<u64, u64>; StLoc table
    MutBorrowLoc table; LdU64 1; LdU64 10; Call 0x2::table::add<u64, u64>
    MutBorrowLoc table; LdU64 2; LdU64 20; Call 0x2::table::add<u64, u64>
    ImmBorrowLoc table; Call 0x2::table::length<u64, u64>
    MoveLoc table; Pack Shelf; Call 0x2::object::new_named_object<Shelf>
    LdConst address 0x000000000000000000000000000000000000000000000000000000000000005e
    Call 0x2::object::transfer_extend<Shelf>
    Ret
  }
  fun shelf(): &mut Shelf {
    Call 0x2::object::named_object_id<Shelf>; Call 0x2::object::borrow_mut_object_extend<Shelf>
    Call 0x2::object::borrow_mut<Shelf>; Ret
  }
  public fun get(key: u64): u64 {
    Call shelf; ImmBorrowField Shelf.table; MoveLoc key; Call 0x2::table::borrow<u64, u64>; ReadRef; Ret
  }
  public fun set(key: u64, value: u64) {
    MoveLoc value; Call shelf; MutBorrowField Shelf.table; MoveLoc key; Call 0x2::table::borrow_mut<u64, u64>; WriteRef
    Ret
  }
  public fun put(key: u64, value: u64) {
    Call shelf; MutBorrowField Shelf.table; MoveLoc key; MoveLoc value; Call 0x2::table::add<u64, u64>; Ret
  }
  public fun take(key: u64): u64 {
    Call shelf; MutBorrowField Shelf.table; MoveLoc key; Call 0x2::table::remove<u64, u64>; Ret
  }
  public fun put_and_fail(key: u64) { MoveLoc key; LdU64 0; Call put; LdU64 77; Abort }
  public fun give(to: address) {
    Call 0x2::object::named_object_id<Shelf>; Call 0x2::object::take_object_extend<Shelf>
    MoveLoc to; Call 0x2::object::transfer_extend<Shelf>; Ret
  }
  public fun drop_it(): u64 {
    let table: 0x2::table::Table<u64, u64>; let left: u64
    Call 0x2::object::named_object_id<Shelf>; Call 0x2::object::take_object_extend<Shelf>
    Call 0x2::object::remove<Shelf>; Unpack Shelf; StLoc table
    ImmBorrowLoc table; Call 0x2::table::length<u64, u64>; StLoc left
    MoveLoc table; Call 0x2::table::drop<u64, u64>; MoveLoc left; Ret
  }
  public fun handle(): 0x2::object::ObjectID {
    Call shelf; ImmBorrowField Shelf.table; Call 0x2::table::handle<u64, u64>; Ret
  }
  entry fun enter() { Ret }`;
const SHELF_ID = namedObjectId(parseStructTag('0x42::shelf::Shelf'));
const TABLE_ID = [freshAddress(TX_HASH, 0n)];

describe('a session', () => {
  let world: SessionWorld;
  beforeAll(async () => {
    world = await SessionWorld.open(SHELF);
  });

  it('reads what the chain has', () => {
    const { results, output } = world.run([
      ['0x2::account::sequence_number', ACCOUNT],
      ['0x2::account::sequence_number', addressOf(0x999)],
      ['0x3::gas_coin::balance', ACCOUNT],
      ['0x3::coin::symbol_by_type<0x3::gas_coin::RGas>'],
      ['0x3::coin::supply_by_type<0x3::gas_coin::RGas>'],
      ['0x3::chain_id::chain_id'],
      ['0x2::timestamp::now_milliseconds'],
    ]);
    expect(results).toEqual([
      '0',
      '0',
      '100000000000000',
      `{[${[...'RGAS'].map((letter) => letter.charCodeAt(0)).join(', ')}]}`,
      '1000000000000000',
      '4',
      '1700000000000',
    ]);
    expect(output.changeSet.changes).toEqual([]);
    expect(output.changeSet.globalSize).toBe(world.state.size);
  });

  it('knows its transaction', () => {
    const { results } = world.run([
      ['0x2::tx_context::sender'],
      ['0x2::tx_context::sequence_number'],
      ['0x2::tx_context::tx_hash'],
    ]);
    expect(results).toEqual(['0x5e', '3', `[${[...TX_HASH].join(', ')}]`]);
  });

  it('continues the count of fresh ids in its context', () => {
    const { results, output } = world.run([['0x2::tx_context::fresh_address'], ['0x2::tx_context::fresh_address']]);
    expect(results).toEqual([0n, 1n].map((count) => `0x${toHex(freshAddress(TX_HASH, count)).replace(/^0+/, '')}`));
    expect(output.context.idsCreated).toBe(2n);
  });

  it('keeps what Move code adds to the context, and gives it what it was given', () => {
    const flag = structTag(addressOf(2), 'tx_context', 'ModuleUpgradeFlag');
    const { output } = world.inSession((session) => {
      session.txContext.add(parseStructTag('0x2::tx_meta::TxMeta'), bytes, Uint8Array.of());
      callAll(session, [['0x2::tx_context::set_module_upgrade_flag', Uint8Array.of(1)]]);
      expect(session.txContext.get(flag, u8)).toBe(1);
      expect(session.txContext.get(parseStructTag('0x2::tx_result::TxResult'), u8)).toBeUndefined();
      expect(() => session.txContext.add(flag, u8, 0)).toThrow('already');
      return [];
    });
    expect(output.context.entries.map(({ key }) => key.replace(/0x0+/, '0x'))).toEqual([
      '0x2::tx_meta::TxMeta',
      '0x2::tx_context::ModuleUpgradeFlag',
    ]);
  });

  it('makes an object that holds a table, and tells its changes', () => {
    const { results, output } = world.run([['0x42::shelf::make']]);
    expect(results).toEqual(['2']);
    const made = [
      'new 0x42::shelf::Shelf of 5e, 0 fields',
      'new 0x2::table::TablePlaceholder of 0, 2 fields',
      '  new 0x2::object::DynamicField<u64, u64> of 0, 0 fields',
      '  new 0x2::object::DynamicField<u64, u64> of 0, 0 fields',
    ];
    expect([...shape(output.changeSet.changes)].sort()).toEqual(made.sort());
    const table = output.changeSet.changes.find(([, { meta }]) => meta.objectType.module === 'table')![1];
    expect(table.meta.id).toEqual(TABLE_ID);
    const keys = [1n, 2n].map((key) => toHex(deriveFieldKey(num(key), { kind: 'u64' }))).sort();
    expect([...table.fields].map(([key]) => toHex(key))).toEqual(keys);
    const shelf = output.changeSet.changes.find(([, { meta }]) => meta.objectType.module === 'shelf')![1];
    expect(shelf.value).toEqual({ kind: 'new', value: encode(objectId, TABLE_ID) });
    expect(output.changeSet.globalSize).toBe(world.state.size + 2n);
  });

  it('changes what an earlier session made', async () => {
    const later = await SessionWorld.open(SHELF);
    later.commit([['0x42::shelf::make']]);
    const read = later.run([['0x42::shelf::get', num(1n)]]);
    expect([read.results, read.output.changeSet.changes]).toEqual([['10'], []]);

    const written = later.commit([
      ['0x42::shelf::set', num(1n), num(11n)],
      ['0x42::shelf::put', num(3n), num(30n)],
      ['0x42::shelf::take', num(2n)],
    ]);
    expect(written.results).toEqual(['', '', '20']);
    expect(shape(written.output.changeSet.changes)).toEqual([
      'meta 0x2::table::TablePlaceholder of 0, 2 fields',
      ...['delete', 'modify', 'new']
        .map(
          (kind, index) =>
            [[2n, 1n, 3n][index]!, `  ${kind} 0x2::object::DynamicField<u64, u64> of 0, 0 fields`] as const,
        )
        .sort(([left], [right]) => (fieldKeyText(left) < fieldKeyText(right) ? -1 : 1))
        .map(([, line]) => line),
    ]);
    expect(later.run([1n, 2n, 3n].map((key) => ['0x42::shelf::get', num(key)])).results).toEqual([
      '11',
      expect.stringMatching(/^ABORTED 2 at object/),
    ]);
    expect(later.state.object(TABLE_ID)?.meta.size).toBe(2n);

    const given = later.commit([['0x42::shelf::give', addressOf(0x77)]]);
    expect(shape(given.output.changeSet.changes)).toEqual(['meta 0x42::shelf::Shelf of 77, 0 fields']);

    const dropped = later.commit([['0x42::shelf::drop_it']]);
    expect(dropped.results).toEqual(['2']);
    expect(
      shape(dropped.output.changeSet.changes)
        .map((line) => line.split(' of ')[0])
        .sort(),
    ).toEqual(['delete 0x2::table::TablePlaceholder', 'delete 0x42::shelf::Shelf']);
    expect(later.state.object(SHELF_ID)).toBeUndefined();
    expect(later.state.object(TABLE_ID)).toBeUndefined();
  });

  it('leaves nothing of a failed call to the session that is respawned after it', async () => {
    const failing = await SessionWorld.open(SHELF);
    failing.commit([['0x42::shelf::make']]);
    const { results, output } = failing.inSession((session) => {
      const failed = callAll(session, [['0x2::tx_context::fresh_address'], ['0x42::shelf::put_and_fail', num(9n)]]);
      const spent = session.gas.left;
      const next = session.respawn([]);
      expect(next.gas.left).toBe(spent);
      expect(next.txContext.context.idsCreated).toBe(0n);
      expect(next.finish().changeSet.changes).toEqual([]);
      expect(next.finish().gasUsed).toBe(1_000_000_000n - spent);
      return failed;
    });
    expect(results[1]).toBe('ABORTED 77 at shelf:6:4');
    // The failed session itself still reports what it did.
    expect(output.changeSet.changes).not.toEqual([]);
  });

  it('runs out of gas, and then has none', () => {
    const { results, output } = world.run([['0x42::shelf::make']], { gasBudget: 20_000n });
    expect(results).toEqual(['OUT_OF_GAS at nowhere']);
    expect(output.gasUsed).toBe(20_000n);
  });

  it('costs nothing when nothing is metered', () => {
    expect(world.run([['0x42::shelf::make']], { gasBudget: undefined }).output.gasUsed).toBe(0n);
  });

  it('refuses functions that do not exist or are not entry, and type arguments that do not fit', () => {
    const results = (name: string) => world.run([[name]]).results;
    expect(results('0x42::shelf::nothing')).toEqual(['FUNCTION_RESOLUTION_FAILURE at nowhere']);
    expect(results('0x43::shelf::make')).toEqual(['LINKER_ERROR at nowhere']);
    expect(results('0x42::shelf::make<u64>')).toEqual(['NUMBER_OF_TYPE_ARGUMENTS_MISMATCH at nowhere']);
    expect(results('0x3::coin::symbol_by_type<u64>')).toEqual(['CONSTRAINT_NOT_SATISFIED at nowhere']);
    const { results: entered } = world.inSession((session) =>
      ['make', 'enter'].map((name) => {
        const module = { address: addressOf(0x42), name: 'shelf' };
        const outcome = session.call({ module, function: name, typeArguments: [], arguments: [], requireEntry: true });
        return outcome.kind === 'failed' ? String(outcome.failure.status) : 'returned';
      }),
    );
    expect(entered).toEqual(['1103', 'returned']);
  });
});

const fieldKeyText = (key: bigint): string => toHex(deriveFieldKey(num(key), { kind: 'u64' }));

describe('a session whose JavaScript stack runs out', () => {
  const LOCALS = 250;
  const names = Array.from({ length: LOCALS }, (_, index) => `l${index}`);
  const MODULE = `module 0x42::deep
    public fun sum(n: u64): u64 {
      ${names.map((name) => `let ${name}: u64`).join('; ')}
      CopyLoc n; LdU64 0; Eq; BrFalse more
      LdU64 0; Ret
      more:
      ${names.map((name, index) => `CopyLoc n; LdU64 ${index + 1}; Mul; StLoc ${name}`).join('; ')}
      CopyLoc n; LdU64 1; Sub; Call sum
      ${names.map((name) => `CopyLoc ${name}; Add`).join('; ')}
      Ret
    }
    public fun make_and_sum(n: u64): u64 { Call 0x2::tx_context::fresh_address; Pop; MoveLoc n; Call sum; Ret }`;
  let world: SessionWorld;
  beforeAll(async () => {
    world = await SessionWorld.open(MODULE);
  });
  const expected = (frames: bigint): string =>
    String((((BigInt(LOCALS) * (BigInt(LOCALS) + 1n)) / 2n) * frames * (frames + 1n)) / 2n);

  it('runs again on the interpreter, from the start, with equal result and gas', () => {
    const { results, output } = world.run([['0x42::deep::make_and_sum', num(1000n)]]);
    expect(results).toEqual([expected(1000n)]);
    expect(output.context.idsCreated).toBe(1n);
    expect(world.run([['0x42::deep::sum', num(1025n)]]).results).toEqual([
      expect.stringMatching(/^CALL_STACK_OVERFLOW at deep:0:/),
    ]);
  });

  it('runs its body twice then, and only then', () => {
    const bodies = (frames: bigint): number => {
      let count = 0;
      runSession(world.settings('translate'), (session) => {
        count++;
        callAll(session, [['0x42::deep::sum', num(frames)]]);
      });
      return count;
    };
    // Often enough for the function to be translated.
    for (let round = 0; round < 20; round++) expect(bodies(50n)).toBe(1);
    expect(bodies(1000n)).toBe(2);
  });

  it('says so when its caller left no room at all', () => {
    let refusal: unknown;
    const dive = (): void => {
      try {
        dive();
      } catch {
        // The frame below had no room; this one has almost none.
      }
      if (refusal !== undefined) return;
      try {
        runSession(world.settings('translate'), (session) => callAll(session, [['0x42::deep::sum', num(500n)]]));
        refusal = 'enough room';
      } catch (error) {
        if (error instanceof EngineError) refusal = error.code;
      }
    };
    dive();
    expect(['limit-exceeded', 'enough room']).toContain(refusal);
  });
});

describe('a long constant of vectors', () => {
  it('counts as work of natives', async () => {
    const world = await SessionWorld.open(`module 0x42::lists
      public fun load() { LdConst vector<vector<u8>> 0xe807${'00'.repeat(1000)}; Pop; Ret }`);
    const { results } = world.inSession(
      (session) => {
        const before = session.work.left;
        return [...callAll(session, [['0x42::lists::load']]), `${before - session.work.left} us`];
      },
      { nativeWorkMax: 1_000 },
    );
    expect(results).toEqual(['', '106 us']);
  });
});

describe('arguments', () => {
  const MODULE = `module 0x42::taker
    struct Thing has key, store { x: u64 }
    struct Other has key { x: u64 }
    struct Plain has copy, drop, store { x: u64 }
    public fun make(to: address) {
      LdU64 5; Pack Thing; Call 0x2::object::new_named_object<Thing>; MoveLoc to; Call 0x2::object::transfer<Thing>
      LdU64 6; Pack Other; Call 0x2::object::new_named_object<Other>; Call 0x2::object::to_shared<Other>; Ret
    }
    public fun signers(one: signer, n: u64, two: &signer): address, u64, address {
      ImmBorrowLoc one; Call 0x2::signer::address_of; MoveLoc n; MoveLoc two; Call 0x2::signer::address_of; Ret
    }
    public fun numbers(a: bool, b: u8, c: u16, d: u32, e: u64, f: u128, g: u256, h: address): u256 {
      MoveLoc g; Ret
    }
    public fun texts(a: 0x1::string::String, b: vector<vector<u8>>): 0x1::string::String { MoveLoc a; Ret }
    public fun by_reference(thing: &0x2::object::Object<Thing>): u64 {
      MoveLoc thing; Call 0x2::object::borrow<Thing>; ImmBorrowField Thing.x; ReadRef; Ret
    }
    public fun by_mutable_reference(thing: &mut 0x2::object::Object<Thing>) {
      LdU64 9; MoveLoc thing; Call 0x2::object::borrow_mut<Thing>; MutBorrowField Thing.x; WriteRef; Ret
    }
    public fun other_by_mutable_reference(other: &mut 0x2::object::Object<Other>) { MoveLoc other; Pop; Ret }
    public fun other_by_value(other: 0x2::object::Object<Other>) { MoveLoc other; Call 0x2::object::to_frozen<Other>; Ret }
    public fun by_value(thing: 0x2::object::Object<Thing>, to: address) {
      MoveLoc thing; MoveLoc to; Call 0x2::object::transfer<Thing>; Ret
    }
    public fun twice(a: &0x2::object::Object<Thing>, b: &0x2::object::Object<Thing>) { Ret }
    public fun again(a: &0x2::object::Object<Thing>) {
      MoveLoc a; Call 0x2::object::id<Thing>; Call 0x2::object::borrow_object<Thing>; Pop; Ret
    }
    public fun id_only(id: 0x2::object::ObjectID): u64 {
      MoveLoc id; Call 0x2::object::borrow_object<Thing>; Call by_reference; Ret
    }
    public fun many(things: vector<0x2::object::Object<Thing>>, to: address) {
      MutBorrowLoc things; VecPopBack 0x2::object::Object<Thing>; MoveLoc to; Call 0x2::object::transfer<Thing>
      MoveLoc things; VecUnpack 0x2::object::Object<Thing> 0; Ret
    }
    public fun plain(p: Plain, r: &Plain, o: 0x1::option::Option<u64>): u64, u64, u64 {
      ImmBorrowLoc p; ImmBorrowField Plain.x; ReadRef; MoveLoc r; ImmBorrowField Plain.x; ReadRef
      ImmBorrowLoc o; Call 0x1::option::borrow<u64>; ReadRef; Ret
    }
    public fun bytes_by_reference(a: &vector<u8>, b: &u64): u64, u64 { MoveLoc a; VecLen u8; MoveLoc b; ReadRef; Ret }
    public fun plains(a: vector<Plain>): u64 { ImmBorrowLoc a; VecLen Plain; Ret }`;
  const THING = encode(objectId, namedObjectId(parseStructTag('0x42::taker::Thing')));
  const OTHER = encode(objectId, namedObjectId(parseStructTag('0x42::taker::Other')));
  const MISSING = encode(objectId, [new Uint8Array(32)]);
  let world: SessionWorld;
  const call = (name: string, ...given: Uint8Array[]): string =>
    world.run([[`0x42::taker::${name}`, ...given]]).results[0]!;
  const view = (name: string, ...given: Uint8Array[]): string =>
    world.run([[`0x42::taker::${name}`, ...given]], { isReadOnly: true, context: contextOf(SYSTEM_ADDRESS) })
      .results[0]!;
  beforeAll(async () => {
    world = await SessionWorld.open(MODULE);
    world.commit([['0x42::taker::make', SENDER]]);
  });

  it('that are signers are the sender’s', () => {
    // Signers are put in front wherever the parameter stands, as in the reference.
    expect(call('signers', num(4n))).toBe('FAILED_TO_DESERIALIZE_ARGUMENT at nowhere');
    expect(world.run([['0x2::signer::address_of']]).results).toEqual(['0x5e']);
  });

  it('are of their parameters’ types, to the last byte', () => {
    const one = (length: number): Uint8Array => Uint8Array.of(1, ...new Uint8Array(length - 1));
    const all = [one(1), one(1), one(2), one(4), one(8), one(16), one(32), one(32)];
    expect(call('numbers', ...all)).toBe('1');
    for (const index of all.keys()) {
      const longer = all.map((given, at) => (at === index ? Uint8Array.of(...given, 0) : given));
      expect(call('numbers', ...longer)).toBe('FAILED_TO_DESERIALIZE_ARGUMENT at nowhere');
    }
    expect(call('numbers', Uint8Array.of(2), ...all.slice(1))).toBe('FAILED_TO_DESERIALIZE_ARGUMENT at nowhere');
    expect(call('numbers', ...all.slice(1))).toBe('NUMBER_OF_ARGUMENTS_MISMATCH at nowhere');
    expect(call('numbers', ...all, one(1))).toBe('NUMBER_OF_ARGUMENTS_MISMATCH at nowhere');
  });

  it('that are vectors or strings may be followed by bytes that nobody reads', () => {
    const list = encode(vector(bytes), [Uint8Array.of(1), Uint8Array.of()]);
    expect(call('texts', text('hi'), list)).toBe('{[104, 105]}');
    expect(call('texts', Uint8Array.of(...text('hi'), 7), Uint8Array.of(...list, 7))).toBe('{[104, 105]}');
    expect(call('texts', Uint8Array.of(3, 104), list)).toBe('FAILED_TO_DESERIALIZE_ARGUMENT at nowhere');
  });

  it('that are objects are ids of existing objects of that type', () => {
    expect(call('by_reference', THING)).toBe('5');
    expect(call('id_only', THING)).toBe('5');
    expect(call('by_reference', MISSING)).toBe('FAILED_TO_DESERIALIZE_ARGUMENT at nowhere');
    expect(call('by_reference', OTHER)).toBe('TYPE_MISMATCH at nowhere');
    expect(call('by_reference', Uint8Array.of(2, ...new Uint8Array(40)))).toBe(
      'FAILED_TO_DESERIALIZE_ARGUMENT at nowhere',
    );
  });

  it('that are objects must be the sender’s to be changed or taken', () => {
    const stranger = { context: contextOf(addressOf(0x9)) };
    const as = (name: string, ...given: Uint8Array[]) =>
      world.run([[`0x42::taker::${name}`, ...given]], stranger).results;
    expect(as('by_reference', THING)).toEqual(['5']);
    expect(as('by_mutable_reference', THING)).toEqual(['NO_ACCOUNT_ROLE at nowhere']);
    expect(as('by_value', THING, SENDER)).toEqual(['NO_ACCOUNT_ROLE at nowhere']);
    expect(as('other_by_mutable_reference', OTHER)).toEqual(['']);
    expect(as('other_by_value', OTHER)).toEqual(['TYPE_MISMATCH at nowhere']);
    expect(call('by_mutable_reference', THING)).toBe('');
    expect(call('by_value', THING, addressOf(0x9))).toBe('');
    expect(call('many', Uint8Array.of(1, ...THING), addressOf(0x9))).toBe('');
  });

  it('that are objects cannot be reached twice while the call runs', () => {
    expect(call('twice', THING, THING)).toBe('ABORTED 7 at object:0:0');
    expect(call('again', THING)).toMatch(/^ABORTED 7 at object/);
    const released = world.inSession((session) => {
      const first = callAll(session, [['0x42::taker::by_reference', THING]]);
      const second = callAll(session, [['0x42::taker::by_reference', THING]]);
      session.releaseArguments();
      return [...first, ...second, ...callAll(session, [['0x42::taker::by_reference', THING]])];
    });
    expect(released.results).toEqual(['5', 'ABORTED 7 at object:0:0', '5']);
  });

  it('of other structs, and references to anything, are for read-only calls', () => {
    const plain = [num(1n), num(2n), encode(option(u64), 3n)] as const;
    expect(view('plain', ...plain)).toBe('1, 2, 3');
    expect(call('plain', ...plain)).toBe('TYPE_MISMATCH at nowhere');
    expect(view('bytes_by_reference', encode(bytes, Uint8Array.of(1, 2)), num(7n))).toBe('2, 7');
    expect(call('bytes_by_reference', encode(bytes, Uint8Array.of(1, 2)), num(7n))).toBe(
      'FAILED_TO_DESERIALIZE_ARGUMENT at nowhere',
    );
    const plains = encode(vector(struct({ x: u64 })), [{ x: 1n }, { x: 2n }]);
    expect(view('plains', plains)).toBe('2');
    expect(call('plains', plains)).toBe('TYPE_MISMATCH at nowhere');
    expect(view('by_reference', THING)).toBe('5');
    expect(view('by_mutable_reference', THING)).toBe('NO_ACCOUNT_ROLE at nowhere');
  });

  it('are named with their types when they do not fit', () => {
    const messageOf = (name: string, ...given: Uint8Array[]): string => {
      const { results } = world.inSession((session) => {
        const module = { address: addressOf(0x42), name: 'taker' };
        const outcome = session.call({ module, function: name, typeArguments: [], arguments: given });
        return [outcome.kind === 'failed' ? outcome.failure.message : 'returned'];
      });
      return results[0]!;
    };
    const type = '0x2::object::Object<0x42::taker::Thing>';
    expect(messageOf('by_value', THING)).toBe(`expected 2 arguments (${type}, address), got 1`);
    expect(messageOf('by_value', MISSING, SENDER)).toBe(
      `argument 0 (${type}): the object 0x${'0'.repeat(64)} does not exist`,
    );
    expect(messageOf('by_value', THING, Uint8Array.of(1))).toBe(
      'argument 1 (address): got 1 byte that is not the BCS of one such value',
    );
    expect(messageOf('twice', THING, THING)).toMatch(`argument 1 (&${type}): the object 0x`);
    // Signers come first, as in the reference: the sender is given to a parameter that nobody sent anything for.
    expect(messageOf('signers', num(4n))).toBe(
      "parameter 1 (u64), which receives the sender's address because a signer comes after it: got 32 bytes that are not the BCS of one such value",
    );
    expect(messageOf('plains', Uint8Array.of(1))).toBe(
      'argument 0 (vector<0x42::taker::Plain>): a transaction cannot send a 0x42::taker::Plain',
    );
  });
});

describe('containers of the framework', () => {
  const MODULE = `module 0x42::boxes
    public fun bag(): u64, bool, bool, u64, bool {
      let bag: 0x2::bag::Bag; let n: u64; let has: bool; let typed: bool; let taken: u64; let empty: bool
      Call 0x2::bag::new; StLoc bag
      MutBorrowLoc bag; LdU64 1; LdU64 10; Call 0x2::bag::add<u64, u64>
      MutBorrowLoc bag; LdU8 1; LdTrue; Call 0x2::bag::add<u8, bool>
      ImmBorrowLoc bag; Call 0x2::bag::length; StLoc n
      ImmBorrowLoc bag; LdU64 1; Call 0x2::bag::contains<u64>; StLoc has
      ImmBorrowLoc bag; LdU64 1; Call 0x2::bag::contains_with_type<u64, bool>; StLoc typed
      MutBorrowLoc bag; LdU64 1; Call 0x2::bag::remove<u64, u64>; StLoc taken
      MutBorrowLoc bag; LdU8 1; Call 0x2::bag::remove<u8, bool>; Pop
      ImmBorrowLoc bag; Call 0x2::bag::is_empty; StLoc empty
      MoveLoc bag; Call 0x2::bag::destroy_empty
      MoveLoc n; MoveLoc has; MoveLoc typed; MoveLoc taken; MoveLoc empty; Ret
    }
    public fun linked(): u64, u64, u64, u64 {
      let table: 0x2::linked_table::LinkedTable<u64, u64>; let a: u64; let b: u64; let c: u64
      Call 0x2::linked_table::new<u64, u64>; StLoc table
      MutBorrowLoc table; LdU64 1; LdU64 10; Call 0x2::linked_table::push_back<u64, u64>
      MutBorrowLoc table; LdU64 2; LdU64 20; Call 0x2::linked_table::push_back<u64, u64>
      MutBorrowLoc table; LdU64 3; LdU64 30; Call 0x2::linked_table::push_front<u64, u64>
      MutBorrowLoc table; LdU64 1; Call 0x2::linked_table::remove<u64, u64>; StLoc a
      MutBorrowLoc table; Call 0x2::linked_table::pop_front<u64, u64>; StLoc b; Pop
      MutBorrowLoc table; Call 0x2::linked_table::pop_back<u64, u64>; StLoc c; Pop
      ImmBorrowLoc table; Call 0x2::linked_table::length<u64, u64>
      MoveLoc table; Call 0x2::linked_table::destroy_empty<u64, u64>
      MoveLoc a; MoveLoc b; MoveLoc c; Ret
    }
    public fun map(): u64, bool, u64, u64 {
      let map: 0x2::simple_map::SimpleMap<u64, u64>; let key: u64
      Call 0x2::simple_map::new<u64, u64>; StLoc map
      LdU64 7; StLoc key
      MutBorrowLoc map; LdU64 7; LdU64 70; Call 0x2::simple_map::add<u64, u64>
      MutBorrowLoc map; LdU64 8; LdU64 80; Call 0x2::simple_map::add<u64, u64>
      ImmBorrowLoc map; Call 0x2::simple_map::length<u64, u64>
      ImmBorrowLoc map; ImmBorrowLoc key; Call 0x2::simple_map::contains_key<u64, u64>
      ImmBorrowLoc map; ImmBorrowLoc key; Call 0x2::simple_map::borrow<u64, u64>; ReadRef
      MutBorrowLoc map; ImmBorrowLoc key; Call 0x2::simple_map::remove<u64, u64>; StLoc key; Pop; MoveLoc key
      Ret
    }
    public fun vec(): u64, u64, u64 {
      let v: 0x2::table_vec::TableVec<u64>
      Call 0x2::table_vec::new<u64>; StLoc v
      MutBorrowLoc v; LdU64 5; Call 0x2::table_vec::push_back<u64>
      MutBorrowLoc v; LdU64 6; Call 0x2::table_vec::push_back<u64>
      ImmBorrowLoc v; Call 0x2::table_vec::length<u64>
      MutBorrowLoc v; Call 0x2::table_vec::pop_back<u64>
      MutBorrowLoc v; LdU64 0; Call 0x2::table_vec::swap_remove<u64>
      MoveLoc v; Call 0x2::table_vec::destroy_empty<u64>; Ret
    }
    struct Key has key, store { x: u64 }
    public fun types(): bool, bool, u64 {
      let t: 0x2::type_table::TypeTable; let before: bool; let after: bool; let x: u64
      Call 0x2::type_table::new; StLoc t
      ImmBorrowLoc t; Call 0x2::type_table::contains<Key>; StLoc before
      MutBorrowLoc t; LdU64 4; Pack Key; Call 0x2::type_table::add<Key>
      ImmBorrowLoc t; Call 0x2::type_table::contains<Key>; StLoc after
      MutBorrowLoc t; Call 0x2::type_table::remove<Key>; Unpack Key; StLoc x
      MoveLoc t; Call 0x2::type_table::destroy_empty
      MoveLoc before; MoveLoc after; MoveLoc x; Ret
    }
    struct Held has key { x: u64 }
    public fun resource(account: &signer): bool, u64, bool {
      let at: address; let before: bool; let x: u64; let after: bool
      CopyLoc account; Call 0x2::signer::address_of; StLoc at
      CopyLoc account; LdU64 8; Pack Held; Call 0x2::account::move_resource_to<Held>
      CopyLoc at; Call 0x2::account::exists_resource<Held>; StLoc before
      CopyLoc at; Call 0x2::account::move_resource_from<Held>; Unpack Held; StLoc x
      CopyLoc at; Call 0x2::account::exists_resource<Held>; StLoc after
      MoveLoc account; LdU64 8; Pack Held; Call 0x2::account::move_resource_to<Held>
      MoveLoc before; MoveLoc x; MoveLoc after; Ret
    }`;
  let world: SessionWorld;
  beforeAll(async () => {
    world = await SessionWorld.open(MODULE);
  });

  it('leave nothing but used ids when they are created and removed in one session', () => {
    const { results, output } = world.run([
      ['0x42::boxes::bag'],
      ['0x42::boxes::linked'],
      ['0x42::boxes::map'],
      ['0x42::boxes::vec'],
      ['0x42::boxes::types'],
    ]);
    expect(results).toEqual([
      '2, true, false, 10, true',
      '0, 10, 30, 20',
      '2, true, 70, 70',
      '2, 6, 5',
      'false, true, 4',
    ]);
    expect(output.changeSet.changes).toEqual([]);
    expect(output.context.idsCreated).toBe(4n);
  });

  it('keep resources as fields of accounts', () => {
    const { results, output } = world.run([['0x42::boxes::resource']], { context: contextOf(ACCOUNT) });
    expect(results).toEqual(['true, 8, false']);
    expect(shape(output.changeSet.changes)).toEqual([
      `meta 0x2::account::Account of ${toHex(ACCOUNT)}, 1 fields`,
      '  new 0x2::object::DynamicField<0x1::string::String, 0x42::boxes::Held> of 0, 0 fields',
    ]);
    expect(output.changeSet.changes[0]![1].meta.id).toEqual(accountObjectId(ACCOUNT));
  });

  it('are the same for the address of an option as for its bytes', () => {
    const { results } = world.run(
      [
        ['0x1::option::is_some<u64>', encode(option(u64), 5n)],
        ['0x1::option::is_none<u64>', encode(option(u64), undefined)],
        ['0x1::string::length', text('grüezi')],
        ['0x1::string::utf8', encode(bytes, Uint8Array.of(0xff))],
      ],
      { isReadOnly: true },
    );
    expect(results.slice(0, 3)).toEqual(['true', 'true', '7']);
    expect(results[3]).toMatch(/^ABORTED 1 at string/);
    expect(encode(address, ACCOUNT)).toEqual(ACCOUNT);
  });
});

const module = { address: addressOf(2), name: 'm' };
const place: CodeLocation = { module, functionIndex: 3, codeOffset: 12 };
const failure = (status: StatusCode, more: Partial<Failure> = {}): Failure => ({
  status,
  subStatus: undefined,
  location: undefined,
  message: '',
  ...more,
});
const inModule = { kind: 'module', ...module };

// The tables of spec/execution.md 2.8 and spec/rpc.md appendix A.
describe('the kept status of a failed execution', () => {
  it.each<[string, Failure, unknown]>([
    ['gas used up', failure(StatusCode.OUT_OF_GAS), { kind: 'out-of-gas' }],
    ['gas used up somewhere', failure(StatusCode.OUT_OF_GAS, { location: place }), { kind: 'out-of-gas' }],
    [
      'an abort of a module',
      failure(StatusCode.ABORTED, { subStatus: 7n, location: place }),
      { kind: 'move-abort', location: inModule, code: 7n },
    ],
    [
      'an abort of a script',
      failure(StatusCode.ABORTED, { subStatus: 7n, location: { ...place, module: undefined } }),
      { kind: 'move-abort', location: { kind: 'script' }, code: 7n },
    ],
    [
      'an abort of nobody',
      failure(StatusCode.ABORTED, { subStatus: 7n }),
      { kind: 'execution-failure', location: { kind: 'script' }, function: 0, codeOffset: 0 },
    ],
    [
      'an instruction',
      failure(StatusCode.ARITHMETIC_ERROR, { location: place }),
      { kind: 'execution-failure', location: inModule, function: 3, codeOffset: 12 },
    ],
    [
      'execution nowhere',
      failure(StatusCode.CALL_STACK_OVERFLOW),
      { kind: 'execution-failure', location: { kind: 'script' }, function: 0, codeOffset: 0 },
    ],
    ['a limit', failure(StatusCode.EXECUTION_LIMIT_REACHED, { location: place }), { kind: 'miscellaneous-error' }],
    ['verification', failure(StatusCode.TYPE_MISMATCH, { location: place }), { kind: 'miscellaneous-error' }],
    ['deserialization', failure(StatusCode.MALFORMED), { kind: 'miscellaneous-error' }],
    ['validation', failure(StatusCode.NO_ACCOUNT_ROLE), undefined],
    ['an invariant', failure(StatusCode.STORAGE_ERROR), undefined],
  ])('of %s', (_, from, kept) => {
    expect(keptStatusOf(from)).toEqual(kept);
  });
});

/** The bound on the work of natives in one execution, and what a script counts before it runs. */
describe('work that is not counted', () => {
  it('leaves what was left before, also if it fails', () => {
    const work = new NativeWork(100);
    work.spend(30);
    expect(work.uncounted(() => work.spend(1_000))).toBeUndefined();
    expect(work.left).toBe(70);
    const fail = (): never => {
      throw new Error('no state');
    };
    expect(() => work.uncounted(fail)).toThrow('no state');
    expect(work.left).toBe(70);
  });
});

/** Scripts here name no modules. */
const NO_MODULES = { load: () => undefined } as unknown as SessionModules;

const script = (blocks: number): Uint8Array =>
  assembleScriptBytes(`script() { ${'LdU64 1; Pop; '.repeat(blocks)}Ret }`);

/** Microseconds that a script takes of what is left. */
function workOf(code: Uint8Array): number {
  const work = new NativeWork(1_000_000);
  loadScript(code, NO_MODULES, work);
  return 1_000_000 - work.left;
}

describe('a script', () => {
  it('counts the bytes that are read, even if they are no script', () => {
    expect(workOf(new Uint8Array(4_000))).toBe(1_000);
    expect(workOf(new Uint8Array(8_000))).toBe(2_000);
  });

  it('counts the steps of its verification besides', () => {
    const [short, long] = [script(100), script(1_000)];
    const besides = (code: Uint8Array): number => workOf(code) - Math.ceil(code.length / 4);
    expect(besides(short)).toBeGreaterThan(0);
    expect(besides(long)).toBeGreaterThan(5 * besides(short));
  });

  it('is refused if there is no room for that', () => {
    const code = script(1_000);
    const needed = workOf(code);
    expect(loadScript(code, NO_MODULES, new NativeWork(needed))).not.toHaveProperty('status');
    const refusal = expect.objectContaining({
      failure: expect.objectContaining({ status: StatusCode.EXECUTION_LIMIT_REACHED }),
    });
    expect(() => loadScript(code, NO_MODULES, new NativeWork(needed - 1))).toThrow(refusal);
  });
});
