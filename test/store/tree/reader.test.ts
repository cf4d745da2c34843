// What is read from the store is checked before it is believed: damage is an error, never an answer.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { verifyProof } from '../../../src/store/tree/proof.ts';
import { decodeNode } from '../../../src/store/tree/reader.ts';
import { EMPTY_ROOT, Tree, type TreeEntry } from '../../../src/store/tree/tree.ts';
import { taggedPair } from '../../base/tagged-pair.ts';
import { runs } from '../../effort.ts';
import { anyBatch, applyToModel, entriesOf, hex, type Model, pureRoot, World } from './world.ts';

const corrupt = expect.objectContaining({ code: 'corrupt' });

/** What `act` gives, or `corrupt` when it reports damage; any other error passes through. */
function attempt<T>(act: () => T): T | 'corrupt' {
  try {
    return act();
  } catch (error) {
    if (error instanceof EngineError && error.code === 'corrupt') return 'corrupt';
    throw error;
  }
}

/** Every way in which the bitmaps of a branch lose or gain one bit, and every other byte changed somehow. */
function* damaged(bytes: Uint8Array, masks: Iterator<number>): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at++) {
    const bits = bytes[0] === 1 && at > 0 && at < 5;
    for (const mask of bits ? [1, 2, 4, 8, 16, 32, 64, 128] : [masks.next().value]) {
      const changed = bytes.slice();
      changed[at]! ^= mask;
      yield changed;
    }
  }
}

describe('a damaged node', () => {
  it('is reported whichever byte is flipped, and no read, proof or update goes wrong', () => {
    fc.assert(
      fc.property(anyBatch, anyBatch, fc.infiniteStream(fc.integer({ min: 1, max: 255 })), (entries, next, masks) => {
        const world = new World();
        world.write(entries);
        const model: Model = new Map();
        applyToModel(model, entries);
        const after: Model = new Map(model);
        applyToModel(after, next);
        const nextRoot = hex(pureRoot(after));
        let turn = 0;
        for (const [hash, bytes] of [...world.nodes]) {
          for (const changed of damaged(bytes, masks)) {
            world.nodes.set(hash, changed);
            const read = (): Tree => world.reader(new NodeCache());
            expect(attempt(() => entriesOf(read(), world.root))).toBe('corrupt');
            expect(['corrupt', nextRoot]).toContain(attempt(() => hex(read().update(world.root, next).root)));
            const [key] = entries[turn++ % entries.length]!;
            const value = model.get(hex(key));
            const found = attempt(() => read().get(world.root, key));
            if (found !== 'corrupt') expect(found && hex(found)).toBe(value);
            const proof = attempt(() => read().prove(world.root, key));
            if (proof !== 'corrupt') {
              expect(verifyProof(proof, world.root, key, value === undefined ? undefined : fromHex(value))).toBe(true);
            }
          }
          world.nodes.set(hash, bytes);
        }
      }),
      { numRuns: runs(4, 10) },
    );
  });

  it('does not mislead a delete when a child’s kind, which the hash does not bind, was changed', () => {
    // Two neighbours, one a branch and one a leaf: the hash above them is the same whatever the leaf bitmap says.
    const keys = [0x00, 0x01, 0x10, 0xff].map((byte) => new Uint8Array(32).fill(byte));
    const world = new World();
    const entries = keys.map((key): TreeEntry => [key, key.subarray(0, 5)]);
    world.write(entries);
    const whole = world.nodes.get(hex(world.root))!;
    expect(hex(whole.subarray(0, 5))).toBe('0x0103800280');
    for (const leaves of [0x00, 0x01, 0x03]) {
      const changed = whole.slice();
      changed[3] = leaves;
      expect(decodeNode(changed, world.root)).toBeDefined();
      world.nodes.set(hex(world.root), changed);
      expect(() => entriesOf(world.reader(new NodeCache()), world.root)).toThrow(corrupt);
      for (const gone of [[0], [1], [2], [0, 1], [2, 3], [0, 3], [0, 1, 3], [0, 1, 2]]) {
        const batch = gone.map((index): TreeEntry => [keys[index]!, undefined]);
        const model: Model = new Map();
        applyToModel(model, [...entries, ...batch]);
        const truth = hex(pureRoot(model));
        const root = attempt(() => hex(world.reader(new NodeCache()).update(world.root, batch).root));
        expect(['corrupt', truth]).toContain(root);
      }
    }
  });

  it('is reported when it is missing, cut, lengthened, or another node', () => {
    const world = new World();
    world.write(Array.from({ length: 40 }, (_, index) => [taggedHash(Uint8Array.of(index)), Uint8Array.of(index)]));
    const all = [...world.nodes];
    all.forEach(([hash, bytes], index) => {
      for (const other of [
        undefined,
        new Uint8Array(0),
        bytes.subarray(0, bytes.length - 1),
        concatBytes(bytes, Uint8Array.of(0)),
        all[(index + 1) % all.length]![1],
      ]) {
        if (other === undefined) world.nodes.delete(hash);
        else world.nodes.set(hash, other);
        const read = (): unknown => entriesOf(world.reader(new NodeCache()), world.root);
        expect(read).toThrow(corrupt);
        expect(read).toThrow(hash);
        expect(read).toThrow(
          expect.objectContaining({ details: expect.objectContaining({ hash, missing: other === undefined }) }),
        );
      }
      world.nodes.set(hash, bytes);
    });
  });

  it('is refused in any form but the canonical one', () => {
    const key = new Uint8Array(32).fill(0xab);
    const hash = taggedPair(key, taggedHash(Uint8Array.of(1)));
    const world = new World();
    world.write([[key, Uint8Array.of(1)]]);
    const leaf = world.nodes.get(hex(hash))!;
    expect(hex(world.root)).toBe(hex(hash));
    const upper = leaf.slice();
    upper[4] = 'A'.charCodeAt(0);
    const long = concatBytes(leaf.subarray(0, 68), Uint8Array.of(0x81, 0x00), leaf.subarray(69));
    const endless = concatBytes(leaf.subarray(0, 68), new Uint8Array(8).fill(0x80));
    const lone = concatBytes(Uint8Array.of(1, 1, 0, 1, 0), hash);
    const bare = Uint8Array.of(1, 0, 0, 0, 0);
    const none = Uint8Array.of(0);
    for (const [bytes, what] of [
      [upper, 'expected a lower-case hex digit in the key of a leaf, got byte 65'],
      [long, 'the length of its value is not in the shortest form'],
      [endless, 'the length of its value does not end'],
      [lone, 'it is a branch whose only child is a leaf'],
      [bare, 'it is a branch without children'],
      [bare.subarray(0, 4), 'expected a branch, got 4 bytes'],
      [leaf.subarray(0, 68), 'expected a leaf, got 68 bytes'],
      [none, 'expected a node tag of 1 (branch) or 2 (leaf), got 0'],
      [none.subarray(1), 'expected a node tag of 1 (branch) or 2 (leaf), got no bytes'],
    ] as const) {
      const message = `tree node ${hex(hash)}: ${what}`;
      expect(() => decodeNode(bytes, hash)).toThrow(expect.objectContaining({ code: 'corrupt', message }));
    }
    const wide = new Uint8Array(64);
    const wideLeaf = concatBytes(leaf.subarray(0, 68), Uint8Array.of(64), wide);
    expect(() => decodeNode(wideLeaf, taggedPair(key, taggedHash(wide)))).toThrow(corrupt);
    expect(decodeNode(leaf, hash)).toBeDefined();
  });
});

describe('a tree whose hashes are right and whose shape is wrong', () => {
  const leafBytes = (key: Uint8Array, value: number): { hash: Uint8Array; bytes: Uint8Array } => {
    const world = new World();
    const { root, fresh } = world.write([[key, Uint8Array.of(value)]]);
    return { hash: root, bytes: [...fresh][0]!.bytes };
  };

  it('is reported if a leaf is at another nibble than its key has', () => {
    const low = leafBytes(new Uint8Array(32), 1);
    const high = leafBytes(new Uint8Array(32).fill(0xff), 2);
    // The halves of a branch do not tell which of their eight nibbles a lone leaf has: 1 here instead of 0.
    const bytes = concatBytes(Uint8Array.of(1, 0x02, 0x80, 0x02, 0x80), low.hash, high.hash);
    const root = taggedPair(low.hash, high.hash);
    const nodes = new Map([low, high, { hash: root, bytes }].map((node) => [hex(node.hash), node.bytes]));
    const tree = new Tree((hash) => nodes.get(hex(hash)), new NodeCache());
    expect(tree.get(root, new Uint8Array(32).fill(0xff))).toEqual(Uint8Array.of(2));
    expect(() => tree.get(root, new Uint8Array(32).fill(0x11))).toThrow(corrupt);
    expect(() => [...tree.iterate(root)]).toThrow(corrupt);
  });

  it('is reported if a leaf is on another path than its key', () => {
    const first = leafBytes(new Uint8Array(32), 1);
    const second = leafBytes(new Uint8Array(32).fill(0x01), 2);
    const inner = taggedPair(first.hash, second.hash);
    const innerBytes = concatBytes(Uint8Array.of(1, 0x03, 0, 0x03, 0), first.hash, second.hash);
    const wrap = (hash: Uint8Array): Uint8Array => taggedPair(hash, EMPTY_ROOT);
    const innerHash = wrap(wrap(wrap(inner)));
    // Under nibble 5, though both keys begin with 0.
    const [left, right] = [taggedPair(EMPTY_ROOT, innerHash), EMPTY_ROOT];
    const root = taggedPair(taggedPair(EMPTY_ROOT, taggedPair(left, right)), EMPTY_ROOT);
    const rootBytes = concatBytes(Uint8Array.of(1, 0x20, 0, 0, 0), innerHash);
    const nodes = new Map(
      [first, second, { hash: innerHash, bytes: innerBytes }, { hash: root, bytes: rootBytes }].map((node) => [
        hex(node.hash),
        node.bytes,
      ]),
    );
    const tree = new Tree((hash) => nodes.get(hex(hash)), new NodeCache());
    const key = new Uint8Array(32);
    key[0] = 0x50;
    expect(() => tree.get(root, key)).toThrow(corrupt);
    expect(() => tree.prove(root, key)).toThrow(corrupt);
    expect(() => tree.update(root, [[key, Uint8Array.of(1)]])).toThrow(corrupt);
  });

  it('is reported if branches go on below the last nibble', () => {
    const first = leafBytes(new Uint8Array(32), 1);
    const second = leafBytes(new Uint8Array(32).fill(0xff), 2);
    const nodes = new Map([first, second].map(({ hash, bytes }) => [hex(hash), bytes]));
    let hash = taggedPair(first.hash, second.hash);
    nodes.set(hex(hash), concatBytes(Uint8Array.of(1, 1, 0x80, 1, 0x80), first.hash, second.hash));
    for (let depth = 0; depth < 64; depth++) {
      const bytes = concatBytes(Uint8Array.of(1, 1, 0, 0, 0), hash);
      for (let level = 0; level < 4; level++) hash = taggedPair(hash, EMPTY_ROOT);
      nodes.set(hex(hash), bytes);
    }
    const tree = new Tree((wanted) => nodes.get(hex(wanted)), new NodeCache());
    expect(() => tree.get(hash, new Uint8Array(32))).toThrow('below all nibbles');
    expect(() => [...tree.iterate(hash)]).toThrow(corrupt);
    expect(() => tree.update(hash, [[new Uint8Array(32), undefined]])).toThrow(corrupt);
  });
});

describe('a source', () => {
  it('may give Buffers, but values are plain arrays all the same', () => {
    const world = new World();
    world.write([[new Uint8Array(32), Uint8Array.of(1, 2)]]);
    const tree = new Tree((hash) => Buffer.from(world.nodes.get(hex(hash))!), new NodeCache());
    const value = tree.get(world.root, new Uint8Array(32))!;
    expect(value.constructor).toBe(Uint8Array);
    expect(value).toEqual(Uint8Array.of(1, 2));
  });
});
