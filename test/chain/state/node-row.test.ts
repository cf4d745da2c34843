import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import {
  deltaRow,
  detachedOperations,
  isDelta,
  nodeBytes,
  nodeFormat,
  nodeOrder,
  staleOperations,
  writeNodes,
} from '../../../src/chain/state/node-row.ts';
import { addressOf } from '../../../src/move/address.ts';
import { objectState, parseStructTag } from '../../../src/query/transaction-builder.ts';
import { columnKey } from '../../../src/store/column.ts';
import { MemoryStore } from '../../../src/store/index.ts';
import { RowBatch } from '../../../src/store/row-batch.ts';
import { FreshNodes, HashList } from '../../../src/store/tree/fresh-nodes.ts';
import { EMPTY_ROOT, Leaf } from '../../../src/store/tree/tree.ts';

const hashOf = (index: number): Uint8Array => sha3(Uint8Array.of(index, 1));

/** A branch with a child for each nibble of `children`, all leaves; the number tells which child it is. */
function branchOf(children: readonly (readonly [nibble: number, child: number])[]): Uint8Array {
  const sorted = [...new Map(children)].sort(([left], [right]) => left - right);
  const bitmap = sorted.reduce((bits, [nibble]) => bits | (1 << nibble), 0);
  const head = [1, bitmap, bitmap >> 8, bitmap, bitmap >> 8];
  return Uint8Array.of(...head, ...sorted.flatMap(([, child]) => [...hashOf(child)]));
}

function leafOf(value: Uint8Array, createdAt = 1n, key = hashOf(0)): Uint8Array {
  const meta = {
    id: [key],
    owner: addressOf(1),
    flag: 0,
    stateRoot: EMPTY_ROOT,
    size: 0n,
    createdAt,
    updatedAt: 5n,
    objectType: parseStructTag('0x7::m::T'),
  };
  return Leaf.of(meta.id[0]!, encode(objectState, { meta, value })).bytes;
}

/** The row of a node, as a commit of `order` writes it. */
function rowOf(order: bigint, bytes: Uint8Array): Uint8Array {
  const fresh = new FreshNodes();
  fresh.push(new Int32Array(8), 0, bytes);
  const trees = { fresh, stale: new HashList(), detached: [] };
  const [operation] = RowBatch.operationsOf((batch) => writeNodes(batch, order, trees));
  if (operation?.type !== 'put') throw new Error('a node is put');
  return operation.value.slice();
}

async function storeOf(...rows: readonly (readonly [hash: Uint8Array, row: Uint8Array])[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  await store.batch(rows.map(([hash, value]) => ({ type: 'put', key: columnKey('node', hash), value })));
  return store;
}

const orders = fc.oneof(fc.bigInt(0n, 2n ** 55n), fc.constantFrom(127n, 128n, 16_383n, 16_384n));
const children = fc.array(fc.tuple(fc.nat(15), fc.nat(20)), { minLength: 1, maxLength: 24 });
const values = fc.uint8Array({ maxLength: 200 });
const nodes = fc.oneof(
  children.map(branchOf),
  fc.tuple(values, fc.bigInt(0n, 5n)).map((of) => leafOf(...of)),
);
const corrupt = expect.objectContaining({ code: 'corrupt' });

describe('the row of a node', () => {
  it('has the node and the order', () => {
    fc.assert(
      fc.property(orders, nodes, (order, node) => {
        const row = rowOf(order, node);
        expect([nodeOrder(row), isDelta(row)]).toEqual([order, false]);
        expect(nodeBytes(new MemoryStore(), row, hashOf(0))).toEqual(node);
      }),
    );
  });

  it('tells the first data format that has its form', () => {
    // A branch has the form of format 2, a leaf of an object that of format 3.
    expect(nodeFormat(rowOf(5n, branchOf([[1, 1]])))).toBe(2);
    expect(nodeFormat(rowOf(5n, leafOf(Uint8Array.of(1))))).toBe(3);
  });

  it('of format 2 is read', () => {
    const leaf = leafOf(Uint8Array.of(1));
    const row = Uint8Array.of(0, 0, 0, 0, 0, 0, 1, 2, ...leaf);
    expect(nodeOrder(row)).toBe(258n);
    expect(nodeBytes(new MemoryStore(), row, hashOf(0))).toEqual(leaf);
  });

  it('that is too short is reported', () => {
    expect(() => nodeBytes(new MemoryStore(), new Uint8Array(8), hashOf(0))).toThrow(corrupt);
  });
});

it('the lists of an order that replaced and detached nothing have no rows', () => {
  expect([...staleOperations(5n, { bytes: new Uint8Array(0) }), ...detachedOperations(5n, [])]).toEqual([]);
});

describe('a delta', () => {
  it('gives the node back, with its order, over any base that was written later', async () => {
    const edited = fc.oneof(
      fc.tuple(children, children).map(([one, more]) => [branchOf(one), branchOf([...one, ...more])] as const),
      fc.tuple(values, values, values).map(([first, last, other]) => {
        const whole = (middle: Uint8Array): Uint8Array => leafOf(Uint8Array.of(...first, ...middle, ...last));
        return [whole(other), whole(Uint8Array.of(3))] as const;
      }),
      fc.tuple(nodes, nodes),
    );
    let deltas = 0;
    await fc.assert(
      fc.asyncProperty(orders, edited, async (order, [node, base]) => {
        const [row, baseRow] = [rowOf(order, node), rowOf(order + 1n, base)];
        const delta = deltaRow(row, baseRow, columnKey('node', hashOf(1)));
        if (delta === undefined) return;
        deltas++;
        expect(delta.length).toBeLessThanOrEqual(row.length - 25);
        expect([nodeOrder(delta), isDelta(delta)]).toEqual([order, true]);
        expect(nodeBytes(await storeOf([hashOf(1), baseRow]), delta, hashOf(0))).toEqual(node);
      }),
    );
    expect(deltas).toBeGreaterThan(5);
  });

  const twelve = Array.from({ length: 12 }, (_, index) => [index, index] as const);
  const [node, base] = [rowOf(1n, branchOf(twelve)), rowOf(2n, branchOf([...twelve, [3, 15]]))];
  const delta = deltaRow(node, base, columnKey('node', hashOf(1)))!;

  it('is not made against a node that has little in common or is of another kind', () => {
    const none = (one: Uint8Array, other: Uint8Array): void =>
      expect(deltaRow(rowOf(1n, one), rowOf(2n, other), columnKey('node', hashOf(1)))).toBeUndefined();
    none(branchOf([[1, 1]]), branchOf([[1, 2]]));
    none(leafOf(Uint8Array.of(1)), leafOf(Uint8Array.of(2), 2n, hashOf(3)));
    const hashes = branchOf(twelve);
    none(leafOf(hashes), hashes);
    none(hashes, leafOf(hashes));
    // A leaf that is no object, and a branch whose bitmaps and hashes are its bytes.
    const leaf = Leaf.of(hashOf(0), new Uint8Array(200)).bytes;
    const branch = leaf.slice(0, 5 + 4 * 32).with(0, 1);
    none(leaf, branch);
    none(branch, leaf);
  });

  it('of a branch has the children that its base does not have', () => {
    expect([...delta]).toEqual([0x82, 1, ...hashOf(1), 1 << 3, 0, ...hashOf(3)]);
    const more = rowOf(2n, branchOf([...twelve, [13, 13]]));
    expect([...deltaRow(node, more, columnKey('node', hashOf(1)))!]).toEqual([
      0x83,
      1,
      ...hashOf(1),
      0xff,
      0xf,
      0xff,
      0xf,
      0,
      0,
    ]);
  });

  it('of a leaf has the bytes between those it shares with its base', () => {
    const value = new Uint8Array(100).fill(4);
    const [one, other] = [rowOf(300n, leafOf(value)), rowOf(301n, leafOf(value.with(60, 5)))];
    const leafDelta = deltaRow(one, other, columnKey('node', hashOf(1)))!;
    expect([...leafDelta.subarray(0, 35)]).toEqual([0x84, 0xac, 0x02, ...hashOf(1)]);
    expect(leafDelta.at(-1)).toBe(4);
    expect(leafDelta.length).toBeLessThan(35 + 5);
  });

  it('of a leaf gives it back wherever it differs from its base', async () => {
    const value = new Uint8Array(400).fill(4);
    const base = rowOf(2n, leafOf(value));
    const store = await storeOf([hashOf(1), base]);
    for (let at = 0; at < value.length; at++) {
      const leaf = leafOf(value.with(at, 5));
      const row = deltaRow(rowOf(1n, leaf), base, columnKey('node', hashOf(1)))!;
      expect(nodeBytes(store, row, hashOf(0)), `${at}`).toEqual(leaf);
    }
  });

  it('is reported if its base is missing, is of another kind, or was not written later', async () => {
    const read = async (...rows: readonly (readonly [Uint8Array, Uint8Array])[]): Promise<Uint8Array> =>
      nodeBytes(await storeOf(...rows), delta, hashOf(0));
    await expect(read()).rejects.toThrow(corrupt);
    await expect(read([hashOf(1), rowOf(2n, leafOf(Uint8Array.of(1)))])).rejects.toThrow(corrupt);
    await expect(read([hashOf(1), rowOf(1n, branchOf(twelve))])).rejects.toThrow(corrupt);
    await expect(read([hashOf(1), delta]), 'a circle').rejects.toThrow(corrupt);
    expect(await read([hashOf(1), base])).toEqual(branchOf(twelve));
    const fewer = deltaRow(node, rowOf(2n, branchOf([...twelve, [13, 13]])), columnKey('node', hashOf(1)))!;
    const store = await storeOf([hashOf(1), rowOf(2n, branchOf([[3, 3]]))]);
    expect(() => nodeBytes(store, fewer, hashOf(0)), 'without its children').toThrow(corrupt);
  });

  it('that is cut is reported', async () => {
    const value = new Uint8Array(100).fill(4);
    const [one, other] = [rowOf(1n, leafOf(value)), rowOf(2n, leafOf(value.with(60, 5)))];
    const leafDelta = deltaRow(one, other, columnKey('node', hashOf(2)))!;
    const store = await storeOf([hashOf(1), base], [hashOf(2), other]);
    for (let length = 0; length < delta.length; length++) {
      expect(() => nodeBytes(store, delta.subarray(0, length), hashOf(0)), `${length}`).toThrow(corrupt);
    }
    for (let length = 0; length < leafDelta.length - 1; length++) {
      expect(() => nodeBytes(store, leafDelta.subarray(0, length), hashOf(0)), `${length}`).toThrow(corrupt);
    }
  });
});
