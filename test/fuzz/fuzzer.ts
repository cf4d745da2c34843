/**
 * The fuzzer: inputs of an area are changed and tried, and those that took longest are changed further, so that it looks
 * for the slowest as well as for the wrong. The same seed makes the same inputs as long as each takes its usual time.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RandomNumber } from '../random.ts';
import type { Area } from './area.ts';
import { mutateText } from './mutate-text.ts';

const CORPUS = fileURLToPath(new URL('corpus/', import.meta.url));

/** Inputs that took longest, which are changed further. */
const WORST_KEPT = 8;

export interface Found {
  readonly input: Uint8Array;
  readonly error: unknown;
}

export interface FuzzResult {
  readonly cases: number;
  readonly slowestMs: number;
  readonly slowest: Uint8Array;
  /** The largest resident set seen, in bytes. */
  readonly memory: number;
  readonly found: Found | undefined;
}

/** Every input that ever broke an area, by the name of its file. */
export function corpusOf(name: string): ReadonlyMap<string, Uint8Array> {
  const folder = `${CORPUS}${name}/`;
  const files = readdirSync(CORPUS).includes(name) ? readdirSync(folder).sort() : [];
  return new Map(files.map((file) => [file, new Uint8Array(readFileSync(`${folder}${file}`))]));
}

/** Processor time of the process in milliseconds: others may take the machine meanwhile. */
function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** Tries inputs until one breaks the area, or `isOver` says so for the number that were tried. */
export async function fuzz(
  area: Area,
  corpus: Iterable<Uint8Array>,
  random: RandomNumber,
  isOver: (cases: number) => boolean,
  onInput: (input: Uint8Array) => void = () => {},
): Promise<FuzzResult> {
  const { now = processorMs, mutate = mutateText } = area;
  const known = [...corpus, ...area.seeds];
  const worst: { readonly input: Uint8Array; readonly ms: number }[] = [];
  let memory = 0;
  let cases = 0;
  let found: Found | undefined;
  for (; found === undefined && (cases < known.length || !isOver(cases)); cases++) {
    const from =
      worst.length > 0 && random(4) === 0 ? worst[random(worst.length)]!.input : known[random(known.length)]!;
    const input = cases < known.length ? known[cases]! : mutate(from, random);
    onInput(input);
    try {
      const begun = now();
      await area.run(input);
      const ms = now() - begun;
      // The first ones also pay for what is made only once.
      const limit = cases < known.length ? Number.POSITIVE_INFINITY : area.msMax;
      if (ms > limit) throw new Error(`took ${Math.round(ms)} ms of at most ${area.msMax}`);
      worst.push({ input, ms });
      worst.sort((left, right) => right.ms - left.ms).splice(WORST_KEPT);
    } catch (error) {
      found = { input, error };
    }
    memory = Math.max(memory, process.memoryUsage.rss());
  }
  const [slowest] = worst;
  return { cases, slowestMs: slowest?.ms ?? 0, slowest: slowest?.input ?? new Uint8Array(0), memory, found };
}
