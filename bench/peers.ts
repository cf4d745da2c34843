/**
 * Transfers compared with other in-process chains, which a separate package measures (bench/peers): on new chains, each sent
 * once the receipt of the one before was read. Ours are measured before and after the others, in
 * processor time. Without that package installed, nothing is reported.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Baseline, type BenchLine, line } from './line.ts';
import { processorTime } from './measure.ts';
import { type SignedBy, Transfers } from './transfers.ts';

/** Compiled, this file is build/bench/peers.js. */
const FOLDER = fileURLToPath(new URL('../../bench/peers/', import.meta.url));
const ROUND = 1_000;
const UNIT = '/s of processor time';

interface Measured {
  readonly name: string;
  readonly perSecond: number;
}

/** Transfers per second of processor time, on the chain on which they took the least. */
async function rate(signedBy: SignedBy, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const transfers = await Transfers.open(signedBy);
    times.push(await processorTime(transfers.prepare(ROUND, 1)));
    await transfers.engine.close();
  }
  return (ROUND * 1e6) / Math.min(...times);
}

export async function run(short: boolean): Promise<BenchLine[]> {
  if (!existsSync(`${FOLDER}node_modules`)) {
    process.stderr.write('peers: not installed; npm install in bench/peers\n');
    return [];
  }
  const kinds: readonly SignedBy[] = ['nobody', 'ed25519', 'secp256k1'];
  const rounds = short ? 2 : 5;
  const rates: number[] = [];
  for (const kind of kinds) rates.push(await rate(kind, rounds));
  const printed = execFileSync(process.execPath, ['transfers.mjs', '--json'], { cwd: FOLDER, encoding: 'utf8' });
  for (const [index, kind] of kinds.entries()) rates[index] = Math.max(rates[index]!, await rate(kind, rounds));
  const [unsigned, ed25519, secp256k1] = rates as [number, number, number];
  const [host, ...peers] = JSON.parse(printed) as [Measured, ...Measured[]];
  const checks = { name: "the host's Ed25519 checks", value: host.perSecond };
  return [
    line('ours, called without signature', unsigned, UNIT, checks),
    line('ours, by an Ed25519 session key', ed25519, UNIT, checks),
    line('ours, by a secp256k1 key', secp256k1, UNIT, checks),
    ...peers.map(({ name, perSecond }) => line(name, perSecond, UNIT, oursFor(name))),
  ];

  /** Our rate with the same signature curve. */
  function oursFor(name: string): Baseline {
    if (/off|impersonated/.test(name)) return { name: 'ours without signature', value: unsigned };
    if (name.startsWith('LiteSVM')) return { name: 'ours by an Ed25519 session key', value: ed25519 };
    return { name: 'ours by a secp256k1 key', value: secp256k1 };
  }
}
