// A process that takes blocks which a miner has filled on purpose, and reports what each of them took.
//
//   hostile-child KIND COUNT [DIRECTORY]
//
// KIND is `make`: COUNT inscriptions in one transaction; `fill`: COUNT in each of ten; `outputs`: COUNT outputs of one
// transaction; `items`: COUNT empty witness items of one input; `move`: three outputs with COUNT inscriptions each, spent
// by one small transaction; `fees`: the same, where two thirds of them go to fees; `again`: one output with COUNT
// inscriptions, moved by as many transactions of one block as make 480,000 moves. Without DIRECTORY the chain is in memory. It says `begin` before each block that counts.

import { writeSync } from 'node:fs';
import { type BitcoinTransaction, type OutPoint, spend } from '../../../src/bitcoin/index.ts';
import { toOutPoint } from '../../../src/bitcoin/outpoint.ts';
import { DEV_ACCOUNTS, Engine } from '../../../src/index.ts';
import { emptyEnvelopes } from './empty-envelopes.ts';

const [kind, size, store] = process.argv.slice(2) as [string, string, string | undefined];
const count = Number(size);
const to = DEV_ACCOUNTS[0]!.regtestAddress;
const engine = await Engine.open(store === undefined ? {} : { store });
let leftOut = 0;
engine.on('notice', (notice) => {
  leftOut += notice.count;
});

const out = ({ txid }: { readonly txid: string | Uint8Array }): OutPoint => toOutPoint({ txid, vout: 0 }, 'outpoint');
const megabytes = (bytes: number): number => Math.round(bytes / 2 ** 20);
async function coin(): Promise<OutPoint> {
  return out((await engine.dev.mine({ to })).transactions[0]!);
}
async function reveal(): Promise<BitcoinTransaction> {
  return spend([{ outpoint: await coin(), witness: emptyEnvelopes(count) }], [{ to, value: 100_000n }]);
}
async function take(transactions: readonly BitcoinTransaction[]): Promise<void> {
  writeSync(1, 'begin\n');
  const start = process.cpuUsage();
  const began = Date.now();
  await engine.dev.mine({ to, transactions });
  const { user, system } = process.cpuUsage(start);
  const seconds = Math.round((user + system) / 1e5) / 10;
  const peak = megabytes(process.resourceUsage().maxRSS * 2 ** 10);
  const wall = Math.round((Date.now() - began) / 100) / 10;
  writeSync(1, `${JSON.stringify({ seconds, wall, peak, quiet, leftOut })}\n`);
}

await coin();
const quiet = megabytes(process.memoryUsage.rss());
if (kind === 'make') await take([await reveal()]);
else if (kind === 'fill') {
  const made: BitcoinTransaction[] = [];
  while (made.length < 10) made.push(await reveal());
  await take(made);
} else if (kind === 'outputs') {
  const outputs = Array.from({ length: count }, () => ({ scriptPubkey: new Uint8Array(0), value: 1n }));
  await take([spend([{ outpoint: await coin() }], outputs)]);
} else if (kind === 'items') {
  const witness = new Array<Uint8Array>(count).fill(new Uint8Array(0));
  await take([spend([{ outpoint: await coin(), witness }], [{ to, value: 1n }])]);
} else {
  const made: BitcoinTransaction[] = [];
  for (let output = 0; output < (kind === 'again' ? 1 : 3); output++) {
    made.push(await reveal());
    await take(made.slice(-1));
  }
  const moving = [
    spend(
      made.map((one) => ({ outpoint: out(one) })),
      [{ to, value: kind === 'move' ? 290_000n : 90_000n }],
    ),
  ];
  while (kind === 'again' && moving.length < 480_000 / count) {
    moving.push(spend([{ outpoint: out(moving.at(-1)!) }], [{ to, value: 90_000n - BigInt(moving.length) }]));
  }
  await take(moving);
}
await take([]);
await engine.close();
