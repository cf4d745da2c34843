import type { Engine } from '../../src/engine.ts';

/** What chains are compared by across processes. */
export function headText({ head }: Engine): string {
  return `${head.order} ${head.timestamp} ${head.stateRoot} ${head.accumulator.root}`;
}
