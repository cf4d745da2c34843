/** Directories that earlier versions wrote, each with what that version said of it (vectors/directory.mjs). */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface Told {
  readonly formatVersion: number;
  readonly order: string;
  readonly stateRoot: string;
  readonly size: string;
  readonly accumulatorRoot: string;
  readonly genesisHash: string;
  readonly blocks: readonly string[];
  readonly inscribed: string;
  readonly inscriptionOwner: string;
  readonly value: string;
}

const written = (commit: string): URL => new URL(`vectors/directory-${commit}/`, import.meta.url);

/** What a commit's version said of the directory that it wrote. */
export const toldBy = (commit: string): Told =>
  JSON.parse(readFileSync(new URL('expected.json', written(commit)), 'utf8')) as Told;

/** Unpacks that directory into a new one in `place`, and gives its path. */
export function unpackedDirectory(commit: string, place: string): string {
  const path = join(place, 'data');
  mkdirSync(path);
  for (const name of readdirSync(written(commit)).filter((file) => file.endsWith('.gz'))) {
    writeFileSync(join(path, basename(name, '.gz')), gunzipSync(readFileSync(new URL(name, written(commit)))));
  }
  return path;
}
