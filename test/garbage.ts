/** What a process holds on to: for tests and benches that ask what is left when the garbage has been collected. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Collects all garbage of this thread, at once. The flag that allows it is set here: a process need not be started with it. */
export function collectGarbage(): void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  // What had a finalizer in the first round is freed in the second.
  collect();
  collect();
}

/** Bytes held after a collection: V8's heap and what its arrays have outside it. */
export function heldBytes(): number {
  collectGarbage();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
