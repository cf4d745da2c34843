/** Groups of commits as a chain with a bounded history stores them: without what only their own commits could see. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { ALL_HISTORY, historyOperation } from '../../src/chain/ledger/history.ts';
import type { FieldChanges, ObjectChange } from '../../src/chain/object/change-set.ts';
import { applyChangeSet } from '../../src/chain/state/apply.ts';
import {
  childrenOf,
  detachedNodes,
  hashParts,
  nodeSource,
  rowBefore,
  writeNodes,
} from '../../src/chain/state/node-row.ts';
import { State } from '../../src/chain/state/state.ts';
import { addressOf } from '../../src/move/address.ts';
import { parseStructTag } from '../../src/move/type-tag.ts';
import { gatheredRows } from '../../src/pipeline/group-rows.ts';
import { keptRows } from '../../src/pipeline/kept-rows.ts';
import { columnKey, columnRange, orderBytes } from '../../src/store/column.ts';
import { MemoryStore } from '../../src/store/memory.ts';
import { RowBatch } from '../../src/store/row-batch.ts';
import { NodeCache } from '../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../src/store/tree/tree.ts';
import { runs } from '../effort.ts';
import { freshMeta } from '../forge.ts';

const key = (number: number): Uint8Array => sha3(Uint8Array.of(number));
const TYPE = parseStructTag('0x7::m::T');

/** A parent's value and those of its fields; undefined for what is absent. */
type Fields = readonly (number | undefined)[];
type Parent = { readonly value: number; readonly fields: Fields } | undefined;

/** What one commit makes of one parent. */
interface Change {
  readonly parent: number;
  readonly to: Parent;
  /** Whether the fields are made anew, and not changed one by one. */
  readonly isReset: boolean;
}

function change(
  id: Uint8Array[],
  value: ObjectChange['value'],
  root: Uint8Array | undefined,
  fields: FieldChanges = [],
) {
  const meta = { ...freshMeta(id, TYPE), owner: addressOf(1), stateRoot: root, createdAt: 1n, updatedAt: 1n };
  return [id.at(-1)!, { meta, value, fields }] as const;
}

/** A chain of parents with fields, whose groups of commits are written as those of a bounded history. */
class Chain {
  readonly store = new MemoryStore();
  readonly parents: Parent[] = [];
  root = EMPTY_ROOT;
  order = 0n;

  async group(commits: readonly Change[]): Promise<void> {
    const rows = keptRows(this.store, gatheredRows(this.store));
    const tree = new Tree(nodeSource(rows), new NodeCache({ nodesMax: 0 }));
    for (const made of commits) {
      const state = new State(tree, this.root, 0n);
      const changes = this.#changesOf(made, state);
      const applied = applyChangeSet(state, { stateRoot: this.root, globalSize: 0n, changes });
      this.order++;
      rows.add([
        ...RowBatch.operationsOf((batch) => writeNodes(batch, this.order, applied)),
        { type: 'put', key: columnKey('stateRoot', applied.changeSet.stateRoot), value: orderBytes(this.order) },
      ]);
      this.root = applied.changeSet.stateRoot;
      this.parents[made.parent] = made.to;
    }
    await rows.write([], this.order);
  }

  #changesOf({ parent, to, isReset }: Change, state: State): FieldChanges {
    const before = this.parents[parent];
    const id = [key(parent)];
    if (before === undefined && to === undefined) return [];
    const root = state.object(id)?.meta.stateRoot;
    if (to === undefined) return [change(id, { kind: 'delete' }, root)];
    const old: Fields = before === undefined || isReset ? [] : before.fields;
    const fields = to.fields
      .map((value, index) => ({ value, from: old[index], at: [...id, key(100 + index)] }))
      .filter(({ value, from }) => value !== from)
      .map(({ value, from, at }) => {
        if (value === undefined) return change(at, { kind: 'delete' }, EMPTY_ROOT);
        return change(at, { kind: from === undefined ? 'new' : 'modify', value: Uint8Array.of(value) }, EMPTY_ROOT);
      })
      .sort(([left], [right]) => Buffer.compare(left, right));
    const kind = before === undefined ? 'new' : 'modify';
    return [
      change(id, { kind, value: Uint8Array.of(to.value) }, before === undefined || isReset ? undefined : root, fields),
    ];
  }

  /** The nodes below a root, by their hashes. */
  reachable(root: Uint8Array): Set<string> {
    const nodes = nodeSource(this.store);
    const met = new Set<string>();
    const waiting = toHex(root) === toHex(EMPTY_ROOT) ? [] : [root];
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop()) {
      met.add(toHex(hash));
      const bytes = nodes(hash);
      if (bytes === undefined) throw new Error(`node ${toHex(hash)} is missing`);
      waiting.push(...childrenOf(hash, bytes));
    }
    return met;
  }

  async stored(): Promise<Set<string>> {
    const stored = new Set<string>();
    for await (const row of this.store.scan(columnRange('node'))) stored.add(toHex(row.key.subarray(1)));
    return stored;
  }

  /** Deletes what the lists of the orders from `from` on name. */
  async prune(from: bigint): Promise<void> {
    for (let order = from; order <= this.order; order++) {
      const gone: Uint8Array[] = [];
      const hashesOf = (column: 'staleNodes' | 'detachedTrees'): Uint8Array[] =>
        [...hashParts(this.store, column, order)].flatMap(({ value: hashes }) =>
          Array.from({ length: hashes.length / 32 }, (_, index) => hashes.slice(32 * index, 32 * index + 32)),
        );
      for (const root of hashesOf('detachedTrees')) gone.push(...detachedNodes(this.store, root, order));
      for (const hash of hashesOf('staleNodes')) {
        const at = columnKey('node', hash);
        if (rowBefore(this.store, at, order) !== undefined) gone.push(at);
      }
      await this.store.batch(gone.map((at) => ({ type: 'delete', key: at })));
    }
  }
}

const someFields = fc.array(fc.option(fc.nat(2), { nil: undefined }), { minLength: 4, maxLength: 4 });
const somePrefix = fc.record({ value: fc.nat(2), fields: someFields });
const someChange: fc.Arbitrary<Change> = fc.record({
  parent: fc.nat(3),
  to: fc.option(somePrefix, { nil: undefined, freq: 3 }),
  isReset: fc.boolean(),
});

const parentOf = (to: Parent, isReset = false): Change => ({ parent: 0, to, isReset });

/** Fields that were there before the group are made anew as they were, and go later in the group. */
const REMADE: Change[][] = [
  [parentOf({ value: 0, fields: [2, 2, 0] })],
  [parentOf({ value: 0, fields: [2, 2, 0] }, true), parentOf(undefined)],
];
/** Of the tree that is made anew, only a part was there before the group. */
const REMADE_IN_PART: Change[][] = [
  [parentOf({ value: 0, fields: [0] })],
  [parentOf({ value: 0, fields: [0, 2] }), parentOf({ value: 0, fields: [0, 2] }, true), parentOf(undefined)],
];

/** What is made anew is changed later in the group: some of what is below was there before it, and stays. */
const REMADE_AND_CHANGED: Change[][] = [
  [parentOf({ value: 0, fields: [2, 2, 1] })],
  [parentOf({ value: 0, fields: [2, 2, 1] }, true), parentOf({ value: 0, fields: [undefined, undefined, 1] })],
];

it('a group stores the nodes of its last state, and lists the nodes of the state before that it drops', async () => {
  const groups = fc.array(fc.array(someChange, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(groups, async (commits) => {
      const chain = new Chain();
      await chain.store.batch([historyOperation({ ...ALL_HISTORY, kept: 1n })]);
      for (const group of commits) {
        const before = chain.reachable(chain.root);
        const first = chain.order + 1n;
        await chain.group(group);
        const after = chain.reachable(chain.root);
        expect(await chain.stored()).toEqual(new Set([...before, ...after]));
        await chain.prune(first);
        expect(await chain.stored()).toEqual(after);
        const state = new State(new Tree(nodeSource(chain.store), new NodeCache()), chain.root, 0n);
        for (const [parent, expected] of chain.parents.entries()) {
          expect(state.object([key(parent)])?.value[0]).toBe(expected?.value);
          for (const [index, value] of (expected?.fields ?? []).entries()) {
            expect(state.object([key(parent), key(100 + index)])?.value[0]).toBe(value);
          }
        }
        const roots: string[] = [];
        for await (const row of chain.store.scan(columnRange('stateRoot'))) roots.push(toHex(row.key.subarray(1)));
        expect(roots).toContain(toHex(chain.root));
      }
    }),
    { numRuns: runs(50, 150), examples: [[REMADE], [REMADE_IN_PART], [REMADE_AND_CHANGED]] },
  );
});
