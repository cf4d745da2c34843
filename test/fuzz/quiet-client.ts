/** A well-behaved client, in a process of its own: a balance every 100 ms; a line of JSON with latencies each minute. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { askNode } from './served.ts';

const PAUSE_MS = 100;
const REPORT_MS = 60_000;

const port = Number(process.argv[2]);
let took: number[] = [];
let reported = performance.now();
for (;;) {
  const begun = performance.now();
  const balance = await askNode(port, 'chain_getBalance', [DEV_ACCOUNTS[0]!.address, '0x3::gas_coin::RGas']);
  if (balance === null) throw new Error('expected a balance, got an error');
  took.push(performance.now() - begun);
  if (performance.now() - reported > REPORT_MS) {
    took.sort((left, right) => left - right);
    const at = (share: number): number => Math.round(took[Math.floor((took.length - 1) * share)]! * 10) / 10;
    process.stdout.write(`${JSON.stringify({ answers: took.length, median: at(0.5), p99: at(0.99), most: at(1) })}\n`);
    took = [];
    reported = performance.now();
  }
  await sleep(PAUSE_MS);
}
