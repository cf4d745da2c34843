import { execFileSync } from 'node:child_process';
import { measure } from 'mitata';

/** Measures calls of functions in this process; a short run is content with less time for each. */
export type Timer = (call: () => unknown) => Promise<number>;

/** Microseconds of a call, the median, as mitata measures it. */
export function timer(short: boolean): Timer {
  const options = short ? { min_cpu_time: 5e7 } : {};
  return async (call) => (await measure(call, options)).p50 / 1_000;
}

/** A call that gets the next number each time. */
export function counted(call: (index: number) => unknown): () => unknown {
  let index = 0;
  return () => call(index++);
}

/** Processor time of the whole process, including its threads, in microseconds. */
export async function processorTime(call: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await call();
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

/** Milliseconds until `call` is done. */
export async function elapsed(call: () => unknown): Promise<number> {
  const start = performance.now();
  await call();
  return performance.now() - start;
}

export function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1]!;
}

/** The minimum `measure` returns over `rounds` rounds. */
export async function least(rounds: number, measure: (round: number) => number | Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds; round++) best = Math.min(best, await measure(round));
  return best;
}

/** The package as a user's program imports it; compiled, this file is build/bench/measure.js. */
export const PACKAGE: string = JSON.stringify(new URL('../../dist/index.js', import.meta.url).href);

/** Runs a module in a new process and returns the number it prints. */
export function inFreshProcess(code: string, flags: readonly string[] = []): number {
  const printed = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', code], { encoding: 'utf8' });
  const value = Number(printed);
  if (printed === '' || Number.isNaN(value)) throw new Error(`expected a number, got ${JSON.stringify(printed)}`);
  return value;
}
