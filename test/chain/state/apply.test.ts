/** Applying change sets: roots from below, objects created again, and what contradicts itself. */
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import type { FieldChanges } from '../../../src/chain/object/change-set.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { State } from '../../../src/chain/state/state.ts';
import { addressOf } from '../../../src/move/address.ts';
import {
  type ObjectChange,
  type ObjectId,
  objectState,
  parseStructTag,
  type StateChangeSet,
} from '../../../src/query/transaction-builder.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { taggedPair } from '../../base/tagged-pair.ts';
import { freshMeta } from '../../forge.ts';
import { expectRefusal } from '../../refusal.ts';
import { foldLeaves, hex } from '../../store/tree/world.ts';

const key = (number: number): Uint8Array => sha3(Uint8Array.of(number));

/** A world of nodes that change sets are applied to. */
class States {
  readonly nodes: Map<string, Uint8Array> = new Map();
  readonly tree: Tree;
  state: State;
  /** The trees of fields that the last change gave up. */
  detached: readonly string[] = [];

  constructor(cache: NodeCache = new NodeCache({ nodesMax: 0 })) {
    this.tree = new Tree((hash) => this.nodes.get(hex(hash)), cache);
    this.state = new State(this.tree, EMPTY_ROOT, 0n);
  }

  apply(changes: FieldChanges): StateChangeSet {
    const sorted = [...changes].sort(([left], [right]) => Buffer.compare(left, right));
    const applied = applyChangeSet(this.state, { stateRoot: this.state.root, globalSize: 9n, changes: sorted });
    for (const { hash, bytes } of applied.fresh) this.nodes.set(hex(hash), bytes);
    this.detached = applied.detached.map(hex);
    this.state = new State(this.tree, applied.changeSet.stateRoot, applied.changeSet.globalSize);
    return applied.changeSet;
  }
}

function change(
  id: ObjectId,
  part: Partial<ObjectChange> & { value: ObjectChange['value'] },
  root?: Uint8Array,
): readonly [Uint8Array, ObjectChange] {
  const meta = {
    ...freshMeta(id, parseStructTag('0x42::a::B')),
    owner: addressOf(1),
    stateRoot: root,
    createdAt: 1n,
    updatedAt: 1n,
  };
  return [id.at(-1)!, { meta, fields: [], ...part }];
}

const made = (byte: number): ObjectChange['value'] => ({ kind: 'new', value: Uint8Array.of(byte) });

describe('applying', () => {
  it('puts the roots of children into their parents, by the definition of the hashes', () => {
    const states = new States();
    const parent = [key(1)];
    const children = [2, 3, 4].map((number) => change([...parent, key(number)], { value: made(number) }));
    const sorted = [...children].sort(([left], [right]) => Buffer.compare(left, right));
    const changes = [change(parent, { value: made(1), fields: sorted }), change([key(9)], { value: made(9) })];
    const applied = states.apply(changes);
    // spec/state.md 3.3: a leaf is the pair of its key and the hash of its value, a tree the fold of its leaves.
    const leaf = (object: ObjectChange, stateRoot: Uint8Array): Uint8Array => {
      const value = object.value?.kind === 'new' ? object.value.value : new Uint8Array(0);
      return taggedHash(encode(objectState, { meta: { ...object.meta, stateRoot }, value }));
    };
    const hashOf = (at: Uint8Array, value: Uint8Array): { key: Uint8Array; hash: Uint8Array } => ({
      key: at,
      hash: taggedPair(at, value),
    });
    const below = foldLeaves(sorted.map(([at, object]) => hashOf(at, leaf(object, EMPTY_ROOT))));
    const top = foldLeaves([
      hashOf(key(1), leaf(changes[0]![1], below)),
      hashOf(key(9), leaf(changes[1]![1], EMPTY_ROOT)),
    ]);
    expect(hex(applied.stateRoot)).toBe(hex(top));
    const [, given] = applied.changes.find(([at]) => Buffer.compare(at, key(1)) === 0)!;
    expect(hex(given.meta.stateRoot!), 'the change set that is given out has the roots after it').toBe(hex(below));
    expect([...given.fields].map(([, field]) => hex(field.meta.stateRoot!))).toEqual(
      [1, 2, 3].map(() => hex(EMPTY_ROOT)),
    );
    expect(applied.globalSize).toBe(9n);
  });

  it('keeps the value where only metadata changes, and drops the fields of an object that is created again', () => {
    const states = new States();
    const parent = [key(1)];
    states.apply([change(parent, { value: made(7), fields: [change([...parent, key(2)], { value: made(2) })] })]);
    const root = states.state.object(parent)!.meta.stateRoot!;
    states.apply([change(parent, { value: undefined }, root)]);
    expect(states.state.object(parent)!.value).toEqual(Uint8Array.of(7));
    expect(states.state.object([...parent, key(2)])).toBeDefined();
    states.apply([change(parent, { value: { kind: 'modify', value: Uint8Array.of(8) } })]);
    expect(states.state.object([...parent, key(2)])).toBeUndefined();
    states.apply([change(parent, { value: { kind: 'delete' } })]);
    expect(states.state.object(parent)).toBeUndefined();
    expect(hex(states.state.root)).toBe(hex(EMPTY_ROOT));
  });

  it('keeps no value apart from the leaf that has it', () => {
    const states = new States();
    const given = new Uint8Array(100).fill(7);
    for (const kind of ['new', 'modify'] as const) {
      const { changes } = states.apply([change([key(1)], { value: { kind, value: given } })]);
      const [[, { value }]] = changes as [readonly [Uint8Array, ObjectChange]];
      expect(value).toEqual({ kind, value: given });
      given.fill(8);
      expect(value).toEqual({ kind, value: new Uint8Array(100).fill(7) });
      given.fill(7);
    }
    const { changes } = states.apply([change([key(1)], { value: { kind: 'delete' } })]);
    expect(changes[0]![1].value).toEqual({ kind: 'delete' });
  });

  it('lists the field trees that it discards, and none that it keeps', () => {
    const states = new States();
    const parent = [key(1)];
    const child = (byte: number): ReturnType<typeof change> => change([...parent, key(2)], { value: made(byte) });
    const root = (): Uint8Array => states.state.object(parent)!.meta.stateRoot!;
    const modify = { kind: 'modify', value: Uint8Array.of(8) } as const;
    states.apply([change(parent, { value: made(7), fields: [child(2)] }), change([key(9)], { value: made(9) })]);
    expect(states.detached).toEqual([]);
    states.apply([change(parent, { value: modify, fields: [child(3)] }, root())]);
    states.apply([change(parent, { value: undefined, fields: [child(4)] }, root())]);
    expect(states.detached).toEqual([]);
    let before = root();
    states.apply([change(parent, { value: modify, fields: [child(5)] })]);
    expect(states.detached).toEqual([hex(before)]);
    before = root();
    states.apply([change(parent, { value: undefined, fields: [child(6)] })]);
    expect(states.detached).toEqual([hex(before)]);
    before = root();
    const gone = { kind: 'delete' } as const;
    states.apply([change(parent, { value: gone }, before), change([key(9)], { value: gone }, EMPTY_ROOT)]);
    expect(states.detached).toEqual([hex(before)]);
  });

  // Objects of 64 bytes and more are kept in another way.
  it.each([0, 10, 63, 64, 65, 1_000])('reads what it changed, whatever becomes of the bytes: %i of them', (length) => {
    const states = new States(new NodeCache());
    const given = new Uint8Array(length).fill(7);
    const root = states.apply([change([key(1)], { value: { kind: 'new', value: given } })]).changes[0]![1].meta;
    const expected = new Uint8Array(length).fill(8);
    given.fill(8);
    states.apply([change([key(1)], { value: { kind: 'modify', value: given } }, root.stateRoot)]);
    given.fill(9);
    expect(states.state.object([key(1)])).toMatchObject({ meta: { updatedAt: 1n }, value: expected });
    const [at, moved] = change([key(1)], { value: undefined }, root.stateRoot);
    states.apply([[at, { ...moved, meta: { ...moved.meta, updatedAt: 2n } }]]);
    for (let read = 0; read < 2; read++) {
      expect(states.state.object([key(1)])).toMatchObject({ meta: { updatedAt: 2n }, value: expected });
    }
  });

  it('refuses a change set that was made elsewhere, or that contradicts itself', () => {
    const states = new States();
    states.apply([change([key(1)], { value: made(1) })]);
    const apply = (changes: FieldChanges, stateRoot = states.state.root): unknown =>
      applyChangeSet(states.state, { stateRoot, globalSize: 1n, changes });
    expectRefusal(() => apply([], EMPTY_ROOT), 'invariant-violation', /made at the root/);
    expectRefusal(() => apply([change([key(2)], { value: undefined })]), 'invariant-violation', /to exist/);
    const [, other] = change([key(2)], { value: made(2) });
    expectRefusal(() => apply([[key(3), other]]), 'invariant-violation', /stands below/);
    const nested = change([key(5), key(6)], { value: made(6) });
    const holder = change([key(4)], { value: made(4), fields: [nested] });
    expectRefusal(() => apply([holder]), 'invariant-violation', /stands below/);
    const two = [change([key(1)], { value: made(1) }), change([key(2)], { value: made(2) })];
    const descending = two.sort(([left], [right]) => Buffer.compare(right, left));
    expectRefusal(() => apply(descending), 'invariant-violation', /do not ascend/);
    const [first] = two;
    expectRefusal(() => apply([first!, first!]), 'invariant-violation', /do not ascend/);
  });
});

describe('thousands of changes', () => {
  it('are refused if one of the new fields exists, also beside one that is deleted', () => {
    const states = new States();
    const keyOf = (number: number): Uint8Array => sha3(Uint8Array.of(number >> 8, number));
    states.apply([1, 2].map((number) => change([keyOf(number)], { value: made(1) })));
    const fresh = Array.from({ length: 4_100 }, (_, number) => change([keyOf(number + 3)], { value: made(2) }));
    const apply = (...others: FieldChanges[number][]): unknown => states.apply([...fresh, ...others]);
    const again = change([keyOf(1)], { value: made(3) });
    expectRefusal(() => apply(again), 'invariant-violation', /to exist before the change/);
    const gone = change([keyOf(2)], { value: { kind: 'delete' } });
    expectRefusal(() => apply(again, gone), 'invariant-violation', /to exist before the change/);
    apply(change([keyOf(1)], { value: { kind: 'modify', value: Uint8Array.of(3) } }), gone);
    expect(states.state.object([keyOf(1)])!.value).toEqual(Uint8Array.of(3));
    expect(states.state.object([keyOf(2)])).toBeUndefined();
  });
});

describe('more changes than are held', () => {
  it('are returned as they were made, with the roots after them', () => {
    const states = new States();
    const keyOf = (number: number): Uint8Array => sha3(Uint8Array.of(number >> 8, number));
    states.apply([1, 2, 3].map((number) => change([keyOf(number)], { value: made(1) })));
    const parent = keyOf(4);
    const child = change([parent, key(5)], { value: made(5) });
    const given = [
      change([keyOf(1)], { value: { kind: 'delete' } }),
      change([keyOf(2)], { value: { kind: 'modify', value: Uint8Array.of(2, 2) } }, EMPTY_ROOT),
      change([keyOf(3)], { value: undefined }, EMPTY_ROOT),
      change([parent], { value: made(4), fields: [child] }),
      ...Array.from({ length: 4_100 }, (_, number) => change([keyOf(number + 5)], { value: made(number & 255) })),
    ].sort(([left], [right]) => Buffer.compare(left, right));
    const { changes } = states.apply(given);
    expect(changes.length).toBe(given.length);
    for (let time = 0; time < 2; time++) {
      const out = [...changes];
      expect(out.map(([at]) => hex(at))).toEqual(given.map(([at]) => hex(at)));
      expect(out.map(([, { value }]) => value)).toEqual(given.map(([, { value }]) => value));
    }
    const [, holder] = [...changes].find(([at]) => hex(at) === hex(parent))!;
    const below = foldLeaves([{ key: key(5), hash: taggedPair(key(5), taggedHash(leafValue(child[1]))) }]);
    expect(hex(holder.meta.stateRoot!)).toBe(hex(below));
    expect([...holder.fields].map(([at, field]) => [hex(at), field.value])).toEqual([[hex(key(5)), made(5)]]);
    const [, single] = [...changes].find(([at]) => hex(at) === hex(keyOf(6)))!;
    expect([...single.fields]).toEqual([]);
    expect(hex(single.meta.stateRoot!)).toBe(hex(EMPTY_ROOT));
    expect(states.state.object([keyOf(1)])).toBeUndefined();
  });
});

/** The stored value of a new object without fields. */
function leafValue({ meta, value }: ObjectChange): Uint8Array {
  if (value?.kind !== 'new') throw new Error('the object is new');
  return encode(objectState, { meta: { ...meta, stateRoot: EMPTY_ROOT }, value: value.value });
}

describe('a state', () => {
  it('refuses a leaf that holds no object, or the object of another place', () => {
    const states = new States();
    const stray = states.tree.update(EMPTY_ROOT, [[key(1), Uint8Array.of(1, 2, 3)]]);
    for (const { hash, bytes } of stray.fresh) states.nodes.set(hex(hash), bytes);
    expectRefusal(() => new State(states.tree, stray.root, 1n).object([key(1)]), 'corrupt', /does not hold an object/);
    const object = encode(
      objectState,
      decode(
        objectState,
        encode(objectState, { meta: change([key(2)], { value: made(1) })[1].meta, value: new Uint8Array(1) }),
      ),
    );
    const moved = states.tree.update(EMPTY_ROOT, [[key(1), object]]);
    for (const { hash, bytes } of moved.fresh) states.nodes.set(hex(hash), bytes);
    expect(() => new State(states.tree, moved.root, 1n).object([key(1)])).toThrow(/holds the object/);
  });

  it('refuses a leaf that holds the object of another parent with the same key', () => {
    const states = new States();
    const { meta } = change([key(1), key(2)], { value: made(1) })[1];
    const object = encode(objectState, { meta: { ...meta, stateRoot: EMPTY_ROOT }, value: new Uint8Array(1) });
    const moved = states.tree.update(EMPTY_ROOT, [[key(2), object]]);
    for (const { hash, bytes } of moved.fresh) states.nodes.set(hex(hash), bytes);
    expect(() => new State(states.tree, moved.root, 1n).object([key(2)])).toThrow(/holds the object/);
  });

  it('that lacks the tree of an object says so when its fields are read, and has everything else', () => {
    const states = new States();
    const children = [2, 3].map((number) => change([key(1), key(number)], { value: made(number) }));
    const fields = children.sort(([left], [right]) => Buffer.compare(left, right));
    states.apply([change([key(1)], { value: made(1), fields }), change([key(9)], { value: made(9) })]);
    const whole = states.state.object([key(1)])!;
    const partial = new State(states.tree, states.state.root, 2n, [new Uint8Array(32), whole.meta.stateRoot!]);
    expect([key(1), key(9)].map((part) => partial.isLoaded(partial.object([part])!.meta))).toEqual([false, true]);
    expect(partial.isLoaded({ ...whole.meta, stateRoot: undefined })).toBe(true);
    expect(partial.object([key(1)])).toEqual(whole);
    expect(partial.object([key(9), key(2)])).toBeUndefined();
    const [objectId, stateRoot] = [hex(key(1)), hex(whole.meta.stateRoot!)];
    const lacking = expect.objectContaining({ code: 'state-not-loaded', details: { objectId, stateRoot } });
    expect(() => partial.object([key(1), key(2)])).toThrow(lacking);
    expect(() => partial.fields([key(1)], { after: undefined, limit: 1 })).toThrow(lacking);
  });

  it('has a root object that is stored nowhere', () => {
    const state = new State(new States().tree, EMPTY_ROOT, 5n);
    const root = state.object([])!;
    expect(root.meta).toMatchObject({ id: [], size: 5n, flag: 1, stateRoot: EMPTY_ROOT });
    expect(root.value).toEqual(Uint8Array.of(0));
    expect(state.fields([], { after: undefined, limit: 5 })).toEqual([]);
    expect(state.fields([key(1)], { after: undefined, limit: 5 })).toEqual([]);
  });
});
