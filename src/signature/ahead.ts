/**
 * Signatures checked while their transactions wait for their turn, by threads of their own.
 *
 * Nothing depends on a check being made here. What holds is found by the validator that asks for it in its turn
 * (`hash/signature-threads.ts`); what does not, or was not looked at in time, is checked in its turn as if there were no
 * `SignaturesAhead`. A transaction keeps its place among those that wait.
 * @module
 */
import { SignatureThreads } from '../hash/signature-threads.ts';
import { readSigned } from '../transaction/signed.ts';
import { signatureChecks } from './verify.ts';

export class SignaturesAhead {
  readonly #threads: SignatureThreads;

  constructor(threads: number) {
    this.#threads = new SignatureThreads(threads);
  }

  /**
   * Has the signatures of a transaction looked at, given as BCS of the signed whole. What cannot be read is left to its
   * turn, which says why.
   */
  check(signed: Uint8Array): void {
    const parts = readSigned(signed);
    if (parts === undefined) return;
    for (const check of signatureChecks(parts.hash, parts.authenticator)) this.#threads.check(check);
  }

  /** Ends the threads; what waits is checked in its turn. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}
