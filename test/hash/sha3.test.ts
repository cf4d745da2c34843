/** Hashes of all lengths are those of the host and of @noble/hashes, before and after the module is made. */
import crypto from 'node:crypto';
import { sha3_256 } from '@noble/hashes/sha3.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHex } from '../../src/bytes/hex.ts';

const HASHES_BEFORE_MODULE = 4_096;

let sha3: (data: Uint8Array) => Uint8Array;

beforeEach(async () => {
  vi.resetModules();
  ({ sha3 } = await import('../../src/hash/sha3.ts'));
});

afterEach(() => vi.unstubAllGlobals());

function makeModule(): void {
  for (let count = 0; count < HASHES_BEFORE_MODULE; count++) sha3(Uint8Array.of(count));
}

describe('SHA3-256', () => {
  it('is that of FIPS 202', () => {
    const known = 'a7ffc6f8bf1ed76651c14756a061d662f580ff4de43b49fa82d80a4b80f8434a';
    expect(toHex(sha3(new Uint8Array(0)))).toBe(known);
    makeModule();
    expect(toHex(sha3(new Uint8Array(0)))).toBe(known);
  });

  it('is that of other libraries for every length around a block, whatever came before', () => {
    makeModule();
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 280, maxLength: 280 }), (bytes) => {
        for (let length = 0; length <= bytes.length; length++) {
          const data = bytes.subarray(length % 7, length);
          const hash = sha3(data);
          expect(hash).toEqual(sha3_256(data));
          expect(toHex(hash)).toBe(crypto.createHash('sha3-256').update(data).digest('hex'));
        }
      }),
      { numRuns: 5 },
    );
  });

  it('gives memory of its own', () => {
    makeModule();
    const first = sha3(Uint8Array.of(1));
    const before = first.slice();
    sha3(Uint8Array.of(2));
    expect(first).toEqual(before);
    expect(first.buffer.byteLength).toBe(32);
  });

  it('is that of the host where there is no WebAssembly', () => {
    vi.stubGlobal('WebAssembly', undefined);
    makeModule();
    expect(sha3(Uint8Array.of(5))).toEqual(sha3_256(Uint8Array.of(5)));
  });
});
