import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ArrayVector,
  BoolVector,
  ByteVector,
  EMPTY_ARRAYS,
  U16Vector,
  U32Vector,
  U64Vector,
  type VectorValue,
} from '../../../src/vm/value/vector.ts';
import { runs } from '../../effort.ts';

/** Each class, empty, and how a small number becomes an element of it. */
const CLASSES: readonly (readonly [string, () => VectorValue, (n: number) => unknown])[] = [
  ['BoolVector', () => new BoolVector(EMPTY_ARRAYS.bool), (n) => n % 2 === 1],
  ['ByteVector', () => new ByteVector(EMPTY_ARRAYS.u8), (n) => n],
  ['U16Vector', () => new U16Vector(EMPTY_ARRAYS.u16), (n) => n * 257],
  ['U32Vector', () => new U32Vector(EMPTY_ARRAYS.u32), (n) => n * 16_843_009],
  ['U64Vector', () => new U64Vector(EMPTY_ARRAYS.u64), (n) => BigInt(n) * 72_340_172_838_076_673n],
  ['ArrayVector', () => new ArrayVector([]), (n) => ({ n })],
];

const step = fc.record({
  kind: fc.constantFrom('push', 'pop', 'set', 'swap', 'append', 'assign', 'reverse'),
  left: fc.nat(255),
  right: fc.nat(255),
});

const copyStep = fc.record({
  kind: fc.constantFrom('push', 'pop', 'set', 'swap', 'append', 'assign', 'reverse', 'copy', 'copy'),
  left: fc.nat(255),
  right: fc.nat(255),
});

function listed(vector: VectorValue): unknown[] {
  return Array.from({ length: vector.length }, (_, index) => vector.get(index));
}

type CopiedVector = VectorValue & { copy(): CopiedVector };

describe.each(CLASSES)('%s', (_name, make, element) => {
  it('does what an array does, and marks its owner at every change', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const vector = make();
        let model: unknown[] = [];
        for (const { kind, left, right } of steps) {
          const owner = { dirty: false };
          const otherOwner = { dirty: false };
          vector.owner = owner;
          const other = make();
          const elements = Array.from({ length: right % 5 }, (_, index) =>
            element(index + left > 255 ? 1 : index + left),
          );
          for (const value of elements) other.push(value);
          other.owner = otherOwner;
          const isEmpty = model.length === 0;
          if (isEmpty && (kind === 'pop' || kind === 'set' || kind === 'swap')) continue;
          const [a, b] = isEmpty ? [0, 0] : [left % model.length, right % model.length];
          if (kind === 'push') {
            vector.push(element(left));
            model.push(element(left));
          } else if (kind === 'pop') expect(vector.pop()).toEqual(model.pop());
          else if (kind === 'set') {
            vector.set(a, element(right));
            model[a] = element(right);
          } else if (kind === 'swap') {
            vector.swap(a, b);
            [model[a], model[b]] = [model[b], model[a]];
          } else if (kind === 'append') {
            vector.append(other);
            model.push(...elements);
            expect(other.length).toBe(0);
            expect(otherOwner.dirty).toBe(true);
          } else if (kind === 'assign') {
            vector.assign(other);
            model = elements;
          } else {
            vector.reverse();
            model.reverse();
          }
          expect(listed(vector)).toEqual(model);
          expect(owner.dirty).toBe(kind !== 'reverse' || model.length > 1 || vector instanceof ArrayVector);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

describe.each(CLASSES)('%s', (_name, make, element) => {
  it('leaves its copies as they are, and is left as it is by them', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(copyStep, fc.nat(3)), { maxLength: 60 }), (steps) => {
        const vectors: CopiedVector[] = [make() as CopiedVector];
        const models: unknown[][] = [[]];
        for (const [{ kind, left, right }, choice] of steps) {
          const at = choice % vectors.length;
          const vector = vectors[at]!;
          const model = models[at]!;
          const value = element(right);
          const place = model.length === 0 ? -1 : left % model.length;
          if (kind === 'copy' && vectors.length < 4) {
            vectors.push(vector.copy());
            models.push([...model]);
          } else if (kind === 'push') {
            vector.push(value);
            model.push(value);
          } else if (kind === 'pop' && place >= 0) expect(vector.pop()).toEqual(model.pop());
          else if (kind === 'set' && place >= 0) {
            vector.set(place, value);
            model[place] = value;
          } else if (kind === 'swap' && place >= 0) {
            vector.swap(0, place);
            [model[0], model[place]] = [model[place], model[0]];
          } else if (kind === 'reverse') {
            vector.reverse();
            model.reverse();
          } else if (kind === 'append') {
            // As Move code does it: with a copy, which is used up, and may be filled again.
            const other = vectors[left % vectors.length]!.copy();
            model.push(...models[left % vectors.length]!);
            vector.append(other);
            other.push(value);
            if (vectors.length < 4) {
              vectors.push(other);
              models.push([value]);
            }
          } else if (kind === 'assign') {
            vector.assign(vectors[left % vectors.length]!.copy());
            models[at] = [...models[left % vectors.length]!];
          }
          expect(vectors.map(listed)).toEqual(models);
        }
      }),
      { numRuns: runs(200) },
    );
  });
});
