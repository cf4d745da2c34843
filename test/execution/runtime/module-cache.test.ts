import { expect, it } from 'vitest';
import { bytes, encode, string } from '../../../src/base/bcs.ts';
import { EngineError } from '../../../src/base/error.ts';
import type { ObjectState } from '../../../src/chain/object/object-state.ts';
import { ModuleCache } from '../../../src/execution/runtime/module-cache.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';

const good = assembleModuleBytes('module 0x1::m\nfun f(u8) {\n  CopyLoc 0\n  Pop\n  Ret\n}');
const COPY_LOC = 0x0a;
/** Copies a local that does not exist. */
const bad = good.with(good.lastIndexOf(COPY_LOC) + 1, 1);

function field(code: Uint8Array): ObjectState {
  const value = Uint8Array.from([...encode(string, 'm'), ...encode(bytes, code)]);
  return { meta: {} as ObjectState['meta'], value };
}

it('gives one object for the same bytes, stored after they were published', () => {
  const cache = new ModuleCache();
  const published = cache.read(good);
  expect(cache.read(good)).toBe(published);
  expect(cache.stored(field(good))).toBe(published);
});

it('gives one object for the same bytes in states, but a whole one to whoever publishes them', () => {
  const cache = new ModuleCache();
  const stored = cache.stored(field(good));
  expect(cache.stored(field(good))).toBe(stored);
  // Natives copy what they read, table by table.
  const published = { ...cache.read(good) };
  expect(published.functionDefinitions[0]?.code?.instructions).toHaveLength(3);
  expect(published.functionDefinitions).toEqual(readModule(good).functionDefinitions);
});

it('refuses what is published, whether a state holds the same bytes or not', () => {
  const cache = new ModuleCache();
  for (let round = 0; round < 2; round++) expect(() => cache.read(bad)).toThrow(EngineError);
  cache.stored(field(bad));
  for (let round = 0; round < 2; round++) expect(() => cache.read(bad)).toThrow(EngineError);
});
