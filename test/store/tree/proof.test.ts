import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import { type Proof, proofCodec, verifyProof } from '../../../src/store/tree/proof.ts';
import { EMPTY_ROOT } from '../../../src/store/tree/tree.ts';
import { taggedPair } from '../../base/tagged-pair.ts';
import { runs } from '../../effort.ts';
import { anyBatch, anyKey, anyValue, applyToModel, hex, type Model, World } from './world.ts';

const flip = (bytes: Uint8Array, bit: number): Uint8Array => {
  const flipped = bytes.slice();
  flipped[(bit >> 3) % flipped.length]! ^= 1 << (bit & 7);
  return flipped;
};

describe('proofs', () => {
  it('of present and absent keys verify, also after coding', () => {
    fc.assert(
      fc.property(anyBatch, fc.array(anyKey, { maxLength: 6 }), (entries, others) => {
        const world = new World();
        world.write(entries);
        for (const key of [...entries.map(([key]) => key), ...others]) {
          const value = world.tree.get(world.root, key);
          const proof = world.tree.prove(world.root, key);
          expect(verifyProof(proof, world.root, key, value)).toBe(true);
          expect(proof.neighbour === undefined).toBe(value !== undefined || proof.leaf === undefined);
          const bytes = encode(proofCodec, proof);
          expect(decode(proofCodec, bytes)).toEqual(proof);
        }
      }),
    );
  });

  it('do not verify with anything in them changed, nor for another root or value', () => {
    fc.assert(
      fc.property(anyBatch, anyKey, fc.boolean(), fc.nat(255), fc.nat(), (entries, other, known, bit, where) => {
        const world = new World();
        world.write(entries);
        const key = known && entries[0] !== undefined ? entries[0][0] : other;
        const value = world.tree.get(world.root, key);
        const proof = world.tree.prove(world.root, key);
        const { leaf, siblings, neighbour } = proof;
        const at = where % Math.max(1, siblings.length);
        const refused: [Proof, Uint8Array, Uint8Array | undefined][] = [
          [proof, flip(world.root, bit), value],
          [proof, world.root, value === undefined ? Uint8Array.of(1) : undefined],
          [{ ...proof, siblings: [...siblings, EMPTY_ROOT] }, world.root, value],
          [{ ...proof, siblings: [EMPTY_ROOT, ...siblings] }, world.root, value],
          [{ ...proof, siblings: new Array<Uint8Array>(257).fill(EMPTY_ROOT) }, world.root, value],
        ];
        if (siblings.length > 0) {
          const changed = siblings.map((sibling, index) => (index === at ? flip(sibling, bit) : sibling));
          const short = siblings.map((sibling, index) => (index === at ? sibling.subarray(1) : sibling));
          refused.push([{ ...proof, siblings: changed }, world.root, value]);
          refused.push([{ ...proof, siblings: short }, world.root, value]);
          refused.push([{ ...proof, siblings: siblings.filter((_, index) => index !== at) }, world.root, value]);
        }
        if (leaf !== undefined) {
          refused.push([{ ...proof, leaf: undefined }, world.root, value]);
          refused.push([{ ...proof, leaf: { ...leaf, key: flip(leaf.key, bit) } }, world.root, value]);
          refused.push([{ ...proof, leaf: { ...leaf, valueHash: flip(leaf.valueHash, bit) } }, world.root, value]);
          refused.push([{ ...proof, leaf: { ...leaf, key: leaf.key.subarray(1) } }, world.root, value]);
        } else {
          refused.push([{ ...proof, leaf: { key: other, valueHash: taggedHash(other) } }, world.root, value]);
        }
        if (value !== undefined) {
          refused.push([proof, world.root, concatBytes(value, Uint8Array.of(0))]);
          if (value.length > 0) refused.push([proof, world.root, flip(value, bit)]);
        }
        if (neighbour !== undefined) {
          refused.push([{ ...proof, neighbour: undefined }, world.root, undefined]);
          refused.push([{ ...proof, neighbour: concatBytes(neighbour, Uint8Array.of(0)) }, world.root, undefined]);
        }
        for (const [changed, root, claimed] of refused) expect(verifyProof(changed, root, key, claimed)).toBe(false);
        expect(verifyProof(proof, world.root, key.subarray(1), value)).toBe(false);
        expect(verifyProof(proof, world.root.subarray(1), key, value)).toBe(false);
      }),
      { numRuns: runs(100, 300) },
    );
  });

  it('that verify tell the truth, whatever key and value they are checked against', () => {
    fc.assert(
      fc.property(anyBatch, anyKey, anyKey, fc.option(anyValue, { nil: undefined }), (entries, from, to, other) => {
        const world = new World();
        world.write(entries);
        const model: Model = new Map();
        applyToModel(model, entries);
        const keys = [...entries.slice(0, 4).map(([key]) => key), from];
        for (const proven of keys) {
          const proof = world.tree.prove(world.root, proven);
          for (const key of [...keys, to]) {
            for (const value of [undefined, other, ...entries.slice(0, 4).map(([, value]) => value)]) {
              if (!verifyProof(proof, world.root, key, value)) continue;
              expect(value && hex(value)).toBe(model.get(hex(key)));
            }
          }
        }
      }),
    );
  });

  it("do not pass a root's halves off as a lone leaf, which the reference's rule would accept", () => {
    const world = new World();
    const [low, high] = [new Uint8Array(32), new Uint8Array(32).fill(0xff)];
    world.write([
      [low, Uint8Array.of(1)],
      [high, Uint8Array.of(2)],
    ]);
    const lowHash = taggedPair(low, taggedHash(Uint8Array.of(1)));
    const highPreimage = concatBytes(high, taggedHash(Uint8Array.of(2)));
    const forged: Proof = {
      leaf: { key: lowHash, valueHash: taggedHash(highPreimage) },
      siblings: [],
      neighbour: undefined,
    };
    // It folds to the root, and its leaf is another key's: by state.md 3.8 no key but one would have a value.
    expect(hex(taggedPair(forged.leaf!.key, forged.leaf!.valueHash))).toBe(hex(world.root));
    for (const neighbour of [undefined, highPreimage, Uint8Array.of(2)]) {
      expect(verifyProof({ ...forged, neighbour }, world.root, low)).toBe(false);
      expect(verifyProof({ ...forged, neighbour }, world.root, high)).toBe(false);
    }
    expect(verifyProof(forged, world.root, lowHash, highPreimage)).toBe(false);
  });

  it('of absence rest on a leaf only where the tree has room for it', () => {
    // A root that no tree has: below its low half stands a leaf whose key begins with a one.
    const [low, high] = [new Uint8Array(32), new Uint8Array(32).fill(0xff)];
    const neighbour = Uint8Array.of(2);
    const leaf = { key: high, valueHash: taggedHash(neighbour) };
    const sibling = new Uint8Array(32).fill(7);
    const root = taggedPair(taggedPair(high, leaf.valueHash), sibling);
    expect(verifyProof({ leaf, siblings: [sibling], neighbour }, root, low)).toBe(false);
    const right = { ...leaf, key: Uint8Array.of(0x7f, ...high.subarray(1)) };
    const sound = taggedPair(taggedPair(right.key, leaf.valueHash), sibling);
    expect(verifyProof({ leaf: right, siblings: [sibling], neighbour }, sound, low)).toBe(true);
  });

  it('of another length than they should have are refused, though they fold to the root', () => {
    const key = new Uint8Array(32);
    const value = Uint8Array.of(5);
    const leaf = { key, valueHash: taggedHash(value) };
    const sibling = new Uint8Array(32).fill(7, 0, 31);
    const fold = (siblings: readonly Uint8Array[]): Uint8Array =>
      siblings.reduce((below, beside) => taggedPair(below, beside), taggedPair(key, leaf.valueHash));
    const verified = (siblings: readonly Uint8Array[], shown = siblings): boolean =>
      verifyProof({ leaf, siblings: shown, neighbour: undefined }, fold(siblings), key, value);
    expect(verified([sibling])).toBe(true);
    expect(verified([sibling], [sibling.subarray(0, 31)]), 'without its last byte, a zero').toBe(false);
    expect(verified(new Array<Uint8Array>(256).fill(sibling))).toBe(true);
    expect(verified(new Array<Uint8Array>(257).fill(sibling)), 'deeper than a key is long').toBe(false);
  });

  it('are their own: changing one changes no other', () => {
    const world = new World();
    const [low, high] = [new Uint8Array(32), new Uint8Array(32).fill(0xff)];
    world.write([[high, Uint8Array.of(2)]]);
    const proof = world.tree.prove(world.root, low);
    proof.leaf!.key[0] = 1;
    proof.neighbour![0] = 1;
    expect(verifyProof(world.tree.prove(world.root, low), world.root, low)).toBe(true);
    expect(verifyProof(world.tree.prove(world.root, high), world.root, high, Uint8Array.of(2))).toBe(true);
  });

  it('of the empty tree have no leaf and no siblings', () => {
    const proof = new World().tree.prove(EMPTY_ROOT, new Uint8Array(32));
    expect(proof).toEqual({ leaf: undefined, siblings: [], neighbour: undefined });
    expect(verifyProof(proof, EMPTY_ROOT, new Uint8Array(32))).toBe(true);
    expect(hex(encode(proofCodec, proof))).toBe('0x000000');
  });

  it('are coded as the reference codes its own, hashes as text, then the neighbour', () => {
    const key = fromHex(`0x${'01'.repeat(32)}`);
    const proof: Proof = { leaf: { key, valueHash: key }, siblings: [key], neighbour: Uint8Array.of(9) };
    const text = hex(new TextEncoder().encode(hex(key))).slice(2);
    expect(hex(encode(proofCodec, proof))).toBe(`0x01${`42${text}`.repeat(2)}0142${text}010109`);
  });
});
