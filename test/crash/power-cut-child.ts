// The process whose power is cut: recorded-files.c records what it does to its files.
//
//   power-cut-child KIND DIRECTORY TOLD
//
// Transfers in groups, and mined blocks. It writes to the file TOLD what was acknowledged, `ORDER HASH` a line.
//   plain    nothing else
//   large    blocks that make thousands of inscriptions
//   history  the past is pruned
//   reopen   the directory is closed and opened again now and then
//   fresh    ends soon after the first opening
//   os       nothing is synced
import { openSync, writeSync } from 'node:fs';
import { spend } from '../../src/bitcoin/mine.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import type { Account } from '../../src/query/account.ts';
import { payment } from '../payment.ts';
import { emptyEnvelopes } from '../pipeline/ingest/empty-envelopes.ts';
import { randomNumbers } from '../random.ts';

const [kind, directory, told] = process.argv.slice(2) as [string, string, string];
const file = openSync(told, 'a');
const tell = (order: bigint, hash: unknown = '-'): number => writeSync(file, `${order} ${hash}\n`);
const below = randomNumbers(7);
const to = DEV_ACCOUNTS[0]!.regtestAddress;

const open = (): Promise<Engine> =>
  Engine.open({
    store: directory,
    clock: () => BigInt(Date.now()),
    ...(kind === 'history' && { history: 20 }),
    ...(kind === 'os' && { durability: 'os' as const }),
  });

let engine = await open();
tell(engine.head.order);

async function transfer(from: Account, amount: number): Promise<void> {
  const { order, hash } = await engine.executeAs(from.address, payment(engine.accounts[1]!.address, BigInt(amount)));
  tell(order, hash);
}

async function inscriptions(): Promise<void> {
  const { transactions } = await engine.dev.mine({ to });
  const outpoint = { txid: transactions[0]!.txid, vout: 0 };
  const made = spend([{ outpoint, witness: emptyEnvelopes(300) }], [{ to, value: 9_000n }]);
  await engine.dev.mine({ to, transactions: [made] });
  tell(engine.head.order);
}

for (let round = 0; round < (kind === 'fresh' ? 2 : 40); round++) {
  const [first, , third] = engine.accounts as [Account, Account, Account];
  await Promise.all(
    Array.from({ length: 1 + below(12) }, (_, index) => transfer(index % 2 === 0 ? first : third, round + 1)),
  );
  if (below(5) === 0) {
    await engine.dev.mine({ to });
    tell(engine.head.order);
  }
  if (kind === 'large' && round % 10 === 3) await inscriptions();
  if (kind === 'reopen' && round % 8 === 7) {
    await engine.close();
    engine = await open();
    tell(engine.head.order);
  }
}
await engine.close();
