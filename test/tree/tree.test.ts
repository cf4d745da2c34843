// The tree against a sorted map and the pure recursive definition of its root (state.md 3.3), on random batches.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareBytes } from '../../src/bytes/compare.ts';
import { fromHex, toHexPrefixed } from '../../src/bytes/hex.ts';
import { taggedHash, taggedPair } from '../../src/hash/tagged.ts';
import { NodeCache } from '../../src/tree/cache.ts';
import { EMPTY_ROOT, Tree, type TreeEntry, type TreeUpdate } from '../../src/tree/tree.ts';

const hex = toHexPrefixed;

/** Stored nodes and a tree over them. */
class World {
  readonly nodes = new Map<string, Uint8Array>();
  readonly tree: Tree;
  root: Uint8Array = EMPTY_ROOT;

  constructor(cache: NodeCache = new NodeCache()) {
    this.tree = new Tree((hash) => this.nodes.get(hex(hash)), cache);
  }

  write(entries: readonly TreeEntry[]): TreeUpdate {
    const update = this.tree.update(this.root, entries);
    for (const { hash, bytes } of update.fresh) this.nodes.set(hex(hash), bytes);
    this.root = update.root;
    return update;
  }

  entries(): [string, string][] {
    return [...this.tree.iterate(this.root)].map(({ key, value }) => [hex(key), hex(value)]);
  }
}

/** Entries by key in hex; the values too. */
type Model = Map<string, string>;

function applyToModel(model: Model, entries: readonly TreeEntry[]): void {
  for (const [key, value] of entries) {
    if (value === undefined) model.delete(hex(key));
    else model.set(hex(key), hex(value));
  }
}

const sorted = (model: Model): [string, string][] => [...model].sort(([left], [right]) => (left < right ? -1 : 1));

function pureRoot(model: Model): Uint8Array {
  const leaves = sorted(model).map(([key, value]) => ({
    key: fromHex(key),
    hash: taggedPair(fromHex(key), taggedHash(fromHex(value))),
  }));
  const of = (from: number, to: number, bit: number): Uint8Array => {
    if (from === to) return EMPTY_ROOT;
    if (to - from === 1) return leaves[from]!.hash;
    let middle = from;
    while (middle < to && ((leaves[middle]!.key[bit >> 3]! >> (7 - (bit & 7))) & 1) === 0) middle++;
    return taggedPair(of(from, middle, bit + 1), of(middle, to, bit + 1));
  };
  return of(0, leaves.length, 0);
}

/** Keys that meet often: a few random ones, a shared prefix of any length, the rest small. */
const key = fc
  .tuple(
    fc.constantFrom(0x00, 0xff, 0x5a),
    fc.integer({ min: 0, max: 63 }),
    fc.array(fc.integer({ min: 0, max: 15 }), { minLength: 1, maxLength: 3 }),
  )
  .map(([fill, shared, nibbles]) => {
    const bytes = new Uint8Array(32).fill(fill);
    nibbles.forEach((nibble, index) => {
      const at = Math.min(shared + index, 63);
      const byte = bytes[at >> 1]!;
      bytes[at >> 1] = at % 2 === 0 ? (nibble << 4) | (byte & 15) : (byte & 0xf0) | nibble;
    });
    return bytes;
  });
const value = fc.uint8Array({ minLength: 0, maxLength: 40 });
const batch = fc
  .uniqueArray(fc.tuple(key, fc.option(value, { nil: undefined })), {
    maxLength: 24,
    selector: ([bytes]) => hex(bytes),
  })
  .map((entries): TreeEntry[] => entries);
const batches = fc.array(batch, { minLength: 1, maxLength: 8 });

describe('updates', () => {
  it('give the root of the pure definition and the entries of a sorted map', () => {
    fc.assert(
      fc.property(batches, (list) => {
        const world = new World();
        const model: Model = new Map();
        for (const entries of list) {
          world.write(entries);
          applyToModel(model, entries);
          expect(hex(world.root)).toBe(hex(pureRoot(model)));
          expect(world.entries()).toEqual(sorted(model));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('sort what they are given and refuse a key twice', () => {
    fc.assert(
      fc.property(batch, (entries) => {
        const forward = [...entries].sort(([left], [right]) => compareBytes(left, right));
        expect(new World().write([...forward].reverse()).root).toEqual(new World().write(forward).root);
      }),
    );
  });
});
