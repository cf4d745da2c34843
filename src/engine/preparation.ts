/**
 * The preparation of a chain that tests fork. Each of its steps must succeed: whatever builds on a failed transaction
 * would fail for another, meaningless reason.
 * @module
 */

import { keepStack } from '../base/caller.ts';
import { callerFrames, EngineError } from '../base/error.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Engine } from './engine.ts';

/** Watches the submissions of a preparation, whether or not the program awaits them or reads their receipts. */
export class Steps {
  readonly #open = new Set<Promise<unknown>>();
  #failure: EngineError | undefined;

  /** The first step that was not executed. */
  get failure(): EngineError | undefined {
    return this.#failure;
  }

  watch(receipt: Promise<Receipt>): void {
    const frames = callerFrames();
    const isOver = receipt.then(
      (given) => {
        if (given.error !== undefined) this.#failure ??= failureOf(given.error, frames);
      },
      (error: unknown) => error,
    );
    this.#open.add(isOver);
    void isOver.then(() => this.#open.delete(isOver));
  }

  /**
   * Waits for all submissions, including those that the program did not await.
   * @throws the refusal of a step that the program did not await
   */
  async done(): Promise<void> {
    const refused = (await Promise.all(this.#open)).find((error) => error !== undefined);
    if (refused !== undefined) throw refused;
  }
}

/** Its stack begins with the line that submitted the transaction. */
function failureOf({ message, details }: EngineError, frames: (() => readonly string[]) | undefined): EngineError {
  const error = new EngineError('transaction-failed', `a step of the preparation failed: ${message}`, { details });
  if (frames !== undefined) error.stack = [`${error.name}: ${error.message}`, ...frames()].join('\n');
  return error;
}

/**
 * Runs `prepare`, and waits for everything that it submitted.
 * @throws {EngineError} `transaction-failed` for the first step that was not executed; otherwise what `prepare` throws
 */
export async function prepareChain(chain: Engine, prepare: (chain: Engine) => unknown): Promise<void> {
  const { submissions } = chain.inside.core;
  const steps = new Steps();
  submissions.steps = steps;
  try {
    await prepare(chain);
    await steps.done();
  } catch (error) {
    // The first failure caused the rest. Both stacks begin in the program's code.
    throw keepStack(steps.failure ?? error);
  } finally {
    submissions.steps = undefined;
  }
  if (steps.failure !== undefined) throw keepStack(steps.failure);
}
