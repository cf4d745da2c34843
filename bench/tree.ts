/**
 * The state tree and the accumulator: 15 writes on 100,000 keys, warm and cold reads, proofs, memory per leaf, and the
 * pair hash that dominates most of it.
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
import { type Baseline, type BenchLine, line } from './line.ts';
import { counted, type Timer, timer } from './measure.ts';

const WRITES = 15;
const VALUE_BYTES = 300;
const ROOMY = { nodesMax: Number.POSITIVE_INFINITY, bytesMax: Number.POSITIVE_INFINITY };

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

const nobleTag = sha256(new TextEncoder().encode('SMTNode'));
const nobleTagged = sha256.create().update(nobleTag).update(nobleTag);
const nobleHash = (...parts: Uint8Array[]): Uint8Array => {
  const state = nobleTagged.clone();
  for (const part of parts) state.update(part);
  return state.digest();
};

class TreeBench {
  readonly lines: BenchLine[] = [];
  readonly nodes = new Map<string, Uint8Array>();
  readonly keys: readonly Uint8Array[];
  readonly tree: Tree;
  readonly time: Timer;
  root: Uint8Array = EMPTY_ROOT;

  constructor(short: boolean) {
    this.time = timer(short);
    this.keys = Array.from({ length: short ? 10_000 : 100_000 }, (_, index) => keyOf(index));
    this.tree = new Tree((hashOf) => this.nodes.get(storeKey(hashOf)), new NodeCache(ROOMY));
  }

  add(name: string, unit: string, value: number, baseline?: Baseline, target?: string): void {
    this.lines.push(line(name, value, unit, baseline, target));
  }

  anyKey(index: number): Uint8Array {
    return this.keys[scatter(index, this.keys.length)]!;
  }

  /** Makes the nodes of an update readable and its root the current one. */
  store(update: TreeUpdate): void {
    for (const node of update.fresh) this.nodes.set(storeKey(node.hash), node.bytes);
    this.root = update.root;
  }

  entries(): TreeEntry[] {
    return this.keys.map((key, index) => [key, valueWith(index)]);
  }

  batch(index: number): [Uint8Array, Uint8Array][] {
    const batch = new Map<Uint8Array, Uint8Array>();
    for (let at = index * 64; batch.size < WRITES; at++) batch.set(this.anyKey(at), valueWith(at));
    return [...batch];
  }

  async hashes(): Promise<void> {
    const words = new Int32Array(24);
    const [left, right] = [keyOf(1), keyOf(2)];
    const joined = new Uint8Array(128);
    joined.set(nobleTag, 0);
    joined.set(nobleTag, 32);
    const ours = await this.time(() => taggedPairWords(words, 0, words, 8, words, 16));
    const host = await this.time(() => {
      joined.set(left, 64);
      joined.set(right, 96);
      return hash('sha256', joined, 'buffer');
    });
    const noble = await this.time(() => nobleHash(left, right));
    this.add('pair hash', 'us', ours, { name: 'crypto.hash', value: host });
    this.add('pair hash', 'us', ours, { name: '@noble/hashes, cloned midstate', value: noble });
    const value = valueWith(1);
    const createHashTagged = (): Uint8Array =>
      createHash('sha256').update(nobleTag).update(nobleTag).update(value).digest();
    this.add(`hash of a value of ${VALUE_BYTES} bytes`, 'us', await this.time(() => taggedHash(value)), {
      name: 'createHash',
      value: await this.time(createHashTagged),
    });
  }

  async updates(): Promise<void> {
    this.store(this.tree.update(EMPTY_ROOT, this.entries()));
    const write = counted((index) => this.store(this.tree.update(this.root, this.batch(index))));
    this.add(`${WRITES} writes on ${this.keys.length} keys`, 'us', await this.time(write), undefined, '450 us');
  }

  async reads(): Promise<void> {
    const { tree, root, nodes } = this;
    const map = new Map(this.keys.map((key, index) => [storeKey(key), index]));
    const plain = await this.time(counted((index) => map.get(storeKey(this.anyKey(index)))));
    const all = await this.time(counted((index) => tree.getLeaf(root, this.anyKey(index))));
    const hot = await this.time(counted((index) => tree.getLeaf(root, this.keys[index % 500]!)));
    this.add('warm get, any of all keys', 'us', all, { name: 'Map.get', value: plain });
    this.add('warm get, any of 500 keys', 'us', hot, { name: 'Map.get', value: plain });
    const cold = new Tree((hashOf) => nodes.get(storeKey(hashOf)), new NodeCache({ nodesMax: 0 }));
    const coldGet = await this.time(counted((index) => cold.getLeaf(root, this.anyKey(index))));
    this.add('cold get, every node read and checked', 'us', coldGet, { name: 'warm', value: all });
    let walk = tree.iterate(root);
    const step = await this.time(() => {
      if (walk.next().done === true) walk = tree.iterate(root);
    });
    this.add('walk in order, leaves', '/s', 1e6 / step);
  }

  async proofs(): Promise<void> {
    const { tree, root } = this;
    const words = new Int32Array(24);
    const pairs = tree.prove(root, this.anyKey(0)).siblings.length;
    const bare = (await this.time(() => taggedPairWords(words, 0, words, 8, words, 16))) * pairs;
    const both = await this.time(
      counted((index) => {
        const key = this.anyKey(index);
        const leaf = tree.getLeaf(root, key)!;
        if (!verifyProof(tree.prove(root, key), root, key, leaf.value)) throw new Error('a proof does not verify');
      }),
    );
    const hashes = { name: `${pairs} bare pair hashes`, value: 1e6 / bare };
    this.add('proofs, generated and verified', '/s', 1e6 / both, hashes, '3,000/s, stretch 8,000');
  }

  async accumulator(): Promise<void> {
    const rows = new Map<bigint, Uint8Array>();
    let info: AccumulatorInfo = EMPTY_ACCUMULATOR;
    const leaves = Array.from({ length: 2_000 }, (_, index) => keyOf(index));
    const one = await this.time(
      counted((index) => {
        const step = append(info, [leaves[index % leaves.length]!]);
        for (const { position, hash: hashOf } of step.nodes) rows.set(position, hashOf);
        info = step.info;
      }),
    );
    const pair = await this.time(() => accumulatorPair(leaves[0]!, leaves[1]!));
    this.add('accumulator: append one leaf', 'us', one, { name: 'a bare pair hash', value: pair });
    const source = (position: bigint): Uint8Array | undefined => rows.get(position);
    const place = (index: number): bigint => BigInt(scatter(index, Number(info.numLeaves)));
    const both = await this.time(
      counted((index) => {
        const proof = proveLeaf(source, info, place(index))!;
        verifyLeaf(proof, info.root, source(place(index) * 2n)!, place(index), info.numLeaves);
      }),
    );
    this.add('accumulator: prove (checked) and verify', 'us', both, { name: 'a bare pair hash', value: pair });
  }

  memory(): void {
    const cache = new NodeCache(ROOMY);
    const tree = new Tree(() => undefined, cache);
    const fill = (): unknown => tree.update(EMPTY_ROOT, this.entries());
    const before = heldBytes();
    fill();
    const after = heldBytes();
    const count = this.keys.length;
    const name = `memory of a leaf of ${VALUE_BYTES} bytes and its share of branches, linked`;
    const estimate = { name: "the cache's estimate", value: cache.bytes / count };
    this.add(name, 'bytes', (after - before) / count, estimate);
  }
}

/** `short` uses a tenth of the keys and few rounds. */
export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const bench = new TreeBench(short);
  bench.memory();
  await bench.hashes();
  await bench.updates();
  await bench.reads();
  await bench.proofs();
  await bench.accumulator();
  return bench.lines;
}
