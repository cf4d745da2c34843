/** Modules of a state, and those that the package holds in their place. */
import { expect, it } from 'vitest';
import { bytes, encode, string, u64 } from '../../../src/base/bcs.ts';
import { equalBytes } from '../../../src/base/bytes/bytes.ts';
import { EngineError } from '../../../src/base/error.ts';
import { sha3 } from '../../../src/base/hash/sha3.ts';
import { MODULE_STORE_ID, MODULE_STORE_TYPE } from '../../../src/chain/object/object-id.ts';
import type { ObjectType } from '../../../src/execution/runtime/field-type.ts';
import { ModuleCache, type ShippedModules } from '../../../src/execution/runtime/module-cache.ts';
import { StateModules } from '../../../src/execution/runtime/module-source.ts';
import { addressOf } from '../../../src/move/address.ts';
import type { ObjectState } from '../../../src/query/transaction-builder.ts';
import { type Module, type ModuleId, moduleKey } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { assembleModuleBytes } from '../../vm/assemble.ts';
import { Chain } from './chain.ts';

const ADDRESS = addressOf(0x42);
const M: ModuleId = { address: ADDRESS, name: 'm' };
const STORED = assembleModuleBytes('module 0x42::m\nfun stored() {\n  Ret\n}');
const SHIPPED = assembleModuleBytes('module 0x42::m\nfun shipped() {\n  Ret\n}');
const OTHER = assembleModuleBytes('module 0x42::other\nfun other() {\n  Ret\n}');
const STORE: ObjectType<bigint> = { tag: MODULE_STORE_TYPE, codec: u64 };

/** A chain that has STORED as the module `m`. */
function chainWithModule(): Chain {
  const chain = new Chain();
  chain.run((runtime) => runtime.add(MODULE_STORE_ID, STORE, 0n));
  chain.run((runtime) => runtime.modules.publish(ADDRESS, 'm', STORED));
  return chain;
}

function rootOf({ state }: Chain): Uint8Array {
  return state.object(MODULE_STORE_ID)!.meta.stateRoot!;
}

/** Says that the package holds these bytes as `m` for a module store of that root. */
function shipping(root: Uint8Array, bytes: Uint8Array): () => ShippedModules {
  const digest = sha3(bytes);
  return () => ({
    root,
    find: (key) => (key === moduleKey(M) ? { bytes, digest } : undefined),
    has: (other) => equalBytes(other, digest),
  });
}

function functionsOf(module: Module | undefined): string[] | undefined {
  return module?.functionHandles.map(({ name }) => module.identifiers[name]!);
}

it('has those that the package holds when the module store has the root that they make', () => {
  const chain = chainWithModule();
  const modules = new StateModules(chain.state, new ModuleCache(shipping(rootOf(chain), SHIPPED)));
  expect(functionsOf(modules.load(M))).toEqual(['shipped']);
});

it('has those of the state at any other root', () => {
  const chain = chainWithModule();
  const cache = new ModuleCache(shipping(rootOf(chain), SHIPPED));
  chain.run((runtime) => runtime.modules.publish(ADDRESS, 'other', OTHER));
  const modules = new StateModules(chain.state, cache);
  expect(functionsOf(modules.load(M))).toEqual(['stored']);
  expect(functionsOf(modules.load({ address: ADDRESS, name: 'other' }))).toEqual(['other']);
});

it('has those of the state that the package does not hold', () => {
  const chain = chainWithModule();
  chain.run((runtime) => runtime.modules.publish(ADDRESS, 'other', OTHER));
  const modules = new StateModules(chain.state, new ModuleCache(shipping(rootOf(chain), SHIPPED)));
  expect(functionsOf(modules.load({ address: ADDRESS, name: 'other' }))).toEqual(['other']);
  expect(modules.load({ address: ADDRESS, name: 'none' })).toBeUndefined();
});

it('says whether there is a module', () => {
  const chain = chainWithModule();
  chain.run((runtime) => runtime.modules.publish(ADDRESS, 'other', OTHER));
  for (const root of [rootOf(chain), new Uint8Array(32)]) {
    const modules = new StateModules(chain.state, new ModuleCache(shipping(root, SHIPPED)));
    expect(['m', 'other', 'none'].map((name) => modules.has({ address: ADDRESS, name }))).toEqual([true, true, false]);
  }
});

it('has the same object for the same bytes, wherever they come from', () => {
  const chain = chainWithModule();
  const cache = new ModuleCache(shipping(rootOf(chain), STORED));
  const shipped = new StateModules(chain.state, cache).load(M);
  chain.run((runtime) => runtime.modules.publish(ADDRESS, 'other', OTHER));
  expect(new StateModules(chain.state, cache).load(M)).toBe(shipped);
});

it('has none in a state without a module store', () => {
  const modules = new StateModules(new Chain().state, new ModuleCache(shipping(new Uint8Array(32), SHIPPED)));
  expect(modules.load(M)).toBeUndefined();
});

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
