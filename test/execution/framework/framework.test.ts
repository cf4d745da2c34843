import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../../src/base/bytes/bytes.ts';
import { MODULE_DIGESTS } from '../../../src/execution/framework/compiled/digests.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { type Module, type ModuleLookup, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { verifyPublish } from '../../../src/vm/verify/publish.ts';
import { readVectors } from '../../vectors.ts';
import { declarationsOf, moduleName } from './declaration.ts';

const { layouts } = readVectors<{ readonly layouts: Readonly<Record<string, readonly string[]>> }>('layouts.json');

const modules: Module[] = FRAMEWORK_PACKAGES.flatMap((framework) =>
  framework.modules.map(({ bytes }) => readModule(bytes)),
);

describe('packages', () => {
  it('stand at 0x1 to 0x4 in dependency order', () => {
    expect(FRAMEWORK_PACKAGES.map(({ name, address }) => `${name} ${toHexPrefixed(address)}`)).toEqual([
      `MoveStdlib 0x${'1'.padStart(64, '0')}`,
      `MoveosStdlib 0x${'2'.padStart(64, '0')}`,
      `RoochFramework 0x${'3'.padStart(64, '0')}`,
      `BitcoinMove 0x${'4'.padStart(64, '0')}`,
    ]);
  });

  it('hold modules of their own name and address, in version 6', () => {
    const declared = FRAMEWORK_PACKAGES.flatMap(({ address, modules: members }) =>
      members.map(({ name }) => `0x${address[31]}::${name}`),
    );
    expect(modules.map(moduleName)).toEqual(declared);
    expect(new Set(modules.map(({ version }) => version))).toEqual(new Set([6]));
  });

  it('have every module after those it imports', () => {
    const seen = new Set<string>();
    for (const module of modules) {
      const imported = module.moduleHandles.map((_, index) => moduleName({ ...module, selfHandle: index }));
      const self = moduleName(module);
      expect(imported.filter((name) => name !== self && !seen.has(name))).toEqual([]);
      seen.add(self);
    }
  });

  it('are accepted by the chain at publish', () => {
    const published = new Map<string, Module>();
    const stored: ModuleLookup = (id) => published.get(moduleKey(id));
    for (const framework of FRAMEWORK_PACKAGES) {
      const members = framework.modules.map(({ bytes }) => readModule(bytes));
      expect(verifyBundle(members, stored)).toMatchObject({ ok: true });
      expect(verifyPublish(members, stored)).toMatchObject({ ok: true });
      for (const member of members) published.set(moduleKey(selfIdOf(member)), member);
    }
  });

  it('have the separately recorded digests', () => {
    const digests = FRAMEWORK_PACKAGES.map(({ name, modules: members }) => [
      name,
      members.map((member) => [member.name, createHash('sha3-256').update(member.bytes).digest('hex')]),
    ]);
    expect(MODULE_DIGESTS).toEqual(Object.fromEntries(digests));
  });

  it('decode a module once', () => {
    const module = FRAMEWORK_PACKAGES[0]!.modules[0]!;
    expect(module.bytes).toBe(module.bytes);
  });
});

describe('struct layouts', () => {
  const byModule = new Map(modules.map((module) => [moduleName(module), declarationsOf(module).structs]));

  it.each(Object.entries(layouts))('%s', (name, structs) => {
    expect(byModule.get(name)).toEqual(expect.arrayContaining([...structs]));
  });
});
