/**
 * Transfers compared with other in-process chains, which a separate package measures (bench/peers): ours are measured
 * before and after them, in processor time. Without that package installed, nothing is reported.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { BenchLine } from './line.ts';
import { least, processorTime } from './measure.ts';
import { type SignedBy, Transfers } from './transfers.ts';

/** Compiled, this file is build/bench/peers.js. */
const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const WARM_UP = 2_000;
const ROUND = 1_000;
const UNIT = '/s of processor time';

interface Measured {
  readonly name: string;
  readonly perSecond: number;
}

/** Transfers per second of processor time. */
async function rate(transfers: Transfers, rounds: number): Promise<number> {
  const time = await least(rounds, () => processorTime(transfers.prepare(ROUND)));
  return (ROUND * 1e6) / time;
}

export async function run(short: boolean): Promise<BenchLine[]> {
  if (!existsSync(`${FOLDER}node_modules`)) {
    process.stderr.write('peers: not installed; npm install in bench/peers\n');
    return [];
  }
  const kinds: readonly SignedBy[] = ['nobody', 'ed25519', 'secp256k1'];
  const ours = await Promise.all(kinds.map((kind) => Transfers.open(kind)));
  const rates: number[] = [];
  for (const [index, transfers] of ours.entries()) {
    await transfers.prepare(WARM_UP)();
    rates[index] = await rate(transfers, short ? 2 : 5);
  }
  const printed = execFileSync(process.execPath, ['transfers.mjs', '--json'], { cwd: FOLDER, encoding: 'utf8' });
  for (const [index, transfers] of ours.entries()) {
    rates[index] = Math.max(rates[index]!, await rate(transfers, short ? 2 : 5));
    await transfers.engine.close();
  }
  const [unsigned, ed25519, secp256k1] = rates as [number, number, number];
  const [host, ...peers] = JSON.parse(printed) as [Measured, ...Measured[]];
  const checks = { name: "the host's Ed25519 checks", value: host.perSecond };
  return [
    { name: 'ours, called without signature', value: unsigned, unit: UNIT, baseline: checks },
    { name: 'ours, by an Ed25519 session key', value: ed25519, unit: UNIT, baseline: checks },
    { name: 'ours, by a secp256k1 key', value: secp256k1, unit: UNIT, baseline: checks },
    ...peers.map(({ name, perSecond }) => ({ name, value: perSecond, unit: UNIT, baseline: oursFor(name) })),
  ];

  /** Our rate with the same signature curve. */
  function oursFor(name: string): { readonly name: string; readonly value: number } {
    if (/off|impersonated/.test(name)) return { name: 'ours without signature', value: unsigned };
    if (name.startsWith('LiteSVM')) return { name: 'ours by an Ed25519 session key', value: ed25519 };
    return { name: 'ours by a secp256k1 key', value: secp256k1 };
  }
}
