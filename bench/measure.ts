/** Measuring: calls of functions, processor time, fresh processes, the bytes of a directory. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { measure } from 'mitata';

/** Measures calls of functions in this process; a short run spends less time on each. */
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

/** Runs a module in a new process and returns the JSON that it prints. */
export function inFreshProcess<T = number>(code: string, flags: readonly string[] = []): T {
  const args = [...flags, '--input-type=module', '-e', code];
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as T;
}

/** What `work` returns in a new directory, which is then removed. */
export async function inDirectory<T>(work: (path: string) => T | Promise<T>): Promise<T> {
  const path = mkdtempSync(join(tmpdir(), 'movelet-bench-'));
  try {
    return await work(path);
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}

export function diskMegabytes(path: string): number {
  return readdirSync(path).reduce((sum, file) => sum + statSync(join(path, file)).size, 0) / 1e6;
}

/**
 * The bytes of the main network's block at a height, from the folder `shared` beside the checkout or named by
 * `MOVELET_SHARED`; undefined without it.
 */
export function sharedBlock(height: number): Uint8Array | undefined {
  const path = `${process.env['MOVELET_SHARED'] ?? resolve('..', 'shared')}/data/blocks/${height}.blob`;
  return existsSync(path) ? new Uint8Array(readFileSync(path)) : undefined;
}
