// The process that is killed while it writes transactions too large for one batch.
//
//   inscriptions-child DIRECTORY COUNT
//
// Waits for a line on stdin. Then it mines, until it is killed, a block that makes COUNT inscriptions and a block that
// moves them, and tells the height of each block when it is taken.
import { spend } from '../../src/bitcoin/mine.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { emptyEnvelopes } from '../pipeline/ingest/empty-envelopes.ts';
import { tell, untilAsked } from './told.ts';

const [directory, count] = process.argv.slice(2) as [string, string];
const to = DEV_ACCOUNTS[0]!.regtestAddress;

untilAsked();
const engine = await Engine.open({ store: directory });
tell('open');
for (;;) {
  const coinbase = await engine.dev.mine({ to });
  const outpoint = { txid: coinbase.transactions[0]!.txid, vout: 0 };
  const made = spend([{ outpoint, witness: emptyEnvelopes(Number(count)) }], [{ to, value: 9_000n }]);
  tell((await engine.dev.mine({ to, transactions: [made] })).height);
  const moved = spend([{ outpoint: { txid: made.txid, vout: 0 } }], [{ to, value: 8_000n }]);
  tell((await engine.dev.mine({ to, transactions: [moved] })).height);
}
