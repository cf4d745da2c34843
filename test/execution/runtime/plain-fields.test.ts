import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, u32, u64 } from '../../../src/base/bcs.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { FieldType, type ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { ObjectFailure } from '../../../src/execution/runtime/object-failure.ts';
import type { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { FieldTable } from '../../../src/execution/runtime/plain-fields.ts';
import { addressOf, MOVEOS_STD_ADDRESS } from '../../../src/move/address.ts';
import { structTag } from '../../../src/move/type-tag.ts';
import { type Address, type ObjectId, stateChangeSet } from '../../../src/query/transaction-builder.ts';
import { property } from '../../effort.ts';
import { Chain } from './chain.ts';

/** Fields that a session makes and gives away unseen: the same changes as those of any others. */

const THING: ObjectType<bigint> = { tag: structTag(MOVEOS_STD_ADDRESS, 'm', 'Thing'), codec: u64 };
const STORE: ObjectType<bigint> = { tag: structTag(MOVEOS_STD_ADDRESS, 'm', 'Store'), codec: u64 };
const ENTRY: FieldType<number, bigint> = new FieldType(
  { tag: { kind: 'u32' }, codec: u32 },
  { tag: { kind: 'u64' }, codec: u64 },
);
const STORE_ID: ObjectId = [sha3(Uint8Array.of(1))];
const idOf = (thing: number): ObjectId => [...STORE_ID, sha3(encode(u32, thing))];

interface Step {
  readonly kind: 'make' | 'give' | 'enter' | 'look';
  readonly thing: number;
  readonly value: bigint;
}

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.record<Step>({
    kind: fc.constantFrom('make', 'make', 'give', 'give', 'enter', 'look'),
    thing: fc.nat(9),
    value: fc.bigInt(0n, 3n),
  }),
);

function ownerOf({ value }: Step): Address {
  return addressOf(Number(value) + 0x10);
}

/** Takes a step if it applies. */
function take(runtime: ObjectRuntime, step: Step, isPlain: boolean, entered: Set<number>): void {
  const { kind, thing, value } = step;
  const id = idOf(thing);
  if (kind === 'enter') {
    if (entered.has(thing)) return;
    entered.add(thing);
    if (isPlain) runtime.addPlainField(STORE_ID, ENTRY, thing, value);
    else runtime.addField(STORE_ID, ENTRY, thing, value);
    return;
  }
  const before = isPlain ? runtime.plain(id, THING.tag) : undefined;
  if (before !== undefined) {
    if (kind === 'give') runtime.givePlain(before.meta, encode(u64, value), ownerOf(step));
    else if (kind === 'look') runtime.set(id, THING, value);
  } else if (runtime.exists(id)) {
    if (kind === 'give') runtime.setBytesAndTransfer(id, THING.tag, encode(u64, value), ownerOf(step));
    else if (kind === 'look') runtime.set(id, THING, value);
  } else if (kind === 'make') {
    if (isPlain) runtime.addPlain(id, THING, value, ownerOf(step));
    else runtime.add(id, THING, value, ownerOf(step));
  }
}

function chainWithStore(): Chain {
  const chain = new Chain();
  chain.run((runtime) => runtime.add(STORE_ID, STORE, 0n));
  return chain;
}

describe('plain fields', () => {
  it('make the same changes as others', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 4 }), (sessions) => {
        const [plain, other] = [chainWithStore(), chainWithStore()];
        const entered = [new Set<number>(), new Set<number>()] as const;
        for (const session of sessions) {
          const ours = plain.run((runtime) => {
            for (const step of session) take(runtime, step, true, entered[0]);
          });
          const theirs = other.run((runtime) => {
            for (const step of session) take(runtime, step, false, entered[1]);
          });
          expect(ours).toEqual(theirs);
          expect(plain.state.root).toEqual(other.state.root);
        }
      }),
      property(100, 2_000),
    );
  });

  it('are the same by the thousand, when no change is kept', () => {
    const [plain, other] = [chainWithStore(), chainWithStore()];
    for (const kind of ['make', 'give'] as const) {
      const run = (chain: Chain, isPlain: boolean): Uint8Array => {
        const entered = new Set<number>();
        const runtime = chain.session();
        for (let thing = 0; thing < 4_200; thing++) {
          take(runtime, { kind, thing, value: BigInt(thing % 7) }, isPlain, entered);
        }
        return encode(stateChangeSet, chain.apply(runtime.changeSet()));
      };
      expect(run(plain, true)).toEqual(run(other, false));
      expect(plain.state.root).toEqual(other.state.root);
    }
  });

  it('are not made twice', () => {
    const chain = chainWithStore();
    const make = (runtime: ObjectRuntime): void => runtime.addPlain(idOf(1), THING, 1n, addressOf(0x10));
    expect(() =>
      chain.run((runtime) => {
        make(runtime);
        make(runtime);
      }),
    ).toThrow(ObjectFailure);
    chain.run(make);
    expect(() => chain.run(make)).toThrow(ObjectFailure);
  });
});

/** Fields that a session has looked up: found by the very key array and by equal bytes, few and many. */

/** Keys that differ only in their last byte, or only in their first. */
const key = (index: number): Uint8Array => {
  const bytes = new Uint8Array(32).fill(7);
  bytes[index % 2 === 0 ? 31 : 0] = 100 + index;
  return bytes;
};

describe('FieldTable', () => {
  it.each([1, 2, 16, 17, 18, 60])('finds each of %i fields by its array and by equal bytes, and no other', (count) => {
    const keys = Array.from({ length: count }, (_, index) => key(index));
    const table = new FieldTable(keys[0]!, 0);
    for (let index = 1; index < count; index++) table.add(keys[index]!, index);
    for (const [index, own] of keys.entries()) {
      expect(table.find(own)).toBe(index);
      expect(table.find(key(index))).toBe(index);
    }
    expect(table.find(key(count))).toBeUndefined();
    expect([...table.all()]).toEqual(keys.map((_, index) => index));
  });
});
