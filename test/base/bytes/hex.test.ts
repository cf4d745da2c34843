import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromHex, toHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { bytesArbitrary } from '../../arbitraries/primitive.ts';
import { expectRefusal } from '../../refusal.ts';

describe('hexadecimal text', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it('is lower case, two digits a byte', () => {
    fc.assert(
      fc.property(bytesArbitrary, (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString('hex'));
        expect(toHexPrefixed(bytes)).toBe(`0x${Buffer.from(bytes).toString('hex')}`);
      }),
    );
  });

  it('is the same without Buffer, as in a browser', async () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const parts = [bytes, bytes.subarray(3, 36), new Uint8Array(0)];
    const expected = parts.map((part) => Buffer.from(part).toString('hex'));
    vi.stubGlobal('Buffer', undefined);
    vi.resetModules();
    const own = await import('../../../src/base/bytes/bytes.ts');
    expect(parts.map((part) => own.toHex(part))).toEqual(expected);
  });

  // spec/rpc.md 2.1: with or without 0x; "" and "0x" are empty; an odd length or a non-digit is an error.
  it.each([
    ['', ''],
    ['0x', ''],
    ['00', '00'],
    ['0x00ff', '00ff'],
    ['0X00FF', '00ff'],
    ['aBcDeF', 'abcdef'],
  ])('reads %j', (text, expected) => {
    expect(toHex(fromHex(text))).toBe(expected);
  });

  it.each([
    ['0', 'even number of hex digits, got 1'],
    ['0x0', 'even number of hex digits, got 1'],
    ['0xzz', 'got "z" at position 2'],
    ['0g', 'got "g" at position 1'],
    ['0x0x', 'got "x" at position 3'],
    [' 0', 'got " " at position 0'],
    ['0x-1', 'got "-" at position 2'],
    ['é0', 'got "é" at position 0'],
    ['ｆｆ', 'got "ｆ" at position 0'],
  ])('refuses %j', (text, message) => {
    expectRefusal(() => fromHex(text), 'invalid-argument', message);
  });

  it('reads what it wrote, in either case and with either prefix', () => {
    fc.assert(
      fc.property(bytesArbitrary, fc.constantFrom('', '0x', '0X'), fc.boolean(), (bytes, prefix, upper) => {
        const digits = upper ? toHex(bytes).toUpperCase() : toHex(bytes);
        expect(fromHex(prefix + digits)).toEqual(bytes);
      }),
    );
  });
});
