/** Nothing overflows in the code of a field and its curve: shown for all elements at once. */
import { describe, expect, it } from 'vitest';
import { ed25519Field } from '../../../src/base/hash/ed25519-field.ts';
import { FIELD_ELEMENT_BYTES } from '../../../src/base/hash/field-code.ts';
import { ONE, ZERO } from '../../../src/base/hash/field-module.ts';
import { secp256k1Field } from '../../../src/base/hash/secp256k1-field.ts';
import { codeOf, type FieldCode, type Range, range } from './field-bounds.ts';

const LIMBS = FIELD_ELEMENT_BYTES / 4;
/** What field-code.ts calls a little: the third limb, and no other, may exceed its size by this much. */
const LITTLE = 2n ** 23n;
const LITTLE_AT = 2;
/** Where the elements and points that functions are given are; what the functions use themselves is below. */
const PLACES = [10_000, 20_000, 30_000, 40_000];
const ELEMENTS_OF_POINT = 4;

/** The bounds of the limbs of elements. */
type Element = (limb: number) => Range;

const little = (limb: number): bigint => (limb === LITTLE_AT ? LITTLE : 0n);
/** Of products, of what was carried, and of what was put: the size of all elements that are kept. */
const kept: Element = (limb) => range(-little(limb), 2n ** 29n + little(limb));
const zero: Element = () => range(0n, 0n);
const ofSize =
  (size: bigint): Element =>
  (limb) => {
    const most = size * (2n ** 28n + little(limb));
    return range(-most, most);
  };

function fill(code: FieldCode, at: number, elements: number, element: Element): void {
  for (let index = 0; index < elements * LIMBS; index++) code.memory.set(at + 4 * index, element(index % LIMBS));
}

/** The limbs of the element at a place that are not of the size of kept ones. */
function excess(code: FieldCode, at: number): Range[] {
  return Array.from({ length: LIMBS }, (_, index) => code.memory.get(at + 4 * index)!).filter(
    ({ least, most }, index) => least < kept(index).least || most > kept(index).most,
  );
}

describe.each([
  { name: 'secp256k1', make: () => secp256k1Field(0) },
  { name: 'Ed25519', make: () => ed25519Field(0) },
])('the code of $name', ({ make }) => {
  const code = codeOf(make);
  const [to, left, right] = PLACES as [number, number, number];

  it.each([
    [1n, 14n],
    [2n, 7n],
    [3n, 4n],
    [7n, 2n],
  ])('multiplies elements of sizes %d and %d', (first, second) => {
    fill(code, left, 1, ofSize(first));
    fill(code, right, 1, ofSize(second));
    code.run('multiply', to, left, right);
    expect(excess(code, to)).toEqual([]);
  });

  it('squares elements of size 3', () => {
    fill(code, left, 1, ofSize(3n));
    code.run('square', to, left);
    expect(excess(code, to)).toEqual([]);
  });

  it('does not multiply all elements of larger sizes', () => {
    fill(code, left, 1, ofSize(4n));
    expect(() => code.run('multiply', to, left, left)).toThrow(RangeError);
  });

  it('carries what is of size 7', () => {
    fill(code, to, 1, zero);
    fill(code, left, 1, ofSize(7n));
    code.run('carry', right, left, to, to);
    expect(excess(code, right)).toEqual([]);
  });

  const ofField = ['multiply', 'square', 'add', 'subtract', 'carry'];
  it.each(code.names.filter((name) => name !== 'memory' && !ofField.includes(name)))('%s keeps sizes', (name) => {
    const places = PLACES.slice(0, code.parametersOf(name));
    fill(code, ZERO, 1, zero);
    fill(code, ONE, 2, kept);
    for (const place of PLACES) fill(code, place, ELEMENTS_OF_POINT, kept);
    code.run(name, ...places);
    for (const place of places) {
      for (let element = 0; element < ELEMENTS_OF_POINT; element++) {
        expect(excess(code, place + element * FIELD_ELEMENT_BYTES)).toEqual([]);
      }
    }
  });
});
