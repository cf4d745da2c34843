import { describe, expect, it } from 'vitest';
import { bytes, encode, option, u64, vector } from '../../../src/base/bcs.ts';
import type { ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { address, addressOf, MOVEOS_STD_ADDRESS, SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';
import {
  type Address,
  namedObjectId,
  type ObjectChange,
  type ObjectId,
  objectId,
} from '../../../src/query/transaction-builder.ts';
import { Chain } from '../runtime/chain.ts';
import { hostOf, NativeWorld, pricesWith } from './native-world.ts';

/** What one load costs: 1000, and 10 for each byte that the state gave, or 5 for nothing. */
const LOAD = 1000n;
const PER_BYTE = 10n;
const ABSENT = 5n;
/** Base and key of a field native. */
const FIELD = 820n;

const T: ObjectType<bigint> = { tag: structTag(MOVEOS_STD_ADDRESS, 'object', 'T'), codec: u64 };
/** A type that has one field less in the modules than its stored values. */
const OLD: ObjectType<readonly bigint[]> = { tag: structTag(MOVEOS_STD_ADDRESS, 'object', 'T'), codec: vector(u64) };

const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const OWNED: ObjectId = [key(1)];
const EMBEDDED: ObjectId = [key(2)];
const CHILD: ObjectId = [key(1), key(3)];
const ABSENT_ID: ObjectId = [key(9)];
const BROKEN: ObjectId = [key(4)];
const OWNER = addressOf(0xa);

const chain = new Chain();
chain.run((runtime) => {
  runtime.add(OWNED, T, 5n);
  runtime.transfer(OWNED, OWNER);
  runtime.add(EMBEDDED, T, 6n);
  runtime.add(CHILD, T, 7n);
  runtime.add(BROKEN, OLD, [1n, 2n, 3n]);
  runtime.share(BROKEN);
});

const id = (value: ObjectId): Uint8Array => encode(objectId, value);
const at = (value: Address): Uint8Array => encode(address, value);
const none = encode(option(address), undefined);

const OPTION = 'module 0x1::option\nstruct Option<T> has copy, drop, store { vec: vector<T> }';

const NATIVES = `
  struct ObjectID has copy, drop, store { path: vector<address> }
  struct Object<phantom T> has key, store { id: ObjectID }
  struct T has key, store { x: u64 }
  struct U has key, store { x: u64 }
  struct Big has key, store { bytes: vector<u8> }
  extern 0x1::option { struct Option<T> has copy, drop, store }
  native fun native_object_owner(ObjectID): address
  native fun native_object_size(ObjectID): u64
  native fun native_object_flag(ObjectID): u8
  native fun native_object_created_at(ObjectID): u64
  native fun native_object_updated_at(ObjectID): u64
  native fun native_contains_field(ObjectID, address): bool
  native fun native_contains_field_with_value_type<V: store>(ObjectID, address): bool
  native fun native_add_field<V: key>(ObjectID, address, V): Object<V>
  native fun native_remove_field<V: key>(ObjectID, address): V
  native fun native_take_object<V: key>(ObjectID): Object<V>
  native fun native_clear_fields<V: key>(ObjectID)
  native fun native_list_field_keys(ObjectID, 0x1::option::Option<address>, u64): vector<address>
`;

/** Natives whose results cannot leave a call, and what functions do with them. */
const FUNCTIONS = `
  native private fun native_borrow_object<V: key>(ObjectID): &Object<V>
  native private fun native_borrow_mut_object<V: key>(ObjectID): &mut Object<V>
  native private fun native_borrow_field<V: key>(ObjectID, address): &V
  native private fun native_borrow_mut_field<V: key>(ObjectID, address): &mut V
  native private fun native_transfer_object<V: key>(Object<V>, address)
  native private fun native_to_shared_object<V: key>(Object<V>)
  native private fun native_to_frozen_object<V: key>(Object<V>)
`;

describe('natives of 0x2::object that read metadata', () => {
  const world = new NativeWorld('0x2::object', NATIVES, [OPTION], pricesWith(), () => hostOf(chain.state));

  it('cost their base, a load and its bytes', () => {
    const gas = 100n + LOAD + 8n * PER_BYTE;
    expect(world.call('native_object_owner', id(OWNED))).toEqual({ result: '0xa', gas });
    expect(world.call('native_object_owner', id(EMBEDDED))).toEqual({ result: '0x0', gas });
    expect(world.call('native_object_size', id(OWNED))).toEqual({ result: '1', gas });
    expect(world.call('native_object_flag', id(OWNED))).toEqual({ result: '0', gas });
    expect(world.call('native_object_created_at', id(OWNED))).toEqual({ result: '1000', gas });
    expect(world.call('native_object_updated_at', id(OWNED))).toEqual({ result: '1000', gas });
  });

  it('pay for the objects above too', () => {
    const gas = 100n + LOAD + 16n * PER_BYTE;
    expect(world.call('native_object_owner', id(CHILD))).toEqual({ result: '0x0', gas });
  });

  it('abort with 2 if there is no object, and fail free of charge if there is none above either', () => {
    const aborted = { result: 'ABORTED 2 at object:0:0', gas: 100n + LOAD + ABSENT };
    expect(world.call('native_object_owner', id(ABSENT_ID))).toEqual(aborted);
    const failed = { result: 'MISSING_DATA at object:0:0', gas: 0n };
    expect(world.call('native_object_owner', id([...ABSENT_ID, key(1)]))).toEqual(failed);
  });

  it('fail where the value no longer fits its type', () => {
    expect(world.call('native_object_owner', id(BROKEN))).toEqual({
      result: 'VM_EXTENSION_ERROR at object:0:0',
      gas: 0n,
    });
  });
});

describe('natives of 0x2::object that work on fields', () => {
  const world = new NativeWorld('0x2::object', NATIVES + FUNCTIONS, [OPTION], pricesWith(), () => hostOf(chain.state));
  const parent = LOAD + 8n * PER_BYTE;

  it('look for fields, of a type or any', () => {
    const found = FIELD + parent + LOAD + 8n * PER_BYTE;
    const absent = FIELD + parent + LOAD + ABSENT;
    expect(world.call('native_contains_field', id(OWNED), at(key(3)))).toEqual({ result: 'true', gas: found });
    expect(world.call('native_contains_field', id(OWNED), at(key(4)))).toEqual({ result: 'false', gas: absent });
    const withType = 'native_contains_field_with_value_type';
    expect(world.call(`${withType}<0x2::object::T>`, id(OWNED), at(key(3)))).toEqual({ result: 'true', gas: found });
    expect(world.call(`${withType}<0x2::object::U>`, id(OWNED), at(key(3)))).toEqual({ result: 'false', gas: found });
    expect(world.call(`${withType}<0x2::object::T>`, id(OWNED), at(key(4)))).toEqual({ result: 'false', gas: absent });
  });

  it('see the root of all objects as an object, which is there already', () => {
    const gas = FIELD + LOAD + LOAD + 8n * PER_BYTE;
    expect(world.call('native_contains_field', id([]), at(key(1)))).toEqual({ result: 'true', gas });
  });

  it('add a field, whose handle comes out', () => {
    const gas = FIELD + parent + LOAD + ABSENT;
    const outcome = world.call('native_add_field<0x2::object::T>', id(OWNED), at(key(4)), encode(u64, 9n));
    const path = `[0x${'01'.repeat(32).slice(1)}, 0x${'04'.repeat(32).slice(1)}]`;
    expect(outcome).toEqual({ result: `{{${path}}}`, gas });
    const [change] = changesOf(world);
    expect(change!.meta.size).toBe(2n);
    expect([...change!.fields][0]![1].value).toEqual({ kind: 'new', value: encode(u64, 9n) });
    expect([...change!.fields][0]![1].meta.owner).toEqual(SYSTEM_ADDRESS);
  });

  it('abort without the price of the field if it exists, does not exist or has another type', () => {
    const gas = FIELD + parent;
    const added = world.call('native_add_field<0x2::object::T>', id(OWNED), at(key(3)), encode(u64, 9n));
    expect(added).toEqual({ result: 'ABORTED 1 at object:7:0', gas });
    const absent = world.call('native_remove_field<0x2::object::T>', id(OWNED), at(key(4)));
    expect(absent).toEqual({ result: 'ABORTED 2 at object:8:0', gas });
    const other = world.call('native_remove_field<0x2::object::U>', id(OWNED), at(key(3)));
    expect(other).toEqual({ result: 'ABORTED 10 at object:8:0', gas });
    const nowhere = world.call('native_contains_field', id(ABSENT_ID), at(key(3)));
    expect(nowhere).toEqual({ result: 'ABORTED 2 at object:5:0', gas: FIELD + LOAD + ABSENT });
    const broken = world.call('native_contains_field', id([]), at(key(4)));
    expect(broken).toEqual({ result: 'ABORTED 14 at object:5:0', gas: FIELD + LOAD });
  });

  it('remove a field and give its value', () => {
    const gas = FIELD + parent + LOAD + 8n * PER_BYTE;
    expect(world.call('native_remove_field<0x2::object::T>', id(OWNED), at(key(3)))).toEqual({ result: '{7}', gas });
    const [change] = changesOf(world);
    expect(change).toMatchObject({ value: undefined, meta: { size: 0n } });
    expect([...change!.fields][0]![1].value).toEqual({ kind: 'delete' });
  });

  it('drop all fields at once, free of charge', () => {
    expect(world.call('native_clear_fields<0x2::object::T>', id(OWNED))).toEqual({ result: '', gas: parent });
    expect(changesOf(world)[0]).toMatchObject({ value: undefined, meta: { size: 0n }, fields: [] });
  });
});

describe('the size of a value that is added', () => {
  const FEATURES: ObjectType<Uint8Array> = {
    tag: structTag(MOVEOS_STD_ADDRESS, 'features', 'FeatureStore'),
    codec: bytes,
  };
  const priced = new Chain();
  priced.run((runtime) => runtime.add(namedObjectId(FEATURES.tag), FEATURES, Uint8Array.of(1 << 7)));
  const world = new NativeWorld('0x2::object', NATIVES, [OPTION], pricesWith(), () => hostOf(priced.state));
  const gasOf = (length: number): bigint => {
    const outcome = world.call(
      'native_add_field<0x2::object::Big>',
      id([]),
      at(key(9)),
      encode(bytes, new Uint8Array(length)),
    );
    return outcome.gas - FIELD - LOAD - LOAD - ABSENT;
  };

  it.each([
    [0, 0n],
    [1, 10n],
    [199, 1990n],
    [200, 4000n],
    [399, 7980n],
    [400, 16_000n],
    [800, 128_000n],
    [1600, 512_000n],
    [2999, 959_680n],
    [3000, 1_920_000n],
  ])('of %i bytes costs %i where the chain says so', (length, gas) => {
    expect(gasOf(length)).toBe(gas);
  });
});

describe('the keys of fields', () => {
  const listed = new Chain();
  listed.run((runtime) => {
    runtime.add([key(1)], T, 0n);
    for (const byte of [2, 4, 6]) runtime.add([key(1), key(byte)], T, BigInt(byte));
  });
  const host = () => {
    const made = hostOf(listed.state);
    for (const byte of [1, 5, 8]) made.objects.add([key(1), key(byte)], T, 0n);
    made.objects.remove([key(1), key(4)], T);
    return made;
  };
  const world = new NativeWorld('0x2::object', NATIVES, [OPTION], pricesWith(), host);
  const list = (cursor: number | undefined, limit: bigint) => {
    const after = encode(option(address), cursor === undefined ? undefined : key(cursor));
    const { result, gas } = world.call('native_list_field_keys', id([key(1)]), after, encode(u64, limit));
    return { keys: [...result.matchAll(/0x(\d)/g)].map(([, digit]) => Number(digit)), gas };
  };

  it('are those of the state, then new ones beyond them, removed ones too', () => {
    expect(list(undefined, 10n)).toEqual({ keys: [2, 4, 6, 8], gas: 0n });
  });

  it('end at the limit', () => {
    expect(list(undefined, 2n)).toEqual({ keys: [2, 4], gas: 0n });
    expect(list(undefined, 0n)).toEqual({ keys: [], gas: 0n });
  });

  it('skip the first key at or after the cursor, whichever it is', () => {
    expect(list(2, 10n)).toEqual({ keys: [4, 6, 8], gas: 0n });
    expect(list(3, 10n)).toEqual({ keys: [6, 8], gas: 0n });
  });

  it('begin again with all new ones if the state has no more', () => {
    expect(list(7, 10n)).toEqual({ keys: [1, 5, 8], gas: 0n });
  });

  it('are work, of which a view may ask for only so much', () => {
    const within = (microseconds: number) =>
      new NativeWorld('0x2::object', NATIVES, [OPTION], pricesWith(), () => ({
        ...host(),
        work: new NativeWork(microseconds),
      })).call('native_list_field_keys', id([key(1)]), none, encode(u64, 10n));
    // Four keys, and three new ones to be sorted.
    expect(within(323).result).toContain('8');
    expect(within(322).result).toMatch(/^EXECUTION_LIMIT_REACHED/);
  });

  // All of them are sorted, for each list that asks for one. A loop of lists held the thread for minutes.
  it('count as work for each new one that a list reaches', () => {
    const many = hostOf(listed.state);
    for (let index = 0; index < 2_000; index++) {
      many.objects.add([key(1), addressOf(1_000 + index)], T, 0n);
    }
    const workOf = (limit: bigint): number => {
      let work = new NativeWork(0);
      const counted = new NativeWorld('0x2::object', NATIVES, [OPTION], pricesWith(), () => {
        work = new NativeWork(1_000_000);
        return { ...many, work };
      });
      counted.call('native_list_field_keys', id([key(1)]), none, encode(u64, limit));
      return 1_000_000 - work.left;
    };
    expect(workOf(3n)).toBe(3 * 80);
    // All new ones come before the last of the state, so none of them is listed.
    expect(workOf(4n)).toBe(3 * 80 + 2_000);
  });

  it('are refused where there is no object', () => {
    const missing = world.call('native_list_field_keys', id([key(7)]), none, encode(u64, 1n));
    expect(missing).toEqual({ result: 'ABORTED 2 at object:11:0', gas: 0n });
  });

  // The reference reads the prices of schedules into one place, and takes those of the native from another, which is zero.
  it('are free on every chain, whether its schedule prices them or not', () => {
    for (const price of [undefined, 7n]) {
      const entries = pricesWith({
        'native_list_field_keys.list_field_keys.base': price,
        'native_list_field_keys.list_field_keys.per_byte': price,
      });
      const other = new NativeWorld('0x2::object', NATIVES, [OPTION], entries, host);
      const outcome = other.call('native_list_field_keys', id([key(1)]), none, encode(u64, 1n));
      expect(outcome).toMatchObject({ result: expect.stringContaining('2'), gas: 0n });
    }
  });
});

describe('handles', () => {
  const world = new NativeWorld(
    '0x2::object',
    `${NATIVES}${FUNCTIONS}
    public fun borrow(id: ObjectID): ObjectID {
      MoveLoc id; Call native_borrow_object<T>; ImmBorrowField Object<T>.id; ReadRef; Ret
    }
    public fun borrow_as_u(id: ObjectID) { MoveLoc id; Call native_borrow_object<U>; Pop; Ret }
    public fun borrow_twice(id: ObjectID) {
      CopyLoc id; Call native_borrow_object<T>; Pop; MoveLoc id; Call native_borrow_mut_object<T>; Pop; Ret
    }
    public fun borrow_while_borrowed(id: ObjectID) {
      let first: &Object<T>
      CopyLoc id; Call native_borrow_object<T>; StLoc first
      MoveLoc id; Call native_borrow_object<T>; Pop
      MoveLoc first; Pop; Ret
    }
    public fun take_while_borrowed(id: ObjectID): Object<T> {
      let first: &Object<T>
      CopyLoc id; Call native_borrow_object<T>; StLoc first
      MoveLoc id; Call native_take_object<T>
      Ret
    }
    public fun take_twice(id: ObjectID): Object<T>, Object<T> {
      CopyLoc id; Call native_take_object<T>; MoveLoc id; Call native_take_object<T>; Ret
    }
    public fun borrow_taken(id: ObjectID): Object<T> {
      CopyLoc id; Call native_take_object<T>; MoveLoc id; Call native_borrow_object<T>; Pop; Ret
    }
    public fun transfer(id: ObjectID, to: address) {
      MoveLoc id; Call native_take_object<T>; MoveLoc to; Call native_transfer_object<T>; Ret
    }
    public fun share(id: ObjectID) { MoveLoc id; Call native_take_object<T>; Call native_to_shared_object<T>; Ret }
    public fun freeze(id: ObjectID) { MoveLoc id; Call native_take_object<T>; Call native_to_frozen_object<T>; Ret }
    public fun give_back_twice(id: ObjectID, to: address) {
      MoveLoc id; Pack Object<T>; MoveLoc to; Call native_transfer_object<T>; Ret
    }
    public fun transfer_and_borrow(id: ObjectID, to: address): ObjectID {
      CopyLoc id; Call native_take_object<T>; MoveLoc to; Call native_transfer_object<T>
      MoveLoc id; Call borrow; Ret
    }
    public fun new_and_give(to: address): address {
      LdConst vector<address> 0x00; Pack ObjectID; CopyLoc to; LdU64 1; Pack T; Call native_add_field<T>
      CopyLoc to; Call native_transfer_object<T>
      VecPack address 0; Pop
      MoveLoc to; VecPack address 1; Pack ObjectID; Call native_object_owner; Ret
    }`,
    [OPTION],
    pricesWith(),
    () => hostOf(chain.state),
  );
  const cost = 500n + LOAD;
  const cold = cost + 8n * PER_BYTE;
  const shown = `{[0x${'01'.repeat(32).slice(1)}]}`;

  it('are lent for as long as a reference lives', () => {
    expect(world.run('borrow', id(OWNED))).toEqual({ result: shown, gas: cold });
    expect(world.run('borrow_twice', id(OWNED))).toEqual({ result: '', gas: cold + cost });
    expect(world.run('borrow_while_borrowed', id(OWNED)).result).toMatch(/^ABORTED 7 /);
    expect(world.run('take_while_borrowed', id(OWNED)).result).toMatch(/^ABORTED 7 /);
    expect(changesOf(world)).toEqual([]);
  });

  it('are refused for another type, for a missing object, and for embedded objects', () => {
    expect(world.run('borrow_as_u', id(OWNED))).toMatchObject({
      result: expect.stringMatching(/^ABORTED 10 /),
      gas: cold,
    });
    expect(world.run('borrow', id(ABSENT_ID))).toMatchObject({
      result: expect.stringMatching(/^ABORTED 2 /),
      gas: cost + ABSENT,
    });
    expect(world.run('borrow', id(EMBEDDED))).toMatchObject({
      result: expect.stringMatching(/^ABORTED 15 /),
      gas: cold,
    });
  });

  it('are taken out once, after which the object has no owner', () => {
    expect(world.run('take_twice', id(OWNED)).result).toMatch(/^ABORTED 15 /);
    expect(world.run('borrow_taken', id(OWNED)).result).toMatch(/^ABORTED 15 /);
    expect(world.call('native_take_object<0x2::object::T>', id(OWNED))).toEqual({ result: `{${shown}}`, gas: cold });
    expect(changesOf(world)[0]).toMatchObject({ value: undefined, meta: { owner: SYSTEM_ADDRESS, updatedAt: 1000n } });
  });

  it('come back with another owner, or for everybody, or for nobody', () => {
    expect(world.run('transfer', id(OWNED), at(addressOf(0xb)))).toEqual({ result: '', gas: cold + cost });
    expect(changesOf(world)[0]).toMatchObject({ value: undefined, meta: { owner: addressOf(0xb), flag: 0 } });
    expect(world.run('share', id(OWNED))).toEqual({ result: '', gas: cold + cost });
    expect(changesOf(world)[0]).toMatchObject({ meta: { owner: SYSTEM_ADDRESS, flag: 1 } });
    expect(world.run('freeze', id(OWNED))).toEqual({ result: '', gas: cold + cost });
    expect(changesOf(world)[0]).toMatchObject({ meta: { owner: SYSTEM_ADDRESS, flag: 2 } });
    expect(world.run('transfer_and_borrow', id(OWNED), at(OWNER)).result).toBe(shown);
    expect(changesOf(world)).toEqual([]);
  });

  it('can be returned only if they were taken out', () => {
    expect(world.run('give_back_twice', id(OWNED), at(OWNER)).result).toMatch(/^ABORTED 1 /);
  });

  it('of new objects are taken out at first', () => {
    expect(world.run('new_and_give', at(key(7))).result).toBe(`0x${'07'.repeat(32).slice(1)}`);
    expect(changesOf(world)[0]).toMatchObject({ value: { kind: 'new' }, meta: { owner: key(7) } });
  });
});

describe('values', () => {
  const world = new NativeWorld(
    '0x2::object',
    `${NATIVES}${FUNCTIONS}
    public fun look(id: ObjectID, key: address): u64 {
      MoveLoc id; MoveLoc key; Call native_borrow_field<T>; ImmBorrowField T.x; ReadRef; Ret
    }
    public fun look_mutably(id: ObjectID, key: address): u64 {
      MoveLoc id; MoveLoc key; Call native_borrow_mut_field<T>; MutBorrowField T.x; ReadRef; Ret
    }
    public fun write(id: ObjectID, key: address, x: u64): u64 {
      MoveLoc x; CopyLoc id; CopyLoc key; Call native_borrow_mut_field<T>; MutBorrowField T.x; WriteRef
      MoveLoc id; MoveLoc key; Call look; Ret
    }
    public fun look_as_u(id: ObjectID, key: address) { MoveLoc id; MoveLoc key; Call native_borrow_field<U>; Pop; Ret }
    fun x_of(value: &T): u64 { MoveLoc value; ImmBorrowField T.x; ReadRef; Ret }
    fun same(value: &T): &T { MoveLoc value; Ret }
    public fun look_twice(id: ObjectID, key: address): u64, u64 {
      let first: &T
      CopyLoc id; CopyLoc key; Call native_borrow_field<T>; StLoc first
      MoveLoc id; MoveLoc key; Call native_borrow_mut_field<T>; FreezeRef; Call x_of
      MoveLoc first; Call x_of; Ret
    }
    public fun remove_looked_at(id: ObjectID, key: address): u64 {
      let first: &T
      CopyLoc id; CopyLoc key; Call native_borrow_field<T>; StLoc first
      CopyLoc first; Call same; Call x_of; Pop
      CopyLoc id; CopyLoc key; Call native_borrow_field<T>; StLoc first
      MoveLoc first; Pop
      MoveLoc id; MoveLoc key; Call native_remove_field<T>; Unpack T; Ret
    }
    public fun remove_borrowed(id: ObjectID, key: address): u64, u64 {
      let first: &T
      CopyLoc id; CopyLoc key; Call native_borrow_field<T>; StLoc first
      MoveLoc id; MoveLoc key; Call native_remove_field<T>; Unpack T
      MoveLoc first; ImmBorrowField T.x; ReadRef; Ret
    }
    public fun remove_borrowed_on_stack(id: ObjectID, key: address): u64, u64 {
      let x: u64
      CopyLoc id; CopyLoc key; Call native_borrow_mut_field<T>; FreezeRef; Call same
      MoveLoc id; MoveLoc key; Call native_remove_field<T>; Unpack T; StLoc x
      Call x_of; MoveLoc x; Ret
    }
    public fun remove_fresh_borrowed(id: ObjectID, key: address): u64, u64 {
      let first: &T
      CopyLoc id; CopyLoc key; LdU64 9; Pack T; Call native_add_field<T>; Unpack Object<T>; Pop
      CopyLoc id; CopyLoc key; Call native_borrow_field<T>; StLoc first
      MoveLoc id; MoveLoc key; Call native_remove_field<T>; Unpack T
      MoveLoc first; ImmBorrowField T.x; ReadRef; Ret
    }`,
    [OPTION],
    pricesWith(),
    () => hostOf(chain.state),
  );
  const cached = FIELD + LOAD + LOAD;
  const cold = cached + 16n * PER_BYTE;

  it('change with every write, even of an equal value, and with nothing else', () => {
    expect(world.run('look', id(OWNED), at(key(3)))).toEqual({ result: '7', gas: cold });
    expect(changesOf(world)).toEqual([]);
    expect(world.run('look_mutably', id(OWNED), at(key(3)))).toEqual({ result: '7', gas: cold });
    expect(changesOf(world)).toEqual([]);
    for (const x of [7n, 8n]) {
      const outcome = world.run('write', id(OWNED), at(key(3)), encode(u64, x));
      expect(outcome).toEqual({ result: String(x), gas: cold + cached });
      expect(changesOf(world)[0]!.value).toBeUndefined();
      expect([...changesOf(world)[0]!.fields][0]![1].value).toEqual({ kind: 'modify', value: encode(u64, x) });
    }
  });

  it('are refused as another type, and if there is none', () => {
    const gas = FIELD + LOAD + 8n * PER_BYTE;
    expect(world.run('look_as_u', id(OWNED), at(key(3)))).toMatchObject({
      result: expect.stringMatching(/^ABORTED 10 /),
      gas,
    });
    expect(world.run('look', id(OWNED), at(key(8)))).toMatchObject({
      result: expect.stringMatching(/^ABORTED 2 /),
      gas,
    });
  });

  it('may be borrowed any number of times', () => {
    expect(world.run('look_twice', id(OWNED), at(key(3)))).toEqual({ result: '7, 7', gas: cold + cached });
  });

  // `GlobalValue::move_from` of the reference fails for a resource with dangling references, which the native makes 14.
  it('are not removed while a reference to them lives', () => {
    expect(world.run('remove_looked_at', id(OWNED), at(key(3)))).toEqual({ result: '7', gas: cold + 2n * cached });
    const gas = cold + FIELD + LOAD;
    for (const name of ['remove_borrowed', 'remove_borrowed_on_stack']) {
      const outcome = world.run(name, id(OWNED), at(key(3)));
      expect(outcome, name).toEqual({ result: expect.stringMatching(/^ABORTED 14 at object:/), gas });
    }
    const { result } = world.run('remove_fresh_borrowed', id(OWNED), at(key(8)));
    expect(result).toMatch(/^ABORTED 14 at object:/);
  });
});

/** The changes of top-level objects in the last call. */
function changesOf(world: NativeWorld): ObjectChange[] {
  return world.host.objects.changeSet().changes.map(([, change]) => change);
}
