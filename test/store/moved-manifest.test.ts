/** The check of a directory's files while another process compacts its tables. */
import { appendFileSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it, vi } from 'vitest';
import { openDirectory } from '../../src/store/directory.ts';
import { checkLevelFiles } from '../../src/store/level-files.ts';
import { maskedCrc } from '../../src/store/level-log.ts';
import { randomBytes, seed } from '../effort.ts';
import { temporaryDirectories } from './temporary.ts';

/** Called before a file is looked for or opened. */
const look = vi.hoisted(() => ({ before: (_path: string): void => {} }));

vi.mock('node:fs', async (original) => {
  const actual = await original<typeof import('node:fs')>();
  const seen =
    <T>(run: (path: string, ...rest: never[]) => T) =>
    (path: string, ...rest: never[]): T => {
      look.before(String(path));
      return run(path, ...rest);
    };
  return { ...actual, existsSync: seen(actual.existsSync), openSync: seen(actual.openSync as never) };
});

const directory = temporaryDirectories();
const bytesOf = randomBytes(seed);
const tables = (path: string): string[] => readdirSync(path).filter((name) => name.endsWith('.ldb'));

function copyInto(from: string, to: string): void {
  for (const name of readdirSync(from)) copyFileSync(join(from, name), join(to, name));
}

beforeEach(() => {
  look.before = () => {};
});

/** Opens a directory, writes rows of the same keys, and closes it, which compacts what was written into tables. */
async function rewrite(path: string): Promise<void> {
  const store = await openDirectory(path, { durability: 'os' });
  for (let key = 0; key < 30; key++) {
    await store.batch([{ type: 'put', key: Uint8Array.of(key), value: bytesOf(150_000) }]);
  }
  await store.close();
}

it('looks again under the new manifest for a table that a compaction has replaced', async () => {
  const path = directory();
  await rewrite(path);
  const compacted = directory();
  copyInto(path, compacted);
  await rewrite(compacted);
  const replaced = tables(path).find((name) => !tables(compacted).includes(name));
  expect(replaced).toBeDefined();
  let compactions = 0;
  look.before = (looked) => {
    if (!looked.endsWith(replaced!) || compactions++ > 0) return;
    for (const name of readdirSync(path)) rmSync(join(path, name));
    copyInto(compacted, path);
  };
  expect(checkLevelFiles(path)).toEqual([]);
  expect(compactions).toBe(1);
});

it('gives up on a table that stays away while the manifest moves', async () => {
  const path = directory();
  await rewrite(path);
  const [first] = tables(path);
  const manifest = readdirSync(path).find((name) => name.startsWith('MANIFEST'))!;
  rmSync(join(path, first!));
  // A full record (level-log.ts) that names no previous log (9, 0).
  const edit = Uint8Array.of(1, 9, 0);
  const header = Buffer.alloc(6);
  header.writeUInt32LE(maskedCrc(edit));
  header.writeUInt16LE(edit.length - 1, 4);
  let moves = 0;
  look.before = (looked) => {
    if (!looked.endsWith(first!)) return;
    expect(++moves).toBeLessThan(100);
    appendFileSync(join(path, manifest), Buffer.concat([header, edit]));
  };
  expect(() => checkLevelFiles(path)).toThrow(expect.objectContaining({ code: 'corrupt' }));
  expect(moves).toBeGreaterThan(1);
});
