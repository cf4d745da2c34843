/**
 * A well-behaved client during attacks: how long its balance request takes, and how long the thread is held at a time;
 * during view attacks also how long a transfer takes, with and without a worker thread.
 *
 * The client sends a request every twenty milliseconds over one connection, from its own process; the attack comes from
 * another one. The baseline is the client's figure without any other load.
 */
import { once } from 'node:events';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { encode } from '../src/base/bcs.ts';
import { transactionData } from '../src/chain/transaction/signed.ts';
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { createRpc, serveHttp } from '../src/server/index.ts';
import { assembleFor } from '../test/pipeline/contract.ts';
import { ask, onConnections, postOf, printedBy, startProcess } from './connections.ts';
import { type BenchLine, line } from './line.ts';
import { BALANCE, bytesArgument, call, GREEDY, greedy, NOBODYS_OBJECT, verifyingKey } from './requests.ts';
import { transfer } from './transfers.ts';

const CLIENT = '--attacked-client';
const ATTACK = '--attack';
const PAUSE_MS = 20;

const [ALICE, BOB] = DEV_ACCOUNTS.map(({ address }) => address) as [string, string];
/** A dry run that does as much as it is allowed to, with a long argument. */
const DRY = `${ALICE}::greedy::dry`;
const LONG_ARGUMENT = bytesArgument(new Uint8Array(100_000).fill(0xff));
const DRY_RUNS: readonly string[] = ['simulated calls', 'dry runs'];

/** The data of a transaction that makes that call. */
async function rawDryRun(): Promise<unknown> {
  await using engine = await Engine.open();
  const [alice] = engine.accounts;
  await engine.publish(alice!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]);
  const data = alice!.transaction({ function: DRY, arguments: [new Uint8Array(100_000).fill(0xff)] });
  return call('rooch_dryRunRawTransaction', `0x${Buffer.from(encode(transactionData, data)).toString('hex')}`);
}

const ATTACKS: Readonly<Record<string, () => unknown | Promise<unknown>>> = {
  'views of natives': verifyingKey,
  'views of loops': () => greedy(ALICE, 'spin'),
  'simulated calls': () => call('dev_simulate', ALICE, { function_id: DRY, ty_args: [], arguments: [LONG_ARGUMENT] }),
  'dry runs': rawDryRun,
  'batches of views': () => new Array(30).fill(verifyingKey()),
  'batches of balances': () => new Array(100).fill(BALANCE),
  'scans that find nothing': () => call('rooch_syncStates', { object_i_d: NOBODYS_OBJECT }, null, '10', null),
  'long pages': () => call('chain_getTransactionsByOrder', null, '1000', true),
};

const CATCH_UP = 'subscriptions that catch up';
const KEEP_UP = 'subscriptions that keep up';

/** What ten connections with a hundred subscriptions each are sent: the whole chain, or what is new. */
const SUBSCRIBERS: Readonly<Record<string, readonly unknown[]>> = {
  [CATCH_UP]: ['all', { from_order: '0' }],
  [KEEP_UP]: ['all'],
};

/** The well-behaved client's requests. */
const ASKED: Readonly<Record<string, unknown>> = {
  balance: BALANCE,
  transfer: call('dev_call', ALICE, {
    function_id: '0x3::transfer::transfer_coin',
    ty_args: ['0x3::gas_coin::RGas'],
    arguments: [BOB, '1'],
  }),
};

/** Sends requests for `ms` milliseconds; returns the milliseconds each answer took. */
async function beClient(port: number, ms: number, asked: string): Promise<readonly number[]> {
  const took: number[] = [];
  const request = postOf(port, JSON.stringify(ASKED[asked]));
  await onConnections(port, async (socket, index) => {
    if (index > 0) return;
    for (const end = performance.now() + ms; performance.now() < end; await after(PAUSE_MS)) {
      const begun = performance.now();
      await ask(socket, request);
      took.push(performance.now() - begun);
    }
  });
  return took;
}

/** Subscribes, and again when a connection ends, until the process is killed. */
async function subscribe(port: number, params: readonly unknown[]): Promise<never> {
  const connect = async (): Promise<void> => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}`);
    await once(socket, 'open');
    for (let count = 0; count < 100; count++) {
      const method = count % 2 === 0 ? 'chain_subscribeEvents' : 'chain_subscribeTransactions';
      socket.send(JSON.stringify(call(method, ...params)));
    }
    await once(socket, 'close');
  };
  const connections = Array.from({ length: 10 }, async () => {
    for (;;) await connect();
  });
  return Promise.race(connections);
}

/** Sends requests on ten connections, each again as soon as it is answered, until the process is killed. */
async function attack(port: number, name: string): Promise<void> {
  const subscribed = SUBSCRIBERS[name];
  if (subscribed !== undefined) await subscribe(port, subscribed);
  const request = postOf(port, JSON.stringify(await ATTACKS[name]!()));
  for (;;) {
    try {
      await onConnections(port, async (socket) => {
        for (;;) await ask(socket, request);
      });
    } catch {
      // A node that is held cannot read a long request in time, and says so: the attack continues with new connections.
    }
  }
}

interface Sample {
  readonly median: number;
  readonly percentile99: number;
  readonly answers: number;
  /** The longest time the node's thread was held, in milliseconds. */
  readonly held: number;
}

async function measure(port: number, ms: number, asked: string, attackName?: string): Promise<Sample> {
  const attacker = attackName === undefined ? undefined : startProcess(import.meta.url, ATTACK, `${port}`, attackName);
  if (attacker !== undefined) await after(1_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const text = await printedBy(startProcess(import.meta.url, CLIENT, `${port}`, `${ms}`, asked));
  delay.disable();
  attacker?.kill();
  if (attacker !== undefined && attacker.exitCode === null && attacker.signalCode === null)
    await once(attacker, 'exit');
  // Let work started by the attack finish before measuring the next one.
  for (let begun = performance.now(); ; begun = performance.now()) {
    await after(100);
    if (performance.now() - begun < 200) break;
  }
  const took = (JSON.parse(text) as number[]).sort((left, right) => left - right);
  return {
    median: took[took.length >> 1]!,
    percentile99: took[Math.min(took.length - 1, Math.floor(took.length * 0.99))]!,
    answers: took.length,
    held: delay.max / 1e6,
  };
}

/** One kind of node under attack. */
interface Node {
  readonly viewMsMax: number;
  readonly workers: number | 'auto';
}

/** The defaults of `movelet serve`. */
const USUAL: Node = { viewMsMax: 2_000, workers: 'auto' };
const OTHERS: readonly Node[] = [
  { viewMsMax: 2_000, workers: 0 },
  { viewMsMax: 50, workers: 0 },
  { viewMsMax: 2_000, workers: 1 },
];

/** The attacks beside which that request is measured: all of them, or only what worker threads are for. */
function attacksBeside(asked: string, kind: Node): readonly string[] {
  const views = Object.keys(ATTACKS).filter((name) => name.includes('views') || DRY_RUNS.includes(name));
  if (kind !== USUAL) return views;
  return asked === 'transfer' ? [...views, KEEP_UP] : [...Object.keys(ATTACKS), CATCH_UP];
}

async function attackNode(kind: Node, short: boolean): Promise<readonly BenchLine[]> {
  const [ms, transactions] = short ? [2_000, 300] : [15_000, 5_000];
  const lines: BenchLine[] = [];
  const engine = await Engine.open({ viewMsMax: kind.viewMsMax });
  const [alice, bob] = engine.accounts;
  await engine.publish(alice!.address, [assembleFor(DEV_ACCOUNTS[0]!, GREEDY)]);
  for (let sent = 0; sent < transactions; sent++) await engine.executeAs(alice!.address, transfer(bob!.address));
  const rpc = createRpc(engine, { dev: true, workers: kind.workers });
  const node = await serveHttp(rpc, { port: 0 });
  const differs = kind === USUAL ? '' : `, viewMsMax ${kind.viewMsMax}, workers ${kind.workers}`;
  try {
    for (const asked of Object.keys(ASKED)) {
      const quiet = await measure(node.port, ms, asked);
      for (const name of attacksBeside(asked, kind)) {
        const { median, percentile99, held, answers } = await measure(node.port, ms, asked, name);
        const beside = `beside ${name}${differs}`;
        const baseline = { name: 'alone', value: quiet.percentile99 };
        const target = asked === 'balance' ? '100 ms' : name === KEEP_UP ? '3 times alone' : undefined;
        const tail = `${asked}, 99th percentile of ${answers}, ${beside}`;
        lines.push(line(tail, percentile99, 'ms', baseline, target));
        const middle = { name: 'alone', value: quiet.median };
        lines.push(line(`${asked}, median, ${beside}`, median, 'ms', middle));
        const heldMax = name in SUBSCRIBERS ? '25 ms' : '2,000 ms';
        lines.push(line(`longest hold of the thread, ${beside}`, held, 'ms', undefined, heldMax));
      }
    }
  } finally {
    await node.close();
    await rpc.close();
    await engine.close();
  }
  return lines;
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const kind of short ? [USUAL, OTHERS[0]!] : [USUAL, ...OTHERS]) lines.push(...(await attackNode(kind, short)));
  return lines;
}

const [, , mode, port, more, asked] = process.argv;
if (mode === CLIENT) process.stdout.write(JSON.stringify(await beClient(Number(port), Number(more), asked!)));
if (mode === ATTACK) await attack(Number(port), more!);
