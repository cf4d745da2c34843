/** Sums of points in WebAssembly are those of @noble/curves. */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { assert, describe, expect, it } from 'vitest';
import { FIELD_ELEMENT_BYTES } from '../../../src/base/hash/field-code.ts';
import { FREE, INVERSE, type Secp256k1Field, secp256k1Field, Y, Z } from '../../../src/base/hash/secp256k1-field.ts';
import { runs } from '../../effort.ts';

const Curve = secp256k1.Point;
const { BASE, Fp } = Curve;
type Point = InstanceType<typeof Curve>;

function field(): Secp256k1Field {
  const made = secp256k1Field(65_536);
  assert(made !== undefined, 'this host has WebAssembly');
  return made;
}

describe('points of secp256k1', () => {
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
});
