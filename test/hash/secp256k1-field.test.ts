/** Products and differences in WebAssembly are those of the field, however often they are used again. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { afterEach, assert, describe, expect, it, vi } from 'vitest';
import { FIELD_ELEMENT_BYTES, type Secp256k1Field, secp256k1Field } from '../../src/hash/secp256k1-field.ts';
import { runs } from '../effort.ts';

const { Fp } = secp256k1.Point;
const PLACES = 4;
/** Where a number of limbs is full, and next to the modulus. */
const EDGES = [0n, 1n, 2n, 2n ** 26n - 1n, 2n ** 26n, 2n ** 234n - 1n, 2n ** 255n, Fp.ORDER - 2n, Fp.ORDER - 1n];

const element = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: Fp.ORDER - 1n }));
const place = fc.nat({ max: PLACES - 1 });

function field(): Secp256k1Field {
  const made = secp256k1Field(PLACES * FIELD_ELEMENT_BYTES);
  assert(made !== undefined, 'this host has WebAssembly');
  return made;
}

afterEach(() => vi.unstubAllGlobals());

describe('the field of secp256k1', () => {
  it('keeps elements', () => {
    const { put, get } = field();
    for (const value of EDGES) {
      put(FIELD_ELEMENT_BYTES, value);
      expect(get(FIELD_ELEMENT_BYTES)).toBe(value);
    }
    expect(get(0)).toBe(0n);
  });

  it('multiplies and subtracts all pairs of edges', () => {
    const { put, get, multiply, subtract } = field();
    for (const left of EDGES) {
      for (const right of EDGES) {
        put(0, left);
        put(FIELD_ELEMENT_BYTES, right);
        multiply(2 * FIELD_ELEMENT_BYTES, 0, FIELD_ELEMENT_BYTES);
        subtract(3 * FIELD_ELEMENT_BYTES, 0, FIELD_ELEMENT_BYTES);
        expect(get(2 * FIELD_ELEMENT_BYTES)).toBe(Fp.mul(left, right));
        expect(get(3 * FIELD_ELEMENT_BYTES)).toBe(Fp.sub(left, right));
      }
    }
  });

  it('does long computations in which results, not reduced, are operands again and stand where operands stood', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), place, place, place), { maxLength: 200 });
    fc.assert(
      fc.property(fc.array(element, { minLength: PLACES, maxLength: PLACES }), steps, (values, list) => {
        const { put, get, multiply, subtract } = field();
        const expected = [...values];
        for (const [index, value] of values.entries()) put(index * FIELD_ELEMENT_BYTES, value);
        for (const [isProduct, to, left, right] of list) {
          const [a, b] = [expected[left]!, expected[right]!];
          expected[to] = isProduct ? Fp.mul(a, b) : Fp.sub(a, b);
          const places = [to, left, right].map((at) => at * FIELD_ELEMENT_BYTES) as [number, number, number];
          if (isProduct) multiply(...places);
          else subtract(...places);
        }
        expect(values.map((_, index) => get(index * FIELD_ELEMENT_BYTES))).toEqual(expected);
      }),
      { numRuns: runs(50) },
    );
  });

  it('is not there where the host has no WebAssembly, or forbids it', () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(secp256k1Field(FIELD_ELEMENT_BYTES)).toBeUndefined();
    const Module = function forbidden(): never {
      throw new Error('Wasm code generation disallowed by embedder');
    };
    vi.stubGlobal('WebAssembly', { Module });
    expect(secp256k1Field(FIELD_ELEMENT_BYTES)).toBeUndefined();
  });
});
