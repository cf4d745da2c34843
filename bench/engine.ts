/**
 * The engine as its users meet it: opening, forking, going back, reading, proving, memory.
 *
 * Cold figures are measured in fresh processes; everything else in this one, after a warm-up.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compareBytes } from '../src/base/bytes/bytes.ts';
import { sha3 } from '../src/base/hash/sha3.ts';
import type { ObjectChange } from '../src/chain/object/change-set.ts';
import { parseObjectId } from '../src/chain/object/object-id.ts';
import { verifyStateProof } from '../src/chain/proof/state-proof.ts';
import type { LedgerTransactionData } from '../src/chain/transaction/ledger.ts';
import { EMPTY_AUTHENTICATOR } from '../src/chain/transaction/signed.ts';
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { coinStoreType, GAS_COIN_TYPE } from '../src/execution/framework/coin.ts';
import { parseAddressHex } from '../src/move/address.ts';
import { createRpc } from '../src/server/rpc/index.ts';
import { forge } from '../test/forge.ts';
import { heldBytes } from '../test/garbage.ts';
import type { BenchLine } from './line.ts';
import { counted, median, type Timer, timer } from './measure.ts';
import { call } from './requests.ts';

async function timedAsync(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}

/** Milliseconds that `code` reports about itself, in fresh processes. */
function fresh(code: string, rounds: number): number {
  const run = (): number =>
    Number(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
  return median(Array.from({ length: rounds }, run));
}

/**
 * The package as a user's program imports it, with the build's own genesis. Compiled, this file is
 * build/bench/engine.js.
 */
const ENGINE = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href);
const READ = `engine.balances.amount(new Uint8Array(32), { address: new Uint8Array(32), module: 'a', name: 'B', typeArguments: [] })`;

async function opening(rounds: number): Promise<BenchLine[]> {
  const first = fresh(
    `const { Engine } = await import(${ENGINE}); const start = performance.now(); const engine = await Engine.open(); ${READ}; process.stdout.write(String(performance.now() - start)); await engine.close();`,
    rounds,
  );
  await (await Engine.open()).close();
  const next: number[] = [];
  for (let round = 0; round < rounds * 10; round++) {
    next.push(
      await timedAsync(async () => {
        const engine = await Engine.open();
        engine.balances.amount(new Uint8Array(32), GAS_COIN_TYPE);
        await engine.close();
      }),
    );
  }
  const directory = mkdtempSync(join(tmpdir(), 'movelet-bench-'));
  await (await Engine.open({ store: directory })).close();
  const again: number[] = [];
  for (let round = 0; round < rounds; round++) {
    again.push(await timedAsync(async () => (await Engine.open({ store: directory })).close()));
  }
  rmSync(directory, { recursive: true });
  return [
    {
      name: 'open in memory with funded accounts and read, first in a process',
      value: first,
      unit: 'ms',
      baseline: { name: 'the next one in the process', value: median(next) },
      target: '10 ms, stretch 2',
    },
    { name: 'open in memory, next in the process', value: median(next), unit: 'ms', target: '1 ms, stretch 0.2' },
    { name: 'open a directory at genesis', value: median(again), unit: 'ms' },
  ];
}

/** A directory whose state has `leaves` objects, and how long it takes to open it again and read one. */
async function openingLarge(leaves: number, rounds: number): Promise<BenchLine[]> {
  const directory = mkdtempSync(join(tmpdir(), 'movelet-bench-'));
  try {
    const filled = await Engine.open({ store: directory, durability: 'os' });
    const owner = parseAddressHex(DEV_ACCOUNTS[0]!.address);
    for (let from = 0; from < leaves; from += COMMIT_OBJECTS) {
      const ids = Array.from({ length: Math.min(COMMIT_OBJECTS, leaves - from) }, (_, index) =>
        objectKey(from + index),
      );
      ids.sort(compareBytes);
      await forge(filled, systemTransaction(from), (state) => ({
        status: { kind: 'executed' },
        gasUsed: 0n,
        events: [],
        changeSet: {
          stateRoot: state.root,
          globalSize: state.size + BigInt(ids.length),
          changes: ids.map((key) => [key, newObject(key, owner)]),
        },
      }));
    }
    await filled.close();
    const spent: number[] = [];
    for (let round = 0; round < rounds; round++) {
      spent.push(
        await timedAsync(async () => {
          const engine = await Engine.open({ store: directory });
          engine.objects.get([objectKey(round)]);
          await engine.close();
        }),
      );
    }
    return [
      {
        name: `open a directory with ${leaves.toLocaleString('en')} leaves, read one, close`,
        value: median(spent),
        unit: 'ms',
        target: '150 ms, stretch 60 (for 1,000,000)',
      },
    ];
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const COMMIT_OBJECTS = 5_000;

/** Distributed like hashes. */
function objectKey(index: number): Uint8Array {
  return sha3(Uint8Array.of(index & 0xff, (index >> 8) & 0xff, (index >> 16) & 0xff));
}

function systemTransaction(number: number): LedgerTransactionData {
  const action = { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] } as const;
  const data = { sender: new Uint8Array(32), sequenceNumber: BigInt(number), chainId: 4n, maxGasAmount: 0n, action };
  return { kind: 'l2-transaction', data, authenticator: EMPTY_AUTHENTICATOR };
}

function newObject(key: Uint8Array, owner: Uint8Array): ObjectChange {
  const meta = {
    id: [key],
    owner,
    flag: 0,
    stateRoot: undefined,
    size: 0n,
    createdAt: 0n,
    updatedAt: 0n,
    objectType: coinStoreType(GAS_COIN_TYPE),
  };
  return { meta, value: { kind: 'new', value: new Uint8Array(33) }, fields: [] };
}

async function forking(engine: Engine, time: Timer): Promise<BenchLine[]> {
  const map = new Map(Array.from({ length: 1_000 }, (_, index) => [index, index]));
  const copy = await time(() => new Map(map));
  const one = await time(() => engine.fork().close());
  const before = heldBytes();
  const forks = Array.from({ length: 100 }, () => engine.fork());
  for (const fork of forks) fork.balances.amount(parseAddressHex(DEV_ACCOUNTS[0]!.address), GAS_COIN_TYPE);
  const megabytes = (heldBytes() - before) / 2 ** 20 / 100;
  for (const fork of forks) await fork.close();
  return [
    {
      name: 'another engine by fork, and its end',
      value: one,
      unit: 'us',
      baseline: { name: 'copying a Map of 1,000 entries', value: copy },
      target: '1,000, stretch 200',
    },
    { name: 'memory of a fork that was read', value: megabytes, unit: 'MB', target: '1 MB' },
  ];
}

async function goingBack(engine: Engine, time: Timer): Promise<BenchLine[]> {
  const snapshot = engine.snapshot();
  const baseline = { name: 'an await of nothing', value: await time(() => Promise.resolve()) };
  const line = async (name: string, call: () => unknown): Promise<BenchLine> => ({
    name,
    value: await time(call),
    unit: 'us',
    baseline,
    target: '50, stretch 10',
  });
  return [await line('snapshot', () => engine.snapshot()), await line('revert', () => engine.revert(snapshot))];
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
  const request = JSON.stringify(call('chain_getBalance', DEV_ACCOUNTS[0]!.address, '0x3::gas_coin::RGas'));
  return [
    {
      name: 'balance in process, synchronous',
      value: read,
      unit: 'us',
      baseline: { name: 'Map.get', value: await time(counted((index) => map.get(anyOwner(index)))) },
      target: '3.3',
    },
    {
      name: 'the same by JSON-RPC, text to text',
      value: await time(() => rpc.handle(request)),
      unit: 'us',
      baseline: { name: 'in process', value: read },
    },
    { name: 'state proof, made and verified', value: await time(prove), unit: 'us', target: '333, stretch 125' },
  ];
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const rounds = short ? 3 : 11;
  const time = timer(short);
  const engine = await Engine.open();
  try {
    return [
      ...(await opening(rounds)),
      ...(await openingLarge(short ? 5_000 : 1_000_000, short ? 3 : 7)),
      ...(await forking(engine, time)),
      ...(await goingBack(engine, time)),
      ...(await reading(engine, time)),
    ];
  } finally {
    await engine.close();
  }
}
