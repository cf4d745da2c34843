/**
 * The only writer of a database. It writes batches in the order they were submitted, several of them in one write.
 *
 * A database runs concurrent batches on a thread pool, in any order, so only one is in flight at a time. Batches that
 * arrive in the same tick, or while one is in flight, are merged into the next: one write and one sync for all of them.
 * Each stays atomic, since the merged batch is.
 *
 * The first failure is final: everything waiting is rejected with it, and so is everything later. A disk that refused a
 * write may have kept part of it, and what came after would be lost on the next opening.
 *
 * @module
 */

import { EngineError } from '../base/error.ts';
import type { Replaced } from './replaced-rows.ts';
import type { Operation } from './store.ts';

/** Operations of waiting batches that are merged into one write: more would only delay the first of them. */
const JOINED_OPERATIONS_MAX = 20_000;

/** A batch with its options settled. */
export interface PendingBatch {
  readonly operations: readonly Operation[];
  readonly sync: boolean;
  readonly order: bigint | undefined;
  /** What the operations replace, if already read. */
  readonly replaced?: readonly Replaced[] | undefined;
}

interface Waiting extends PendingBatch {
  /** Runs instead of writing a batch. */
  readonly run?: () => Promise<void>;
  readonly resolve: () => void;
  readonly reject: (reason: EngineError) => void;
}

export class BatchQueue {
  readonly #write: (batch: PendingBatch) => Promise<void>;
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;
  #failure: EngineError | undefined;

  /** @param write applies one batch; rejects with an `EngineError`. */
  constructor(write: (batch: PendingBatch) => Promise<void>) {
    this.#write = write;
  }

  /** Resolves once the batch is written. */
  push(batch: PendingBatch): Promise<void> {
    return this.#wait(batch);
  }

  /** Runs something between two batches; if it fails, so do they. */
  alone(run: () => Promise<void>): Promise<void> {
    return this.#wait({ operations: [], sync: false, order: undefined, run });
  }

  #wait(batch: Omit<Waiting, 'resolve' | 'reject'>): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#refusal(this.#failure));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ ...batch, resolve, reject });
      this.#running ??= this.#run();
    });
  }

  /**
   * Asserts that nothing has failed so far.
   * @throws {EngineError} with the code of the first failure.
   */
  assertWritable(): void {
    if (this.#failure !== undefined) throw this.#refusal(this.#failure);
  }

  /** The first failure. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  /** Resolves once nothing is waiting or in flight. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** From now on, rejects every batch that is not already in flight. */
  stop(failure: EngineError): void {
    this.#failure ??= failure;
    for (const batch of this.#waiting.splice(0)) batch.reject(this.#refusal(this.#failure));
  }

  async #run(): Promise<void> {
    await Promise.resolve();
    while (this.#waiting.length > 0) {
      const group = this.#takeGroup();
      try {
        await (group[0]?.run === undefined ? this.#write(join(group)) : group[0].run());
      } catch (error) {
        const failure = error as EngineError;
        for (const batch of group) batch.reject(failure);
        this.stop(failure);
        break;
      }
      for (const batch of group) batch.resolve();
    }
    this.#running = undefined;
  }

  #takeGroup(): Waiting[] {
    let count = 0;
    let operations = 0;
    for (const batch of this.#waiting) {
      operations += batch.operations.length;
      if (count > 0 && (operations > JOINED_OPERATIONS_MAX || batch.run !== undefined)) break;
      count++;
      if (batch.run !== undefined) break;
    }
    return this.#waiting.splice(0, count);
  }

  #refusal(failure: EngineError): EngineError {
    return new EngineError(
      failure.code,
      `the store takes no more writes since one failed; close it, remedy the cause, open it again. The first failure: ${failure.message}`,
      { details: failure.details, cause: failure },
    );
  }
}

function join(group: readonly Waiting[]): PendingBatch {
  const [first] = group;
  if (group.length === 1 && first !== undefined) return first;
  return {
    operations: group.flatMap((batch) => batch.operations),
    sync: group.some((batch) => batch.sync),
    order: group.findLast((batch) => batch.order !== undefined)?.order,
  };
}
