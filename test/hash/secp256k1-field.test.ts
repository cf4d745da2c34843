/** Products and differences in WebAssembly are those of the field, however often they are used again. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { afterEach, assert, describe, expect, it, vi } from 'vitest';
import { FIELD_ELEMENT_BYTES } from '../../src/hash/field-code.ts';
import { FREE, INVERSE, type Secp256k1Field, secp256k1Field, Y, Z } from '../../src/hash/secp256k1-field.ts';
import { runs } from '../effort.ts';

const Curve = secp256k1.Point;
const { BASE, Fp } = Curve;
type Point = InstanceType<typeof Curve>;
const PLACES = 4;
/** Where the element of this number is. */
const elementAt = (index: number): number => FREE + index * FIELD_ELEMENT_BYTES;
/** Where a number of limbs is full, and next to the modulus. */
const EDGES = [0n, 1n, 2n, 2n ** 29n - 1n, 2n ** 29n, 2n ** 232n - 1n, 2n ** 255n, Fp.ORDER - 2n, Fp.ORDER - 1n];

const element = fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: 0n, max: Fp.ORDER - 1n }));
const place = fc.nat({ max: PLACES - 1 });

function field(): Secp256k1Field {
  const made = secp256k1Field(65_536);
  assert(made !== undefined, 'this host has WebAssembly');
  return made;
}

afterEach(() => vi.unstubAllGlobals());

describe('the field of secp256k1', () => {
  it('keeps elements', () => {
    const { put, get } = field();
    for (const value of EDGES) {
      put(elementAt(1), value);
      expect(get(elementAt(1))).toBe(value);
    }
    expect(get(elementAt(0))).toBe(0n);
  });

  it('multiplies, adds and subtracts all pairs of edges', () => {
    const { put, get, multiply, square, add, subtract, carry } = field();
    for (const left of EDGES) {
      for (const right of EDGES) {
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

  it('does long computations in which results, not reduced, are operands again and stand where operands stood', () => {
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

  it('adds, doubles and joins points as @noble/curves does', () => {
    const { put, get, addPoint, subtractPoint, double, chain, join, negative, copy } = field();
    const [sum, point, other, product] = [0, 300, 600, 900].map((at) => FREE + at) as [number, number, number, number];
    const putPoint = (at: number, of: Point): Point => {
      const { x, y } = of.toAffine();
      put(at, x);
      put(at + Y, y);
      return of;
    };
    const sumAt = (at: number): Point => {
      const inverse = Fp.inv(get(at + Z));
      return Curve.fromAffine({ x: Fp.mul(get(at), inverse ** 2n), y: Fp.mul(get(at + Y), inverse ** 3n) });
    };
    const scalars = fc.bigInt({ min: 3n, max: Curve.Fn.ORDER / 4n });
    fc.assert(
      fc.property(scalars, scalars, (left, right) => {
        fc.pre(left !== right && 2n * left !== right);
        const [p, q] = [putPoint(sum, BASE.multiply(left)), putPoint(point, BASE.multiply(right))];
        put(sum + Z, 1n);
        double(sum, sum);
        addPoint(sum, point);
        expect(sumAt(sum).equals(p.double().add(q))).toBe(true);
        subtractPoint(sum, point);
        subtractPoint(sum, point);
        expect(sumAt(sum).equals(p.double().subtract(q))).toBe(true);
        putPoint(sum, p);
        put(product, left);
        chain(product + FIELD_ELEMENT_BYTES, product, sum, point);
        put(INVERSE, Fp.inv(get(product + FIELD_ELEMENT_BYTES)));
        join(other, product, sum, point);
        expect(Curve.fromAffine({ x: get(other), y: get(other + Y) }).equals(p.add(q))).toBe(true);
        expect(Fp.mul(get(INVERSE), left)).toBe(1n);
        negative(sum, other);
        copy(point, sum);
        expect(Curve.fromAffine({ x: get(point), y: get(point + Y) }).equals(p.add(q).negate())).toBe(true);
      }),
      { numRuns: runs(20, 500) },
    );
  });

  it('leaves z at 0 where it cannot add', () => {
    const { put, get, addPoint, subtractPoint } = field();
    const { x, y } = BASE.toAffine();
    const [sum, point] = [FREE, FREE + 300];
    for (const adds of [addPoint, subtractPoint]) {
      for (const at of [sum, point]) {
        put(at, x);
        put(at + Y, y);
      }
      put(sum + Z, 1n);
      adds(sum, point);
      const triple = BASE.multiply(3n).toAffine();
      put(point, triple.x);
      put(point + Y, triple.y);
      addPoint(sum, point);
      expect(get(sum + Z)).toBe(0n);
    }
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
