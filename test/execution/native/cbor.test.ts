import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, encode, string, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../../src/base/bytes/bytes.ts';
import { addressOf } from '../../../src/move/address.ts';
import { runs } from '../../effort.ts';
import { DATA_EXTERNS, DATA_MODULES } from './data-modules.ts';
import { NativeWorld } from './native-world.ts';
import { hex, long, shownHex, shownText, text } from './values.ts';

const world = new NativeWorld(
  '0x2::cbor',
  `${DATA_EXTERNS}
   struct Inner has copy, drop, store { value: u64 }
   struct Test has copy, drop, store {
     bool_value: bool,
     age: u8,
     balance: u128,
     sig: u256,
     ascii_string: 0x1::ascii::String,
     utf8_string: 0x1::string::String,
     option_string: 0x1::option::Option<0x1::string::String>,
     inner: Inner,
     null_value: 0x1::option::Option<Inner>,
     inner_option: 0x1::option::Option<Inner>,
     inner_array: vector<Inner>,
     account: address,
     bytes: vector<u8>
   }
   struct Pair has copy, drop, store { a: u8, b: u8 }
   native fun native_from_cbor<T>(vector<u8>): 0x1::option::Option<T>
   native fun native_to_cbor<T>(&T): vector<u8>`,
  DATA_MODULES,
);

const STRING = '0x1::string::String';
const BYTES_MAP = `0x2::simple_map::SimpleMap<${STRING}, vector<u8>>`;
const PAIR = '0x2::cbor::Pair';
const NONE = '{[]}';
const PANIC = 'ABORTED 987654321 at cbor:0:0';

function read(type: string, digits: string): string {
  const outcome = world.call(`native_from_cbor<${type}>`, hex(digits));
  expect(outcome.gas).toBe(outcome.result === PANIC ? 0n : 20n);
  return outcome.result;
}

function write(type: string, value: Uint8Array): string {
  const outcome = world.call(`native_to_cbor<${type}>`, value);
  expect(outcome.gas).toBe(1000n);
  return outcome.result.startsWith('[')
    ? toHex(Uint8Array.from(JSON.parse(outcome.result) as number[]))
    : outcome.result;
}

// The value and the bytes of the reference's own tests.
const TEST_CBOR =
  'ad6a626f6f6c5f76616c7565f563616765181e6762616c616e6365c2508000000000000000000000000000000063736967c258184563918244f400000000000000000000176a81ca357800006c61736369695f737472696e676d726f6f63682e6e6574776f726b6b757466385f737472696e676d726f6f63682e6e6574776f726b6d6f7074696f6e5f737472696e676d726f6f63682e6e6574776f726b65696e6e6572a16576616c756518646a6e756c6c5f76616c7565f66c696e6e65725f6f7074696f6ea16576616c756518666b696e6e65725f617272617981a16576616c75651865676163636f756e74582000000000000000000000000000000000000000000000000000000000000000426562797465734403020100';
const TEST_BCS = concatBytes(
  Uint8Array.of(1, 30),
  encode(u128, 170141183460469231731687303715884105728n),
  encode(u256, 1701411834604692317316873037158841057281687303715884105728n),
  text('rooch.network'),
  text('rooch.network'),
  Uint8Array.of(1),
  text('rooch.network'),
  encode(u64, 100n),
  Uint8Array.of(0, 1),
  encode(u64, 102n),
  Uint8Array.of(1),
  encode(u64, 101n),
  addressOf(0x42),
  hex('03020100'),
);
const NETWORK = `{${shownText('rooch.network')}}`;
const TEST_SHOWN = `{true, 30, 170141183460469231731687303715884105728, 1701411834604692317316873037158841057281687303715884105728, ${NETWORK}, ${NETWORK}, {[${NETWORK}]}, {100}, {[]}, {[{102}]}, [{101}], 0x42, [3, 2, 1, 0]}`;

describe('natives of 0x2::cbor', () => {
  it('write and read a struct as a map', () => {
    expect(write('0x2::cbor::Test', TEST_BCS)).toBe(TEST_CBOR);
    expect(read('0x2::cbor::Test', TEST_CBOR)).toBe(`{[${TEST_SHOWN}]}`);
  });

  // RFC 8949, appendix A, and the same with lengths that are not shortest.
  it.each([
    ['u8', '00', '0'],
    ['u8', '17', '23'],
    ['u8', '1818', '24'],
    ['u8', '18ff', '255'],
    ['u8', '1800', '0'],
    ['u8', '1b0000000000000007', '7'],
    ['u16', '1903e8', '1000'],
    ['u32', '1a000f4240', '1000000'],
    ['u64', '1b000000e8d4a51000', '1000000000000'],
    ['u64', '1bffffffffffffffff', '18446744073709551615'],
    // A big number that 64 bits hold is an integer.
    ['u64', 'c24101', '1'],
    ['u64', 'c240', '0'],
    ['u64', 'c24a0000ffffffffffffffff', '18446744073709551615'],
    ['u128', 'c249010000000000000000', '18446744073709551616'],
    ['u128', `c250${'ff'.repeat(16)}`, (2n ** 128n - 1n).toString()],
    ['u256', 'c249010000000000000000', '18446744073709551616'],
    ['u256', `c25820${'ff'.repeat(32)}`, (2n ** 256n - 1n).toString()],
    ['u256', `c25811${'00'.repeat(16)}07`, '7'],
    ['u256', 'c25f4105ff', '5'],
    ['bool', 'f4', 'false'],
    ['bool', 'f5', 'true'],
    ['bool', 'f815', 'true'],
    ['vector<u8>', '40', '[]'],
    ['vector<u8>', '4401020304', '[1, 2, 3, 4]'],
    ['vector<u8>', '5f42010243030405ff', '[1, 2, 3, 4, 5]'],
    ['vector<u8>', '5fff', '[]'],
    // A piece in pieces, which RFC 8949 forbids.
    ['vector<u8>', '5f5f4101ff4102ff', '[1, 2]'],
    ['vector<u16>', '83010203', '[1, 2, 3]'],
    ['vector<u16>', '9f010203ff', '[1, 2, 3]'],
    ['vector<vector<u16>>', '9f808101ff', '[[], [1]]'],
    [STRING, '60', '{[]}'],
    [STRING, '6161', `{${shownText('a')}}`],
    [STRING, '62c3bc', `{${shownText('ü')}}`],
    [STRING, '7f657374726561646d696e67ff', `{${shownText('streaming')}}`],
    ['0x1::ascii::String', '6161', `{${shownText('a')}}`],
    ['0x1::option::Option<u8>', 'f6', '{[]}'],
    ['0x1::option::Option<u8>', 'f7', '{[]}'],
    ['0x1::option::Option<u8>', '05', '{[5]}'],
    ['address', `5820${'00'.repeat(31)}42`, '0x42'],
    [PAIR, 'a2616101616202', '{1, 2}'],
    [PAIR, 'bf616202616101ff', '{1, 2}'],
    [PAIR, 'a3616101616202616103', '{1, 2}'],
    [PAIR, 'a30101616101616202', '{1, 2}'],
    [PAIR, '820102', '{1, 2}'],
    [PAIR, '83010203', '{1, 2}'],
    // Only the first item counts.
    ['u8', '01ff', '1'],
  ])('read a %s from %s', (type, digits, value) => {
    expect(read(type, digits)).toBe(`{[${value}]}`);
  });

  it.each([
    ['u8', ''],
    ['u8', '18'],
    ['u8', '190100'],
    ['u8', '20'],
    ['u8', '1c'],
    ['u8', '1f'],
    ['u8', 'f90000'],
    ['u8', 'd80101'],
    ['u64', 'c249010000000000000000'],
    ['u64', 'c25f4101ff'],
    ['u64', 'c34101'],
    ['u64', `c350${'ff'.repeat(16)}`],
    ['u128', '01'],
    ['u128', 'c24101'],
    ['u128', 'c349010000000000000000'],
    ['u128', 'd81849010000000000000000'],
    ['u256', '01'],
    ['bool', '01'],
    ['bool', 'f0'],
    ['bool', 'ff'],
    ['vector<u8>', '83010203'],
    ['vector<u8>', '4200'],
    ['vector<u8>', '5f6161ff'],
    ['vector<u8>', '5f4101'],
    ['vector<u8>', '5bffffffffffffffff00'],
    ['vector<u16>', '41ff'],
    ['vector<u16>', '8301'],
    ['vector<u16>', '9f01'],
    ['vector<u16>', '9bffffffffffffffff01'],
    [STRING, '61ff'],
    [STRING, '7f61c361bcff'],
    [STRING, '4161'],
    ['0x1::ascii::String', '62c3bc'],
    ['address', '581f'.padEnd(66, '0')],
    ['signer', `5820${'00'.repeat(32)}`],
    [PAIR, 'a1616101'],
    [PAIR, 'a2616101616219'],
    [PAIR, 'a2616101'],
    [PAIR, '8101'],
    [PAIR, 'a2416101416200'],
    [BYTES_MAP, '80'],
    [BYTES_MAP, 'a10101'],
  ])('give none for what is not a %s: %s', (type, digits) => {
    expect(read(type, digits)).toBe(NONE);
  });

  it('panic where the reference dies', () => {
    for (const digits of ['01', '6161', 'f6', 'c24101', 'f90000']) expect(read(PAIR, digits)).toBe(PANIC);
    expect(read('u128', `c251${'00'.repeat(17)}`)).toBe(PANIC);
    expect(read('u256', `c25821${'00'.repeat(33)}`)).toBe(PANIC);
    expect(read('u128', `c25f51${'00'.repeat(17)}ff`)).toBe(PANIC);
  });

  it('read up to 256 nested items', () => {
    const nested = (depth: number) => `a16161${'81'.repeat(depth)}01`;
    expect(read(BYTES_MAP, nested(255))).toBe(`{[{[{{[97]}, ${shownHex(`${'81'.repeat(255)}01`)}}]}]}`);
    expect(read(BYTES_MAP, nested(256))).toBe(NONE);
    expect(read(BYTES_MAP, `a16161${'c6'.repeat(256)}01`)).toBe(NONE);
  });

  it.each<[string, Uint8Array, string]>([
    ['u8', Uint8Array.of(24), '1818'],
    ['u64', long(2n ** 64n - 1n), '1bffffffffffffffff'],
    ['u128', encode(u128, 5n), '05'],
    ['u128', encode(u128, 2n ** 64n), 'c249010000000000000000'],
    // No round trip for small ones: they are written in a form that is not read.
    ['u256', encode(u256, 0n), 'c240'],
    ['u256', encode(u256, 256n), 'c2420100'],
    ['bool', Uint8Array.of(1), 'f5'],
    ['address', new Uint8Array(32), `5820${'00'.repeat(32)}`],
    ['vector<u8>', hex('00'.repeat(24)), `5818${'00'.repeat(24)}`],
    ['vector<u16>', Uint8Array.of(1, 0, 1), '81190100'],
    [STRING, text('ü'), '62c3bc'],
    ['0x1::option::Option<u8>', Uint8Array.of(0), 'f6'],
    ['0x1::option::Option<u8>', Uint8Array.of(1, 5), '05'],
    [
      '0x2::object::ObjectID',
      concatBytes(Uint8Array.of(1), new Uint8Array(32)),
      `a16470617468815820${'00'.repeat(32)}`,
    ],
  ])('write a %s: %#', (type, value, digits) => {
    expect(write(type, value)).toBe(digits);
  });

  it('abort for what CBOR cannot express', () => {
    expect(write('signer', addressOf(1))).toBe('ABORTED 1 at cbor:1:0');
    expect(write(STRING, hex('ff'))).toBe('ABORTED 1 at cbor:1:0');
  });

  // RFC 8949, appendix A: every item but integers in their own form, as it is and in its shortest form.
  it.each([
    ['00', '00'],
    ['1a0000000a', '0a'],
    ['20', '20'],
    ['3863', '3863'],
    ['3903e7', '3903e7'],
    ['3bffffffffffffffff', '3bffffffffffffffff'],
    ['c249010000000000000000', 'c249010000000000000000'],
    ['c349010000000000000000', 'c349010000000000000000'],
    ['c34101', '21'],
    ['c348ffffffffffffffff', '3bffffffffffffffff'],
    ['f90000', 'f90000'],
    ['f98000', 'f98000'],
    ['f93c00', 'f93c00'],
    ['fb3ff199999999999a', 'fb3ff199999999999a'],
    ['f97bff', 'f97bff'],
    ['fa47c35000', 'fa47c35000'],
    ['fa7f7fffff', 'fa7f7fffff'],
    ['fb7e37e43c8800759c', 'fb7e37e43c8800759c'],
    ['f90001', 'f90001'],
    ['f90400', 'f90400'],
    ['f9c400', 'f9c400'],
    ['fbc010666666666666', 'fbc010666666666666'],
    ['f97c00', 'f97c00'],
    ['f97e00', 'f97e00'],
    ['f9fc00', 'f9fc00'],
    ['fa7f800000', 'f97c00'],
    ['fa7fc00000', 'f97e00'],
    ['faff800000', 'f9fc00'],
    ['fb7ff0000000000000', 'f97c00'],
    ['fb7ff8000000000000', 'f97e00'],
    ['fbfff0000000000000', 'f9fc00'],
    ['fb3ff0000000000000', 'f93c00'],
    ['fa3f800000', 'f93c00'],
    ['fb3e70000000000000', 'f90001'],
    ['fb36a0000000000000', 'fa00000001'],
    ['fb3690000000000000', 'fb3690000000000000'],
    ['fb0000000000000001', 'fb0000000000000001'],
    ['fb47efffffe0000000', 'fa7f7fffff'],
    ['fb47f0000000000000', 'fb47f0000000000000'],
    // NaNs: of 16 and 32 bits they become quiet, of 64 they stay as they are.
    ['f97c01', 'f97e01'],
    ['fa7f800001', 'fa7fc00001'],
    ['fb7ff0000000000001', 'fb7ff0000000000001'],
    ['fb7ff8000000000001', 'fb7ff8000000000001'],
    ['f4', 'f4'],
    ['f7', 'f6'],
    ['c074323031332d30332d32315432303a30343a30305a', 'c074323031332d30332d32315432303a30343a30305a'],
    ['d74401020304', 'd74401020304'],
    ['d818456449455446', 'd818456449455446'],
    ['5f42010243030405ff', '450102030405'],
    ['8301820203820405', '8301820203820405'],
    ['9f018202039f0405ffff', '8301820203820405'],
    ['bf6346756ef563416d7421ff', 'a26346756ef563416d7421'],
    ['a201020304', 'a201020304'],
  ])('pass on an item of a map of bytes: %s as %s', (digits, shortest) => {
    expect(read(BYTES_MAP, `a16161${digits}`)).toBe(`{[{[{{[97]}, ${shownHex(shortest)}}]}]}`);
    const map = concatBytes(Uint8Array.of(1), encode(string, 'a'), encode(bytes, fromHex(digits)));
    expect(write(BYTES_MAP, map)).toBe(`a16161${shortest}`);
  });

  it('abort for a map of bytes that are not CBOR', () => {
    const map = concatBytes(Uint8Array.of(1), encode(string, 'a'), encode(bytes, new Uint8Array(0)));
    expect(write(BYTES_MAP, map)).toBe('ABORTED 1 at cbor:1:0');
  });

  it('write doubles in the form that reads back, and no longer one', () => {
    fc.assert(
      fc.property(fc.oneof(fc.double(), fc.float()), (value) => {
        const view = new DataView(new ArrayBuffer(8));
        view.setFloat64(0, value);
        const double = toHex(new Uint8Array(view.buffer));
        const map = concatBytes(Uint8Array.of(1), encode(string, 'a'), encode(bytes, fromHex(`fb${double}`)));
        const written = fromHex(write(BYTES_MAP, map).slice(6));
        view.setFloat64(0, 0);
        view.setFloat32(0, value);
        const isSingle = Object.is(view.getFloat32(0), value);
        expect(written.length).toBeLessThanOrEqual(isSingle ? 5 : 9);
        if (written.length === 5) expect(toHex(written)).toBe(`fa${toHex(new Uint8Array(view.buffer, 0, 4))}`);
        if (written.length === 9) expect(isSingle && !Number.isNaN(value)).toBe(false);
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('never throw, whatever bytes they are given', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
        for (const type of ['0x2::cbor::Test', PAIR, BYTES_MAP, 'u256', 'vector<u16>', STRING]) read(type, toHex(data));
      }),
      { numRuns: runs(100, 300) },
    );
  });
});
