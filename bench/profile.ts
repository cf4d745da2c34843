/** Where a call's time goes, by stage: samples of V8's own profiler, each counted for its innermost stage. */
import { Session } from 'node:inspector/promises';
import { type BenchLine, line } from './line.ts';

/** Stages by name, with the functions that begin them: a name, or `*` for a whole file, and the end of the file's path. */
export type Stages = Readonly<Record<string, readonly `${string} ${string}.js`[]>>;

const SAMPLING_US = 500;
const COLLECTOR = '(garbage collector)';
const IDLE = '(idle)';
/** The host's own code, outside any function of the program. */
const PROGRAM = '(program)';
/** Starting and stopping the profiler, which takes longer than a short bench. */
const PROFILER = 'node:inspector';

/** One line per stage, as shares of the processor's busy time, largest first. */
export async function shares(stages: Stages, call: () => Promise<unknown>): Promise<BenchLine[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  await session.post('Profiler.start');
  await call();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children }) => (children ?? []).map((child) => [child, id])));
  const begins = Object.entries(stages).flatMap(([stage, functions]) =>
    functions.map((text) => [stage, ...text.split(' ')] as [stage: string, name: string, file: string]),
  );
  const stageOf = (id: number): string => {
    for (let at: number | undefined = id; at !== undefined; at = parents.get(at)) {
      const { functionName, url } = nodes.get(at)!.callFrame;
      if (functionName === COLLECTOR) return 'garbage collection';
      if (functionName === IDLE || functionName === PROGRAM || url.startsWith(PROFILER)) return IDLE;
      const begun = begins.find(([, name, file]) => (name === functionName || name === '*') && url.endsWith(file));
      if (begun !== undefined) return begun[0];
    }
    return 'everything else';
  };
  const times = new Map<string, number>();
  const { samples = [], timeDeltas = [] } = profile;
  for (const [index, id] of samples.entries()) {
    const stage = stageOf(id);
    times.set(stage, (times.get(stage) ?? 0) + timeDeltas[index]!);
  }
  times.delete(IDLE);
  const total = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort(([, left], [, right]) => right - left)
    .map(([name, time]) => line(`  of that: ${name}`, (100 * time) / total, '%'));
}
