import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import type { ChangedTrees } from '../../src/chain/state/apply.ts';
import { hashParts, isDelta, nodeOrder, nodeSource, writeNodes } from '../../src/chain/state/node-row.ts';
import { addressOf } from '../../src/move/address.ts';
import { gatheredRows } from '../../src/pipeline/group-rows.ts';
import { ReplacedNodes } from '../../src/pipeline/kept-rows.ts';
import { objectState, parseStructTag } from '../../src/query/transaction-builder.ts';
import { columnKey, columnRange, orderBytes } from '../../src/store/column.ts';
import { MemoryStore, type Operation, type ReadableStore } from '../../src/store/index.ts';
import { RowBatch } from '../../src/store/row-batch.ts';
import { NodeCache } from '../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree, type TreeEntry } from '../../src/store/tree/tree.ts';
import { runs } from '../effort.ts';

const TYPE = parseStructTag('0x7::m::Counter');
const KEYS = Array.from({ length: 200 }, (_, index) => sha3(Uint8Array.of(index)));

/** An object with a number: leaves of the same key differ in some of their last bytes. */
function entry(key: number, value: number | undefined): TreeEntry {
  const id = [KEYS[key]!];
  const meta = { id, owner: addressOf(key), flag: 0, stateRoot: EMPTY_ROOT, size: 0n, createdAt: 1n, updatedAt: 1n };
  if (value === undefined) return [id[0]!, undefined];
  const bytes = new Uint8Array(100).fill(key);
  bytes[50] = value;
  return [id[0]!, encode(objectState, { meta: { ...meta, objectType: TYPE }, value: bytes })];
}

function nodeOperations(order: bigint, update: Omit<ChangedTrees, 'detached'>): readonly Operation[] {
  return RowBatch.operationsOf((batch) => writeNodes(batch, order, { ...update, detached: [] }));
}

/** A chain of one tree, whose groups of commits are written as those of a chain that keeps all history. */
class Chain {
  readonly store = new MemoryStore();
  readonly #rows = new ReplacedNodes(gatheredRows(this.store));
  /** Roots by order, each with its content. */
  readonly roots: { readonly root: Uint8Array; readonly content: ReadonlyMap<string, string> }[] = [
    { root: EMPTY_ROOT, content: new Map() },
  ];

  async group(commits: readonly (readonly TreeEntry[])[], isAlone = false): Promise<void> {
    const rows = this.#rows;
    const tree = new Tree(nodeSource(rows), new NodeCache({ nodesMax: 0 }));
    for (const entries of commits) {
      const last = this.roots.at(-1)!;
      const update = tree.update(last.root, entries);
      const content = new Map(last.content);
      for (const [key, value] of entries) {
        if (value === undefined) content.delete(toHex(key));
        else content.set(toHex(key), toHex(value as Uint8Array));
      }
      const order = BigInt(this.roots.length);
      const operations: Operation[] = [
        ...nodeOperations(order, update),
        { type: 'put', key: columnKey('transaction', orderBytes(order)), value: KEYS[0]! },
      ];
      if (isAlone) await this.store.batch(operations);
      else rows.add(operations);
      this.roots.push({ root: update.root, content });
    }
    if (isAlone) return;
    await rows.write([], BigInt(this.roots.length - 1));
  }
}

/** The content of a root, read row by row. */
function contentOf(rows: Pick<ReadableStore, 'get'>, root: Uint8Array): Map<string, string> {
  const tree = new Tree(nodeSource(rows), new NodeCache({ nodesMax: 0 }));
  return new Map([...tree.iterate(root)].map(({ key, value }) => [toHex(key), toHex(value)]));
}

function expectAllReadable({ store, roots }: Chain, from = 0): void {
  for (const { root, content } of roots.slice(from)) {
    expect(new Map([...contentOf(store, root)].sort())).toEqual(new Map([...content].sort()));
  }
}

const writes = fc.uniqueArray(fc.tuple(fc.nat(KEYS.length - 1), fc.option(fc.nat(3), { nil: undefined })), {
  minLength: 1,
  maxLength: 6,
  selector: ([key]) => key,
});

describe('a chain that keeps all history', () => {
  it('reads every state again, within groups of commits and between them', async () => {
    const group = fc.array(writes, { minLength: 1, maxLength: 20 });
    const groups = fc.array(fc.tuple(group, fc.boolean()), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(groups, async (commits) => {
        const chain = new Chain();
        await chain.group([KEYS.map((_, key) => entry(key, 9))]);
        for (const [made, isAlone] of commits) {
          await chain.group(
            made.map((some) => some.map((one) => entry(...one))),
            isAlone,
          );
        }
        expectAllReadable(chain);
      }),
      { numRuns: runs(6, 30) },
    );
  });

  it('stores replaced nodes as deltas, each readable with about seven more reads', async () => {
    const chain = new Chain();
    await chain.group([KEYS.map((_, key) => entry(key, 9))]);
    for (let group = 0; group < 4; group++) {
      // Values never come back.
      await chain.group(Array.from({ length: 40 }, (_, index) => [entry(index % 7, group * 40 + index)]));
    }
    const rows: { key: Uint8Array; value: Uint8Array }[] = [];
    for await (const row of chain.store.scan(columnRange('node'))) rows.push(row);
    const deltas = rows.filter(({ value }) => isDelta(value));
    expect(deltas.length).toBeGreaterThan(rows.length / 3);
    const reads = deltas.map(({ key }) => {
      let count = 0;
      const get = (at: Uint8Array): Uint8Array | undefined => {
        count++;
        return chain.store.get(at);
      };
      nodeSource({ get })(key.subarray(1));
      return count - 1;
    });
    expect(reads.reduce((sum, count) => sum + count, 0) / reads.length).toBeLessThan(9);
    expectAllReadable(chain);
  });

  it('keeps what is still needed when states are pruned from the oldest on', async () => {
    const chain = new Chain();
    await chain.group([KEYS.map((_, key) => entry(key, 9))]);
    for (let group = 0; group < 3; group++) {
      // Some values come back, with their nodes.
      const commits = Array.from({ length: 30 }, (_, index) => [entry(index % 3, index % 4)]);
      await chain.group(commits.slice(0, 20));
      await chain.group(commits.slice(20, 23), true);
      await chain.group(commits.slice(23));
    }
    for (let order = 1; order < chain.roots.length; order += 10) {
      for (let pruned = Math.max(order - 9, 1); pruned <= order; pruned++) await prune(chain.store, BigInt(pruned));
      expectAllReadable(chain, order);
    }
  });

  it('notices when a commit written alone makes a node again', async () => {
    const chain = new Chain();
    await chain.group([KEYS.map((_, key) => entry(key, 9))]);
    await chain.group([[entry(0, 1)]]);
    await chain.group([[entry(0, 2)], [entry(0, 1)]], true);
    await chain.group([[entry(0, 3)]]);
    for (const order of [1n, 2n, 3n]) await prune(chain.store, order);
    expectAllReadable(chain, 3);
  });

  it('stores in full a node that one tree makes and another replaces in the same commit', async () => {
    const store = new MemoryStore();
    const rows = new ReplacedNodes(gatheredRows(store));
    const tree = new Tree(nodeSource(rows), new NodeCache());
    const full = KEYS.map((_, key) => entry(key, 9));
    const one = tree.update(EMPTY_ROOT, full);
    rows.add(nodeOperations(1n, one));
    const other = tree.update(one.root, [entry(3, 1)]);
    rows.add(nodeOperations(2n, other));
    // From the second state back to the first, and in another tree from the first to the second.
    const back = tree.update(other.root, [entry(3, 9)]);
    tree.update(one.root, [entry(3, 1)], back);
    rows.add(nodeOperations(3n, back));
    await rows.write([], 3n);
    expect(contentOf(store, one.root).size).toBe(KEYS.length);
    expect(contentOf(store, other.root).size).toBe(KEYS.length);
    for (const { hash } of back.fresh) expect(isDelta(store.get(columnKey('node', hash))!)).toBe(false);
  });
});

/** Deletes what `order` made stale, as pipeline/pruner.ts does. */
async function prune(store: MemoryStore, order: bigint): Promise<void> {
  for (const { value: hashes } of hashParts(store, 'staleNodes', order)) {
    for (let at = 0; at < hashes.length; at += 32) {
      const key = columnKey('node', hashes.subarray(at, at + 32));
      const row = store.get(key);
      if (row !== undefined && nodeOrder(row) < order) await store.batch([{ type: 'delete', key }]);
    }
  }
}
