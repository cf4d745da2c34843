import { describe, expect, it } from 'vitest';
import { NativePrices } from '../../../src/execution/native/module-natives.ts';
import { VECTOR } from '../../../src/execution/native/vector.ts';
import type { Type } from '../../../src/vm/value/type.ts';
import { ArrayVector, U64Vector, type VectorValue } from '../../../src/vm/value/vector.ts';
import { NativeWorld, pricesWith } from './native-world.ts';
import { hex, long, shownHex, shownText, text } from './values.ts';

describe('natives of 0x1::bcs', () => {
  const world = new NativeWorld(
    '0x1::bcs',
    `struct S has copy, drop { a: u8, b: vector<u16> }
     struct Empty has copy, drop { x: vector<u8> }
     native fun to_bytes<T>(&T): vector<u8>`,
  );

  it('give the BCS for 182 a byte', () => {
    expect(world.call('to_bytes<u64>', long(258))).toEqual({ result: shownHex('0201000000000000'), gas: 8n * 182n });
    expect(world.call('to_bytes<address>', new Uint8Array(32))).toMatchObject({ gas: 32n * 182n });
    expect(world.call('to_bytes<bool>', Uint8Array.of(1))).toEqual({ result: '[1]', gas: 182n });
    const bytes = '07020100ffff';
    const struct = Uint8Array.from([7, 2, 1, 0, 255, 255]);
    expect(world.call('to_bytes<0x1::bcs::S>', struct)).toEqual({ result: shownHex(bytes), gas: 6n * 182n });
  });

  it('abort with the code of the reference for a type without a layout', () => {
    // Eight times four fields, three levels deep: 8^3 nodes and more, where 256 are allowed.
    const field = (type: string) => Array.from({ length: 8 }, (_, index) => `f${index}: ${type}`).join(', ');
    const large = new NativeWorld(
      '0x1::bcs',
      `struct A has copy, drop { ${field('u8')} }
       struct B has copy, drop { ${field('A')} }
       struct C has copy, drop { ${field('B')} }
       native fun to_bytes<T>(&T): vector<u8>`,
    );
    // Never looked at.
    const value = { value: {} };
    const outcome = large.call('to_bytes<0x1::bcs::C>', value);
    expect(outcome).toEqual({ result: 'ABORTED 453 at bcs:0:0', gas: 182n });
  });
});

describe('natives of 0x1::hash', () => {
  const world = new NativeWorld(
    '0x1::hash',
    `native fun sha2_256(vector<u8>): vector<u8>
     native fun sha3_256(vector<u8>): vector<u8>`,
  );

  // FIPS 180-4 and FIPS 202 example values for the empty message and "abc".
  it.each([
    ['sha2_256', '', 22n, 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['sha2_256', 'abc', 66n, 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['sha3_256', '', 65n, 'a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a'],
    ['sha3_256', 'abc', 195n, '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
  ])('%s of "%s"', (name, message, gas, digest) => {
    expect(world.call(name, text(message))).toEqual({ result: shownHex(digest), gas });
  });
});

describe('natives of 0x1::signer', () => {
  it('borrow the address', () => {
    const world = new NativeWorld('0x1::signer', 'native fun borrow_address(&signer): &address');
    const address = new Uint8Array(32).fill(0xab);
    expect(world.call('borrow_address', address)).toEqual({ result: `0x${'ab'.repeat(32)}`, gas: 354n });
  });
});

describe('natives of 0x1::string', () => {
  const world = new NativeWorld(
    '0x1::string',
    `native fun internal_check_utf8(&vector<u8>): bool
     native fun internal_is_char_boundary(&vector<u8>, u64): bool
     native fun internal_sub_string(&vector<u8>, u64, u64): vector<u8>
     native fun internal_index_of(&vector<u8>, &vector<u8>): u64`,
  );

  // Unicode 15, table 3-7: what is well formed, and the nearest that is not.
  it.each([
    ['', true],
    ['00', true],
    ['7f', true],
    ['80', false],
    ['c2', false],
    ['c280', true],
    ['c1bf', false],
    ['e0a080', true],
    ['e09fbf', false],
    ['ed9fbf', true],
    ['eda080', false],
    ['eebfbf', true],
    ['efbbbf', true],
    ['f0908080', true],
    ['f08fbfbf', false],
    ['f48fbfbf', true],
    ['f4908080', false],
    ['f5808080', false],
    ['61ff', false],
  ])('say of %s whether it is UTF-8: %s', (digits, expected) => {
    const outcome = world.call('internal_check_utf8', hex(digits));
    expect(outcome).toEqual({ result: String(expected), gas: BigInt(5 * (digits.length / 2)) });
  });

  it('know where characters begin', () => {
    const euro = hex('61e282ac62');
    const answers = [0, 1, 2, 3, 4, 5, 6].map((at) => world.call('internal_is_char_boundary', euro, long(at)).result);
    expect(answers).toEqual(['true', 'true', 'false', 'false', 'true', 'true', 'false']);
    const far = world.call('internal_is_char_boundary', euro, long(2n ** 64n - 1n));
    expect(far).toEqual({ result: 'false', gas: 5n });
  });

  it('cut, and abort free of charge for a range that ends before it begins', () => {
    const outcome = world.call('internal_sub_string', text('hello'), long(1), long(4));
    expect(outcome).toEqual({ result: shownText('ell'), gas: 15n });
    expect(world.call('internal_sub_string', text('hello'), long(2), long(2))).toEqual({ result: '[]', gas: 0n });
    const reversed = world.call('internal_sub_string', text('hello'), long(4), long(1));
    expect(reversed).toEqual({ result: 'ABORTED 1 at string:2:0', gas: 0n });
    const beyond = world.call('internal_sub_string', text('hello'), long(4), long(6));
    expect(beyond).toEqual({ result: 'UNKNOWN_INVARIANT_VIOLATION_ERROR at string:2:0', gas: 0n });
  });

  it.each([
    ['hello', 'l', 2],
    ['hello', '', 0],
    ['', '', 0],
    ['', 'a', 0],
    ['hello', 'x', 5],
    ['hello', 'hello world', 5],
    ['aabaaabaaaab', 'aaaab', 7],
    ['abababac', 'ababac', 2],
  ])('find in "%s" "%s" at %i', (haystack, needle, at) => {
    const outcome = world.call('internal_index_of', text(haystack), text(needle));
    expect(outcome).toEqual({ result: String(at), gas: BigInt(5 * at) });
  });

  it('find as String.indexOf does, in any text of two letters', () => {
    for (let bits = 0; bits < 256; bits++) {
      const haystack = bits.toString(2).padStart(8, '0');
      for (const needle of ['0', '01', '0101', '00', '110', '10101']) {
        const at = haystack.indexOf(needle);
        const { result } = world.call('internal_index_of', text(haystack), text(needle));
        expect(result).toBe(String(at < 0 ? 8 : at));
      }
    }
  });
});

describe('natives of 0x1::type_name', () => {
  it('give the canonical name free of charge', () => {
    const world = new NativeWorld(
      '0x1::type_name',
      `extern 0x1::string { struct String has copy, drop, store }
       struct TypeName has copy, drop, store { name: 0x1::string::String }
       struct G<T> has copy, drop { x: T }
       native fun get<T>(): TypeName`,
      ['module 0x1::string\nstruct String has copy, drop, store { bytes: vector<u8> }'],
    );
    const owner = `0x${'0'.repeat(63)}1`;
    expect(world.call('get<vector<u8>>')).toEqual({ result: `{{${shownText('vector<u8>')}}}`, gas: 0n });
    const name = `${owner}::type_name::G<${owner}::type_name::G<bool>>`;
    const outcome = world.call('get<0x1::type_name::G<0x1::type_name::G<bool>>>');
    expect(outcome).toEqual({ result: `{{${shownText(name)}}}`, gas: 0n });
  });
});

describe('natives of 0x1::debug', () => {
  it('cost one unit and say nothing', () => {
    const world = new NativeWorld('0x1::debug', 'native fun print<T>(&T)\nnative fun print_stack_trace()');
    expect(world.call('print<u64>', long(1))).toEqual({ result: '', gas: 1n });
    expect(world.call('print_stack_trace')).toEqual({ result: '', gas: 1n });
  });
});

describe('natives of 0x1::vector', () => {
  const world = new NativeWorld(
    '0x1::vector',
    `struct S has copy, drop { a: u8, b: vector<u64> }
     native fun empty<T>(): vector<T>
     native fun length<T>(&vector<T>): u64
     native fun borrow<T>(&vector<T>, u64): &T
     native fun borrow_mut<T>(&mut vector<T>, u64): &mut T
     native fun push_back<T>(&mut vector<T>, T)
     native fun pop_back<T>(&mut vector<T>): T
     native fun destroy_empty<T>(vector<T>)
     native fun swap<T>(&mut vector<T>, u64, u64)
     native fun native_append<T>(&mut vector<T>, &mut vector<T>)`,
  );

  it('make and measure', () => {
    expect(world.call('empty<u64>')).toEqual({ result: '[]', gas: 85n });
    expect(world.call('empty<vector<bool>>')).toEqual({ result: '[]', gas: 85n });
    expect(world.call('length<u8>', hex('010203'))).toEqual({ result: '3', gas: 99n });
  });

  it('borrow what is there and abort for what is not', () => {
    expect(world.call('borrow<u8>', hex('010203'), long(2))).toEqual({ result: '3', gas: 1335n });
    expect(world.call('borrow<0x1::vector::S>', Uint8Array.of(1, 5, 0), long(0))).toEqual({
      result: '{5, []}',
      gas: 1335n,
    });
    const missing = { result: 'ABORTED 1 at vector:2:0', gas: 1335n };
    expect(world.call('borrow<u8>', hex('010203'), long(3))).toEqual(missing);
    expect(world.call('borrow<u8>', hex('010203'), long(2n ** 64n - 1n))).toEqual(missing);
    expect(world.call('borrow_mut<u8>', hex('0102'), long(0))).toEqual({ result: '1', gas: 1335n });
  });

  // Sizes: 16 for what is no address (32), 2 and the parts for a struct or vector, bytes for vectors of primitives.
  it.each<[string, Uint8Array, bigint]>([
    ['u8', Uint8Array.of(1), 16n],
    ['u256', new Uint8Array(32), 16n],
    ['address', new Uint8Array(32), 32n],
    ['vector<u8>', hex(''), 1n],
    ['vector<u8>', hex('010203'), 3n],
    ['vector<u16>', Uint8Array.of(2, 0, 0, 0, 0), 4n],
    ['vector<u128>', Uint8Array.of(1, ...new Uint8Array(16)), 16n],
    ['vector<address>', Uint8Array.of(1, ...new Uint8Array(32)), 32n],
    ['vector<vector<u8>>', Uint8Array.of(2, 1, 7, 0), 3n],
    ['0x1::vector::S', Uint8Array.of(5, 1, 0, 0, 0, 0, 0, 0, 0, 0), 2n + 16n + 8n],
  ])('push a %s for 54 times its size of %#', (type, element, size) => {
    const vector = new Uint8Array(1);
    expect(world.call(`push_back<${type}>`, vector, element)).toEqual({ result: '', gas: 54n * size });
  });

  it('pop, and abort when there is nothing', () => {
    expect(world.call('pop_back<u8>', hex('0102'))).toEqual({ result: '2', gas: 228n });
    expect(world.call('pop_back<u8>', hex(''))).toEqual({ result: 'ABORTED 2 at vector:5:0', gas: 228n });
  });

  it('destroy only what is empty', () => {
    expect(world.call('destroy_empty<u8>', hex(''))).toEqual({ result: '', gas: 573n });
    expect(world.call('destroy_empty<u8>', hex('01'))).toEqual({ result: 'ABORTED 3 at vector:6:0', gas: 573n });
  });

  it('swap, and abort for an index that is not there', () => {
    for (const [left, right] of [
      [0, 3],
      [3, 0],
    ] as const) {
      const outcome = world.call('swap<u8>', hex('010203'), long(left), long(right));
      expect(outcome).toEqual({ result: 'ABORTED 1 at vector:7:0', gas: 1437n });
    }
    expect(world.call('swap<u8>', hex('010203'), long(0), long(2))).toEqual({ result: '', gas: 1437n });
  });

  it('append for 54 times the nodes of the type and the number of elements', () => {
    const outcome = world.call('native_append<u8>', hex('01'), hex('0203'));
    expect(outcome).toEqual({ result: '', gas: 108n });
    // vector<vector<u8>> has three nodes.
    const vectors = () => Uint8Array.of(1, 1, 1, 7);
    const nested = world.call('native_append<vector<vector<u8>>>', vectors(), vectors());
    expect(nested).toEqual({ result: '', gas: 54n * 3n });
  });

  it('append in order, leave nothing behind, and mark what both belong to', () => {
    const type = { nodes: 1 } as unknown as Type;
    const [leftOwner, rightOwner] = [{ dirty: false }, { dirty: false }];
    const left = new U64Vector(BigUint64Array.of(1n));
    const right = new U64Vector(BigUint64Array.of(2n, 3n));
    left.owner = leftOwner;
    right.owner = rightOwner;
    append(type, left, right);
    expect([left.get(0), left.get(1), left.get(2), left.length, right.length]).toEqual([1n, 2n, 3n, 3, 0]);
    expect([leftOwner.dirty, rightOwner.dirty]).toEqual([true, true]);
  });

  it('append nothing without writing', () => {
    const owner = { dirty: false };
    const [left, right] = [new ArrayVector([]), new ArrayVector([])];
    left.owner = owner;
    right.owner = owner;
    append({ nodes: 2 } as unknown as Type, left, right);
    expect(owner.dirty).toBe(false);
  });
});

/** Calls the native with vectors of our own. */
function append(type: Type, left: VectorValue, right: VectorValue): void {
  const native = VECTOR.natives(new NativePrices(pricesWith()))['native_append'] as (...args: unknown[]) => unknown;
  native({ charge: () => {} }, { typeArguments: [type] }, left, right);
}

describe('prices that are changed', () => {
  it('are what natives cost', () => {
    const entries = pricesWith({ 'move_stdlib.hash.sha2_256.per_byte': 1000n });
    const world = new NativeWorld('0x1::hash', 'native fun sha2_256(vector<u8>): vector<u8>', [], entries);
    expect(world.call('sha2_256', text('abc'))).toMatchObject({ gas: 3000n });
  });
});
