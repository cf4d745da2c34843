/**
 * The only writer of a database: it writes batches in the order they were submitted, one at a time. A database runs
 * concurrent batches on a thread pool, in any order.
 *
 * The first failure is final: everything waiting is rejected with it, and so is everything later. A disk that refused a
 * write may have kept part of it, and what came after would be lost on the next opening.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import type { Replaced } from './replaced-rows.ts';
import type { Operation } from './store.ts';

/** A batch with its options settled. */
export interface PendingBatch {
  readonly operations: readonly Operation[];
  readonly sync: boolean;
  readonly order: bigint | undefined;
  /** What the operations replace, if already read. */
  readonly replaced?: readonly Replaced[] | undefined;
}

export class BatchQueue {
  readonly #write: (batch: PendingBatch) => Promise<void>;
  #last: Promise<void> = Promise.resolve();
  #failure: EngineError | undefined;

  /** @param write applies one batch; rejects with an `EngineError`. */
  constructor(write: (batch: PendingBatch) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the batch is written. */
  push(batch: PendingBatch): Promise<void> {
    return this.alone(() => this.#write(batch));
  }

  /** Runs something between two batches; if it fails, what comes after it fails too. */
  alone(run: () => Promise<void>): Promise<void> {
    const done = this.#last.then(() => {
      this.assertWritable();
      return run();
    });
    this.#last = done.catch((error: unknown) => this.stop(error as EngineError));
    return done;
  }

  /**
   * Asserts that nothing has failed so far.
   * @throws {EngineError} with the code of the first failure.
   */
  assertWritable(): void {
    if (this.#failure === undefined) return;
    const { code, message, details } = this.#failure;
    throw new EngineError(
      code,
      `the store takes no more writes since one failed; close it, remedy the cause, open it again. The first failure: ${message}`,
      { details, cause: this.#failure },
    );
  }

  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Resolves once everything submitted so far is done. */
  async idle(): Promise<void> {
    await this.#last;
  }

  /** From now on, rejects every batch that is not already in flight. */
  stop(failure: EngineError): void {
    this.#failure ??= failure;
  }
}
