/**
 * Sources of the framework against its compiled form: what the attributes say is what the modules hold. The bytes are
 * those of a reader with regular expressions that this one replaced.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { metadataOfSource, withMetadata } from '../../src/compile/module-metadata.ts';
import { readSource } from '../../src/compile/source.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import { parseAddress } from '../../src/move/address.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { writeModule } from '../../src/vm/binary/write.ts';

const FOLDERS: Readonly<Record<string, string>> = {
  MoveStdlib: 'move-stdlib',
  MoveosStdlib: 'moveos-stdlib',
  RoochFramework: 'rooch-framework',
  BitcoinMove: 'bitcoin-move',
};

const cases = FRAMEWORK_PACKAGES.flatMap(({ name, address, modules }) =>
  modules.map((module) => ({ path: `${FOLDERS[name]}/sources/${module.name}.move`, address, bytes: module.bytes })),
);

function read(path: string) {
  return readSource(readFileSync(new URL(`../../src/execution/framework/move/${path}`, import.meta.url), 'utf8'));
}

/** The module in a source that has only what the test is about. */
function moduleOf(items: string) {
  return readSource(`module 0x42::m { ${items} }`).modules[0]!;
}

const owner = parseAddress('0x42');

describe('the metadata of a module', () => {
  it.each(cases)('is what its source says: $path', ({ path, address, bytes }) => {
    const [module, ...others] = read(path).modules;
    expect(others).toEqual([]);
    const bare = writeModule({ ...readModule(bytes), metadata: [] });
    expect(Buffer.from(withMetadata(bare, metadataOfSource(module!, address))).equals(bytes)).toBe(true);
  });

  it('is in 28 or more modules of the framework', () => {
    const holding = cases.filter(({ bytes }) => readModule(bytes).metadata.length > 0);
    expect(holding.length).toBeGreaterThan(27);
  });

  it('names the functions of gas_free', () => {
    const { gasFree } = metadataOfSource(
      moduleOf('#[gas_free(gas_validate = v, gas_charge_post = c)] public fun f() {}'),
      owner,
    );
    expect([...gasFree]).toEqual([['0x42::m::f', { validate: '0x42::m::v', chargePost: '0x42::m::c' }]]);
  });

  it('leaves out what is there for tests, unless it is asked for', () => {
    const module = moduleOf('#[test_only] #[data_struct] struct S has copy, drop { x: u8 }');
    expect(metadataOfSource(module, owner).dataStructs.size).toBe(0);
    expect([...metadataOfSource(module, owner, true).dataStructs]).toEqual([['0x42::m::S', true]]);
  });

  it.each([
    ['#[private_generics(U)] fun f<T>() {}', 'line 1: private_generics: expected type parameters of f, got U'],
    ['#[private_generics] fun f<T>() {}', 'expected type parameters of f, got none'],
    ['#[gas_free] struct S {}', 'gas_free does not fit struct S'],
  ])('refuses %s', (items, message) => {
    expect(() => metadataOfSource(moduleOf(items), owner)).toThrow(message);
  });
});
