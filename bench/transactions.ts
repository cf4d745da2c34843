/**
 * Transactions as programs send them: `Engine.execute` and `Engine.executeAs` on an in-memory store, and where their time
 * goes.
 *
 * Rates are per processor time, with 64 transactions waiting for their receipts at a time, and once with a thousand.
 * Other systems are in the bench `peers`.
 */
import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { forksAndReverts, freshProcess, growth, memory } from './chains.ts';
import { contractBenches } from './contracts.ts';
import { type Baseline, type BenchLine, line } from './line.ts';
import { least, processorTime } from './measure.ts';
import { type Stages, shares } from './profile.ts';
import { submitOverHttp } from './submit.ts';
import { IN_FLIGHT, type SignedBy, Transfers, warmUp } from './transfers.ts';

/** Enough to fill the caches of a new chain, and to optimise what its signatures need. */
const WARM_UP = 2_000;
const ROUND = 1_000;
const UNIT = '/s of processor time';

const STAGES: Stages = {
  'order signatures': ['* transaction/order-signature.js'],
  'sequencing: hashes, accumulator': ['sequence pipeline/sequence.js'],
  'signatures of transactions': [
    'verifyAuthenticator signature/verify.js',
    '* hash/host-verify.js',
    'verifySecp256k1 hash/secp256k1.js',
  ],
  'change set': ['changeSet runtime/object-runtime.js'],
  'translated Move code, other natives': ['#attempt vm/machine.js'],
  'natives of objects': ['* native/object.js'],
  'results of pure functions, found again': ['* vm/result-cache.js'],
  'interpreted Move code, its other natives': ['interpret vm/interpret/interpreter.js'],
  'Move code prepared: resolved, translated': [
    'resolveBody vm/link/resolve.js',
    'translate vm/translate/translate.js',
    'translateFrom vm/translate/translate.js',
  ],
  'modules read and verified': ['* native/move-module.js', '* vm/binary/read.js', '* runtime/action-check.js'],
  'validation, beside Move code': ['validateCall pipeline/validate.js', 'validateSigned pipeline/validate.js'],
  'sessions, beside Move code': ['executeTransaction pipeline/execute.js'],
  'state tree': ['applyChangeSet state/apply.js'],
  'rows of nodes, ledger, events, indexes': [
    'prepareCommit pipeline/commit.js',
    '#prepareShared pipeline/group-filler.js',
    'operations pipeline/commit.js',
  ],
  'rows into the store': ['add pipeline/group-rows.js', 'write pipeline/group-rows.js'],
  'calls: read, encoded': ['executeAs engine/submission.js'],
  'the writer itself': ['#drain pipeline/writer.js', '#writeGroup pipeline/writer.js'],
  receipts: ['* pipeline/receipt.js'],
  'forks made and closed': ['* engine/engine.js', '* bench/contracts.js'],
};

/** How fast this machine is now: the host's check of an Ed25519 signature, as in `bench/peers`. */
async function hostChecks(): Promise<Baseline> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const message = new Uint8Array(32);
  const signature = sign(null, message, privateKey);
  const checkAll = (): void => {
    for (let index = 0; index < ROUND; index++) verify(null, message, publicKey, signature);
  };
  const time = await least(5, () => processorTime(checkAll));
  return { name: "the host's Ed25519 checks", value: (ROUND * 1e6) / time };
}

interface Rate {
  readonly perSecond: number;
  readonly split: readonly BenchLine[];
}

/** Transfers per second of processor time. */
async function rate(transfers: Transfers, short: boolean): Promise<Rate> {
  await transfers.prepare(WARM_UP)();
  const time = await least(short ? 3 : 8, () => processorTime(transfers.prepare(ROUND)));
  const split = await shares(STAGES, transfers.prepare(short ? ROUND : 2 * ROUND));
  await transfers.engine.close();
  return { perSecond: (ROUND * 1e6) / time, split };
}

async function rates(short: boolean): Promise<{ readonly lines: BenchLine[]; readonly perSecond: number[] }> {
  const checks = await hostChecks();
  await warmUp();
  const unsigned = await rate(await Transfers.open('nobody'), short);
  const kinds: readonly [name: string, by: SignedBy, verifySignatures: boolean, target: string][] = [
    ['transfers, signed, signatures off', 'secp256k1', false, '9,000'],
    ['transfers, by an Ed25519 session key', 'ed25519', true, '4,000'],
    ['transfers, by a secp256k1 key', 'secp256k1', true, '2,500'],
  ];
  const lines: BenchLine[] = [
    line('transfers, called without signature', unsigned.perSecond, UNIT, checks, '9,000'),
    ...unsigned.split,
  ];
  const perSecond = [unsigned.perSecond];
  const baseline = { name: 'without signature', value: unsigned.perSecond };
  for (const [name, by, verifySignatures, target] of kinds) {
    const measured = await rate(await Transfers.open(by, { verifySignatures }), short);
    perSecond.push(measured.perSecond);
    lines.push(line(name, measured.perSecond, UNIT, baseline, target), ...measured.split);
  }
  return { lines, perSecond };
}

/** Transfers per second of processor time if many are sent before the first is answered. */
async function manyInFlight(short: boolean, perSecond: number): Promise<BenchLine> {
  const transfers = await Transfers.open('nobody');
  const prepare = (): (() => Promise<void>) => transfers.prepare(ROUND, ROUND);
  for (let warm = 0; warm < WARM_UP; warm += ROUND) await prepare()();
  const time = await least(short ? 3 : 8, () => processorTime(prepare()));
  await transfers.engine.close();
  const baseline = { name: `${IN_FLIGHT} at a time`, value: perSecond };
  return line(`transfers, called without signature, ${ROUND} at a time`, (ROUND * 1e6) / time, UNIT, baseline);
}

export async function run(short: boolean): Promise<BenchLine[]> {
  const { lines, perSecond } = await rates(short);
  const [unsigned, , , secp256k1] = perSecond as [number, number, number, number];
  lines.push(await manyInFlight(short, unsigned));
  for (const { line, again } of await contractBenches(short, 1e6 / unsigned)) {
    lines.push(line, ...(await shares(STAGES, again)));
  }
  lines.push(...(await growth(short)));
  lines.push(...freshProcess(short));
  lines.push(...(await forksAndReverts(short)));
  lines.push(...(await submitOverHttp(short, secp256k1)));
  lines.push(...memory(short));
  return lines;
}
