/** Where an object is in a state, and the last order that may have changed it, whether it is there or not. */
import { expect, it } from 'vitest';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import type { FieldChanges, ObjectChange } from '../../../src/chain/object/change-set.ts';
import { applyChangeSet } from '../../../src/chain/state/apply.ts';
import { lastWrite, locate } from '../../../src/chain/state/diff.ts';
import { nodeSource, writeNodes } from '../../../src/chain/state/node-row.ts';
import { State } from '../../../src/chain/state/state.ts';
import { parseStructTag } from '../../../src/move/type-tag.ts';
import { MemoryStore } from '../../../src/store/memory.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../../src/store/tree/tree.ts';
import { freshMeta } from '../../forge.ts';

const TYPE = parseStructTag('0x42::a::B');

/** Keys by the half byte that they begin with: those of one begin at the root, below each other. */
const key = (digit: number, serial = 0): Uint8Array => {
  const hash = sha3(Uint8Array.of(digit, serial));
  hash[0] = digit << 4;
  return hash;
};

class Orders {
  readonly store = new MemoryStore();
  readonly #tree = new Tree(nodeSource(this.store), new NodeCache({ nodesMax: 0 }));
  root = EMPTY_ROOT;
  order = 0n;

  get state(): State {
    return new State(this.#tree, this.root, 0n);
  }

  /** The next order, which writes or deletes these objects of the root. */
  write(...changes: readonly (readonly [id: Uint8Array[], value: ObjectChange['value']])[]): void {
    this.order++;
    const made: FieldChanges = changes
      .map(([id, value]) => {
        const meta = this.state.object(id)?.meta ?? { ...freshMeta(id, TYPE), createdAt: 1n, updatedAt: 1n };
        return [id.at(-1)!, { meta, value, fields: [] }] as const;
      })
      .sort(([left], [right]) => Buffer.compare(left, right));
    const applied = applyChangeSet(this.state, { stateRoot: this.root, globalSize: 0n, changes: made });
    this.store.apply(RowBatch.operationsOf((batch) => writeNodes(batch, this.order, applied)));
    this.root = applied.changeSet.stateRoot;
  }

  last(...id: readonly Uint8Array[]): bigint {
    return lastWrite(locate(this.store, this.state, [...id]), this.order);
  }
}

const made = (value: number): ObjectChange['value'] => ({ kind: 'new', value: Uint8Array.of(value) });
const changed = (value: number): ObjectChange['value'] => ({ kind: 'modify', value: Uint8Array.of(value) });

it('the last order that may have changed an object is that which wrote it, or took it away', () => {
  const orders = new Orders();
  const [a, b, gone] = [key(1), key(2), key(3)];
  orders.write([[a], made(1)], [[b], made(1)], [[gone], made(1)]);
  orders.write([[gone], { kind: 'delete' }]);
  expect([a, b, gone].map((each) => orders.last(each))).toEqual([1n, 1n, 2n]);
  orders.write([[a], changed(2)]);
  // Its place is empty in a branch that the third order has made again.
  expect([a, b, gone].map((each) => orders.last(each))).toEqual([3n, 1n, 3n]);
});

it('a leaf of another object tells nothing of one that is not there', () => {
  const orders = new Orders();
  const [one, other] = [key(5, 1), key(5, 2)];
  orders.write([[key(1)], made(1)], [[one], made(1)]);
  const before = orders.last(other);
  expect([orders.last(one), before]).toEqual([1n, 1n]);
  orders.write([[one], changed(2)]);
  // The branch above was made again by the second order, and that is all.
  expect([orders.last(one), orders.last(other)]).toEqual([2n, 2n]);
  expect(locate(orders.store, orders.state, [other]).orders).toEqual([2n]);
  expect(locate(orders.store, orders.state, [one]).orders).toEqual([2n, 2n]);
});

it('a part of the tree that stayed as it was tells that nothing in it changed, whatever its root did', () => {
  const orders = new Orders();
  const at = (...start: readonly number[]): Uint8Array =>
    Uint8Array.from({ length: 32 }, (_, index) => start[index] ?? 0);
  const [one, other, low, high] = [at(0x50, 0x11), at(0x50, 0x21), at(0x61), at(0x62)];
  orders.write(
    [[key(1)], made(1)],
    ...[one, other, low, high].map((each): [Uint8Array[], ObjectChange['value']] => [[each], made(1)]),
  );
  orders.write([[key(1)], changed(2)]);
  // Two places are empty, one has the leaf of another object, and one has its own.
  const places = [at(0x50, 0x31), at(0x63), at(0x50, 0x12), one];
  expect(places.map((each) => orders.last(each))).toEqual([1n, 1n, 1n, 1n]);
  expect(orders.last(key(2))).toBe(2n);
});

it('what has no fields has had none since it was written', () => {
  const orders = new Orders();
  const [a, b] = [key(1), key(2)];
  orders.write([[a], made(1)], [[b], made(1)]);
  orders.write([[a], changed(2)]);
  orders.write([[b], changed(2)]);
  expect([orders.last(a), orders.last(a, key(7)), orders.last(b, key(7))]).toEqual([2n, 2n, 3n]);
});
