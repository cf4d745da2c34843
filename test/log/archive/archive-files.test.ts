/** Files of an archive: one gets its name once it is whole, as it was written, and on the disk. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../../src/log/archive/archive-files.ts';
import { syncedInodes } from '../../store/synced-inodes.ts';
import { temporaryDirectories } from '../../store/temporary.ts';

const directory = temporaryDirectories();
const isWindows = process.platform === 'win32';

/** The bytes 1 to 3; `atEnd` is called when all of them were taken. */
async function* chunks(atEnd = (): void => {}): AsyncGenerator<Uint8Array, void> {
  yield Uint8Array.of(1, 2);
  yield Uint8Array.of(3);
  atEnd();
}

describe('a file that is written as a whole', () => {
  it.skipIf(isWindows)(
    `has its name durable on the disk${isWindows ? ' (skipped: Windows cannot sync a folder)' : ''}`,
    async () => {
      const place = directory();
      const synced = await syncedInodes();
      const digest = '039058c6f2c0cb492c533b0a4d14ef77cc0f78abccced5287d84a1a2011cfb81';
      expect(await writeWhole(place, chunks(), () => 'named')).toEqual({ bytes: 3, sha256: digest });
      expect([...readFileSync(join(place, 'named'))]).toEqual([1, 2, 3]);
      expect(synced).toEqual([statSync(join(place, 'named')).ino, statSync(place).ino]);
    },
  );

  it.each([
    ['longer', Uint8Array.of(1, 2, 3, 4)],
    ['another', Uint8Array.of(1, 2, 4)],
  ])('is not kept if what is read back is %s', async (_what, instead) => {
    const place = directory();
    const spoil = (): void => writeFileSync(join(place, 'next.partial'), instead);
    await expect(writeWhole(place, chunks(spoil), () => 'named')).rejects.toMatchObject({ code: 'corrupt' });
    expect(readdirSync(place)).toEqual([]);
  });
});
