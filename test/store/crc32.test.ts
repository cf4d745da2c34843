import * as zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { crc32, crc32c } from '../../src/store/row-checksum.ts';

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('crc32', () => {
  it('gives the check values of the catalogue', () => {
    expect(crc32(ascii('123456789'))).toBe(0xcbf43926);
    expect(crc32c(ascii('123456789'))).toBe(0xe3069283);
    expect(crc32(new Uint8Array(0))).toBe(0);
    expect(crc32c(new Uint8Array(0))).toBe(0);
  });

  it('gives the values of RFC 3720, appendix B.4, for the Castagnoli polynomial', () => {
    expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
    expect(crc32c(new Uint8Array(32).fill(0xff))).toBe(0x62a8ab43);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => index))).toBe(0x46dd794e);
    expect(crc32c(Uint8Array.from({ length: 32 }, (_, index) => 31 - index))).toBe(0x113fdb5c);
  });

  const note = zlib.crc32 === undefined ? ' (skipped: this Node has no zlib.crc32)' : '';
  it.skipIf(zlib.crc32 === undefined)(`equals zlib at any length, alignment and start${note}`, () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 9, maxLength: 400 }),
        fc.nat({ max: 8 }),
        fc.nat(),
        (bytes, offset, start) => {
          const data = bytes.subarray(offset);
          expect(crc32(data, start)).toBe(zlib.crc32(data, start));
        },
      ),
    );
  });

  it('continues: the whole is the second part started from the first', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), fc.nat({ max: 400 }), (bytes, cut) => {
        expect(crc32(bytes.subarray(cut), crc32(bytes.subarray(0, cut)))).toBe(crc32(bytes));
        expect(crc32c(bytes.subarray(cut), crc32c(bytes.subarray(0, cut)))).toBe(crc32c(bytes));
      }),
    );
  });
});
