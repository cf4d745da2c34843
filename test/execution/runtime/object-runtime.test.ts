import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, string, u64 } from '../../../src/base/bcs.ts';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import type { ByteWriter } from '../../../src/base/bytes/writer.ts';
import { STRING_TYPE, stringFieldKey } from '../../../src/chain/object/field-key.ts';
import {
  formatObjectId,
  MODULE_STORE_ID,
  MODULE_STORE_TYPE,
  type ObjectId,
  packageObjectId,
} from '../../../src/chain/object/object-id.ts';
import { FLAG_FROZEN, FLAG_SHARED } from '../../../src/chain/object/object-state.ts';
import { State } from '../../../src/chain/state/state.ts';
import { EventLog } from '../../../src/execution/runtime/event-log.ts';
import { FieldType, type ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { ObjectFailure } from '../../../src/execution/runtime/object-failure.ts';
import { ObjectRuntime } from '../../../src/execution/runtime/object-runtime.ts';
import { freshMeta } from '../../../src/execution/runtime/session-meta.ts';
import { addressOf, MOVEOS_STD_ADDRESS, SYSTEM_ADDRESS } from '../../../src/move/address.ts';
import { displayStruct, structTag } from '../../../src/move/type-tag.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { StatusCode } from '../../../src/vm/status.ts';
import { property } from '../../effort.ts';
import { Chain, TIMESTAMP, TIMESTAMP_ID } from './chain.ts';
import { describeChanges, type ModelObject, modelObject, ObjectModel, type Refusal, show } from './object-model.ts';

const TYPES: readonly ObjectType<bigint>[] = ['A', 'B'].map((name) => ({
  tag: structTag(MOVEOS_STD_ADDRESS, 'm', name),
  codec: u64,
}));
const [A, B] = TYPES as [ObjectType<bigint>, ObjectType<bigint>];
const typeName = (type: ObjectType<bigint>): string => displayStruct(type.tag);
const key = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const readU64 = (bytes: Uint8Array): bigint => decode(u64, bytes);

/** Few ids, three levels deep, so that steps meet. */
const idArbitrary: fc.Arbitrary<ObjectId> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom(key(1), key(2))) },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom(key(1), key(2)), fc.constantFrom(key(1), key(2))) },
  { weight: 1, arbitrary: fc.tuple(fc.constant(key(1)), fc.constant(key(1)), fc.constantFrom(key(1), key(2))) },
);

type Step =
  | { readonly kind: 'add' | 'set'; readonly id: ObjectId; readonly type: number; readonly value: bigint }
  | { readonly kind: 'remove' | 'get'; readonly id: ObjectId; readonly type: number }
  | { readonly kind: 'transfer'; readonly id: ObjectId; readonly owner: number }
  | { readonly kind: 'share' | 'freeze' | 'embed'; readonly id: ObjectId };

const typeArbitrary = fc.integer({ min: 0, max: 9 }).map((number) => (number === 0 ? 1 : 0));
const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('add', 'set'),
      id: idArbitrary,
      type: typeArbitrary,
      value: fc.bigInt({ min: 0n, max: 5n }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('remove', 'get'), id: idArbitrary, type: typeArbitrary }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('transfer'), id: idArbitrary, owner: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('share', 'freeze', 'embed'), id: idArbitrary }) },
) as fc.Arbitrary<Step>;

/** Takes a step in both; refusals must be the same. */
function takeStep(runtime: ObjectRuntime, model: ObjectModel, step: Step): void {
  const id = formatObjectId(step.id);
  // What remains below a removed object, and what was removed twice, is tested separately.
  if (step.kind === 'remove' && (model.sizeOf(id) > 0 || model.startedOver(id))) return;
  expect(
    refusalOf(() => takeRuntimeStep(runtime, model, step)),
    JSON.stringify(step.kind),
  ).toBe(takeModelStep(model, step, id));
}

function takeRuntimeStep(runtime: ObjectRuntime, model: ObjectModel, step: Step): void {
  if (step.kind === 'add' || step.kind === 'set') runtime[step.kind](step.id, TYPES[step.type]!, step.value);
  else if (step.kind === 'remove') runtime.remove(step.id, TYPES[step.type]!);
  else if (step.kind === 'get') look(runtime, step.id, TYPES[step.type]!, model.objects.get(formatObjectId(step.id)));
  else if (step.kind === 'transfer') runtime.transfer(step.id, addressOf(step.owner));
  else runtime[step.kind](step.id);
}

function look(runtime: ObjectRuntime, id: ObjectId, type: ObjectType<bigint>, expected: ModelObject | undefined): void {
  expect(runtime.exists(id)).toBe(expected !== undefined);
  expect(runtime.meta(id)?.size).toBe(expected === undefined ? undefined : BigInt(expected.size));
  expect(runtime.get(id, type)).toBe(expected?.value);
}

function takeModelStep(model: ObjectModel, step: Step, id: string): Refusal | undefined {
  const system = toHex(SYSTEM_ADDRESS);
  const object = model.objects.get(id);
  switch (step.kind) {
    case 'add':
    case 'set':
      return model[step.kind](id, typeName(TYPES[step.type]!), step.value);
    case 'remove':
      return model.remove(id, typeName(TYPES[step.type]!));
    case 'get':
      return object === undefined || object.type === typeName(TYPES[step.type]!) ? undefined : 'type';
    case 'transfer':
      return model.give(id, { owner: toHex(addressOf(step.owner)) });
    case 'share':
      return model.give(id, { owner: system, flag: (object?.flag ?? 0) | FLAG_SHARED });
    case 'freeze':
      return model.give(id, { owner: system, flag: (object?.flag ?? 0) | FLAG_FROZEN });
    case 'embed':
      return model.embed(id);
  }
}

function refusalOf(step: () => void): Refusal | undefined {
  try {
    step();
    return undefined;
  } catch (error) {
    if (!(error instanceof ObjectFailure)) throw error;
    if (error.status === StatusCode.MISSING_DATA) return 'missing';
    return error.status === StatusCode.TYPE_MISMATCH ? 'type' : 'exists';
  }
}

function stored(chain: Chain, id: ObjectId): ModelObject | undefined {
  const object = chain.state.object(id);
  return object === undefined ? undefined : modelObject(object.meta, readU64(object.value));
}

describe('the object runtime', () => {
  it('does to any objects what the table of changes says, and the applied change set holds them', () => {
    fc.assert(
      fc.property(fc.array(fc.array(stepArbitrary, { maxLength: 25 }), { minLength: 2, maxLength: 5 }), (sessions) => {
        const chain = new Chain();
        const model = new ObjectModel();
        for (const [index, steps] of sessions.entries()) {
          const now = 2000n + BigInt(index);
          chain.run((runtime) => runtime.set(TIMESTAMP_ID, TIMESTAMP, now));
          model.begin(now);
          const runtime = chain.session();
          for (const step of steps) takeStep(runtime, model, step);
          const expected = model.end();
          const changeSet = runtime.changeSet();
          expect(describeChanges(changeSet, (id) => stored(chain, id), readU64)).toEqual(expected);
          expect(runtime.changeSet()).toEqual(changeSet);
          chain.apply(changeSet);
          for (const [id, object] of model.objects) {
            const parts = id
              .slice(2)
              .match(/.{64}/g)!
              .map((part) => key(Number.parseInt(part.slice(0, 2), 16)));
            expect(show(stored(chain, parts)!)).toBe(show(object));
          }
          const topLevel = model.ids.filter((id) => id.length === 66).length;
          expect(chain.state.size).toBe(BigInt(topLevel + 1));
          expect(chain.state.fields([], { after: undefined, limit: 100 }).length).toBe(topLevel + 1);
        }
      }),
      property(80, 20_000),
    );
  });

  it('reports nothing about what was only read, or what came and went', () => {
    const chain = new Chain();
    chain.run((runtime) => runtime.add([key(1)], A, 5n));
    const changeSet = chain.run((runtime) => {
      expect(runtime.get([key(1)], A)).toBe(5n);
      expect(runtime.get([key(2)], A)).toBeUndefined();
      runtime.add([key(2)], A, 6n);
      expect(runtime.remove([key(2)], A)).toBe(6n);
    });
    expect(changeSet.changes).toEqual([]);
  });

  it('starts over an object that is removed and added again', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 5n);
      runtime.add([key(1), key(9)], A, 1n);
      runtime.transfer([key(1)], addressOf(7));
    });
    chain.run((runtime) => runtime.set(TIMESTAMP_ID, TIMESTAMP, 3000n));
    const { changes } = chain.run((runtime) => {
      runtime.remove([key(1)], A);
      runtime.add([key(1)], B, 6n);
    });
    expect(changes).toHaveLength(1);
    const [, change] = changes[0]!;
    expect(change.value).toEqual({ kind: 'modify', value: encode(u64, 6n) });
    expect(change.meta).toMatchObject({ owner: SYSTEM_ADDRESS, size: 0n, createdAt: 3000n, updatedAt: 3000n });
    expect(change.meta.stateRoot).toBeUndefined();
    expect(displayStruct(change.meta.objectType)).toBe('0x2::m::B');
    expect(chain.state.object([key(1), key(9)])).toBeUndefined();
  });

  it('takes an object to be of its present type, whatever it was before', () => {
    const runtime = new ObjectRuntime(new Chain().state);
    const id = [key(1)];
    runtime.add(id, A, 1n);
    expect(runtime.get(id, A)).toBe(1n);
    runtime.remove(id, A);
    runtime.add(id, B, 2n);
    expect(refusalOf(() => runtime.get(id, A))).toBe('type');
    expect(runtime.get(id, B)).toBe(2n);
    runtime.remove(id, B);
    expect(refusalOf(() => runtime.remove(id, B))).toBe('missing');
  });

  it('keeps what it has read of the fields of an object that starts over', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 5n);
      runtime.add([key(1), key(9)], A, 1n);
    });
    chain.run((runtime) => {
      expect(runtime.get([key(1), key(9)], A)).toBe(1n);
      runtime.remove([key(1)], A);
      runtime.add([key(1)], A, 6n);
      expect(runtime.get([key(1), key(9)], A)).toBe(1n);
    });
    expect(chain.state.object([key(1)])?.meta.size).toBe(0n);
  });

  it('forgets, as the reference does, that it removed an object that it removed, added and removed again', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 5n);
      runtime.add([key(1), key(2)], A, 6n);
    });
    const { changes } = chain.run((runtime) => {
      runtime.remove([key(1), key(2)], A);
      runtime.add([key(1), key(2)], A, 7n);
      runtime.remove([key(1), key(2)], A);
      expect(runtime.exists([key(1), key(2)])).toBe(false);
    });
    expect(changes[0]![1]).toMatchObject({ value: undefined, meta: { size: 0n }, fields: [] });
    expect(stored(chain, [key(1), key(2)])?.value).toBe(6n);
  });

  it('stamps everything with the time at the end of the session', () => {
    const chain = new Chain(1000n);
    const { changes } = chain.run((runtime) => {
      runtime.add([key(1)], A, 5n);
      runtime.set(TIMESTAMP_ID, TIMESTAMP, 5000n);
    });
    expect(changes.map(([, { meta }]) => meta.updatedAt)).toEqual([5000n, 5000n]);
    expect(chain.state.object(TIMESTAMP_ID)?.meta.createdAt).toBe(1000n);
  });

  it('has no time when there is no timestamp object', () => {
    const state = new State(new Tree(() => undefined, new NodeCache()), EMPTY_ROOT, 0n);
    expect(() => new ObjectRuntime(state).changeSet()).toThrow('no timestamp object');
  });

  it('makes new objects from preloaded ones and does not count them', () => {
    const state = new State(new Tree(() => undefined, new NodeCache()), EMPTY_ROOT, 0n);
    const preloaded = [
      { id: TIMESTAMP_ID, type: TIMESTAMP.tag, value: 9000n },
      { id: [key(4)], type: A.tag, value: 5n },
    ].map(({ id, type, value }) => ({
      meta: { ...freshMeta(id, type), flag: FLAG_SHARED },
      value: encode(u64, value),
    }));
    const runtime = new ObjectRuntime(state, preloaded);
    runtime.add([key(4), key(1)], A, 1n);
    runtime.add([key(5)], A, 2n);
    const { changes, globalSize, stateRoot } = runtime.changeSet();
    expect(stateRoot).toEqual(EMPTY_ROOT);
    expect(globalSize).toBe(1n);
    expect(changes.map(([, { meta, value }]) => [value?.kind, meta.size, meta.flag, meta.createdAt])).toEqual(
      expect.arrayContaining([
        ['new', 0n, FLAG_SHARED, 9000n],
        ['new', 1n, FLAG_SHARED, 9000n],
        ['new', 0n, 0, 9000n],
      ]),
    );
    expect(changes).toHaveLength(3);
  });
});

describe('dynamic fields', () => {
  const TABLE = new FieldType({ tag: STRING_TYPE, codec: string }, { tag: { kind: 'u64' }, codec: u64 });
  const OTHER = new FieldType({ tag: STRING_TYPE, codec: string }, { tag: { kind: 'u128' }, codec: u64 });

  it('stand under the key of their name, with the name in their value', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 0n);
      runtime.addField([key(1)], TABLE, 'ab', 7n);
    });
    const field = chain.state.field([key(1)], stringFieldKey('ab'));
    expect(displayStruct(field!.meta.objectType)).toBe('0x2::object::DynamicField<0x1::string::String, u64>');
    expect(field!.value).toEqual(new Uint8Array([2, 97, 98, 7, 0, 0, 0, 0, 0, 0, 0]));
    expect(chain.state.object([key(1)])?.meta.size).toBe(1n);
  });

  it('are read, written and removed by name', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 0n);
      runtime.addField([key(1)], TABLE, 'a', 1n);
      runtime.addField([key(1)], TABLE, 'b', 2n);
    });
    const { changes } = chain.run((runtime) => {
      expect(runtime.hasField([key(1)], TABLE, 'c')).toBe(false);
      expect(runtime.getField([key(1)], TABLE, 'c')).toBeUndefined();
      expect(runtime.getField([key(2)], TABLE, 'a')).toBeUndefined();
      runtime.setField([key(1)], TABLE, 'c', 3n);
      runtime.setField([key(1)], TABLE, 'a', 10n);
      expect(runtime.getField([key(1)], TABLE, 'a')).toBe(10n);
      expect(runtime.removeField([key(1)], TABLE, 'b')).toBe(2n);
      expect(runtime.hasField([key(1)], TABLE, 'b')).toBe(false);
    });
    const kinds = [...changes[0]![1].fields].map(([, { value }]) => value?.kind).sort();
    expect(kinds).toEqual(['delete', 'modify', 'new']);
    // One came, one went: the parent is only where the changes are.
    expect(changes[0]![1].value).toBeUndefined();
    expect(chain.state.object([key(1)])?.meta.size).toBe(2n);
  });

  it('are refused under another type, twice, and without a parent', () => {
    const chain = new Chain();
    chain.run((runtime) => {
      runtime.add([key(1)], A, 0n);
      runtime.addField([key(1)], TABLE, 'a', 1n);
      expect(refusalOf(() => runtime.addField([key(1)], TABLE, 'a', 1n))).toBe('exists');
      expect(refusalOf(() => runtime.getField([key(1)], OTHER, 'a'))).toBe('type');
      expect(refusalOf(() => runtime.setField([key(1)], OTHER, 'a', 1n))).toBe('type');
      expect(refusalOf(() => runtime.removeField([key(1)], OTHER, 'a'))).toBe('type');
      expect(refusalOf(() => runtime.removeField([key(1)], TABLE, 'b'))).toBe('missing');
      expect(refusalOf(() => runtime.addField([key(2)], TABLE, 'a', 1n))).toBe('missing');
      expect(runtime.hasField([key(1)], OTHER, 'a')).toBe(true);
    });
  });
});

describe('modules published without Move', () => {
  const STORE: ObjectType<bigint> = { tag: MODULE_STORE_TYPE, codec: u64 };

  it('make their package, are counted once, and replace what was there', () => {
    const chain = new Chain();
    chain.run((runtime) => runtime.add(MODULE_STORE_ID, STORE, 0n));
    chain.run((runtime) => {
      runtime.modules.publish(addressOf(0x42), 'm', new Uint8Array([1]));
      runtime.modules.publish(addressOf(0x42), 'n', new Uint8Array([2]));
      expect(runtime.modules.held(addressOf(0x42), 'm')).toEqual(new Uint8Array([1]));
      expect(runtime.modules.held(addressOf(0x42), 'x')).toBeUndefined();
    });
    const { changes } = chain.run((runtime) => {
      expect(runtime.modules.held(addressOf(0x42), 'm')).toBeUndefined();
      expect(runtime.state.module(addressOf(0x42), 'm')).toEqual(new Uint8Array([1]));
      runtime.modules.publish(addressOf(0x42), 'm', new Uint8Array([3]));
      expect(runtime.modules.held(addressOf(0x42), 'm')).toEqual(new Uint8Array([3]));
    });
    expect([...[...changes[0]![1].fields][0]![1].fields][0]![1].value?.kind).toBe('modify');
    expect(chain.state.module(addressOf(0x42), 'm')).toEqual(new Uint8Array([3]));
    expect(chain.state.object(packageObjectId(addressOf(0x42)))?.meta).toMatchObject({
      owner: addressOf(0x42),
      size: 2n,
    });
    expect(chain.state.object(MODULE_STORE_ID)?.meta.size).toBe(1n);
  });
});

const TYPE = structTag(MOVEOS_STD_ADDRESS, 'event', 'Event');
const HANDLE = [new Uint8Array(32)];

/** Bytes as they are. */
const raw = { write: (writer: ByteWriter, value: Uint8Array): void => writer.bytes(value) };

describe('the events of a session', () => {
  it('keep what was emitted, whatever becomes of the bytes that it was emitted from', () => {
    const log = new EventLog();
    const data = new Uint8Array(100);
    for (const byte of [1, 2, 3]) log.emit(TYPE, HANDLE, raw, data.fill(byte));
    log.emit(TYPE, HANDLE, raw, new Uint8Array(0));
    data.fill(0xff);
    expect(log.finish().map(({ eventIndex, eventData }) => [eventIndex, [...eventData]])).toEqual([
      [0n, new Array(100).fill(1)],
      [1n, new Array(100).fill(2)],
      [2n, new Array(100).fill(3)],
      [3n, []],
    ]);
  });

  it('may be many, and long', () => {
    const log = new EventLog();
    const data = Array.from({ length: 50 }, (_, index) => new Uint8Array(index * 400).fill(index));
    for (const one of data) expect(log.emit(TYPE, HANDLE, raw, one)).toBe(one.length);
    expect(log.finish().map(({ eventData }) => new Uint8Array(eventData))).toEqual(data);
  });

  it("are their own session's, while others are at work and after them", () => {
    const first = new EventLog();
    const second = new EventLog();
    first.emit(TYPE, HANDLE, raw, Uint8Array.of(1));
    second.emit(TYPE, HANDLE, raw, Uint8Array.of(2));
    const [one] = first.finish();
    first.finish();
    const third = new EventLog();
    third.emit(TYPE, HANDLE, raw, Uint8Array.of(3));
    second.emit(TYPE, HANDLE, raw, Uint8Array.of(4));
    expect(one!.eventData).toEqual(Uint8Array.of(1));
    expect(second.finish().map(({ eventData }) => [...eventData])).toEqual([[2], [4]]);
    expect(third.finish().map(({ eventData }) => [...eventData])).toEqual([[3]]);
  });
});
