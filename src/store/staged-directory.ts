/**
 * A data directory that is filled under another name, beside its own, and gets its name when it is complete: a chain
 * that is only half there is never opened, wherever the process that fills it is killed.
 * @module
 */
import { chmodSync, existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { mkdtemp, rename, rm, rmdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { EngineError } from '../base/error.ts';
import { openDirectory } from './directory.ts';
import { makeDirectory, orFailed, syncDirectory, syncName } from './file-sync.ts';
import type { LevelStore } from './level.ts';

export class StagedDirectory {
  readonly #target: string;
  readonly #work: string;
  /** The permissions of the directory that is replaced, if there is one. */
  readonly #mode: number | undefined;

  private constructor(target: string, work: string, mode: number | undefined) {
    this.#target = target;
    this.#work = work;
    this.#mode = mode;
  }

  /**
   * @param path where the directory is to be, after following links. It is asserted to be missing, or empty and
   * neither mounted nor the current one, before all the work: it is replaced at the end.
   * @param ending what the name ends in until then
   * @throws {EngineError} `invalid-argument`, `store-failed`
   */
  static async at(path: string, ending: string): Promise<StagedDirectory> {
    const full = resolve(path);
    if (lstatSync(full, { throwIfNoEntry: false }) === undefined) {
      return new StagedDirectory(full, full + ending, undefined);
    }
    if (!existsSync(full)) throw unusable(full, 'is a link to nothing');
    return orFailed(full, async () => {
      const target = realpathSync(full);
      if (!statSync(target).isDirectory()) throw unusable(full, 'is not a directory');
      const [name] = readdirSync(target);
      if (name !== undefined) throw unusable(full, `is not empty, it has ${name}`);
      const { mode, dev, ino } = statSync(target);
      const here = statSync('.');
      if (dev === here.dev && ino === here.ino) {
        throw unusable(full, 'is the current directory, where what replaces it would not be seen');
      }
      await tryReplacing(full, target, target + ending, mode);
      return new StagedDirectory(target, target + ending, mode);
    });
  }

  /**
   * Opens what is to be filled, with what an earlier process left in it unless that is damaged.
   * @throws {EngineError} `invalid-argument` if something else has that name; as `openDirectory`
   */
  async open(): Promise<LevelStore> {
    this.#assertLeftover();
    await this.#make();
    try {
      return await openDirectory(this.#work);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'corrupt') throw error;
    }
    await this.clear();
    await this.#make();
    return openDirectory(this.#work);
  }

  /** Removes what was filled so far. No store may have it open. */
  async clear(): Promise<void> {
    await orFailed(this.#work, () => rm(this.#work, { recursive: true, force: true }));
  }

  /**
   * Gives the directory its name, durably. The store is closed by then.
   * @throws {EngineError} `store-failed`
   */
  async finish(): Promise<void> {
    await orFailed(this.#target, async () => {
      if (process.platform !== 'win32') await syncDirectory(this.#work);
      await replace(this.#target, this.#work);
      await syncName(this.#target);
    });
  }

  /** What an earlier process left may be removed. It begins with the file of its owner (directory-owner.ts). */
  #assertLeftover(): void {
    if (statSync(this.#work, { throwIfNoEntry: false }) === undefined) return;
    const names = readdirSync(this.#work);
    if (names.length === 0 || names.some((name) => name.startsWith('owner-'))) return;
    const reason = `it has ${names[0]}, and no command left it`;
    throw new EngineError(
      'invalid-argument',
      `${this.#work} is in the way: ${reason}; move it, or name another directory`,
    );
  }

  async #make(): Promise<void> {
    await orFailed(this.#work, async () => {
      await makeDirectory(this.#work);
      if (this.#mode !== undefined) chmodSync(this.#work, this.#mode);
    });
  }
}

/** Replaces an empty directory by another that is empty and has its permissions: what cannot be done fails now. */
async function tryReplacing(full: string, target: string, prefix: string, mode: number): Promise<void> {
  let empty: string | undefined;
  try {
    empty = await mkdtemp(`${prefix}-`);
    chmodSync(empty, mode);
    await replace(target, empty);
  } catch (cause) {
    if (empty !== undefined) await rm(empty, { recursive: true, force: true });
    throw unusable(full, `cannot be replaced, as a directory that is mounted cannot (${(cause as Error).message})`);
  }
}

/** What systems say that put no directory in the place of an empty one; and all of them for one that is not empty. */
const NOT_IN_ONE_STEP = ['EPERM', 'EACCES', 'EEXIST', 'ENOTEMPTY'];

/**
 * Gives `directory` the name `target`, which is free or that of an empty directory. Where the system can, that is one
 * step: a process that is killed leaves the empty one, with its permissions, or the other.
 */
async function replace(target: string, directory: string): Promise<void> {
  try {
    await rename(directory, target);
  } catch (error) {
    if (!NOT_IN_ONE_STEP.includes(String((error as NodeJS.ErrnoException).code))) throw error;
    await rmdir(target);
    await rename(directory, target);
  }
}

function unusable(path: string, reason: string): EngineError {
  return new EngineError('invalid-argument', `${path} ${reason}: name an empty or a new directory`);
}
