/** What a bench reports: one measured value, with a baseline measured in the same run. */

/** A measurement that gives a value its scale, taken on the same machine in the same run and in the same unit. */
export interface Baseline {
  readonly name: string;
  readonly value: number;
}

export interface BenchLine {
  /** What was measured, as a phrase. */
  readonly name: string;
  readonly value: number;
  /** Of the value and its baseline: `ns`, `us`, `ms`, `/s`, `MB`, ... */
  readonly unit: string;
  readonly baseline?: Baseline | undefined;
  /** The target from the architecture, verbatim: `60 ms, stretch 30`. */
  readonly target?: string | undefined;
}

export function line(name: string, value: number, unit: string, baseline?: Baseline, target?: string): BenchLine {
  return { name, value, unit, baseline, target };
}

/** What every bench file exports as `run`; `short` requests few rounds on little data. */
export type Bench = (short: boolean) => Promise<readonly BenchLine[]>;
