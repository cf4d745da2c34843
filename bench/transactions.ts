/**
 * Transactions: transfers of coins among the funded accounts, executed by the writer onto a store in memory, and where
 * their time goes. Nobody signs them; the sequencer's own signatures are one of the shares.
 */
import { encode } from '../src/bcs/codec.ts';
import { u256 } from '../src/bcs/primitive.ts';
import { DEV_ACCOUNTS } from '../src/framework/accounts.ts';
import { GAS_COIN_TYPE } from '../src/framework/coin.ts';
import { SILENT_LOG } from '../src/log.ts';
import { type Address, FRAMEWORK_ADDRESS, parseAddress } from '../src/move/address.ts';
import { structType } from '../src/move/type-tag.ts';
import { openChain } from '../src/open.ts';
import { Feed } from '../src/pipeline/feed.ts';
import type { Input } from '../src/pipeline/input.ts';
import { single } from '../src/pipeline/turn.ts';
import { Writer } from '../src/pipeline/writer.ts';
import type { BenchLine } from './line.ts';
import { type Stage, shares } from './profile.ts';

const ACCOUNTS = DEV_ACCOUNTS.map((account) => parseAddress(account.address));
const GAS_MAX = 100_000_000n;

/** Until everything that a transfer needs is translated, and that optimised. */
const WARM_UP = 2_000;
const ROUND = 1_000;

const STAGES: readonly Stage[] = [
  { name: 'order signatures', functions: [['of', 'pipeline/order-signatures.js']] },
  { name: 'sequencing: hashes, accumulator', functions: [['sequence', 'pipeline/sequence.js']] },
  { name: 'change set', functions: [['changeSet', 'runtime/object-runtime.js']] },
  { name: 'translated Move code and natives', functions: [['#attempt', 'vm/machine.js']] },
  { name: 'validation, beside Move code', functions: [['validateCall', 'pipeline/validate.js']] },
  { name: 'sessions, beside Move code', functions: [['executeTransaction', 'pipeline/execute.js']] },
  { name: 'state tree', functions: [['applyChangeSet', 'state/apply.js']] },
  {
    name: 'rows of nodes, ledger, events, indexes',
    functions: [
      ['prepareCommit', 'pipeline/commit.js'],
      ['#prepareShared', 'pipeline/writer.js'],
      ['operations', 'pipeline/commit.js'],
    ],
  },
  {
    name: 'rows into the store',
    functions: [
      ['add', 'pipeline/group-rows.js'],
      ['write', 'pipeline/group-rows.js'],
    ],
  },
];

function transfer(sender: Address, to: Address): Input {
  const action = {
    kind: 'function',
    function: { address: FRAMEWORK_ADDRESS, module: 'transfer', name: 'transfer_coin' },
    typeArguments: [structType(GAS_COIN_TYPE)],
    arguments: [to, encode(u256, 1n)],
  } as const;
  return { kind: 'call', sender, action, maxGasAmount: GAS_MAX };
}

async function makeWriter(): Promise<Writer> {
  const { store, head, shared, settings } = await openChain({});
  const { blockRules, machines, step } = shared.execution;
  const blocks = blockRules({}, 'regtest');
  return new Writer({
    store,
    nodes: shared.nodes,
    head,
    feed: new Feed(SILENT_LOG),
    clock: undefined,
    tools: () => ({ signer: settings.signer, step, machines, settings: { blocks, verifySignatures: false } }),
    onGroup: () => {},
    onHead: () => {},
  });
}

/** Submits `count` transfers at once and waits for the last. */
async function transfers(writer: Writer, from: number, count: number): Promise<void> {
  const commits: Promise<unknown>[] = [];
  for (let index = from; index < from + count; index++) {
    const sender = ACCOUNTS[index % ACCOUNTS.length]!;
    const to = ACCOUNTS[(index * 7 + 1) % ACCOUNTS.length]!;
    const { turn, commit } = single(transfer(sender, to), undefined);
    writer.submit(turn);
    commits.push(commit);
  }
  await Promise.all(commits);
}

export async function run(short: boolean): Promise<BenchLine[]> {
  const writer = await makeWriter();
  let made = 0;
  const next = async (count: number): Promise<void> => {
    await transfers(writer, made, count);
    made += count;
  };
  await next(WARM_UP);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < (short ? 2 : 8); round++) {
    const start = process.cpuUsage();
    await next(ROUND);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / ROUND);
  }
  const line = { name: 'unsigned transfers, onto a store in memory', value: 1e6 / best, unit: '/s of processor time' };
  const split = await shares(STAGES, () => next(short ? ROUND : 4 * ROUND));
  await writer.close();
  return [{ ...line, target: '9,000' }, ...split];
}
