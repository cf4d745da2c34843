/**
 * What a failed test leaves behind on request: the run of its chain as a file for `movelet replay`.
 * @module
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentError } from '../argument.ts';
import { REPLAY_FILES_MAX } from '../config.ts';

const ENDING = '.run';

/** Characters of the test's name that its file name uses. */
const NAME_CHARACTERS_MAX = 100;

/** The folder that an option or MOVELET_REPLAYS names; undefined if neither does. */
export function replayFolder(option: string | undefined): string | undefined {
  if (option !== undefined && (typeof option !== 'string' || option === '')) {
    throw argumentError('replays', 'the path of a folder', option);
  }
  return option ?? (process.env['MOVELET_REPLAYS'] || undefined);
}

/**
 * Writes a run under the name of its test, replacing an earlier file of the same test; a folder takes REPLAY_FILES_MAX.
 * @returns where it is, or why it is not there
 */
export async function leaveReplay(folder: string, test: string, run: Uint8Array): Promise<string> {
  const slug = test
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_CHARACTERS_MAX);
  const name = `${slug.replace(/^-|-$/g, '') || 'test'}${ENDING}`;
  await mkdir(folder, { recursive: true });
  const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING));
  if (!files.includes(name) && files.length >= REPLAY_FILES_MAX) {
    return `no replay file: ${folder} holds ${files.length} of them (REPLAY_FILES_MAX); remove some`;
  }
  const path = join(folder, name);
  await writeFile(path, run);
  return `replay file: ${path} (movelet replay FILE --dev)`;
}
