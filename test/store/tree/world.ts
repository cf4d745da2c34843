// What the tree's tests share: a store with a tree over it, the sorted map it is compared with, keys that meet often.
import fc from 'fast-check';
import { fromHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { EMPTY_ROOT, Tree, type TreeEntry, type TreeUpdate, type TreeWrite } from '../../../src/store/tree/tree.ts';
import { taggedPair } from '../../base/tagged-pair.ts';

export const hex: (bytes: Uint8Array) => string = toHexPrefixed;

/** Stored nodes, a tree over them, and its current root. */
export class World {
  readonly nodes: Map<string, Uint8Array> = new Map();
  readonly tree: Tree;
  readonly cache: NodeCache;
  root: Uint8Array = EMPTY_ROOT;

  constructor(cache: NodeCache = new NodeCache()) {
    this.cache = cache;
    this.tree = this.reader(cache);
  }

  /** Another tree over the same store. */
  reader(cache: NodeCache): Tree {
    return new Tree((hash) => this.nodes.get(hex(hash)), cache);
  }

  write(entries: readonly TreeWrite[]): TreeUpdate {
    const update = this.tree.update(this.root, entries);
    for (const { hash, bytes } of update.fresh) this.nodes.set(hex(hash), bytes);
    this.root = update.root;
    return update;
  }
}

export function entriesOf(tree: Tree, root: Uint8Array): [string, string][] {
  return [...tree.iterate(root)].map(({ key, value }) => [hex(key), hex(value)]);
}

/** Children of a stored node, read from its bytes alone. */
function childrenOf(bytes: Uint8Array): string[] {
  if (bytes[0] !== 1) return [];
  const children: string[] = [];
  for (let at = 5; at < bytes.length; at += 32) children.push(hex(bytes.subarray(at, at + 32)));
  return children;
}

/** The hashes of all nodes under `root`, in the order in which they are visited. */
export function reachable(nodes: ReadonlyMap<string, Uint8Array>, root: Uint8Array): string[] {
  const met: string[] = [];
  const todo = hex(root) === hex(EMPTY_ROOT) ? [] : [hex(root)];
  for (let hash = todo.pop(); hash !== undefined; hash = todo.pop()) {
    met.push(hash);
    todo.push(...childrenOf(nodes.get(hash)!));
  }
  return met;
}

/** Values by key, both in hex. */
export type Model = Map<string, string>;

export function applyToModel(model: Model, entries: readonly TreeEntry[]): void {
  for (const [key, value] of entries) {
    if (value === undefined) model.delete(hex(key));
    else model.set(hex(key), hex(value));
  }
}

export function sortedModel(model: Model): [string, string][] {
  return [...model].sort(([left], [right]) => (left < right ? -1 : 1));
}

/** The root by the definition of state.md 3.3: no leaf, the placeholder; one, its hash; more, the pair of the halves. */
export function foldLeaves(leaves: readonly { key: Uint8Array; hash: Uint8Array }[], bit = 0): Uint8Array {
  if (leaves.length < 2) return leaves[0]?.hash ?? EMPTY_ROOT;
  const half = (set: number): Uint8Array =>
    foldLeaves(
      leaves.filter(({ key }) => ((key[bit >> 3]! >> (7 - (bit & 7))) & 1) === set),
      bit + 1,
    );
  return taggedPair(half(0), half(1));
}

export function pureRoot(model: Model): Uint8Array {
  return foldLeaves(
    [...model].map(([key, value]) => ({
      key: fromHex(key),
      hash: taggedPair(fromHex(key), taggedHash(fromHex(value))),
    })),
  );
}

/** One of three keys with up to three nibbles changed from any place on: shared prefixes of every length. */
const deepKey = fc
  .tuple(
    fc.constantFrom(0x00, 0xff, 0x5a),
    fc.integer({ min: 0, max: 63 }),
    fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([fill, from, nibbles]) => {
    const key = new Uint8Array(32).fill(fill);
    nibbles.forEach((nibble, index) => {
      const at = Math.min(from + index, 63);
      const byte = key[at >> 1]!;
      key[at >> 1] = at % 2 === 0 ? (nibble << 4) | (byte & 15) : (byte & 0xf0) | nibble;
    });
    return key;
  });

/** Zeros after three nibbles, so that branches fill up. */
const narrowKey = fc
  .tuple(fc.integer({ min: 0, max: 255 }), fc.constantFrom(0x00, 0x10, 0xf0))
  .map(([first, second]) => {
    const key = new Uint8Array(32);
    key[0] = first;
    key[1] = second;
    return key;
  });

export const anyKey: fc.Arbitrary<Uint8Array> = fc.oneof(
  deepKey,
  narrowKey,
  fc.uint8Array({ minLength: 32, maxLength: 32 }),
);

export const anyValue: fc.Arbitrary<Uint8Array> = fc.uint8Array({ minLength: 0, maxLength: 40 });

export const anyBatch: fc.Arbitrary<TreeEntry[]> = fc.uniqueArray(
  fc.tuple(anyKey, fc.option(anyValue, { nil: undefined, freq: 3 })),
  { maxLength: 24, selector: ([key]) => hex(key) },
);

export const anyBatches: fc.Arbitrary<TreeEntry[][]> = fc.array(anyBatch, { minLength: 1, maxLength: 6 });
