/**
 * The engine as its users meet it: opening, forking, going back, reading, proving, memory.
 *
 * Cold figures are measured in fresh processes; everything else in this one, after a warm-up.
 */
import { sha3 } from '../src/base/hash/sha3.ts';
import { parseObjectId } from '../src/chain/object/object-id.ts';
import { verifyStateProof } from '../src/chain/proof/state-proof.ts';
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { coinStoreType, GAS_COIN_TYPE } from '../src/execution/framework/coin.ts';
import { parseAddressHex } from '../src/move/address.ts';
import { createRpc } from '../src/server/index.ts';
import { heldBytes } from '../test/garbage.ts';
import { forgeObjects } from './forged.ts';
import { type BenchLine, line } from './line.ts';
import { counted, elapsed, inDirectory, inFreshProcess, median, PACKAGE, type Timer, timer } from './measure.ts';
import { BALANCE } from './requests.ts';

const READ = `engine.balances.amount(new Uint8Array(32), { address: new Uint8Array(32), module: 'a', name: 'B', typeArguments: [] })`;

async function milliseconds(rounds: number, call: (round: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  while (times.length < rounds) times.push(await elapsed(() => call(times.length)));
  return median(times);
}

async function opening(rounds: number): Promise<BenchLine[]> {
  const program = `const { Engine } = await import(${PACKAGE}); const start = performance.now(); const engine = await Engine.open(); ${READ}; process.stdout.write(String(performance.now() - start)); await engine.close();`;
  const first = median(Array.from({ length: rounds }, () => inFreshProcess(program)));
  await (await Engine.open()).close();
  const next = await milliseconds(rounds * 10, async () => {
    const engine = await Engine.open();
    engine.balances.amount(new Uint8Array(32), GAS_COIN_TYPE);
    await engine.close();
  });
  const again = await inDirectory(async (store) => {
    await (await Engine.open({ store })).close();
    return milliseconds(rounds, async () => (await Engine.open({ store })).close());
  });
  const cold = 'open in memory with funded accounts and read, first in a process';
  return [
    line(cold, first, 'ms', { name: 'the next one in the process', value: next }, '10 ms, stretch 2'),
    line('open in memory, next in the process', next, 'ms', undefined, '1 ms, stretch 0.2'),
    line('open a directory at genesis', again, 'ms'),
  ];
}

/** A directory whose state has `leaves` objects, and how long it takes to open it again and read one. */
async function openingLarge(leaves: number, rounds: number): Promise<BenchLine> {
  const value = await inDirectory(async (store) => {
    const filled = await Engine.open({ store, durability: 'os' });
    const owner = parseAddressHex(DEV_ACCOUNTS[0]!.address);
    const object = { owner, objectType: coinStoreType(GAS_COIN_TYPE), value: new Uint8Array(33) };
    for (let from = 0; from < leaves; from += COMMIT_OBJECTS) {
      const keys = Array.from({ length: Math.min(COMMIT_OBJECTS, leaves - from) }, (_, at) => objectKey(from + at));
      await forgeObjects(filled, keys, () => object);
    }
    await filled.close();
    return milliseconds(rounds, async (round) => {
      const engine = await Engine.open({ store });
      engine.objects.get([objectKey(round)]);
      await engine.close();
    });
  });
  const name = `open a directory with ${leaves.toLocaleString('en')} leaves, read one, close`;
  return line(name, value, 'ms', undefined, '150 ms, stretch 60 (for 1,000,000)');
}

const COMMIT_OBJECTS = 5_000;

/** Distributed like hashes. */
function objectKey(index: number): Uint8Array {
  return sha3(Uint8Array.of(index & 0xff, (index >> 8) & 0xff, (index >> 16) & 0xff));
}

async function forking(engine: Engine, time: Timer): Promise<BenchLine[]> {
  const map = new Map(Array.from({ length: 1_000 }, (_, index) => [index, index]));
  const copying = { name: 'copying a Map of 1,000 entries', value: await time(() => new Map(map)) };
  const one = await time(() => engine.fork().close());
  const before = heldBytes();
  const forks = Array.from({ length: 100 }, () => engine.fork());
  for (const fork of forks) fork.balances.amount(parseAddressHex(DEV_ACCOUNTS[0]!.address), GAS_COIN_TYPE);
  const megabytes = (heldBytes() - before) / 2 ** 20 / 100;
  for (const fork of forks) await fork.close();
  return [
    line('another engine by fork, and its end', one, 'us', copying, '1,000, stretch 200'),
    line('memory of a fork that was read', megabytes, 'MB', undefined, '1 MB'),
  ];
}

async function goingBack(engine: Engine, time: Timer): Promise<BenchLine[]> {
  const snapshot = engine.snapshot();
  const baseline = { name: 'an await of nothing', value: await time(() => Promise.resolve()) };
  const of = async (name: string, call: () => unknown): Promise<BenchLine> =>
    line(name, await time(call), 'us', baseline, '50, stretch 10');
  return [await of('snapshot', () => engine.snapshot()), await of('revert', () => engine.revert(snapshot))];
}

async function reading(engine: Engine, time: Timer): Promise<BenchLine[]> {
  const owners = DEV_ACCOUNTS.map(({ address }) => parseAddressHex(address));
  const map = new Map(owners.map((owner) => [owner, 1n]));
  const anyOwner = (index: number): Uint8Array => owners[index % owners.length]!;
  const read = await time(counted((index) => engine.balances.amount(anyOwner(index), GAS_COIN_TYPE)));
  const id = parseObjectId('0x3::coin::CoinInfo<0x3::gas_coin::RGas>');
  const { stateRoot } = engine.head;
  const prove = counted((index) =>
    verifyStateProof(engine.proofs.object(index % 2 === 0 ? id : [owners[0]!]), stateRoot),
  );
  const rpc = createRpc(engine);
  const request = JSON.stringify(BALANCE);
  const mapGet = { name: 'Map.get', value: await time(counted((index) => map.get(anyOwner(index)))) };
  const byRpc = await time(() => rpc.handle(request));
  return [
    line('balance in process, synchronous', read, 'us', mapGet, '3.3'),
    line('the same by JSON-RPC, text to text', byRpc, 'us', { name: 'in process', value: read }),
    line('state proof, made and verified', await time(prove), 'us', undefined, '333, stretch 125'),
  ];
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const rounds = short ? 3 : 11;
  const time = timer(short);
  const engine = await Engine.open();
  try {
    return [
      ...(await opening(rounds)),
      await openingLarge(short ? 5_000 : 1_000_000, short ? 3 : 7),
      ...(await forking(engine, time)),
      ...(await goingBack(engine, time)),
      ...(await reading(engine, time)),
    ];
  } finally {
    await engine.close();
  }
}
