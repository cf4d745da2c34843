// The process that meets a full disk: opens a chain with a bounded history, and does one thing until the disk refuses it.
//
//   full-disk-child DIRECTORY STAGE     open, commit, ingest, prune, compact or migrate
//
// Prints one line of JSON: the error, what a write after it was told, and what reads said of the chain afterwards. If
// the chain does not open, the error alone.
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EngineError } from '../../src/base/error.ts';
import { spend } from '../../src/bitcoin/mine.ts';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { openDirectory } from '../../src/store/directory.ts';
import type { Store } from '../../src/store/store.ts';

const [directory, stage] = process.argv.slice(2) as [
  string,
  'open' | 'commit' | 'ingest' | 'prune' | 'compact' | 'migrate',
];
const to = DEV_ACCOUNTS[0]!.regtestAddress;
const RGAS = '0x3::gas_coin::RGas';

async function refusalOf(action: () => Promise<unknown>): Promise<EngineError | undefined> {
  try {
    await action();
    return undefined;
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
}

const told = (error: EngineError | undefined) => ({ code: error?.code, message: error?.message });

/** Takes what is left of the disk: the file that the test deletes to give space back. */
function fill(): void {
  const ballast = join(directory, '..', 'ballast');
  if (existsSync(ballast)) rmSync(ballast);
  for (let size = 2 ** 26; size >= 4096; ) {
    try {
      writeFileSync(ballast, new Uint8Array(size), { flag: 'a' });
    } catch {
      size >>= 1;
    }
  }
}

const commit = (engine: Engine) => engine.dev.mint('0x77', 1n);

/** What is done until the disk refuses it. */
const ACTIONS = {
  commit,
  // The first commit in a directory of an older data format, which the test put there.
  migrate: commit,
  ingest: async (engine: Engine) => {
    const { transactions } = await engine.dev.mine({ to });
    const outputs = Array.from({ length: 300 }, () => ({ to, value: 1_000n }));
    return engine.dev.mine({
      to,
      transactions: [spend([{ outpoint: { txid: transactions[0]!.txid, vout: 0 } }], outputs)],
    });
  },
  prune: (engine: Engine) => engine.prune(),
  compact: (_: Engine, store: Store) => store.compact!(),
};

/** A chain with a past that a bounded history need not keep, but too short to be pruned in the background. */
async function prepare(): Promise<void> {
  const engine = await Engine.open({ store: directory, history: 'all', reorganisationDepth: 0 });
  for (let funded = 0; funded < 40; funded++) await engine.dev.mint('0x77', 1n);
  await engine.close();
}

async function meet(): Promise<unknown> {
  if (stage === 'open') {
    fill();
    return told(await refusalOf(() => Engine.open({ store: directory })));
  }
  if (stage !== 'migrate') await prepare();
  const store = await openDirectory(directory);
  const engine = await Engine.open({ store, history: 1 });
  const action = () => ACTIONS[stage](engine, store);
  fill();
  let failure: EngineError | undefined;
  for (let tries = 0; failure === undefined && tries < 2_000; tries++) failure = await refusalOf(action);
  const again = await refusalOf(() => (stage === 'compact' ? commit(engine) : action()));
  const { head, service } = engine.status();
  const reads = {
    balance: String(engine.balances.get('0x77', RGAS).balance),
    hasLast: engine.transactions.get(head.order) !== undefined,
    accounts: engine.accounts.length,
    objects: (await engine.objects.list({ kind: 'owner', owner: to }, { limit: 5 })).data.length,
  };
  const closed = await refusalOf(async () => {
    await engine.close();
    await store.close();
  });
  return { ...told(failure), again: told(again), order: String(head.order), service, reads, closed: told(closed) };
}

process.stdout.write(`${JSON.stringify(await meet())}\n`);
