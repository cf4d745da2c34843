import { expect, it } from 'vitest';
import { constantNumber } from '../../src/compile/constant.ts';

it.each([
  ['7', '7'],
  ['0x1_0u64', '16'],
  ['1<<4', '16'],
  ['1 + 2 * 3', '7'],
  ['(1+2)*3', '9'],
  ['0x10_000 | 3', '65539'],
  ['1 << 2 + 1', '8'],
  ['6 ^ 3 & 1', '7'],
  ['(5 as u8)', '5'],
  ['((1 + 4 as u64) << 1)', '10'],
  ['9 / 2 % 3', '1'],
  ['10 - 3 - 2', '5'],
  ['256 >> 1 >> 1', '64'],
  // Whole numbers only, and nothing that the compiler would have refused.
  ['true', undefined],
  ['b"text"', undefined],
  ['@0x42', undefined],
  ['1 / 0', undefined],
  ['1 - 2', undefined],
  ['1 << 256', undefined],
  ['(1', undefined],
  ['1)', undefined],
  ['1 +', undefined],
  ['', undefined],
  ['OTHER + 1', undefined],
  ['1 == 1', undefined],
  [`${'('.repeat(5_000)}1${')'.repeat(5_000)}`, undefined],
])('the value of %j is %j', (text, value) => {
  expect(constantNumber(text)).toBe(value);
});
