import { describe, expect, it } from 'vitest';
import { readModule } from '../../../src/vm/binary/read.ts';
import { writeModule } from '../../../src/vm/binary/write.ts';
import {
  hasKernels,
  hasReference,
  kernelModule,
  kernelsNote,
  referenceNote,
  releasedPackages,
  releaseNumbers,
} from '../corpus.ts';

describe('modules that compilers wrote come back byte for byte', () => {
  it.skipIf(!hasKernels)(`the compute kernels${kernelsNote}`, () => {
    const bytes = kernelModule();
    expect(writeModule(readModule(bytes))).toEqual(bytes);
  });

  it.skipIf(!hasReference)(`every released framework${referenceNote}`, () => {
    let count = 0;
    for (const release of releaseNumbers()) {
      for (const { name, modules } of releasedPackages(release)) {
        for (const [index, bytes] of modules.entries()) {
          const written = writeModule(readModule(bytes));
          expect(Buffer.compare(written, bytes), `release ${release}, ${name}, module ${index}`).toBe(0);
          count++;
        }
      }
    }
    expect(count).toBeGreaterThan(3000);
  });
});
