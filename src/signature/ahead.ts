/**
 * Signatures checked while their transactions wait for their turn, by threads of their own.
 *
 * Nothing depends on a check being made here. What holds is found by the validator that asks for it in its turn
 * (`hash/signature-threads.ts`); what does not, or was not looked at in time, is checked in its turn as if there were no
 * `SignaturesAhead`. A transaction keeps its place among those that wait.
 * @module
 */
import { ByteReader } from '../bytes/reader.ts';
import { EngineError } from '../error.ts';
import { sha3 } from '../hash/sha3.ts';
import { SignatureThreads } from '../hash/signature-threads.ts';
import { type Authenticator, authenticator } from '../transaction/authenticator.ts';
import { transactionData } from '../transaction/signed.ts';
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
    const parts = readParts(signed);
    if (parts === undefined) return;
    for (const check of signatureChecks(parts.hash, parts.proof)) this.#threads.check(check);
  }

  /** Ends the threads; what waits is checked in its turn. */
  close(): Promise<void> {
    return this.#threads.close();
  }
}

function readParts(signed: Uint8Array): { readonly hash: Uint8Array; readonly proof: Authenticator } | undefined {
  const reader = new ByteReader(signed);
  try {
    transactionData.read(reader);
    const hash = sha3(signed.subarray(0, signed.length - reader.remaining));
    return { hash, proof: authenticator.read(reader) };
  } catch (error) {
    if (error instanceof EngineError && error.code === 'malformed-bytes') return undefined;
    throw error;
  }
}
