import { expect, it } from 'vitest';
import { TypeDepth } from '../../../src/vm/verify/data-struct-depth.ts';
import { assembleModule } from '../assemble.ts';

/** Deeper than the JavaScript stack allows a function to call itself. */
const LEVELS = 12_000;

function fits(levels: number): boolean {
  const structs = ['struct S0 has copy, drop { x: u64 }'];
  for (let level = 1; level <= levels; level++) structs.push(`struct S${level} has copy, drop { a: S${level - 1} }`);
  const module = assembleModule(`module 0x1::m ${structs.join('\n')}`);
  const outermost = module.structDefinitions.at(-1)!.fields![0]!.type;
  return new TypeDepth(() => undefined, new Map()).fits(module, outermost);
}

it('measures structs in structs, however many', () => {
  expect(fits(15)).toBe(true);
  expect(fits(16)).toBe(false);
  expect(fits(LEVELS)).toBe(false);
});
