import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import type { Module } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { checkCompatibility } from '../../../src/vm/verify/compatibility.ts';
import { checkMetadataCompatibility } from '../../../src/vm/verify/publish.ts';
import { hasReference, referenceNote, releasedPackages, releaseNumbers } from '../../vm/corpus.ts';
import { type Declarations, declarationsOf, moduleName } from './declaration.ts';

interface Compared {
  readonly ours: Module;
  readonly theirs: Module;
  readonly ourDeclarations: Declarations;
  readonly theirDeclarations: Declarations;
}

function byName(modules: readonly Uint8Array[]): Map<string, Module> {
  return new Map(modules.map(readModule).map((module) => [moduleName(module), module]));
}

describe.skipIf(!hasReference)(`against the newest released framework${referenceNote}`, () => {
  const newest = hasReference ? releaseNumbers().at(-1)! : 0;
  const theirs = hasReference ? byName(releasedPackages(newest).flatMap(({ modules }) => modules)) : new Map();
  const ours = byName(FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes)));
  const compared: Compared[] = [...ours].flatMap(([name, module]) => {
    const other = theirs.get(name);
    return other === undefined
      ? []
      : [
          {
            ours: module,
            theirs: other,
            ourDeclarations: declarationsOf(module),
            theirDeclarations: declarationsOf(other),
          },
        ];
  });

  it('structs are the same in every module that both have', () => {
    for (const { ourDeclarations, theirDeclarations } of compared) {
      expect({ module: ourDeclarations.name, structs: [...ourDeclarations.structs].sort() }).toEqual({
        module: theirDeclarations.name,
        structs: [...theirDeclarations.structs].sort(),
      });
    }
  });

  it('no function visible to contracts, transactions or the machine differs from the one of its name', () => {
    for (const { ourDeclarations, theirDeclarations } of compared) {
      const known = new Set(theirDeclarations.functions);
      expect({
        module: ourDeclarations.name,
        extra: ourDeclarations.functions.filter((text) => !known.has(text) && !text.startsWith('public(friend)')),
      }).toEqual({ module: ourDeclarations.name, extra: [] });
    }
  });

  it('attributes are the same when no function is missing', () => {
    for (const { ours: our, theirs: their, ourDeclarations, theirDeclarations } of compared) {
      const visible = new Set(ourDeclarations.functions);
      if (!theirDeclarations.functions.every((text) => visible.has(text))) continue;
      const attributes = (module: Module): string[] => module.metadata.map(({ value }) => toHex(value));
      expect({ module: ourDeclarations.name, attributes: attributes(our) }).toEqual({
        module: ourDeclarations.name,
        attributes: attributes(their),
      });
    }
  });

  it('every module may replace the one of its name in an upgrade', () => {
    for (const { ours: our, theirs: their } of compared) {
      expect(checkCompatibility(their, our, { checksFriends: true })).toMatchObject({ ok: true });
      expect(checkMetadataCompatibility(their, our)).toMatchObject({ ok: true });
    }
  });

  it('reports what is missing', () => {
    const lines: string[] = [];
    let total = 0;
    let missing = 0;
    for (const [name, module] of theirs) {
      const wanted = declarationsOf(module).functions;
      const our = ours.get(name);
      const have = new Set(our === undefined ? [] : declarationsOf(our).functions);
      const lost = wanted.filter((text) => !have.has(text));
      total += wanted.length;
      missing += lost.length;
      if (our === undefined) lines.push(`${name}: no such module (${wanted.length} functions)`);
      else if (lost.length > 0)
        lines.push(`${name}: ${lost.length} of ${wanted.length} missing`, ...lost.map((text) => `  ${text}`));
    }
    console.info(`release ${newest}: ${total - missing} of ${total} functions are there\n${lines.join('\n')}`);
    expect(total).toBeGreaterThan(0);
  });
});
