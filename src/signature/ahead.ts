/**
 * Signatures checked while their transactions wait for their turn.
 *
 * The checks run on the host's thread pool, so that the writer's thread goes on executing meanwhile. That pool is the one
 * which stores use for their files: `threads` bounds how much of it signatures take. Nothing depends on a check being made
 * here. What holds is remembered (`hash/host-signature.ts`), and the validator that asks for it in its turn is answered at
 * once; what does not, or was not looked at in time, is checked in its turn as if there were no `SignaturesAhead`.
 * @module
 */
import { SIGNATURES_WAITING_MAX } from '../config.ts';
import { hostVerifyAhead, type SignatureCheck } from '../hash/host-signature.ts';
import type { Authenticator } from '../transaction/authenticator.ts';
import { signatureChecks } from './verify.ts';

interface Waiting {
  readonly hash: Uint8Array;
  readonly authenticator: Authenticator;
  readonly done: () => void;
}

/** A bounded queue in front of the host's threads. It holds no timer, and lets a process end. */
export class SignaturesAhead {
  readonly #threads: number;
  readonly #waitingMax: number;
  /** Transactions that were not looked at yet, from `#next` on. */
  #waiting: Waiting[] = [];
  #next = 0;
  #running = 0;

  /**
   * @param threads checks that run at a time
   * @param waitingMax transactions that wait at a time
   */
  constructor(threads: number, waitingMax: number = SIGNATURES_WAITING_MAX) {
    this.#threads = threads;
    this.#waitingMax = waitingMax;
  }

  /** Transactions whose signatures wait. */
  get waiting(): number {
    return this.#waiting.length - this.#next;
  }

  /**
   * Looks at a transaction's signatures as soon as a thread is free.
   * @param hash of the transaction
   * @returns a promise that is fulfilled when they were looked at, or will not be: the queue is full or was closed.
   */
  check(hash: Uint8Array, authenticator: Authenticator): Promise<void> {
    if (this.waiting >= this.#waitingMax) return Promise.resolve();
    return new Promise((done) => {
      this.#waiting.push({ hash, authenticator, done });
      this.#fill();
    });
  }

  /** Lets go of what waits; checks that run come to their end unheard. */
  close(): void {
    const left = this.#waiting.slice(this.#next);
    this.#waiting = [];
    this.#next = 0;
    for (const { done } of left) done();
  }

  #fill(): void {
    while (this.#running < this.#threads && this.#next < this.#waiting.length) {
      const { hash, authenticator, done } = this.#waiting[this.#next++]!;
      this.#run(signatureChecks(hash, authenticator), 0, done);
    }
    if (this.#next < this.#waiting.length / 2) return;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
  }

  /** One transaction's checks are made one after the other, so that one of many keys takes one thread. */
  #run(checks: readonly SignatureCheck[], index: number, done: () => void): void {
    const check = checks[index];
    if (check === undefined) {
      done();
      return;
    }
    this.#running++;
    hostVerifyAhead(check, () => {
      this.#running--;
      this.#run(checks, index + 1, done);
      this.#fill();
    });
  }
}
