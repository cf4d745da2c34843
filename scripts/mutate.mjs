// Plants slips in a folder or file of src, one at a time, and says which of them no test notices.
//
//   npm run mutate -- vm/verify                     the tests of test/vm/verify
//   npm run mutate -- tree/proof.ts test/store/tree       other tests
//   npm run mutate -- --lines 40-80 tree/proof.ts   some lines of a file
//   npm run mutate -- --part 1/8 pipeline           every eighth stretch of lines: a sample of a large folder
//
// The tests run as on a machine that has neither ../shared nor the reference. The report is in build/mutate.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { lines: { type: 'string' }, part: { type: 'string' } },
});
const [place, ...tests] = positionals;
if (place === undefined || !existsSync(`src/${place}`)) {
  console.error(`mutate: expected a folder or file below src, got ${place ?? 'nothing'}; try: npm run mutate -- tree`);
  process.exit(2);
}
const STRETCH = 16;

/** Every `step`th stretch of a file's lines, counted from one of the first, which differs from file to file. */
function stretches(file, part) {
  const [, first, step] = /^(\d+)\/(\d+)$/.exec(part)?.map(Number) ?? [];
  if (step === undefined) throw new Error(`mutate: expected --part K/N, such as 1/8, got ${part}`);
  const count = Math.ceil(readFileSync(file, 'utf8').split('\n').length / STRETCH);
  const offset = (first + file.length) % step;
  return Array.from({ length: count }, (_, index) => index)
    .filter((index) => index % step === offset)
    .map((index) => `${file}:${index * STRETCH + 1}-${(index + 1) * STRETCH}`);
}

const isFolder = statSync(`src/${place}`).isDirectory();
const files = isFolder
  ? readdirSync(`src/${place}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => `src/${place}/${name}`)
  : [`src/${place}`];
const mutate = files.flatMap((file) => {
  if (values.part !== undefined) return stretches(file, values.part);
  return values.lines === undefined ? [file] : [`${file}:${values.lines}`];
});
const folder = isFolder ? place : place.slice(0, place.lastIndexOf('/'));
delete process.env.MOVELET_REFERENCE;
process.env.MUTATED_TESTS = (tests.length > 0 ? tests : [`test/${folder}`]).join(' ');
process.env.CI ??= 'true';

await new Stryker({
  mutate,
  testRunner: 'vitest',
  vitest: { configFile: 'scripts/mutate.vitest.ts', related: false },
  plugins: ['@stryker-mutator/vitest-runner'],
  coverageAnalysis: 'perTest',
  concurrency: Number(process.env.MUTATE_PROCESSES ?? 1),
  // Texts are for people; that a message names what it should is tested where it matters.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignoreStatic: true,
  timeoutMS: 20_000,
  ignorePatterns: ['build', 'bench', 'docs', 'coverage'],
  // Its rewriting of tsconfig.json needs TypeScript's old programming interface; nothing here refers outside the copy.
  tsconfigFile: 'none',
  tempDirName: 'build/mutate/tmp',
  reporters: ['clear-text', 'json', 'html'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  htmlReporter: { fileName: 'build/mutate/report.html' },
  jsonReporter: { fileName: 'build/mutate/report.json' },
  allowEmpty: false,
}).runMutationTest();
