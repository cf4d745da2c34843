import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  address,
  addressOf,
  BITCOIN_MOVE_ADDRESS,
  FRAMEWORK_ADDRESS,
  formatAddress,
  formatAddressBech32,
  formatAddressShort,
  isReservedAddress,
  isSystemAddress,
  MOVE_STD_ADDRESS,
  MOVEOS_STD_ADDRESS,
  parseAddress,
  parseAddressHex,
  SYSTEM_ADDRESS,
} from '../../src/move/address.ts';
import { addressArbitrary } from '../arbitraries/primitive.ts';
import { describeCodec } from '../base/bcs/codec-laws.ts';
import { expectRefusal } from '../refusal.ts';

const LONG = 'a7afe75c4f3a7631191905601f4396b25dde044539807de65ed4fc7358dbd98e';

// spec/rpc.md 14: number or digits, and the bech32m form.
const BECH32: readonly (readonly [string, string])[] = [
  ['0x0', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqhxqaen'],
  ['0x1', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqsz8g9vq'],
  ['0x2', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqpqcm08j4'],
  ['0x3', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqpsd68l8x'],
  ['0x42', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqppq6exstd'],
  [`0x${LONG}`, 'rooch157h7whz08fmrzxgeq4sp7sukkfwaupz98xq8mej76n78xkxmmx8q9ujmg6'],
];

describeCodec('address', address, addressArbitrary);

describe('the text forms of an address', () => {
  it.each(BECH32)('bech32m of %s', (hex, text) => {
    expect(formatAddressBech32(parseAddressHex(hex))).toBe(text);
    expect(parseAddress(text)).toEqual(parseAddressHex(hex));
    expect(text).toHaveLength(64);
  });

  // spec/state.md 1.5.
  it.each([
    [0, '0x0', `0x${'0'.repeat(64)}`],
    [1, '0x1', `0x${'0'.repeat(63)}1`],
    [0x10, '0x10', `0x${'0'.repeat(62)}10`],
    [0xffff_ffff, '0xffffffff', `0x${'0'.repeat(56)}ffffffff`],
  ])('short and full form of %i', (value, short, full) => {
    expect(formatAddressShort(addressOf(value))).toBe(short);
    expect(formatAddress(addressOf(value))).toBe(full);
  });

  it('are each read back', () => {
    fc.assert(
      fc.property(addressArbitrary, (value) => {
        for (const text of [formatAddress(value), formatAddressShort(value), formatAddress(value).slice(2)]) {
          expect(parseAddressHex(text)).toEqual(value);
          expect(parseAddress(text)).toEqual(value);
          expect(parseAddress(text.replace(/[a-f]/g, (digit) => digit.toUpperCase()))).toEqual(value);
        }
        expect(parseAddress(formatAddressBech32(value))).toEqual(value);
        expect(parseAddress(formatAddressBech32(value).toUpperCase())).toEqual(value);
      }),
    );
  });

  it('reads 0x and 1 to 64 digits, padded on the left', () => {
    for (let digits = 1; digits <= 64; digits++) {
      expect(formatAddress(parseAddressHex(`0x${'f'.repeat(digits)}`))).toBe(
        `0x${'f'.repeat(digits).padStart(64, '0')}`,
      );
    }
  });
});

describe('what is not an address', () => {
  const bech32 = BECH32[4]![1];
  it.each([
    ['nothing', ''],
    ['0x alone', '0x'],
    ['65 digits', `0x0${LONG}`],
    ['66 digits', `0x00${LONG}`],
    ['63 bare digits', LONG.slice(1)],
    ['65 bare digits', `0${LONG}`],
    ['a bare short number', '42'],
    ['a character that is no digit', '0xg'],
    ['a sign', '0x-1'],
    ['an underscore', '0x1_0'],
    ['a leading space', ' 0x1'],
    ['a trailing space', '0x1 '],
    ['a line end', '0x1\n'],
    ['a type', '0x1::string::String'],
    ['a changed checksum', `${bech32.slice(0, -1)}q`],
    ['a character left out', bech32.slice(0, -1)],
    ['a character too many', `${bech32}q`],
    ['mixed case', `R${bech32.slice(1)}`],
    ['another prefix', bech32.replace('rooch', 'room')],
    ['bech32 with the checksum of version 0', 'rooch1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5a7xx8'],
    ['a Bitcoin address', 'bc1qm0dx0zukm5xt6z35q474j0vsx0p8dfaefsnzl5'],
    ['a long text', 'x'.repeat(100_000)],
  ])('%s', (_name, text) => {
    const error = expectRefusal(
      () => parseAddress(text),
      'invalid-argument',
      'expected an address of 0x and 1 to 64 hex digits, or bech32m rooch1...',
    );
    expect(error.message.length).toBeLessThan(300);
  });

  it('is bech32m if only digits are asked for', () => {
    expectRefusal(
      () => parseAddressHex(bech32),
      'invalid-argument',
      /^expected an address of 0x and 1 to 64 hex digits, got/,
    );
  });

  it('is a number that does not fit 32 bits', () => {
    for (const value of [-1, 2 ** 32, 0.5, Number.NaN]) {
      expectRefusal(() => addressOf(value), 'invariant-violation', 'below 2^32');
    }
  });
});

describe('well-known addresses (spec/state.md 1.6)', () => {
  it('are 0x0 to 0x4', () => {
    const known = [SYSTEM_ADDRESS, MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS, FRAMEWORK_ADDRESS, BITCOIN_MOVE_ADDRESS];
    expect(known.map(formatAddressShort)).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4']);
    expect(known.map(isSystemAddress)).toEqual([true, false, false, false, false]);
  });

  it('of the framework are 0x1 to 0xa', () => {
    const reserved = [0, 1, 9, 10, 11, 0x100, 0x101].map((value) => isReservedAddress(addressOf(value)));
    expect(reserved).toEqual([false, true, true, true, false, false, false]);
    expect(isReservedAddress(Uint8Array.from({ length: 32 }, () => 1))).toBe(false);
  });
});
