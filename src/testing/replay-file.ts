/**
 * What a failed test leaves behind if it is asked to: the run of its chain as a file for `movelet replay`.
 * @module
 */
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argumentError } from '../base/argument.ts';
import { toHex } from '../base/bytes/bytes.ts';
import { sha3 } from '../base/hash/sha3.ts';

/** The most runs that failed tests leave in a folder: more than anyone will look at. */
export const REPLAY_FILES_MAX = 100;

const ENDING = '.run';

/** The most characters of the test's name that its file name has. */
const NAME_CHARACTERS_MAX = 100;

/** The length of the digest that tells apart files whose names would otherwise be the same. */
const DIGEST_CHARACTERS = 8;

/** The folder that an option or MOVELET_REPLAYS names; undefined if neither does. */
export function replayFolder(option: string | undefined): ReplayFolder | undefined {
  if (option !== undefined && (typeof option !== 'string' || option === '')) {
    throw argumentError('replays', 'the path of a folder', option);
  }
  const path = option ?? (process.env['MOVELET_REPLAYS'] || undefined);
  return path === undefined ? undefined : new ReplayFolder(path);
}

/** A folder for the runs of failed tests. */
export class ReplayFolder {
  readonly #path: string;
  /** The tests for which files were written, by file name. */
  readonly #tests = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Writes a run under the name of its test, replacing an earlier file of the same test, unless the folder is full.
   * @returns where the file is, or why there is none
   */
  async leave(test: string, run: Uint8Array): Promise<string> {
    const folder = this.#path;
    const name = this.#nameFor(test);
    await mkdir(folder, { recursive: true });
    const files = (await readdir(folder)).filter((file) => file.endsWith(ENDING));
    if (!files.includes(name) && files.length >= REPLAY_FILES_MAX) {
      return `no replay file: ${folder} holds ${files.length} of them (REPLAY_FILES_MAX); remove some`;
    }
    const path = join(folder, name);
    await writeFile(path, run);
    return `replay file: ${path} (movelet replay FILE --dev)`;
  }

  #nameFor(test: string): string {
    const slug = slugOf(test);
    const isWhole = slug !== '' && slug.length <= NAME_CHARACTERS_MAX && !NOT_ASCII.test(test);
    if (isWhole && (this.#tests.get(slug) ?? test) === test) {
      this.#tests.set(slug, test);
      return `${slug}${ENDING}`;
    }
    // Another test has the same letters, or could have: without the digest, one file would replace the other.
    const digest = toHex(sha3(new TextEncoder().encode(test))).slice(0, DIGEST_CHARACTERS);
    const begin = slug.slice(0, NAME_CHARACTERS_MAX - DIGEST_CHARACTERS - 1) || 'test';
    return `${begin}-${digest}${ENDING}`;
  }
}

const NOT_ASCII = /[^ -~]/;

function slugOf(test: string): string {
  return test
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
}
