/**
 * Block 818677 (1.6 MB, 3,463 transactions, 9,165 outputs, 1,327 envelopes) through src/bitcoin: parsing alone, the
 * checks that need only the block, envelopes, inscriptions, and the hashes its objects need.
 *
 * The baseline for parsing is double SHA-256 over as many bytes as the txids take. Without the block (`sharedBlock`) there
 * is nothing to measure.
 */
import { sha256d } from '../src/base/hash/sha256.ts';
import { nodeAddressOf } from '../src/bitcoin/address.ts';
import { assertBlock, type DecodedBlock, decodeBlock } from '../src/bitcoin/block.ts';
import { envelopesOf } from '../src/bitcoin/envelope.ts';
import { startBlock } from '../src/bitcoin/inscription-updater.ts';
import { utxoKey } from '../src/bitcoin/object-key.ts';
import { moveInscriptions } from '../src/bitcoin/ordinals.ts';
import { isNullOutPoint } from '../src/bitcoin/outpoint.ts';
import { type BenchLine, line } from './line.ts';
import { sharedBlock, timer } from './measure.ts';

const HEIGHT = 818_677;

function hashAll(block: DecodedBlock): void {
  for (const raw of block.rawTransactions) sha256d(raw);
}

function moveAll(block: DecodedBlock): void {
  const [coinbase, ...others] = block.transactions;
  let updater = startBlock(HEIGHT, {
    cursedInscriptionCount: 0,
    blessedInscriptionCount: 0,
    unboundInscriptionCount: 0,
    lostSats: 0n,
    nextSequenceNumber: 0,
  });
  for (const transaction of [...others, coinbase!]) {
    const inputs = transaction.inputs.filter(({ previousOutput }) => !isNullOutPoint(previousOutput));
    const spent = inputs.map(() => ({ value: 1000n, inscriptions: [] }));
    ({ updater } = moveInscriptions(updater, 'bitcoin', transaction, spent));
  }
}

function objectKeys(block: DecodedBlock): void {
  for (const { txid, outputs } of block.transactions) {
    for (let vout = 0; vout < outputs.length; vout++) utxoKey({ txid, vout });
  }
}

function owners(block: DecodedBlock): void {
  for (const { outputs } of block.transactions) {
    for (const { recipient } of outputs) if (recipient.length > 0) nodeAddressOf(recipient);
  }
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const raw = sharedBlock(HEIGHT);
  if (raw === undefined) return [];
  const time = timer(short);
  const milliseconds = async (call: () => unknown): Promise<number> => (await time(call)) / 1_000;
  const block = decodeBlock(raw);
  const parse = await milliseconds(() => decodeBlock(raw));
  const hashing = { name: 'double SHA-256 over the transactions', value: await milliseconds(() => hashAll(block)) };
  const beside = async (name: string, call: () => unknown): Promise<BenchLine> =>
    line(name, await milliseconds(call), 'ms', { name: 'parsing', value: parse });
  return [
    line('parse block 818677: txids, addresses', parse, 'ms', hashing),
    await beside('check it: Merkle root, witness commitment', () => assertBlock(block)),
    await beside('find its envelopes', () => block.transactions.map(envelopesOf)),
    await beside('envelopes and where inscriptions go', () => moveAll(block)),
    await beside('object keys of its 9,165 outputs', () => objectKeys(block)),
    await beside('owners of its 9,165 outputs', () => owners(block)),
  ];
}
