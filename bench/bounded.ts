/**
 * A chain with a bounded history ingesting blocks with many outputs: seconds, memory and disk from the tenth block on.
 * Each block spends the previous one's outputs, so the state keeps its size, and nothing may grow except what is kept
 * forever: transactions, events and their indexes.
 */

import { parseBitcoinAddress } from '../src/bitcoin/address.ts';
import { formatBitcoinHash } from '../src/bitcoin/hash.ts';
import { spend } from '../src/bitcoin/mine.ts';
import { subsidyOf } from '../src/bitcoin/network.ts';
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { heldBytes } from '../test/garbage.ts';
import { type BenchLine, line } from './line.ts';
import { diskMegabytes, inDirectory, median, processorTime } from './measure.ts';

/** Number of blocks, outputs per block, and states the chain keeps; each block takes three states. */
const BLOCKS = { blocks: 50, outputs: 20_000, history: 10 } as const;
const SHORT_BLOCKS = { blocks: 16, outputs: 300, history: 10 } as const;
/** From this block on nothing else may grow. */
const SETTLED = 10;

const BASELINE = 'in the first half from the tenth on';

interface Passed {
  readonly seconds: number;
  readonly held: number;
  readonly disk: number;
}

async function blocks({ blocks: count, outputs, history }: typeof BLOCKS | typeof SHORT_BLOCKS): Promise<BenchLine[]> {
  const settled = (await inDirectory((path) => pass(path, count, outputs, history))).slice(SETTLED);
  const [early, late] = [settled.slice(0, settled.length >> 1), settled.slice(settled.length >> 1)];
  const name = `${count} blocks of ${outputs.toLocaleString('en')} outputs, history ${history}`;
  const flat = (figure: string, unit: string, value: number, before: number): BenchLine =>
    line(`${name}: ${figure}`, value, unit, { name: BASELINE, value: before }, 'flat');
  const of = (passed: readonly Passed[], member: keyof Passed): number => median(passed.map((one) => one[member]));
  const added = (from: Passed, to: Passed, over: number): number => (to.disk - from.disk) / over;
  const [first, middle, last] = [settled[0]!, early.at(-1)!, settled.at(-1)!];
  return [
    flat('processor time of one', 's', of(late, 'seconds'), of(early, 'seconds')),
    flat('held in memory', 'MB', of(late, 'held'), of(early, 'held')),
    flat('disk that one adds', 'MB', added(middle, last, late.length), added(first, middle, early.length - 1)),
    line(`${name}: disk at the end`, last.disk, 'MB'),
  ];
}

async function pass(path: string, count: number, outputs: number, history: number): Promise<Passed[]> {
  const [to, miner] = DEV_ACCOUNTS.map(({ regtestAddress }) => parseBitcoinAddress(regtestAddress)) as [
    Uint8Array,
    Uint8Array,
  ];
  const engine = await Engine.open({ store: path, durability: 'os', history });
  const passed: Passed[] = [];
  let coins = [{ txid: (await engine.dev.mine({ to })).transactions[0]!.txid, vout: 0 }];
  const value = subsidyOf(0) / BigInt(outputs + 1);
  for (let block = 0; block < count; block++) {
    const spent = spend(
      coins.map((outpoint) => ({ outpoint })),
      Array.from({ length: outputs }, () => ({ to, value })),
    );
    const seconds = (await processorTime(() => engine.dev.mine({ to: miner, transactions: [spent] }))) / 1e6;
    coins = Array.from({ length: outputs }, (_, vout) => ({ txid: formatBitcoinHash(spent.txid), vout }));
    const [held, disk] = [heldBytes() / 2 ** 20, diskMegabytes(path)];
    passed.push({ seconds, held, disk });
    if (process.env['MOVELET_LONG'] === '1') {
      process.stderr.write(
        `block ${block}: ${seconds.toFixed(2)} s, ${held.toFixed(0)} MB held, ${disk.toFixed(0)} MB\n`,
      );
    }
  }
  await engine.close();
  return passed;
}

export function run(short: boolean): Promise<readonly BenchLine[]> {
  return blocks(short ? SHORT_BLOCKS : BLOCKS);
}
