/** Hashes of all lengths are those of the host and of @noble/hashes. */
import crypto from 'node:crypto';
import { sha3_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { sha3, sha3Joined } from '../../../src/base/hash/sha3.ts';

describe('SHA3-256', () => {
  it('is that of FIPS 202', () => {
    expect(toHex(sha3(new Uint8Array(0)))).toBe('a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a');
  });

  it('is that of other libraries for every length from none to some blocks', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 700, maxLength: 700 }), (bytes) => {
        for (let length = 0; length <= bytes.length; length++) {
          const data = bytes.subarray(length % 7, length);
          const hash = sha3(data);
          expect(hash).toEqual(sha3_256(data));
          expect(toHex(hash)).toBe(crypto.createHash('sha3-256').update(data).digest('hex'));
        }
      }),
      { numRuns: 3 },
    );
  });

  it('is that of all parts in order, however long they are together', () => {
    const part = fc.uint8Array({ maxLength: 600 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 4 }), fc.array(part, { maxLength: 4 }), (parts, others) => {
        for (const each of [parts, others, parts]) {
          expect(sha3Joined(...each)).toEqual(sha3_256(Buffer.concat(each)));
        }
      }),
    );
  });

  it('gives memory of its own', () => {
    const first = sha3(Uint8Array.of(1));
    const before = first.slice();
    sha3(Uint8Array.of(2));
    expect(first).toEqual(before);
    expect(first.buffer.byteLength).toBe(32);
  });
});
