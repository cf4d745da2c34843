/**
 * The state tree and the accumulator: roots per second with 15 writes on 100,000 keys, warm and cold reads, proofs,
 * memory per leaf, and the pair hash that dominates most of it. Each line has a baseline from the same run.
 *
 * Times are the smallest median of several rounds, since other work on the machine only adds.
 */
import { createHash, hash } from 'node:crypto';
import { sha256 } from '@noble/hashes/sha2.js';
import { sha3 } from '../src/base/hash/sha3.ts';
import { taggedHash, taggedPairWords } from '../src/base/hash/tagged.ts';
import {
  type AccumulatorInfo,
  accumulatorPair,
  append,
  EMPTY_ACCUMULATOR,
} from '../src/store/accumulator/accumulator.ts';
import { proveLeaf, verifyLeaf } from '../src/store/accumulator/proof.ts';
import { NodeCache } from '../src/store/tree/cache.ts';
import { verifyProof } from '../src/store/tree/proof.ts';
import { EMPTY_ROOT, Tree, type TreeEntry, type TreeUpdate } from '../src/store/tree/tree.ts';
import { heldBytes } from '../test/garbage.ts';
import type { Baseline, BenchLine } from './line.ts';

const WRITES = 15;
const VALUE_BYTES = 300;
const ROOMY = { nodesMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

/** Microseconds of one call: the smallest of the rounds' medians. `prepare` is not timed. */
function time<T>(rounds: number, calls: number, prepare: (index: number) => T, call: (input: T) => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) {
    const taken: number[] = [];
    for (let index = 0; index < calls; index++) {
      const input = prepare(round * calls + index);
      const start = process.hrtime.bigint();
      call(input);
      taken.push(Number(process.hrtime.bigint() - start));
    }
    taken.sort((left, right) => left - right);
    least = Math.min(least, taken[calls >> 1]! / 1000);
  }
  return least;
}

/** Microseconds of one of `batch` calls, for calls too short to time alone. */
function timeMany(rounds: number, batch: number, call: (index: number) => unknown): number {
  return (
    time(
      rounds,
      20,
      (index) => index * batch,
      (from) => {
        for (let index = from; index < from + batch; index++) call(index);
      },
    ) / batch
  );
}

/** A number from 0 to `below`, the same for the same index. */
function scatter(index: number, below: number): number {
  return (Math.imul(index + 1, 0x9e3779b1) >>> 0) % below;
}

const keyOf = (index: number): Uint8Array => sha3(Uint8Array.of(index, index >> 8, index >> 16));

function valueWith(number: number): Uint8Array {
  const value = new Uint8Array(VALUE_BYTES);
  new DataView(value.buffer).setUint32(0, number);
  return value;
}

const storeKey = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

/**
 * Sixteen-way nodes whose branches are hashed whole by @noble/hashes: the cost of a tree without our two optimisations.
 */
type PlainNode = { hash: Uint8Array; key?: Uint8Array; children?: (PlainNode | undefined)[] };

const nobleTag = sha256(new TextEncoder().encode('SMTNode'));
const nobleTagged = sha256.create().update(nobleTag).update(nobleTag);
const nobleHash = (...parts: Uint8Array[]): Uint8Array => {
  const state = nobleTagged.clone();
  for (const part of parts) state.update(part);
  return state.digest();
};

function plainBranch(children: (PlainNode | undefined)[]): PlainNode {
  const of = (from: number, width: number): Uint8Array => {
    const met = children.slice(from, from + width).filter((child) => child !== undefined);
    if (met.length === 0) return EMPTY_ROOT;
    if (met.length === 1 && (met[0]!.key !== undefined || width === 1)) return met[0]!.hash;
    return nobleHash(of(from, width / 2), of(from + width / 2, width / 2));
  };
  return { hash: of(0, 16), children };
}

function plainWrite(
  node: PlainNode | undefined,
  depth: number,
  entries: readonly (readonly [Uint8Array, Uint8Array])[],
): PlainNode {
  const [first] = entries;
  if (entries.length === 1 && (node === undefined || node.key !== undefined)) {
    const [key, value] = first!;
    if (node === undefined || storeKey(node.key!) === storeKey(key)) {
      return { hash: nobleHash(key, nobleHash(value)), key };
    }
  }
  const nibble = (key: Uint8Array): number => (key[depth >> 1]! >> (depth % 2 === 0 ? 4 : 0)) & 15;
  const children = node?.children?.slice() ?? new Array<PlainNode | undefined>(16).fill(undefined);
  if (node?.key !== undefined) children[nibble(node.key)] = node;
  for (let at = 0; at < 16; at++) {
    const below = entries.filter(([key]) => nibble(key) === at);
    if (below.length > 0) children[at] = plainWrite(children[at], depth + 1, below);
  }
  return plainBranch(children);
}

class TreeBench {
  readonly lines: BenchLine[] = [];
  readonly nodes = new Map<string, Uint8Array>();
  readonly keys: readonly Uint8Array[];
  readonly tree: Tree;
  readonly rounds: number;
  root: Uint8Array = EMPTY_ROOT;

  constructor(short: boolean) {
    this.rounds = short ? 2 : 7;
    this.keys = Array.from({ length: short ? 10_000 : 100_000 }, (_, index) => keyOf(index));
    this.tree = new Tree((hashOf) => this.nodes.get(storeKey(hashOf)), new NodeCache(ROOMY));
  }

  add(name: string, unit: string, value: number, baseline?: Baseline, target?: string): void {
    this.lines.push({
      name,
      unit,
      value,
      ...(baseline === undefined ? {} : { baseline }),
      ...(target === undefined ? {} : { target }),
    });
  }

  anyKey(index: number): Uint8Array {
    return this.keys[scatter(index, this.keys.length)]!;
  }

  /** Makes the update's root the current one and its nodes readable. */
  store(update: TreeUpdate): void {
    for (const node of update.fresh) this.nodes.set(storeKey(node.hash), node.bytes);
    this.root = update.root;
  }

  batch(index: number): [Uint8Array, Uint8Array][] {
    const batch = new Map<Uint8Array, Uint8Array>();
    for (let at = index * 64; batch.size < WRITES; at++) batch.set(this.anyKey(at), valueWith(at));
    return [...batch];
  }

  hashes(): void {
    const words = new Int32Array(24);
    const [left, right] = [keyOf(1), keyOf(2)];
    const joined = new Uint8Array(128);
    joined.set(nobleTag, 0);
    joined.set(nobleTag, 32);
    const ours = timeMany(this.rounds, 1_000, () => taggedPairWords(words, 0, words, 8, words, 16));
    const host = timeMany(this.rounds, 1_000, () => {
      joined.set(left, 64);
      joined.set(right, 96);
      return hash('sha256', joined, 'buffer');
    });
    const noble = timeMany(this.rounds, 1_000, () => nobleHash(left, right));
    this.add('pair hash', 'us', ours, { name: 'crypto.hash', value: host });
    this.add('pair hash', 'us', ours, { name: '@noble/hashes, cloned midstate', value: noble });
    const value = valueWith(1);
    const createHashTagged = (): Uint8Array =>
      createHash('sha256').update(nobleTag).update(nobleTag).update(value).digest();
    this.add(
      `hash of a value of ${VALUE_BYTES} bytes`,
      'us',
      timeMany(this.rounds, 500, () => taggedHash(value)),
      {
        name: 'createHash',
        value: timeMany(this.rounds, 500, createHashTagged),
      },
    );
  }

  updates(): void {
    const calls = this.rounds > 2 ? 200 : 50;
    const all = this.keys.map((key, index): TreeEntry => [key, valueWith(index)]);
    let last = this.tree.update(EMPTY_ROOT, all);
    const ours = time(
      this.rounds,
      calls,
      (index) => {
        this.store(last);
        return this.batch(index);
      },
      (batch) => {
        last = this.tree.update(this.root, batch);
      },
    );
    this.store(last);
    let plain = plainWrite(
      undefined,
      0,
      this.keys.map((key, index) => [key, valueWith(index)]),
    );
    const baseline = time(
      Math.ceil(this.rounds / 2),
      calls,
      (index) => this.batch(index),
      (batch) => {
        plain = plainWrite(plain, 0, batch);
      },
    );
    const name = `${WRITES} writes on ${this.keys.length} keys`;
    const plainName = 'noble hashes, no inner hashes kept';
    this.add(name, 'us', ours, { name: plainName, value: baseline }, '450 us');
    this.add(`${name}, roots`, '/s', 1e6 / ours, { name: plainName, value: 1e6 / baseline });
  }

  reads(): void {
    const { tree, root, nodes } = this;
    const map = new Map(this.keys.map((key, index) => [storeKey(key), index]));
    const plain = timeMany(this.rounds, 500, (index) => map.get(storeKey(this.anyKey(index))));
    const all = timeMany(this.rounds, 500, (index) => tree.getLeaf(root, this.anyKey(index)));
    const hot = timeMany(this.rounds, 500, (index) => tree.getLeaf(root, this.keys[index % 500]!));
    this.add('warm get, any of all keys', 'us', all, { name: 'Map.get', value: plain });
    this.add('warm get, any of 500 keys', 'us', hot, { name: 'Map.get', value: plain });
    const cold = new Tree((hashOf) => nodes.get(storeKey(hashOf)), new NodeCache({ nodesMax: 0 }));
    const all5 = timeMany(this.rounds, 10, (index) => cold.getLeaf(root, this.anyKey(index)));
    this.add('cold get, every node read and checked', 'us', all5, { name: 'warm', value: all });
    let walk = tree.iterate(root);
    const step = timeMany(this.rounds, 200, () => {
      if (walk.next().done === true) walk = tree.iterate(root);
    });
    this.add('walk in order, leaves', '/s', 1e6 / step);
  }

  proofs(): void {
    const { tree, root } = this;
    const words = new Int32Array(24);
    const pairs = tree.prove(root, this.anyKey(0)).siblings.length;
    const bare = timeMany(this.rounds, 1_000, () => taggedPairWords(words, 0, words, 8, words, 16)) * pairs;
    const both = timeMany(this.rounds, 20, (index) => {
      const key = this.anyKey(index);
      const leaf = tree.getLeaf(root, key)!;
      if (!verifyProof(tree.prove(root, key), root, key, leaf.value)) throw new Error('a proof does not verify');
    });
    const hashes = { name: `${pairs} bare pair hashes`, value: 1e6 / bare };
    this.add('proofs, generated and verified', '/s', 1e6 / both, hashes, '3,000/s, stretch 8,000');
  }

  accumulator(): void {
    const rows = new Map<bigint, Uint8Array>();
    let info: AccumulatorInfo = EMPTY_ACCUMULATOR;
    const leaves = Array.from({ length: 2_000 }, (_, index) => keyOf(index));
    const one = timeMany(this.rounds, 50, (index) => {
      const step = append(info, [leaves[index % leaves.length]!]);
      for (const { position, hash: hashOf } of step.nodes) rows.set(position, hashOf);
      info = step.info;
    });
    const pair = timeMany(this.rounds, 500, () => accumulatorPair(leaves[0]!, leaves[1]!));
    this.add('accumulator: append one leaf', 'us', one, { name: 'a bare pair hash', value: pair });
    const source = (position: bigint): Uint8Array | undefined => rows.get(position);
    const place = (index: number): bigint => BigInt(scatter(index, Number(info.numLeaves)));
    const both = timeMany(this.rounds, 20, (index) => {
      const proof = proveLeaf(source, info, place(index))!;
      verifyLeaf(proof, info.root, source(place(index) * 2n)!, place(index), info.numLeaves);
    });
    this.add('accumulator: prove (checked) and verify', 'us', both, { name: 'a bare pair hash', value: pair });
  }

  memory(): void {
    const cache = new NodeCache(ROOMY);
    const tree = new Tree(() => undefined, cache);
    const fill = (): void => {
      tree.update(
        EMPTY_ROOT,
        this.keys.map((key, index) => [key, valueWith(index)]),
      );
    };
    const before = heldBytes();
    fill();
    const after = heldBytes();
    const count = this.keys.length;
    this.add(
      `memory of a leaf of ${VALUE_BYTES} bytes and its share of branches, linked`,
      'bytes',
      (after - before) / count,
      {
        name: "the cache's estimate",
        value: cache.bytes / count,
      },
    );
  }
}

/** `short` uses a tenth of the keys and few rounds. */
export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const bench = new TreeBench(short);
  bench.memory();
  bench.hashes();
  bench.updates();
  bench.reads();
  bench.proofs();
  bench.accumulator();
  return bench.lines;
}
