import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { Branch, Leaf, Link } from '../../../src/store/tree/node.ts';
import type { TreeEntry } from '../../../src/store/tree/tree.ts';
import { anyBatches, anyKey, hex, World } from './world.ts';

const leafOf = (byte: number): Leaf => Leaf.of(new Uint8Array(32).fill(byte), new Uint8Array(20));

function held(cache: NodeCache, byte: number): Link {
  const link = new Link(undefined);
  cache.hold(link, leafOf(byte));
  return link;
}

describe('a node cache', () => {
  it('keeps within both of its bounds whatever is read and written', () => {
    fc.assert(
      fc.property(
        anyBatches,
        fc.array(anyKey),
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 0, max: 20_000 }),
        (batches, keys, nodesMax, bytesMax) => {
          const cache = new NodeCache({ nodesMax, bytesMax });
          const world = new World(cache);
          const within = (): void => {
            expect(cache.nodes).toBeLessThanOrEqual(nodesMax);
            expect(cache.bytes).toBeLessThanOrEqual(bytesMax);
          };
          for (const entries of batches) {
            world.write(entries);
            within();
            for (const key of keys) {
              world.tree.get(world.root, key);
              within();
            }
            for (const _ of world.tree.iterate(world.root)) within();
          }
          cache.clear();
          expect([cache.nodes, cache.bytes]).toEqual([0, 0]);
        },
      ),
    );
  });

  it('lets the oldest go first, but not what was visited since', () => {
    const cache = new NodeCache({ nodesMax: 3 });
    const links = [1, 2, 3].map((byte) => held(cache, byte));
    links[0]!.visited = true;
    const fourth = held(cache, 4);
    expect(links.map(({ node }) => node !== undefined)).toEqual([true, false, true]);
    held(cache, 5);
    expect(links.map(({ node }) => node !== undefined)).toEqual([true, false, false]);
    held(cache, 6);
    expect([links[0]!.node, fourth.node].map((node) => node !== undefined)).toEqual([false, true]);
    expect(cache.nodes).toBe(3);
  });

  it('lets the oldest go first, also after its queue has come round and grown', () => {
    // A few large nodes, most of which are gone when more small ones come than the queue had room for.
    const cache = new NodeCache({ bytesMax: 200_000 });
    const links: Link[] = [];
    const hold = (valueBytes: number): void => {
      const link = new Link(undefined);
      cache.hold(link, Leaf.of(new Uint8Array(32).fill(links.length), new Uint8Array(valueBytes)));
      links.push(link);
      const oldest = links.findIndex(({ node }) => node !== undefined);
      expect(links.slice(oldest).every(({ node }) => node !== undefined)).toBe(true);
    };
    for (let count = 0; count < 40; count++) hold(20_000);
    for (let count = 0; count < 300; count++) hold(20);
    expect(cache.nodes).toBeGreaterThan(200);
    for (let count = 0; count < 20; count++) hold(20_000);
    expect(links.findIndex(({ node }) => node !== undefined)).toBe(links.length - cache.nodes);
  });

  it('terminates even when everything was visited', () => {
    const cache = new NodeCache({ nodesMax: 100 });
    const links = Array.from({ length: 100 }, (_, index) => held(cache, index));
    for (const link of links) link.visited = true;
    held(cache, 200);
    expect(cache.nodes).toBe(100);
    expect(links.filter(({ node }) => node === undefined)).toEqual([links[0]]);
  });

  it('does not hold what is larger than itself', () => {
    const cache = new NodeCache({ bytesMax: 1_000 });
    const small = held(cache, 1);
    const link = new Link(undefined);
    cache.hold(link, Leaf.of(new Uint8Array(32), new Uint8Array(5_000)));
    expect(link.node).toBeUndefined();
    expect(small.node).toBeDefined();
  });

  it('finds roots by their whole hash, and forgets them with their node', () => {
    const cache = new NodeCache({ nodesMax: 2 });
    const first = held(cache, 1);
    const second = held(cache, 2);
    const hash = new Uint8Array(32).fill(5);
    const neighbour = hash.slice();
    neighbour[31] = 6;
    cache.setRoot(hash, first);
    expect(cache.root(hash)).toBe(first.node);
    expect(cache.root(neighbour)).toBeUndefined();
    cache.setRoot(neighbour, second);
    expect(cache.root(neighbour)).toBe(second.node);
    expect(cache.root(hash)).toBeUndefined();
    first.visited = false;
    held(cache, 3);
    expect(first.node).toBeUndefined();
    expect(cache.root(neighbour)).toBe(second.node);
    second.visited = false;
    held(cache, 4);
    expect(cache.root(neighbour)).toBeUndefined();
    cache.setRoot(hash, first);
    expect(cache.root(hash)).toBeUndefined();
  });

  it('counts the bytes of a leaf, and the words and links of a branch', () => {
    const cache = new NodeCache();
    const leaf = leafOf(1);
    cache.hold(new Link(undefined), leaf);
    // What V8 takes for each is stated beside the class.
    expect(cache.bytes).toBe(440 + leaf.length);
    const before = cache.bytes;
    cache.hold(
      new Link(undefined),
      new Branch(0b101, 0b101, 0b101, new Array<number>(16).fill(0), [undefined, undefined]),
    );
    expect(cache.bytes - before).toBe(264 + 16 * 8 + 2 * 8);
    expect([new NodeCache({ nodesMax: 0 }), new NodeCache({ bytesMax: 0 })].map(({ nodes }) => nodes)).toEqual([0, 0]);
    expect(() => new NodeCache({ nodesMax: -1 })).toThrow('not negative');
    expect(() => new NodeCache({ bytesMax: -1 })).toThrow('not negative');
  });

  it('is filled to its bounds, and half free below half of both', () => {
    const bytes = 440 + leafOf(1).length;
    const full = new NodeCache({ bytesMax: 4 * bytes });
    const links = [1, 2, 3, 4].map((byte) => {
      const free = full.isHalfFree;
      return { link: held(full, byte), free };
    });
    expect(links.map(({ free }) => free)).toEqual([true, true, false, false]);
    expect(links.every(({ link }) => link.node !== undefined)).toBe(true);
    const few = new NodeCache({ nodesMax: 4 });
    expect([1, 2, 3, 4].map((byte) => [few.isHalfFree, held(few, byte)][0])).toEqual([true, true, false, false]);
    const single = new NodeCache({ bytesMax: bytes });
    expect(held(single, 1).node).toBeDefined();
    expect(held(new NodeCache({ nodesMax: 0 }), 1).node).toBeUndefined();
  });

  it('keeps a root that was asked for, by a hash of its own', () => {
    const cache = new NodeCache({ nodesMax: 2 });
    const [first, second] = [held(cache, 1), held(cache, 2)];
    const hash = new Uint8Array(32).fill(5);
    cache.setRoot(hash, first);
    hash.fill(6);
    expect(cache.root(new Uint8Array(32).fill(6))).toBeUndefined();
    expect(cache.root(new Uint8Array(32).fill(5))).toBe(first.node);
    held(cache, 3);
    expect([first.node, second.node].map((node) => node !== undefined)).toEqual([true, false]);
    first.visited = false;
    held(cache, 4);
    held(cache, 5);
    expect(first.node).toBeUndefined();
    // The link has another node now, which is not that root.
    cache.hold(first, leafOf(9));
    expect(cache.root(new Uint8Array(32).fill(5))).toBeUndefined();
    cache.setRoot(new Uint8Array(32).fill(7), second);
    expect(cache.rootLink(new Uint8Array(32).fill(7))).toBeUndefined();
  });

  it('drops a replaced node once 512 more were replaced, unless it was visited', () => {
    const cache = new NodeCache({ nodesMax: 700 });
    const links = Array.from({ length: 700 }, (_, index) => held(cache, index));
    const isThere = (index: number): boolean => links[index]!.node !== undefined;
    // A visit before it was replaced does not count.
    links[0]!.visited = true;
    for (let index = 0; index < 512; index++) cache.replace(links[index]!);
    links[1]!.visited = true;
    expect([0, 1, 2].map(isThere)).toEqual([true, true, true]);
    for (let index = 512; index < 515; index++) cache.replace(links[index]!);
    expect([0, 1, 2, 3].map(isThere)).toEqual([false, true, false, true]);
    expect(cache.nodes).toBe(698);
    // Two find room and three evict one each; what was evicted in the meantime is not counted twice.
    for (let byte = 0; byte < 5; byte++) held(cache, byte);
    expect([3, 4, 5, 6].map(isThere)).toEqual([false, false, false, true]);
    for (let index = 515; index < 518; index++) cache.replace(links[index]!);
    expect(cache.nodes).toBe(700);
    for (let time = 0; time < 600; time++) cache.replace(links[600]!);
    expect(isThere(600)).toBe(true);
    cache.clear();
    expect([cache.nodes, cache.bytes]).toEqual([0, 0]);
  });

  it('lets the oldest go first, also where dropped ones have left room in its queue', () => {
    const cache = new NodeCache({ nodesMax: 1_100 });
    const links = Array.from({ length: 1_024 }, (_, index) => held(cache, index));
    for (const link of links) cache.replace(link);
    expect(cache.nodes).toBe(512);
    for (let count = 0; count < 1_500; count++) {
      links.push(held(cache, count));
      const oldest = links.findIndex(({ node }) => node !== undefined);
      expect(links.length - oldest).toBe(cache.nodes);
    }
    expect(cache.nodes).toBe(1_100);
  });

  it('reads nothing from the store once it is warm', () => {
    const world = new World();
    world.write(Array.from({ length: 500 }, (_, index) => [spread(index), Uint8Array.of(1)]));
    let reads = 0;
    const cache = new NodeCache();
    const tree = world.reader(cache);
    const counting = new World(cache);
    for (const [hash, bytes] of world.nodes) counting.nodes.set(hash, bytes);
    counting.nodes.get = (hash) => {
      reads++;
      return world.nodes.get(hash);
    };
    for (let index = 0; index < 500; index++) tree.get(world.root, spread(index));
    for (let index = 0; index < 500; index++) counting.tree.get(world.root, spread(index));
    expect(reads).toBe(0);
    expect(hex(counting.tree.update(world.root, []).root)).toBe(hex(world.root));
  });

  it('holds what a large update creates while there is room, up to half of it', () => {
    // Below one branch of the fourth level: those above it are held in any case.
    const deep = (index: number): Uint8Array => Uint8Array.of(0, 0, ...spread(index).subarray(0, 30));
    const entries = Array.from({ length: 5_000 }, (_, index): TreeEntry => [deep(index), Uint8Array.of(1)]);
    const roomy = new World();
    roomy.write(entries);
    roomy.nodes.get = () => expect.unreachable('all nodes are in memory');
    expect([...roomy.tree.iterate(roomy.root)]).toHaveLength(5_000);
    const cache = new NodeCache({ nodesMax: 1_000 });
    const tight = new World(cache);
    tight.write(entries.map(([key]) => [key, Leaf.of(key, Uint8Array.of(1), true)]));
    expect(tight.nodes.size).toBeGreaterThan(6_000);
    expect(cache.nodes).toBeLessThanOrEqual(500 + 4);
    expect([...tight.tree.iterate(tight.root)]).toHaveLength(5_000);
  });
});

function spread(index: number): Uint8Array {
  const key = new Uint8Array(32);
  new DataView(key.buffer).setUint32(0, Math.imul(index + 1, 0x9e3779b1));
  return key;
}
