/**
 * The gas that the transactions of tests used, by the function that they called: as a text to be kept beside the sources,
 * with a line for each function, and the differences from an earlier report.
 * @module
 */
import { shortText } from '../execution/trace/short-text.ts';

/** The gas of a function's executed calls. */
export interface CalledGas {
  readonly calls: number;
  readonly min: number;
  /** The lower of the two in the middle if their number is even. */
  readonly median: number;
  readonly max: number;
}

/** By the name of the function. */
export type GasReport = ReadonlyMap<string, CalledGas>;

/** The gas of the framework's functions says something about their arguments, not about the tested code. */
const FRAMEWORK = /^0x0*[1-4]::/;
const LINE = /^(\S+) +calls (\d+), min (\d+), median (\d+), max (\d+)$/gm;

/**
 * @param found the gas of each call, by `address::module::function`
 */
export function gasReport(found: Iterable<readonly [name: string, gas: readonly number[]]>): GasReport {
  const byFunction = new Map<string, number[]>();
  for (const [name, gas] of found) {
    if (!FRAMEWORK.test(name)) byFunction.set(name, [...(byFunction.get(name) ?? []), ...gas]);
  }
  const names = [...byFunction.keys()].map(shortText);
  const rows = [...byFunction].map(([id, gas]) => {
    const sorted = gas.toSorted((left, right) => left - right);
    const name = shortText(id);
    const isOnly = names.indexOf(name) === names.lastIndexOf(name);
    const [min, median, max] = [0, (sorted.length - 1) >> 1, sorted.length - 1].map((at) => sorted[at]!);
    return [isOnly ? name : id, { calls: sorted.length, min, median, max } as CalledGas] as const;
  });
  return new Map(rows);
}

/** A line for each function, in the order of their names. */
export function gasText(report: GasReport): string {
  const width = Math.max(0, ...Array.from(report.keys(), ({ length }) => length));
  const rows = [...report].sort(([left], [right]) => (left < right ? -1 : 1));
  const lines = rows.map(([name, { calls, min, median, max }]) => {
    return `${name.padEnd(width)}  calls ${calls}, min ${min}, median ${median}, max ${max}\n`;
  });
  return lines.join('');
}

/** Reads what `gasText` wrote; other lines are skipped. */
export function readGasText(text: string): GasReport {
  return new Map(
    Array.from(text.matchAll(LINE), ([, name, ...numbers]) => {
      const [calls, min, median, max] = numbers.map(Number);
      return [name, { calls, min, median, max }] as [string, CalledGas];
    }),
  );
}

/**
 * The functions whose least, median or largest gas has changed by more than the tolerance, each as a line of text.
 * @param tolerance as a fraction of the earlier gas: 0.05 for five percent
 */
export function gasDifferences(report: GasReport, before: GasReport, tolerance: number): string[] {
  return Array.from(report).flatMap(([name, now]) => {
    const then = before.get(name);
    if (then === undefined) return [];
    const changed = (['min', 'median', 'max'] as const).filter((key) => {
      return Math.abs(now[key] - then[key]) > tolerance * then[key];
    });
    const told = changed.map((key) => `${key} ${then[key]} -> ${now[key]} (${percent(now[key], then[key])})`);
    return told.length === 0 ? [] : [`${name}: ${told.join(', ')}`];
  });
}

function percent(now: number, then: number): string {
  const difference = (100 * (now - then)) / then;
  return `${difference > 0 ? '+' : ''}${difference.toFixed(2)} %`;
}
