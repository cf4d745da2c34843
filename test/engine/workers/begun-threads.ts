import { Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';

/** The worker threads that are begun from now on, until the test is over. */
export function begunThreads(): readonly Worker[] {
  const threads = process.getBuiltinModule('node:worker_threads');
  const begun: Worker[] = [];
  threads.Worker = class extends Worker {
    constructor(...given: ConstructorParameters<typeof Worker>) {
      super(...given);
      begun.push(this);
    }
  };
  onTestFinished(() => {
    threads.Worker = Worker;
  });
  return begun;
}
