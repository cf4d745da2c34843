import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { AskedRows, AskedTree } from '../../../src/engine/workers/asked-rows.ts';
import { ANSWERED, type AskedPath, SHARED_PLACES } from '../../../src/engine/workers/exchange.ts';
import { columnKey } from '../../../src/store/column.ts';
import { NodeCache } from '../../../src/store/tree/cache.ts';
import { type PathNode, pathNodes } from '../../../src/store/tree/path.ts';
import { runs } from '../../effort.ts';
import { anyBatches, entriesOf, hex, World } from '../../store/tree/world.ts';

/** What the engine's thread would answer, and how often it was asked. */
class Answers {
  readonly #world: World;
  asked = 0;

  constructor(world: World) {
    this.#world = world;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    this.asked++;
    const hash = key.subarray(-32);
    expect(key).toEqual(columnKey('node', hash));
    const bytes = this.#world.nodes.get(hex(hash));
    // The order in front of a node.
    return bytes && Uint8Array.from([...new Uint8Array(8), ...bytes]);
  }

  path({ root, key, from }: AskedPath): readonly PathNode[] {
    this.asked++;
    const nodes = [...pathNodes((hash) => this.#world.nodes.get(hex(hash)), root, key)];
    const first = nodes.findIndex(({ hash }) => equalBytes(hash, from));
    return first === -1 ? [] : nodes.slice(first);
  }
}

describe('the tree of a worker', () => {
  it.each([
    ['a roomy cache', () => new NodeCache()],
    ['a cache of three nodes', () => new NodeCache({ nodesMax: 3 })],
    ['no cache', () => new NodeCache({ nodesMax: 0 })],
  ])('reads what the tree of the engine reads, with one question per leaf: %s', (_name, cache) => {
    fc.assert(
      fc.property(anyBatches, (batches) => {
        const world = new World();
        const answers = new Answers(world);
        const tree = new AskedTree(answers as Partial<AskedRows> as AskedRows, cache());
        for (const entries of batches) {
          world.write(entries);
          for (const [key, value] of entries) {
            const before = answers.asked;
            expect(tree.get(world.root, key)).toEqual(value);
            expect(answers.asked - before).toBeLessThanOrEqual(1);
          }
        }
        // What does not walk along the way to a key asks for nodes one by one.
        expect(entriesOf(tree, world.root)).toEqual(entriesOf(world.tree, world.root));
      }),
      { numRuns: runs(20) },
    );
  });

  it('says which node is missing, as the tree of the engine does', () => {
    const world = new World();
    const keys = [0x00, 0x01, 0x10].map((byte) => new Uint8Array(32).fill(byte));
    world.write(keys.map((key) => [key, Uint8Array.of(1)]));
    const [lost] = [...pathNodes((hash) => world.nodes.get(hex(hash)), world.root, keys[0]!)].slice(-1);
    world.nodes.delete(hex(lost!.hash));
    const tree = new AskedTree(new Answers(world) as Partial<AskedRows> as AskedRows, new NodeCache());
    expect(() => tree.get(world.root, keys[0]!)).toThrow(
      expect.objectContaining({ code: 'corrupt', details: { hash: hex(lost!.hash), missing: true } }),
    );
    expect(tree.get(world.root, keys[2]!)).toEqual(Uint8Array.of(1));
  });
});

/** Keeps waking whoever waits, and answers 50 ms later with the first byte of the key. */
const ENGINE = `
  const { workerData: { port, shared } } = require('node:worker_threads');
  port.on('message', (key) => {
    const waking = setInterval(() => Atomics.notify(shared, ${ANSWERED}), 1);
    setTimeout(() => {
      clearInterval(waking);
      port.postMessage(key.slice(0, 1));
      Atomics.store(shared, ${ANSWERED}, 1);
      Atomics.notify(shared, ${ANSWERED});
    }, 50);
  });`;

it('a row is waited for until it is there, however often the thread is woken', async () => {
  const shared = new Int32Array(new SharedArrayBuffer(4 * SHARED_PLACES));
  const { port1, port2 } = new MessageChannel();
  const engine = new Worker(ENGINE, { eval: true, workerData: { port: port2, shared }, transferList: [port2] });
  onTestFinished(async () => {
    port1.close();
    await engine.terminate();
  });
  const rows = new AskedRows({ shared, rows: port1 }, receiveMessageOnPort);
  for (const byte of [1, 2, 3]) expect(rows.get(Uint8Array.of(byte, 9))).toEqual(Uint8Array.of(byte));
});
