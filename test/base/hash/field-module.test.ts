/** Products and differences in WebAssembly are those of the field, however often they are used again. */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { afterEach, assert, describe, expect, it, vi } from 'vitest';
import { ed25519Field, FREE as FREE_OF_ED25519 } from '../../../src/base/hash/ed25519-field.ts';
import { FIELD_ELEMENT_BYTES } from '../../../src/base/hash/field-code.ts';
import { FREE as FREE_OF_SECP256K1, secp256k1Field } from '../../../src/base/hash/secp256k1-field.ts';
import { runs } from '../../effort.ts';

const PLACES = 4;
const FIELDS = [
  { name: 'secp256k1', Fp: secp256k1.Point.Fp, make: secp256k1Field, free: FREE_OF_SECP256K1 },
  { name: 'Ed25519', Fp: ed25519.Point.Fp, make: ed25519Field, free: FREE_OF_ED25519 },
];

const place = fc.nat({ max: PLACES - 1 });

afterEach(() => vi.unstubAllGlobals());

describe.each(FIELDS)('the field of $name', ({ Fp, make, free }) => {
  /** Where a number of limbs is full, and next to the modulus. */
  const edges = [0n, 1n, 2n, 2n ** 29n - 1n, 2n ** 29n, 2n ** 232n - 1n, 2n ** 254n, Fp.ORDER - 2n, Fp.ORDER - 1n];
  const element = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: Fp.ORDER - 1n }));
  /** Where the element of this number is. */
  const elementAt = (index: number): number => free + index * FIELD_ELEMENT_BYTES;
  const field = (): NonNullable<ReturnType<typeof make>> => {
    const made = make(65_536);
    assert(made !== undefined, 'this host has WebAssembly');
    return made;
  };

  it('keeps elements', () => {
    const { put, get } = field();
    for (const value of edges) {
      put(elementAt(1), value);
      expect(get(elementAt(1))).toBe(value);
    }
    expect(get(elementAt(0))).toBe(0n);
  });

  it('multiplies, adds and subtracts all pairs of edges', () => {
    const { put, get, multiply, square, add, subtract, carry } = field();
    for (const left of edges) {
      for (const right of edges) {
        put(elementAt(0), left);
        put(elementAt(1), right);
        const result = (operation: (to: number, left: number, right: number) => void): bigint => {
          operation(elementAt(2), elementAt(0), elementAt(1));
          return get(elementAt(2));
        };
        expect(result(multiply)).toBe(Fp.mul(left, right));
        expect(result(square)).toBe(Fp.sqr(left));
        expect(result(add)).toBe(Fp.add(left, right));
        expect(result(subtract)).toBe(Fp.sub(left, right));
        expect(result((to, first, second) => carry(to, first, second, first))).toBe(Fp.neg(right));
      }
    }
  });

  it('does long computations in which unreduced results are operands again and take the places of operands', () => {
    const steps = fc.array(fc.tuple(fc.nat({ max: 2 }), place, place, place, place), { maxLength: 200 });
    fc.assert(
      fc.property(fc.array(element, { minLength: PLACES, maxLength: PLACES }), steps, (values, list) => {
        const { put, get, multiply, square, carry } = field();
        const expected = [...values];
        for (const [index, value] of values.entries()) put(elementAt(index), value);
        for (const [kind, to, left, right, third] of list) {
          const [a, b, c] = [expected[left]!, expected[right]!, expected[third]!];
          expected[to] = [Fp.mul(a, b), Fp.sqr(a), Fp.sub(Fp.sub(a, b), c)][kind]!;
          if (kind === 0) multiply(elementAt(to), elementAt(left), elementAt(right));
          else if (kind === 1) square(elementAt(to), elementAt(left));
          else carry(elementAt(to), elementAt(left), elementAt(right), elementAt(third));
        }
        expect(values.map((_, index) => get(elementAt(index)))).toEqual(expected);
      }),
      { numRuns: runs(50, 1_000) },
    );
  });

  it('multiplies what is as large as it may be', () => {
    const { memory, multiply, square, get } = field();
    const limbs = new Int32Array(memory.buffer);
    const fill = (at: number, size: number): bigint => {
      limbs.fill(size * 2 ** 28, at / 4, (at + FIELD_ELEMENT_BYTES) / 4);
      return Fp.create(BigInt(size * 2 ** 28) * ((2n ** 261n - 1n) / (2n ** 29n - 1n)));
    };
    for (const [left, right] of [
      [2, 7],
      [-2, 7],
      [7, -2],
      [3, 4],
      [-3, -4],
      [3, 3],
      [-3, -3],
    ] as const) {
      const product = Fp.mul(fill(elementAt(0), left), fill(elementAt(1), right));
      multiply(elementAt(2), elementAt(0), elementAt(1));
      expect(get(elementAt(2))).toBe(product);
      if (left !== right) continue;
      square(elementAt(2), elementAt(0));
      expect(get(elementAt(2))).toBe(product);
    }
  });

  it('is missing if the host has no WebAssembly, or forbids it', () => {
    vi.stubGlobal('WebAssembly', undefined);
    expect(make(FIELD_ELEMENT_BYTES)).toBeUndefined();
    const Module = function forbidden(): never {
      throw new Error('Wasm code generation disallowed by embedder');
    };
    vi.stubGlobal('WebAssembly', { Module });
    expect(make(FIELD_ELEMENT_BYTES)).toBeUndefined();
  });
});
