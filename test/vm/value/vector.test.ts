import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { addressOf } from '../../../src/move/address.ts';
import { NativeTable } from '../../../src/vm/native.ts';
import { Type } from '../../../src/vm/value/type.ts';
import { ArrayVector, ByteVector, EMPTY_ARRAYS, U64Vector, type VectorValue } from '../../../src/vm/value/vector.ts';
import { runs } from '../../effort.ts';
import { SMALL_SCHEDULE, World } from '../machine/world.ts';

/** Each class, empty, and how a small number becomes an element of it. */
const CLASSES: readonly (readonly [string, () => VectorValue, (n: number) => unknown])[] = [
  ['ByteVector', () => new ByteVector(EMPTY_ARRAYS.u8), (n) => n],
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
      { numRuns: runs(33, 100) },
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
      { numRuns: runs(66, 200) },
    );
  });
});

/** Structs of two fields, each being the struct before: 2^LEVELS parts. */
const LEVELS = 14;
const LOOKS_MAX = 2_000 * LEVELS;

afterEach(() => {
  vi.restoreAllMocks();
});

// With sixty levels, the process stood still for good once such a function was translated.
it.each(['u64', 'bool', 'address', 'vector<u8>'])('code may name a type of many parts, each a %s', (leaf) => {
  const structs = [`struct S0 has copy, drop { x: ${leaf} }`];
  for (let level = 1; level <= LEVELS; level++) {
    structs.push(`struct S${level} has copy, drop { a: S${level - 1}, b: S${level - 1} }`);
  }
  const type = `S${LEVELS}`;
  const natives = new NativeTable<undefined>().add(
    { address: addressOf(1), name: 'm' },
    { costly: (): bigint => 3n },
    { costly: 'costly' },
  );
  const text = `module 0x1::m ${structs.join('\n')}
    native fun costly(): u64
    fun never(code: u64): ${type} { Call costly; Pop; MoveLoc code; Abort }
    fun count(s: ${type}, n: u64): u64 { Call costly; Pop; MoveLoc s; Pop; MoveLoc n; Ret }
    fun same(a: &${type}, b: &${type}): bool { MoveLoc a; MoveLoc b; Eq; Ret }
    fun read(a: &${type}): ${type} { MoveLoc a; ReadRef; Ret }
    public fun main(code: u64): u64 {
      let s: ${type}
      MoveLoc code; Call never; StLoc s
      CopyLoc s; LdU64 1; Call count; Pop
      ImmBorrowLoc s; ImmBorrowLoc s; Call same; Pop
      ImmBorrowLoc s; Call read; LdU64 1; Call count; Ret
    }
    public fun lists(): u64 {
      let l: vector<${type}>
      VecPack ${type} 0; StLoc l
      CopyLoc l; ImmBorrowLoc l; ReadRef; Eq; BrTrue end
      LdU64 1; Call never; LdU64 1; Call count; Ret
     end:
      ImmBorrowLoc l; VecLen ${type}; Ret
    }`;
  const world = new World([text], { natives, schedule: SMALL_SCHEDULE });
  const looks = vi.spyOn(Type.prototype, 'fields', 'get');
  for (let round = 0; round < 20; round++) {
    expect(world.agree('m::main', [7n]).result).toMatch(/^ABORTED 7 /);
    expect(world.agree('m::lists').result).toBe('0');
  }
  expect(looks.mock.calls.length).toBeLessThan(LOOKS_MAX);
});
