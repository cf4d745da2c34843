import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytes, encode, u8, u16, u32, u64, u128, u256 } from '../../../src/base/bcs.ts';
import { concatBytes, toHex } from '../../../src/base/bytes/bytes.ts';
import { runs } from '../../effort.ts';
import { NativeWorld } from './native-world.ts';
import { hex, long, shownHex, text } from './values.ts';

const world = new NativeWorld(
  '0x2::rlp',
  `struct Text has copy, drop { bytes: vector<u8> }
   struct Pair has copy, drop { a: vector<u8>, b: vector<u8> }
   struct Deep has copy, drop { pair: Pair, list: vector<Pair> }
   struct Numbers has copy, drop { a: u8, b: u16, c: u32, d: u64, e: u128, f: u256, me: address }
   native fun to_bytes<T>(&T): vector<u8>
   native fun from_bytes<T>(vector<u8>): T`,
);

function write(type: string, value: Uint8Array): string {
  const outcome = world.call(`to_bytes<${type}>`, value);
  expect(outcome.gas).toBe(1000n);
  return toHex(Uint8Array.from(JSON.parse(outcome.result) as number[]));
}

function read(type: string, digits: string): string {
  const outcome = world.call(`from_bytes<${type}>`, hex(digits));
  expect(outcome.gas).toBe(20n);
  return outcome.result;
}

const MISFIT = 'ABORTED 2 at rlp:1:0';

describe('natives of 0x2::rlp', () => {
  // Ethereum's own examples (the wiki page on RLP, rlptest.json), and those of the reference's tests.
  it.each<[string, Uint8Array, string]>([
    ['vector<u8>', text('dog'), '83646f67'],
    ['vector<u8>', text(''), '80'],
    ['vector<u8>', hex('00'), '00'],
    ['vector<u8>', hex('0f'), '0f'],
    ['vector<u8>', hex('7f'), '7f'],
    ['vector<u8>', hex('80'), '8180'],
    ['vector<u8>', hex('0400'), '820400'],
    [
      'vector<u8>',
      text('Lorem ipsum dolor sit amet, consectetur adipisicing elit'),
      'b8384c6f72656d20697073756d20646f6c6f722073697420616d65742c20636f6e7365637465747572206164697069736963696e6720656c6974',
    ],
    ['u8', encode(u8, 0), '80'],
    ['u64', long(1024), '820400'],
    ['u64', long(2n ** 64n - 1n), '88ffffffffffffffff'],
    ['u128', encode(u128, 83_729_609_699_884_896_815_286_331_701_780_722n), '8f102030405060708090a0b0c0d0e0f2'],
    [
      'u256',
      encode(u256, 105_315_505_618_206_987_246_253_880_190_783_558_935_785_933_862_974_822_347_068_935_681n),
      '9c0100020003000400050006000700080009000a000b000c000d000e01',
    ],
    ['u256', encode(u256, 0n), '80'],
    ['bool', Uint8Array.of(1), '01'],
    ['bool', Uint8Array.of(0), '80'],
    ['vector<vector<u8>>', concatBytes(Uint8Array.of(2), text('cat'), text('dog')), 'c88363617483646f67'],
    ['vector<vector<u8>>', Uint8Array.of(0), 'c0'],
    ['vector<u32>', Uint8Array.of(2, 1, 0, 0, 0, 2, 0, 0, 0), 'c20102'],
    ['0x2::rlp::Text', text('dog'), 'c483646f67'],
    // [[], [[]], [[], [[]]]], the set theoretical three, with empty strings for empty lists.
    ['vector<vector<vector<u8>>>', Uint8Array.of(2, 0, 1, 0), 'c3c0c180'],
    ['address', Uint8Array.of(...new Uint8Array(31), 0x42), `a0${'0'.repeat(62)}42`],
  ])('write and read a %s: %#', (type, value, digits) => {
    expect(write(type, value)).toBe(digits);
    const shown = read(type, digits);
    expect(shown).not.toMatch(/ABORTED/);
    // What is read is what was written: it is written again.
    expect(write(type, value)).toBe(digits);
  });

  it('write long lists with the length of their length', () => {
    const items = Uint8Array.of(200, 1, ...Array.from({ length: 200 }, () => [1, 0x61]).flat());
    expect(write('vector<vector<u8>>', items)).toBe(`f8c8${'61'.repeat(200)}`);
    const long300 = concatBytes(Uint8Array.of(0xac, 2), new Uint8Array(300));
    expect(write('vector<u8>', long300)).toBe(`b9012c${'00'.repeat(300)}`);
  });

  it.each([
    ['vector<u8>', ''],
    ['vector<u8>', '83646f'],
    ['vector<u8>', '8101'],
    ['vector<u8>', 'c0'],
    ['vector<u8>', 'b8'],
    ['vector<u8>', 'b800'],
    ['vector<u8>', 'b9003a'],
    ['vector<u8>', 'bfffffffffffffffff'],
    ['u8', '00'],
    ['u8', '820100'],
    ['u16', '8200ff'],
    ['u16', '83010000'],
    ['u64', '89ffffffffffffffffff'],
    ['u64', 'c101'],
    ['bool', '02'],
    ['address', '9f00'],
    ['address', `9f${'00'.repeat(31)}`],
    ['vector<u32>', '80'],
    ['vector<u32>', ''],
    ['vector<u32>', 'c20100'],
    ['0x2::rlp::Pair', '80'],
    ['0x2::rlp::Pair', 'c0'],
    ['0x2::rlp::Pair', 'c101'],
    ['0x2::rlp::Pair', 'c9018001'],
    ['0x2::rlp::Pair', 'c2c001'],
  ])('abort for what is not a %s: %s', (type, digits) => {
    expect(read(type, digits)).toBe(MISFIT);
  });

  it('ignore what comes after the first item', () => {
    expect(read('vector<u8>', '83646f67ffff')).toBe('[100, 111, 103]');
    expect(read('u8', '0505')).toBe('5');
    expect(read('0x2::rlp::Pair', 'c30102')).toBe(MISFIT);
    expect(read('0x2::rlp::Pair', 'c3010203')).toBe('{[1], [2]}');
  });

  // The decoder of the reference goes on after the outermost list: its cursor is not bound by the list.
  it('count what comes after the outermost list, but not after an inner one, as items of it', () => {
    expect(read('0x2::rlp::Pair', 'c10102')).toBe('{[1], [2]}');
    expect(read('vector<u32>', 'c1010203')).toBe('[1, 2, 3]');
    expect(read('0x2::rlp::Pair', 'c00102')).toBe(MISFIT);
    expect(read('vector<u32>', 'c00102')).toBe('[]');
    expect(read('vector<u32>', 'c5')).toBe('[]');
    expect(read('0x2::rlp::Deep', 'c4c10102c0')).toBe(MISFIT);
  });

  it('take lengths that are not shortest where the reference does: of the outermost string', () => {
    expect(read('vector<u8>', `b803${'616263'}`)).toBe('[97, 98, 99]');
    expect(read('vector<vector<u8>>', `c5b803${'616263'}`)).toBe('[]');
  });

  it('take a u256 with leading zeros, and panic for one of more bytes than it has', () => {
    expect(read('u256', '820005')).toBe('5');
    expect(read('u256', `a0${'ff'.repeat(32)}`)).toBe((2n ** 256n - 1n).toString());
    const outcome = world.call('from_bytes<u256>', hex(`a1${'00'.repeat(33)}`));
    expect(outcome).toEqual({ result: 'ABORTED 987654321 at rlp:1:0', gas: 0n });
  });

  it('read back what they write', () => {
    const numbers = fc.tuple(
      fc.nat(255),
      fc.nat(65_535),
      fc.nat(2 ** 31 - 1),
      fc.bigInt(0n, 2n ** 64n - 1n),
      fc.bigInt(0n, 2n ** 128n - 1n),
      fc.bigInt(0n, 2n ** 256n - 1n),
    );
    fc.assert(
      fc.property(numbers, fc.array(fc.uint8Array({ maxLength: 70 }), { maxLength: 5 }), (values, items) => {
        const [a, b, c, d, e, f] = values;
        const struct = concatBytes(
          encode(u8, a),
          encode(u16, b),
          encode(u32, c),
          encode(u64, d),
          encode(u128, e),
          encode(u256, f),
          new Uint8Array(32),
        );
        expect(read('0x2::rlp::Numbers', write('0x2::rlp::Numbers', struct))).toBe(`{${values.join(', ')}, 0x0}`);
        const list = concatBytes(Uint8Array.of(items.length), ...items.map((item) => encode(bytes, item)));
        const shown = `[${items.map((item) => shownHex(toHex(item))).join(', ')}]`;
        expect(read('vector<vector<u8>>', write('vector<vector<u8>>', list))).toBe(shown);
      }),
      { numRuns: runs(33, 100) },
    );
  });

  it('never throw, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (data) => {
        for (const type of ['vector<u8>', 'vector<u32>', '0x2::rlp::Deep', '0x2::rlp::Numbers', 'u128']) {
          world.call(`from_bytes<${type}>`, hex(toHex(data)));
        }
      }),
      { numRuns: runs(100, 300) },
    );
  });
});
