import { describe, expect, it } from 'vitest';
import { toHex } from '../../../src/base/bytes/bytes.ts';
import { FRAMEWORK_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { type Module, type ModuleLookup, moduleKey, selfIdOf } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import { ACCEPTED } from '../../../src/vm/verdict.ts';
import { dependencyOrder, verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { checkCompatibility } from '../../../src/vm/verify/compatibility.ts';
import { checkMetadataCompatibility, verifyPublish } from '../../../src/vm/verify/publish.ts';
import { verifyModule } from '../../../src/vm/verify/verify.ts';
import {
  genesisFiles,
  hasKernels,
  hasReference,
  kernelModule,
  kernelsNote,
  productionModules,
  referenceNote,
  releasedPackages,
  releaseNumbers,
} from '../corpus.ts';

/** The release with which the main network began; before it, upgrades broke things at will. */
const FIRST_COMPATIBLE_RELEASE = 8;

describe('modules that chains run are accepted', () => {
  it.skipIf(!hasKernels)(`the compute kernels${kernelsNote}`, () => {
    expect(verifyModule(readModule(kernelModule()))).toEqual(ACCEPTED);
  });

  it('our own framework, package by package', () => {
    const published = new Map<string, Module>();
    const stored: ModuleLookup = (id) => published.get(moduleKey(id));
    for (const { name, modules } of FRAMEWORK_PACKAGES) {
      const read = modules.map(({ bytes }) => readModule(bytes));
      const sorted = dependencyOrder(read)!.map((position) => read[position]!);
      expect(verifyBundle(sorted, stored), name).toEqual(ACCEPTED);
      expect(verifyPublish(sorted, stored), name).toEqual(ACCEPTED);
      for (const module of read) published.set(moduleKey(selfIdOf(module)), module);
    }
    expect(published.size).toBeGreaterThan(0);
  });

  it.skipIf(!hasReference)(
    `every released framework, package by package${referenceNote}`,
    () => {
      for (const release of releaseNumbers()) {
        const published = new Map<string, Module>();
        const stored: ModuleLookup = (id) => published.get(moduleKey(id));
        for (const { name, modules } of releasedPackages(release)) {
          const read = modules.map((bytes) => readModule(bytes));
          const sorted = dependencyOrder(read)!.map((position) => read[position]!);
          expect(verifyBundle(sorted, stored), `release ${release}, ${name}`).toEqual(ACCEPTED);
          expect(verifyPublish(sorted, stored), `release ${release}, ${name}`).toEqual(ACCEPTED);
          for (const module of read) published.set(moduleKey(selfIdOf(module)), module);
        }
      }
    },
    120_000,
  );

  it.skipIf(!hasReference)(`modules of another chain's production${referenceNote}`, () => {
    const samples = productionModules();
    expect(samples).toHaveLength(8);
    for (const bytes of samples) expect(verifyModule(readModule(bytes))).toEqual(ACCEPTED);
  });

  it.skipIf(!hasReference)(
    `each release may replace the one before${referenceNote}`,
    () => {
      const latest = new Map<string, Module>();
      let pairs = 0;
      for (const release of releaseNumbers()) {
        for (const bytes of releasedPackages(release).flatMap(({ modules }) => modules)) {
          const next = readModule(bytes);
          const key = moduleKey(selfIdOf(next));
          const old = latest.get(key);
          latest.set(key, next);
          if (old === undefined || release <= FIRST_COMPATIBLE_RELEASE) continue;
          expect(checkCompatibility(old, next, { checksFriends: false }), key).toEqual(ACCEPTED);
          expect(checkMetadataCompatibility(old, next), key).toEqual(ACCEPTED);
          pairs++;
        }
      }
      expect(pairs).toBeGreaterThan(2000);
    },
    120_000,
  );

  it.skipIf(!hasReference)(
    `the modules in the networks' genesis files${referenceNote}`,
    () => {
      const magic = Buffer.from('a11ceb0b', 'hex');
      for (const file of genesisFiles()) {
        const found = new Set<string>();
        // A module tells where it ends, and bytes after it do not matter: wherever the magic number stands, one is read.
        for (let at = file.indexOf(magic); at >= 0; at = file.indexOf(magic, at + 1)) {
          const module = readModule(Uint8Array.from(file.subarray(at, at + 100_000)));
          const written = writeModule(module);
          expect(toHex(written)).toBe(file.subarray(at, at + written.length).toString('hex'));
          expect(verifyModule(module)).toEqual(ACCEPTED);
          found.add(moduleKey(selfIdOf(module)));
        }
        expect(found.size).toBeGreaterThan(100);
      }
    },
    120_000,
  );
});
