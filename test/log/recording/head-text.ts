import type { Engine } from '../../../src/index.ts';

/** What is used to compare chains across processes. */
export function headText({ head }: Engine): string {
  return `${head.order} ${head.timestamp} ${head.stateRoot} ${head.accumulator.root}`;
}
