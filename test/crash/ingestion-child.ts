// The process that is killed while a chain with a bounded history takes in blocks.
//
//   ingestion-child DIRECTORY DURABILITY
//
// Waits for a line on stdin. Then, until it is killed, it mines a block whose coinbase it spends in the next one: to many
// outputs, one of which holds an inscription, and all but that one are spent together in the block after. Pruning is
// asked for now and then, beside what goes on in the background. It reports each block taken:
//
//   block HEIGHT HASH
//   kept HEIGHT HASH TXID     of a transaction whose first output holds the inscription and is never spent
//   spent HEIGHT HASH TXID    of a transaction whose other outputs were spent
//   pruned ORDER              the oldest order of the history after a pruning
import { toHex } from '../../src/base/bytes/bytes.ts';
import { reveal, spend } from '../../src/bitcoin/mine.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import type { Durability } from '../../src/store/level.ts';
import { tell, untilAsked } from './told.ts';

const OUTPUTS = 30;

const [directory, durability] = process.argv.slice(2) as [string, Durability];
const to = DEV_ACCOUNTS[0]!.regtestAddress;

untilAsked();
const engine = await Engine.open({ store: directory, durability, history: 3, reorganisationDepth: 0 });
tell('open');
for (let round = 0; ; round++) {
  const coinbase = await engine.dev.mine({ to });
  tell('block', coinbase.height, coinbase.hash);
  const outpoint = { txid: coinbase.transactions[0]!.txid, vout: 0 };
  const outputs = Array.from({ length: OUTPUTS }, () => ({ to, value: 1_000n }));
  const made = reveal(outpoint, { contentType: 'text/plain', body: `${coinbase.height}` }, outputs);
  const pruned = round % 3 === 0 ? engine.prune() : undefined;
  const first = await engine.dev.mine({ to, transactions: [made] });
  tell('kept', first.height, first.hash, toHex(made.txid));
  const spent = outputs.slice(1).map((_, at) => ({ outpoint: { txid: made.txid, vout: at + 1 } }));
  const second = await engine.dev.mine({ to, transactions: [spend(spent, [{ to, value: 20_000n }])] });
  tell('spent', second.height, second.hash, toHex(made.txid));
  if (pruned !== undefined) tell('pruned', (await pruned).oldestOrder);
}
