/** The folder that --out names, where it cannot be made. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { makeOutDirectory } from '../../src/cli/packages.ts';
import { temporaryDirectories } from '../store/temporary.ts';

const directory = temporaryDirectories();

it('is named in the error if a file is in its place, or the system refuses the name', async () => {
  const file = join(directory(), 'file');
  writeFileSync(file, '');
  // Node's own recursive mkdir never ends below /proc.
  for (const path of [file, join(file, 'below'), ...(process.platform === 'linux' ? ['/proc/nothing/below'] : [])]) {
    const message = expect.stringContaining(`--out: expected a folder, or a place for one, got ${path}`);
    await expect(makeOutDirectory(path)).rejects.toEqual(
      expect.objectContaining({ code: 'invalid-argument', message }),
    );
  }
});

it('is made with the folders above it', async () => {
  const path = join(directory(), 'a', 'b');
  await makeOutDirectory(path);
  await makeOutDirectory(path);
  writeFileSync(join(path, 'file'), '');
});
