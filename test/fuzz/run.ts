/**
 * `npm run fuzz [-- AREA... --minutes N --seed S]`: fuzzes the areas named, or all, for so many minutes in all. What
 * breaks one is kept under `test/fuzz/corpus`, and is tried first from then on, here and in every run of the tests. It fails,
 * too, if the process holds more memory in the end than when every area had run once (memory.ts).
 */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../random.ts';
import { AREAS } from './areas.ts';
import { corpusOf, fuzz } from './fuzzer.ts';
import { heldMemory, isBack, memoryText } from './memory.ts';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
});
const names = positionals.length === 0 ? Object.keys(AREAS) : positionals;
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const unknown = names.filter((name) => !Object.hasOwn(AREAS, name));
if (unknown.length > 0 || !(minutes > 0) || !Number.isInteger(seed)) {
  console.error(`usage: npm run fuzz -- [AREA...] [--minutes N] [--seed S]\nareas: ${Object.keys(AREAS).join(' ')}`);
  process.exit(2);
}
console.log(`seed ${seed}; npm run fuzz -- ${names.join(' ')} --minutes ${minutes} --seed ${seed} repeats it`);

// Caches, and code that is loaded when it is first needed, count towards the start.
for (const name of names) {
  const area = await AREAS[name]!();
  await fuzz(area, [], randomNumbers(seed), () => true);
  await area.close();
}
const start = await heldMemory();
console.log(`at the start: ${memoryText(start)}`);

const corpus = fileURLToPath(new URL('corpus/', import.meta.url));
let broken = 0;
for (const name of names) {
  const area = await AREAS[name]!();
  const end = performance.now() + (minutes * 60_000) / names.length;
  const folder = join(corpus, name);
  mkdirSync(folder, { recursive: true });
  // Stays if the input ends the process itself.
  const trial = join(folder, `running-${process.pid}`);
  const result = await fuzz(
    area,
    corpusOf(name).values(),
    randomNumbers(seed),
    () => performance.now() > end,
    (input) => writeFileSync(trial, input),
  );
  rmSync(trial);
  await area.close();
  const { cases, slowestMs, memory, found } = result;
  const held = await heldMemory();
  console.log(
    `${name}: ${cases} cases, the slowest ${slowestMs.toFixed(0)} ms, at most ${(memory / 1e6).toFixed(0)} MB resident; ` +
      `then ${memoryText(held)}`,
  );
  if (found === undefined) continue;
  broken++;
  const file = join(folder, createHash('sha256').update(found.input).digest('hex').slice(0, 16));
  writeFileSync(file, found.input);
  console.error(`${name}: broken by ${file}`, found.error);
}
const end = await heldMemory();
const grown = !isBack(start, end);
if (grown) console.error(`the process holds more than at the start: ${memoryText(end)}`);
process.exit(broken === 0 && !grown ? 0 : 1);
