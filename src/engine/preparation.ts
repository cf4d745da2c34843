/**
 * The preparation of a chain that tests fork. Each of its steps has to succeed: what builds on a transaction that failed
 * fails for another reason, which says nothing.
 * @module
 */

import { keepStack } from '../base/caller.ts';
import { callerFrames, EngineError } from '../base/error.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { Engine } from './engine.ts';

/** What is submitted while a chain is prepared, whether or not the program waits for it or looks at the receipts. */
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
   * Waits for what was submitted, also without the program that submitted it.
   * @throws the refusal of a step that nobody waited for
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
    // What failed first is why the rest did; both came out of the program's code, where their stacks begin.
    throw keepStack(steps.failure ?? error);
  } finally {
    submissions.steps = undefined;
  }
  if (steps.failure !== undefined) throw keepStack(steps.failure);
}
