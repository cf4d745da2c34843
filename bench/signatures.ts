/**
 * Signatures of transactions: made, checked in turn, and found already checked ahead by a thread. The baseline is the
 * same check by @noble/curves. Times are processor time, except the sender's cost of sending to the threads, which is
 * elapsed time: processor time would include the threads.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { encode } from '../src/base/bcs/codec.ts';
import { SignaturesAhead } from '../src/chain/signature/ahead.ts';
import { bitcoinSigner, type Signer, sessionSigner } from '../src/chain/signature/signer.ts';
import { signatureChecks, verifyAuthenticator } from '../src/chain/signature/verify.ts';
import { type SignedTransaction, signedTransaction, transactionHash } from '../src/chain/transaction/signed.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { parseAddress } from '../src/move/address.ts';
import type { BenchLine } from './line.ts';

const ROUNDS = 4;

/** Processor microseconds of `call`. */
function processor(call: () => void): number {
  const before = process.cpuUsage();
  call();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

let made = 0n;

function signMany(signer: Signer, count: number): SignedTransaction[] {
  return Array.from({ length: count }, () =>
    signer.sign({
      sender: signer.address,
      sequenceNumber: made++,
      chainId: 4n,
      maxGasAmount: 1n,
      action: { kind: 'modules', modules: [] },
    }),
  );
}

function verifyAll(transactions: readonly SignedTransaction[]): void {
  for (const { data, authenticator } of transactions) {
    if (verifyAuthenticator(transactionHash(data), authenticator) === undefined)
      throw new Error('a signature is wrong');
  }
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const count = short ? 50 : 500;
  const account = parseAddress(DEV_ACCOUNTS[0]!.address);
  const lines: BenchLine[] = [];
  const kinds = [
    ["secp256k1, a Bitcoin wallet's", bitcoinSigner(DEV_ACCOUNTS[0]!.privateKey), secp256k1],
    ["Ed25519, a session key's", sessionSigner(account, '11'.repeat(32)), ed25519],
  ] as const;
  for (const [name, signer, noble] of kinds) {
    const least = { noble: Infinity, inTurn: Infinity, sent: Infinity, found: Infinity };
    for (let round = 0; round < ROUNDS; round++) {
      const transactions = signMany(signer, count);
      const checks = transactions.flatMap(({ data, authenticator }) =>
        signatureChecks(transactionHash(data), authenticator),
      );
      const ownTime = processor(() => {
        for (const { signature, message, publicKey } of checks) noble.verify(signature, message, publicKey);
      });
      least.noble = Math.min(least.noble, ownTime);
      least.inTurn = Math.min(
        least.inTurn,
        processor(() => verifyAll(transactions)),
      );
      const ahead = new SignaturesAhead(2);
      const bytes = transactions.map((transaction) => encode(signedTransaction, transaction));
      const start = performance.now();
      for (const signed of bytes) ahead.check(signed);
      await Promise.resolve();
      least.sent = Math.min(least.sent, (performance.now() - start) * 1000);
      // Ample time for the threads to start and check.
      await new Promise((resolve) => setTimeout(resolve, 200 + count));
      least.found = Math.min(
        least.found,
        processor(() => verifyAll(transactions)),
      );
      await ahead.close();
    }
    const baseline = { name: 'the check by @noble/curves', value: least.noble / count };
    const each = (what: string, time: number): BenchLine => ({
      name: `${name} signature, ${what}`,
      value: time / count,
      unit: 'us',
      baseline,
    });
    lines.push(
      each('checked in its turn', least.inTurn),
      each('sent to a thread', least.sent),
      each('found checked', least.found),
    );
  }
  return lines;
}
