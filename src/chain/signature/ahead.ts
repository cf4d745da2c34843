/**
 * Checks signatures on separate threads while their transactions wait for their turn.
 *
 * No outcome depends on these checks. When a transaction's turn comes, its validator looks up signatures already found
 * valid (`hash/signature-threads.ts`); any other is checked then, as if there were no `SignaturesAhead`. A transaction
 * keeps its place in the queue.
 * @module
 */
import { CHECKED_AHEAD_BYTES_MAX, SIGNATURES_AHEAD_MAX } from '../../base/config.ts';
import { SignatureThreads } from '../../base/hash/signature-threads.ts';
import { readSigned } from '../transaction/signed.ts';
import { signatureChecks } from './verify.ts';

export class SignaturesAhead {
  readonly #threads: SignatureThreads;

  constructor(threads: number) {
    this.#threads = new SignatureThreads(threads);
  }

  /**
   * Checks the signatures of a transaction, given as BCS of the signed whole. One that cannot be decoded is left to its
   * turn, which reports the reason, and so is one that is long or has more than `SIGNATURES_AHEAD_MAX` signatures.
   */
  check(signed: Uint8Array): void {
    if (signed.length > CHECKED_AHEAD_BYTES_MAX) return;
    const parts = readSigned(signed);
    if (parts === undefined) return;
    const checks = signatureChecks(parts.hash, parts.authenticator);
    if (checks.length > SIGNATURES_AHEAD_MAX) return;
    for (const check of checks) this.#threads.check(check);
  }

  /** Ends the threads; waiting transactions are checked in their turn. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
