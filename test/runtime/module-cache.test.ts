import { expect, it } from 'vitest';
import { encode } from '../../src/bcs/codec.ts';
import { bytes, string } from '../../src/bcs/primitive.ts';
import { EngineError } from '../../src/error.ts';
import type { ObjectState } from '../../src/object/object-state.ts';
import { ModuleCache } from '../../src/runtime/module-cache.ts';
import { assembleModuleBytes } from '../vm/assemble.ts';

const good = assembleModuleBytes('module 0x1::m\nfun f(u8) {\n  CopyLoc 0\n  Pop\n  Ret\n}');
const COPY_LOC = 0x0a;
/** Copies a local that is not there. */
const bad = good.with(good.lastIndexOf(COPY_LOC) + 1, 1);

function field(code: Uint8Array): ObjectState {
  const value = Uint8Array.from([...encode(string, 'm'), ...encode(bytes, code)]);
  return { meta: {} as ObjectState['meta'], value };
}

it('gives one object for the same bytes, published or stored', () => {
  const cache = new ModuleCache();
  const stored = cache.stored(field(good));
  expect(cache.stored(field(good))).toBe(stored);
  expect(cache.read(good)).toBe(stored);
  expect(stored.functionDefinitions[0]?.code?.instructions).toHaveLength(3);
});

it('refuses what is published, whether a state holds the same bytes or not', () => {
  const cache = new ModuleCache();
  for (let round = 0; round < 2; round++) expect(() => cache.read(bad)).toThrow(EngineError);
  cache.stored(field(bad));
  for (let round = 0; round < 2; round++) expect(() => cache.read(bad)).toThrow(EngineError);
});
