/** The lists of nodes that updates made: what was pushed, in that order, up to where they were cut. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FreshNodes } from '../../../src/store/tree/fresh-nodes.ts';

type Move = { readonly push: number } | { readonly keep: number };

it('a list of nodes has what was pushed, up to where it was cut', () => {
  const move: fc.Arbitrary<Move> = fc.oneof(
    { weight: 4, arbitrary: fc.record({ push: fc.nat(0xff) }) },
    { weight: 1, arbitrary: fc.record({ keep: fc.nat(40) }) },
  );
  fc.assert(
    fc.property(fc.array(move, { maxLength: 80 }), (moves) => {
      const nodes = new FreshNodes();
      let model: number[] = [];
      for (const made of moves) {
        if ('keep' in made) {
          nodes.truncate(made.keep);
          model = model.slice(0, made.keep);
        } else {
          // The hash is eight words from the second on.
          nodes.push(new Int32Array(10).fill(made.push * 0x01_01_01_01, 1, 9), 1, Uint8Array.of(made.push));
          model.push(made.push);
        }
      }
      const hashes = model.map((byte) => new Uint8Array(32).fill(byte));
      expect(nodes.size).toBe(model.length);
      expect([...nodes]).toEqual(hashes.map((hash, index) => ({ hash, bytes: Uint8Array.of(model[index]!) })));
      expect(nodes.hashes).toEqual(Uint8Array.from(hashes.flatMap((hash) => [...hash])));
      expect(model.map((_, index) => nodes.bytesAt(index)[0])).toEqual(model);
    }),
  );
});
