/**
 * Block 818677 (1.6 MB, 3,463 transactions, 9,165 outputs, 1,327 envelopes) through src/bitcoin: parsing alone, the
 * checks that need only the block, envelopes, inscriptions, and the hashes its objects need.
 *
 * The baseline for parsing is the same work in `bitcoinjs-lib`, if `MOVELET_PEERS` names a `node_modules` folder that
 * contains it; otherwise, double SHA-256 over as many bytes as the txids take. Files come from `MOVELET_SHARED` or the
 * folder `shared` beside the checkout; without them there is nothing to measure.
 */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { sha256d } from '../src/base/hash/sha256.ts';
import { nodeAddressOf } from '../src/bitcoin/address.ts';
import { assertBlock, type DecodedBlock, decodeBlock } from '../src/bitcoin/block.ts';
import { envelopesOf } from '../src/bitcoin/envelope.ts';
import { startBlock } from '../src/bitcoin/inscription-updater.ts';
import { utxoKey } from '../src/bitcoin/object-key.ts';
import { moveInscriptions } from '../src/bitcoin/ordinals.ts';
import { isNullOutPoint } from '../src/bitcoin/outpoint.ts';
import type { BenchLine } from './line.ts';
import { timer } from './measure.ts';

/** The part of `bitcoinjs-lib` used by this bench. */
interface BitcoinJs {
  readonly Block: {
    fromBuffer(bytes: Uint8Array): { readonly transactions?: readonly { getHash(): Uint8Array }[] };
  };
}

const HEIGHT = 818_677;

function peer(): BitcoinJs | undefined {
  const { MOVELET_PEERS } = process.env;
  const folder = MOVELET_PEERS === undefined ? undefined : resolve(MOVELET_PEERS, 'bitcoinjs-lib');
  return folder !== undefined && existsSync(folder)
    ? createRequire(resolve(folder, 'package.json'))(folder)
    : undefined;
}

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
  const { MOVELET_SHARED } = process.env;
  const path = `${MOVELET_SHARED ?? resolve('..', 'shared')}/data/blocks/${HEIGHT}.blob`;
  if (!existsSync(path)) return [];
  const raw = new Uint8Array(readFileSync(path));
  const time = timer(short);
  const milliseconds = async (call: () => unknown): Promise<number> => (await time(call)) / 1_000;
  const block = decodeBlock(raw);
  const bitcoinJs = peer();
  const parse = await milliseconds(() => decodeBlock(raw));
  const parseByPeer =
    bitcoinJs === undefined
      ? { name: 'double SHA-256 over the transactions', value: await milliseconds(() => hashAll(block)) }
      : {
          name: 'bitcoinjs-lib: parse, txids',
          value: await milliseconds(() => {
            for (const transaction of bitcoinJs.Block.fromBuffer(Buffer.from(raw)).transactions ?? [])
              transaction.getHash();
          }),
        };
  const baseline = { name: 'parsing', value: parse };
  return [
    { name: 'parse block 818677: txids, addresses', value: parse, unit: 'ms', baseline: parseByPeer },
    {
      name: 'check it: Merkle root, witness commitment',
      value: await milliseconds(() => assertBlock(block)),
      unit: 'ms',
      baseline,
    },
    {
      name: 'find its envelopes',
      value: await milliseconds(() => block.transactions.map(envelopesOf)),
      unit: 'ms',
      baseline,
    },
    {
      name: 'envelopes and where inscriptions go',
      value: await milliseconds(() => moveAll(block)),
      unit: 'ms',
      baseline,
    },
    {
      name: 'object keys of its 9,165 outputs',
      value: await milliseconds(() => objectKeys(block)),
      unit: 'ms',
      baseline,
    },
    { name: 'owners of its 9,165 outputs', value: await milliseconds(() => owners(block)), unit: 'ms', baseline },
  ];
}
