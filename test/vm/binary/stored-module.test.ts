/** Stored modules, mostly read on demand: once read to the end, they are what reading them at once gives. */
import { expect, it } from 'vitest';
import { EngineError } from '../../../src/base/error.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { readStoredModule } from '../../../src/vm/binary/stored-module.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { randomNumbers, runs, seed } from '../../effort.ts';
import { assembleModuleBytes } from '../assemble.ts';
import { mutateBytes } from '../mutate.ts';

const FRAMEWORK = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));

it.each([false, true])('of the framework, known to be sound: %s', (isSound) => {
  for (const bytes of FRAMEWORK) expect(Buffer.compare(writeModule(readStoredModule(bytes, isSound)), bytes)).toBe(0);
});

/** Tables that are decoded late, any of which may be asked for first. */
const LATE = [
  'structHandles',
  'functionHandles',
  'functionInstantiations',
  'signatures',
  'constants',
  'metadata',
].concat([
  'structDefinitions',
  'structInstantiations',
  'functionDefinitions',
  'fieldHandles',
  'fieldInstantiations',
  'friends',
]) as (keyof Module)[];

it.each(LATE)('known to be sound: %s alone, and the same each time', (table) => {
  for (const bytes of FRAMEWORK.filter(({ length }) => length < 2_000)) {
    const module = readStoredModule(bytes, true);
    const read = module[table];
    if (table !== 'functionDefinitions') expect(read).toEqual(readModule(bytes)[table]);
    expect(module[table]).toBe(read);
  }
});

/** The binary of what was read, to its last instruction, or the status code with which it is refused. */
function outcome(read: (bytes: Uint8Array) => Module, bytes: Uint8Array): string {
  try {
    const module = read(bytes);
    // Before the writer, which refuses some versions: all that was read late is read now.
    for (const { code } of module.functionDefinitions) code?.instructions.at(0);
    return Buffer.from(writeModule(module)).toString('hex');
  } catch (thrown) {
    if (!(thrown instanceof EngineError) || thrown.code === 'invariant-violation') throw thrown;
    return thrown.code;
  }
}

it('that were changed anywhere', () => {
  let refused = 0;
  const count = runs(800, 200_000);
  for (let number = seed; number < seed + count; number++) {
    const random = randomNumbers(number);
    const small = FRAMEWORK.filter(({ length }) => length < 1_000);
    const bytes = mutateBytes(small[random(small.length)]!, random);
    const expected = outcome(readModule, bytes);
    if (expected === 'malformed-module') refused++;
    expect(outcome(readStoredModule, bytes), `mutant ${number}`).toBe(expected);
  }
  expect(refused).toBeGreaterThan(0.2 * count);
  expect(refused).toBeLessThan(count);
});

it('with an index that points nowhere: refused when a table is asked for, unless it is known to be sound', () => {
  const good = assembleModuleBytes('module 0x1::m\nfun only() {\n  Ret\n}');
  const { functionHandles } = readModule(good);
  const handle = Buffer.from(good).indexOf(Buffer.of(0, functionHandles[0]!.name, functionHandles[0]!.parameters));
  const bad = good.with(handle + 1, 99);
  expect(() => readStoredModule(bad).functionDefinitions).toThrow(EngineError);
  expect(readStoredModule(bad, true).functionDefinitions).toHaveLength(1);
});

it('with a body that points nowhere: its tables can be used, the body cannot', () => {
  const good = assembleModuleBytes(
    'module 0x1::m\nfun good() {\n  Ret\n}\nfun bad(u8) {\n  CopyLoc 0\n  Pop\n  Ret\n}',
  );
  const copyLoc = 0x0a;
  const bad = good.with(good.lastIndexOf(copyLoc) + 1, 1);
  const module = readStoredModule(bad);
  const [first, second] = module.functionDefinitions;
  expect(first?.code?.instructions).toHaveLength(1);
  for (let round = 0; round < 2; round++) {
    expect(() => second?.code?.instructions).toThrow(EngineError);
  }
  expect(() => readModule(bad)).toThrow(EngineError);
});
