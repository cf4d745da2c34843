// state.md 5, 11.5, 11.8 and 11.11; a naive fold for every size up to a bound.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex, toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { taggedHash } from '../../../src/base/hash/tagged.ts';
import {
  type AccumulatorInfo,
  accumulatorInfo,
  accumulatorPair,
  append,
  appendLazily,
  EMPTY_ACCUMULATOR,
  EMPTY_ACCUMULATOR_ROOT,
  eventRoot,
  nodePosition,
  rootLevel,
} from '../../../src/store/accumulator/accumulator.ts';
import { proveLeaf, verifyLeaf } from '../../../src/store/accumulator/proof.ts';
import { runs } from '../../effort.ts';
import random from '../../vectors/accumulator-random.json' with { type: 'json' };
import vectors from '../../vectors/accumulator-worked.json' with { type: 'json' };

const hex = toHexPrefixed;
const leafOf = (index: number): Uint8Array => sha3(Uint8Array.of(index & 255, ...(index > 255 ? [index >> 8] : [])));
const leavesTo = (count: number): Uint8Array[] => Array.from({ length: count }, (_, index) => leafOf(index));

/** By definition: the full tree over the leaves, an empty range being the placeholder itself. */
function naive(leaves: readonly Uint8Array[]): Uint8Array {
  const of = (from: number, width: number): Uint8Array => {
    if (from >= leaves.length) return EMPTY_ACCUMULATOR_ROOT;
    if (width === 1) return leaves[from]!;
    return accumulatorPair(of(from, width / 2), of(from + width / 2, width / 2));
  };
  let width = 1;
  while (width < leaves.length) width *= 2;
  return of(0, width);
}

function grown(count: number): { info: AccumulatorInfo; rows: Map<bigint, Uint8Array> } {
  const rows = new Map<bigint, Uint8Array>();
  let info = EMPTY_ACCUMULATOR;
  for (const leaf of leavesTo(count)) {
    const step = append(info, [leaf]);
    for (const { position, hash } of step.nodes) {
      expect(rows.has(position)).toBe(false);
      rows.set(position, hash);
    }
    info = step.info;
  }
  return { info, rows };
}

describe('appending', () => {
  it('gives the states of state.md 11.5', () => {
    for (const { n, root, frozen, num_nodes } of vectors.accumulator.states) {
      const { info } = grown(n);
      expect(hex(info.root)).toBe(root);
      expect(info.frozenSubtreeRoots.map(hex)).toEqual(frozen);
      expect(info.numLeaves).toBe(BigInt(n));
      expect(info.numNodes).toBe(BigInt(num_nodes));
    }
  });

  it('gives the states of the Python model (test/vectors/tree-random.py)', () => {
    const states = new Map(random.states.map(([n, ...state]) => [n, state]));
    const last = Math.max(...random.states.map(([n]) => Number(n)));
    let info = EMPTY_ACCUMULATOR;
    for (let n = 0; n <= last; n++) {
      const frozen = hex(taggedHash(concatBytes(...info.frozenSubtreeRoots))).slice(2);
      const expected = states.get(n);
      if (expected !== undefined) expect([hex(info.root).slice(2), frozen, Number(info.numNodes)]).toEqual(expected);
      info = append(info, [sha3(Uint8Array.of(n & 255, n >> 8))]).info;
    }
    expect(states.size).toBeGreaterThan(40);
  });

  it("gives the root of the reference's documented sample from its frozen roots", () => {
    const before: AccumulatorInfo = {
      root: new Uint8Array(32),
      frozenSubtreeRoots: [fromHex('0x768a114dd60b64f51bfba9048ab15a6dea72a8df42ae892498be05987f8b0615')],
      numLeaves: 2n,
      numNodes: 3n,
    };
    const { info } = append(before, [fromHex('0x771db71c7c1a4440e80f8e162908ff701a6ba91cc768552007a9fc413c937348')]);
    expect(hex(info.root)).toBe('0x8701897de062418c8593f93d74b76e0b5374a4d51ad45f23b186411744402ed0');
    expect(info.numNodes).toBe(4n);
  });

  it('agrees with the definition at every size, one by one and at once', () => {
    let info = EMPTY_ACCUMULATOR;
    for (let count = 0; count <= 130; count++) {
      const leaves = leavesTo(count);
      expect(hex(info.root)).toBe(hex(naive(leaves)));
      expect(append(EMPTY_ACCUMULATOR, leaves).info).toEqual(info);
      const popcount = count.toString(2).replaceAll('0', '').length;
      expect(info.numNodes).toBe(BigInt(2 * count - popcount));
      info = append(info, [leafOf(count)]).info;
    }
  });

  it('may make the roots later, whatever was appended since', () => {
    const infos: AccumulatorInfo[] = [];
    for (const leaf of leavesTo(70)) infos.push(appendLazily(infos.at(-1) ?? EMPTY_ACCUMULATOR, [leaf]).info);
    const roots = infos.map(({ root }) => hex(root));
    expect(roots).toEqual(infos.map((_, index) => hex(naive(leavesTo(index + 1)))));
    expect(infos.map(({ root }) => hex(root))).toEqual(roots);
  });

  it('of no leaves changes nothing', () => {
    const { info } = grown(5);
    expect(append(info, [])).toEqual({ info, nodes: [] });
  });

  it('ends at 2^63 leaves', () => {
    const full = {
      root: leafOf(0),
      frozenSubtreeRoots: leavesTo(63),
      numLeaves: 2n ** 63n - 1n,
      numNodes: 2n ** 64n - 65n,
    };
    const { info } = append(full, [leafOf(0)]);
    expect([info.numLeaves, info.frozenSubtreeRoots.length]).toEqual([2n ** 63n, 1]);
    expect(() => append(info, [leafOf(0)])).toThrow(expect.objectContaining({ code: 'limit-exceeded' }));
  });

  it('refuses an info whose parts contradict each other, and a leaf that is not a hash', () => {
    const { info } = grown(5);
    expect(() => append({ ...info, numLeaves: 6n, numNodes: 10n }, [])).not.toThrow();
    expect(() => append({ ...info, numLeaves: 7n, numNodes: 11n }, [])).toThrow('expected 3 frozen roots');
    expect(() => append({ ...info, numNodes: 9n }, [])).toThrow('expected 8 frozen nodes');
    expect(() => append(info, [new Uint8Array(31)])).toThrow('32 bytes');
  });
});

describe('positions', () => {
  it('number nodes in order', () => {
    expect([0, 1, 2, 3].map((place) => nodePosition(0, BigInt(place)))).toEqual([0n, 2n, 4n, 6n]);
    expect([0, 1, 2].map((place) => nodePosition(1, BigInt(place)))).toEqual([1n, 5n, 9n]);
    expect(nodePosition(2, 0n)).toBe(3n);
    expect(nodePosition(3, 0n)).toBe(7n);
  });

  it('tell the level of the root', () => {
    expect([1n, 2n, 3n, 4n, 5n, 8n, 9n, 1n << 63n].map(rootLevel)).toEqual([0, 1, 2, 2, 3, 3, 4, 63]);
  });
});

describe('proofs', () => {
  it('hold for all places at all sizes, at that size and at any later one', () => {
    const { rows } = grown(70);
    let info = EMPTY_ACCUMULATOR;
    for (let count = 1; count <= 70; count++) {
      info = append(info, [leafOf(count - 1)]).info;
      for (let place = 0; place < count; place++) {
        const proof = proveLeaf((position) => rows.get(position), info, BigInt(place))!;
        expect(verifyLeaf(proof, info.root, leafOf(place), BigInt(place), info.numLeaves)).toBe(true);
        expect(verifyLeaf(proof, info.root, leafOf(place), BigInt(place))).toBe(true);
      }
      expect(proveLeaf((position) => rows.get(position), info, BigInt(count))).toBeUndefined();
    }
  });

  it('do not hold if anything is changed', () => {
    const { info, rows } = grown(21);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 20 }),
        fc.integer({ min: 0, max: 255 }),
        fc.integer({ min: 0, max: 7 }),
        fc.nat(),
        (place, bit, what, where) => {
          const proof = proveLeaf((position) => rows.get(position), info, BigInt(place))!;
          const flip = (bytes: Uint8Array): Uint8Array => {
            const flipped = bytes.slice();
            flipped[bit >> 3]! ^= 1 << (bit & 7);
            return flipped;
          };
          const { siblings } = proof;
          const at = where % siblings.length;
          const changed = {
            siblings:
              what === 0 ? siblings.map((sibling, index) => (index === at ? flip(sibling) : sibling)) : siblings,
          };
          const root = what === 1 ? flip(info.root) : info.root;
          const leaf = what === 2 ? flip(leafOf(place)) : leafOf(place);
          const index = what === 3 ? BigInt((place + 1 + (where % 20)) % 21) : BigInt(place);
          if (what === 4) changed.siblings = siblings.slice(1);
          if (what === 5) changed.siblings = [...siblings, EMPTY_ACCUMULATOR_ROOT];
          const far = what === 6 ? index + (1n << BigInt(siblings.length)) : index;
          const count = what === 7 ? 1n << BigInt(7 + (where % 50)) : info.numLeaves;
          expect(verifyLeaf(changed, root, leaf, far, count)).toBe(false);
          if (what < 7) expect(verifyLeaf(changed, root, leaf, far)).toBe(false);
        },
      ),
      { numRuns: runs(166, 500) },
    );
  });

  it('do not hold for what only pads the tree, nor for hashes without their last byte, a zero', () => {
    const five = append(EMPTY_ACCUMULATOR, leavesTo(5)).info;
    const { info, rows } = grown(5);
    expect(proveLeaf((position) => rows.get(position), info, 5n)).toBeUndefined();
    expect(proveLeaf((position) => rows.get(position), info, -1n)).toBeUndefined();
    // The placeholder stands at place 5, and folds to the root like a leaf.
    const { siblings } = proveLeaf((position) => rows.get(position), info, 4n)!;
    const padding = { siblings: [leafOf(4), ...siblings.slice(1)] };
    expect(verifyLeaf(padding, five.root, EMPTY_ACCUMULATOR_ROOT, 5n)).toBe(true);
    expect(verifyLeaf(padding, five.root, EMPTY_ACCUMULATOR_ROOT, 5n, 5n)).toBe(false);
    const [low, high] = [new Uint8Array(32).fill(7, 0, 31), new Uint8Array(32).fill(8, 0, 31)];
    const root = accumulatorPair(low, high);
    expect(verifyLeaf({ siblings: [high] }, root, low, 0n)).toBe(true);
    expect(verifyLeaf({ siblings: [high.subarray(0, 31)] }, root, low, 0n)).toBe(false);
    expect(verifyLeaf({ siblings: [high] }, root, low.subarray(0, 31), 0n)).toBe(false);
    expect(verifyLeaf({ siblings: [high] }, root, low, -2n)).toBe(false);
  });

  it('are no deeper than an accumulator can be', () => {
    const fold = (depth: number): Uint8Array => {
      let hash = leafOf(0);
      for (let level = 0; level < depth; level++) hash = accumulatorPair(hash, leafOf(1));
      return hash;
    };
    const verified = (depth: number): boolean =>
      verifyLeaf({ siblings: new Array<Uint8Array>(depth).fill(leafOf(1)) }, fold(depth), leafOf(0), 0n);
    expect([verified(63), verified(64)]).toEqual([true, false]);
  });

  it('are refused over stored nodes that are missing or not under the root', () => {
    const { info, rows } = grown(21);
    for (const position of rows.keys()) {
      const missing = new Map(rows);
      missing.delete(position);
      const damaged = new Map(rows).set(position, sha3(rows.get(position)!));
      for (let place = 0n; place < 21n; place++) {
        const whole = proveLeaf((at) => rows.get(at), info, place);
        for (const source of [missing, damaged]) {
          let proof: unknown;
          try {
            proof = proveLeaf((at) => source.get(at), info, place);
          } catch (error) {
            expect(error).toBeInstanceOf(EngineError);
            expect((error as EngineError).code).toBe('corrupt');
            continue;
          }
          expect(proof).toEqual(whole);
        }
      }
    }
  });

  it('say which stored node is missing or too short', () => {
    const { info, rows } = grown(21);
    // The neighbour of the first leaf has position 2.
    expect(() => proveLeaf((at) => (at === 2n ? undefined : rows.get(at)), info, 0n)).toThrow(
      expect.objectContaining({
        message: 'accumulator node 2: it is missing',
        details: { position: '2', missing: true },
      }),
    );
    expect(() => proveLeaf((at) => rows.get(at)?.subarray(0, at === 2n ? 31 : 32), info, 0n)).toThrow(
      expect.objectContaining({
        message: 'accumulator node 2: expected 32 bytes, got 31',
        details: { position: '2', missing: false },
      }),
    );
  });
});

describe('codecs', () => {
  it('write an info field by field', () => {
    const { info } = grown(3);
    const bytes = encode(accumulatorInfo, info);
    expect(bytes.length).toBe(67 + 1 + 2 * 67 + 8 + 8);
    expect(decode(accumulatorInfo, bytes)).toEqual(info);
  });
});

describe('the event root', () => {
  it('is the placeholder without events, and the hash of the data with one', () => {
    expect(eventRoot([])).toEqual(EMPTY_ACCUMULATOR_ROOT);
    expect(eventRoot([{ eventData: Uint8Array.of(1, 2) }])).toEqual(sha3(Uint8Array.of(1, 2)));
    expect(eventRoot([0, 1, 2, 3, 4].map((byte) => ({ eventData: Uint8Array.of(byte) })))).toEqual(naive(leavesTo(5)));
  });
});
