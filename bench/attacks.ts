/**
 * A well-behaved client beside attacks: how long its balance takes, and how long the thread is held at a time.
 *
 * The client asks for a balance every twenty milliseconds over one connection, from a process of its own; the attack
 * comes from another one. Its figure when nothing else is asked is the baseline. What anybody may send is what is sent:
 * no attack publishes code.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { Engine } from '../src/engine.ts';
import { DEV_ACCOUNTS } from '../src/framework/accounts.ts';
import { createRpc } from '../src/rpc/index.ts';
import { serveHttp } from '../src/transport/index.ts';
import { onConnections, postOf } from './connections.ts';
import type { BenchLine } from './line.ts';

const CLIENT = '--attacked-client';
const ATTACK = '--attack';
const PAUSE_MS = 20;

const call = (method: string, params: readonly unknown[]): unknown => ({ jsonrpc: '2.0', id: 1, method, params });
const view = (id: string, types: readonly string[], ...args: readonly string[]): unknown =>
  call('chain_executeViewFunction', [{ function_id: id, ty_args: types, args }]);

function uleb(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}

const bytesArgument = (bytes: Uint8Array): string =>
  `0x${Buffer.concat([Buffer.from(uleb(bytes.length)), bytes]).toString('hex')}`;

/** The dearest native that a view may call once: a verifying key of 256 points, each of which is checked. */
function verifyingKey(): unknown {
  const [g1, g2] = [bls12_381.G1.Point.BASE.toBytes(true), bls12_381.G2.Point.BASE.toBytes(true)];
  const count = Buffer.alloc(8);
  count.writeUInt32LE(256);
  const key = Buffer.concat([g1, g2, g2, g2, count, ...new Array<Uint8Array>(256).fill(g1)]);
  return view('0x2::groth16::prepare_verifying_key', [], '0x00', bytesArgument(key));
}

/** Move code alone: as many turns of a loop as the gas of a view pays for. */
const longLoop = (): unknown => view('0x1::vector::reverse', ['u8'], bytesArgument(new Uint8Array(1_000_000)));

const NOBODYS = `0x${'77'.repeat(32)}`;

const ATTACKS: Readonly<Record<string, () => unknown>> = {
  'views of natives': verifyingKey,
  'views of loops': longLoop,
  'batches of views': () => new Array(30).fill(verifyingKey()),
  'batches of balances': () =>
    new Array(100).fill(call('chain_getBalance', [DEV_ACCOUNTS[1]!.address, '0x3::gas_coin::RGas'])),
  'scans that find nothing': () => call('rooch_syncStates', [{ object_i_d: NOBODYS }, null, '10', null]),
  'long pages': () => call('chain_getTransactionsByOrder', [null, '1000', true]),
};

/** One answer, whatever it says. */
function ask(socket: Socket, request: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    let length = Number.POSITIVE_INFINITY;
    const onData = (chunk: Buffer): void => {
      text += chunk.toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head !== -1) length = head + 4 + Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < length) return;
      socket.off('data', onData).off('close', onClose);
      resolve();
    };
    const onClose = (): void => reject(new Error('the node closed a connection'));
    socket.on('data', onData);
    socket.once('close', onClose);
    socket.write(request);
  });
}

/** Milliseconds of each answer, as long as it is told to ask. */
async function beClient(port: number, ms: number): Promise<readonly number[]> {
  const took: number[] = [];
  const params = [DEV_ACCOUNTS[0]!.address, '0x3::gas_coin::RGas'];
  const request = postOf(port, JSON.stringify(call('chain_getBalance', params)));
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

/** Asks on ten connections, on each again as soon as it is answered, until the process is ended. */
async function attack(port: number, name: string): Promise<void> {
  const request = postOf(port, JSON.stringify(ATTACKS[name]!()));
  await onConnections(port, async (socket) => {
    for (;;) await ask(socket, request);
  });
}

const child = (...args: readonly string[]): ChildProcess =>
  spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });

interface Sample {
  readonly median: number;
  readonly percentile99: number;
  readonly answers: number;
  /** The longest that the node's thread was held, in milliseconds. */
  readonly held: number;
}

async function measure(port: number, ms: number, attackName?: string): Promise<Sample> {
  const attacker = attackName === undefined ? undefined : child(ATTACK, `${port}`, attackName);
  if (attacker !== undefined) await after(1_000);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const client = child(CLIENT, `${port}`, `${ms}`);
  let text = '';
  client.stdout!.on('data', (chunk) => {
    text += chunk;
  });
  await once(client, 'close');
  delay.disable();
  attacker?.kill();
  if (attacker !== undefined && attacker.exitCode === null && attacker.signalCode === null)
    await once(attacker, 'exit');
  const took = (JSON.parse(text) as number[]).sort((left, right) => left - right);
  return {
    median: took[took.length >> 1]!,
    percentile99: took[Math.min(took.length - 1, Math.floor(took.length * 0.99))]!,
    answers: took.length,
    held: delay.max / 1e6,
  };
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const [ms, transactions] = short ? [2_000, 300] : [15_000, 5_000];
  const lines: BenchLine[] = [];
  for (const viewMsMax of short ? [2_000] : [2_000, 50]) {
    const engine = await Engine.open({ viewMsMax });
    const [alice, bob] = engine.accounts;
    const transfer = {
      function: '0x3::transfer::transfer_coin',
      typeArguments: ['0x3::gas_coin::RGas'],
      arguments: [bob!.address, 1n],
    };
    for (let sent = 0; sent < transactions; sent++) await engine.call(alice!.address, transfer);
    const node = await serveHttp(createRpc(engine), { port: 0 });
    try {
      const quiet = await measure(node.port, ms);
      for (const name of Object.keys(ATTACKS)) {
        if (viewMsMax !== 2_000 && !name.includes('views')) continue;
        const { percentile99, held, answers } = await measure(node.port, ms, name);
        const beside = `beside ${name}${viewMsMax === 2_000 ? '' : `, viewMsMax ${viewMsMax}`}`;
        lines.push({
          name: `balance, 99th percentile of ${answers}, ${beside}`,
          value: percentile99,
          unit: 'ms',
          baseline: { name: 'alone', value: quiet.percentile99 },
          target: '100 ms',
        });
        lines.push({ name: `longest hold of the thread, ${beside}`, value: held, unit: 'ms', target: '2,000 ms' });
      }
    } finally {
      await node.close();
      await engine.close();
    }
  }
  return lines;
}

const [, , mode, port, more] = process.argv;
if (mode === CLIENT) process.stdout.write(JSON.stringify(await beClient(Number(port), Number(more))));
if (mode === ATTACK) await attack(Number(port), more!);
