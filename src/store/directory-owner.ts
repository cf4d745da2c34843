/**
 * Ownership of a directory by one thread of one process, recorded in a file in it that every opener reads first.
 *
 * LevelDB's own lock does not suffice. It is a POSIX file lock, which a process loses as soon as any part of it closes
 * that file: a second thread that tries to open the directory is refused, and thereby drops the first one's lock, and
 * so does copying the directory within the process. So LevelDB is only asked once it is known that no thread of this
 * process has the directory; between processes its lock counts in addition to the file.
 *
 * The files are named `owner-1`, `owner-2`, ... and the highest one counts. To take the directory, an opener creates
 * the next file, which only one can do, and then checks that there is no higher one. So no opener removes a file without
 * having judged it. Numbers are never reused, because the highest file stays when its owner leaves, marked as free. A
 * file begins with its state:
 *
 * - `held`: by the thread that it names. If that thread is known to have ended, the next file is made
 *   and the old one removed before anything is written.
 * - `asks`: like `held` to others, while LevelDB is asked about a directory whose owner cannot be judged: it is in
 *   another container, on another machine, or from before this machine's last boot. The previous owner goes on unless
 *   LevelDB says that the directory is free.
 * - `free`.
 * - `torn`: like `free`, but its last owner did not close it, and it could not be opened since.
 *
 * Before and after each write, the owner checks that its file is still there and still the one it made. If not, it has
 * lost the directory, and says so instead of acknowledging the write.
 *
 * A copied directory has a different inode than its file names, and counts as free.
 *
 * Cost: one `stat` before and one after a write, 3 us each.
 *
 * A thread is identified in a form that another process can check later. Process numbers are reused after a process has
 * ended, so its start time is recorded too; and a number means nothing on another machine, in another container or
 * after a reboot, so the scope in which it is valid is recorded as well. Linux has all of that for threads, in /proc;
 * elsewhere the process stands for its threads.
 * @module
 */
import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { EngineError } from '../base/error.ts';

export interface LiveThread {
  readonly pid: number;
  /** The system's number of the thread; 0, for all threads of the process, if there is none. */
  readonly tid: number;
  /** Linux: clock ticks since boot; elsewhere milliseconds since 1970, to about a second. */
  readonly started: number;
  /** The scope of process numbers: boot id and process namespace, or the name of the machine. */
  readonly place: string;
}

/** 'unknown': cannot be determined from here. */
type Life = 'alive' | 'ended' | 'unknown';

/** Two readings of the start time of one process differ by less than this. */
const CLOCK_TOLERANCE_MS = 5_000;

export function thisThread(): LiveThread {
  const { pid } = process;
  try {
    const tid = Number(readlinkSync('/proc/thread-self').split('/').pop());
    const started = startOf(pid, tid);
    const run = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const namespace = readlinkSync('/proc/self/ns/pid');
    if (started !== undefined) return { pid, tid, started, place: `${run} ${namespace}` };
  } catch {
    // Without /proc, or parts of it, use the general form below.
  }
  return { pid, tid: 0, started: Math.round(Date.now() - process.uptime() * 1000), place: hostname() };
}

/** Whether a recorded thread is still running, as far as `own` can tell. */
export function lifeOf(other: LiveThread, own: LiveThread): Life {
  if (other.place !== own.place) return 'unknown';
  if (other.tid !== 0) {
    const started = startOf(other.pid, other.tid);
    if (started !== undefined) return started === other.started ? 'alive' : 'ended';
    // Its process may be hidden, but not from itself.
    return other.pid === own.pid ? 'ended' : lifeOfProcess(other.pid);
  }
  if (other.pid !== own.pid) return lifeOfProcess(other.pid);
  return Math.abs(other.started - own.started) < CLOCK_TOLERANCE_MS ? 'alive' : 'ended';
}

/** The process with that number may be a different one by now. */
function lifeOfProcess(pid: number): Life {
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return (error as { code?: unknown }).code === 'ESRCH' ? 'ended' : 'unknown';
  }
}

/**
 * Start of a thread in clock ticks, the 22nd field of its stat; undefined if no such thread can be seen.
 *
 * 0 if its process has ended and can only be seen because its parent has not taken note of that (a zombie). Some never
 * do: in a container whose first program waits for no children, killed ones stay as long as the container.
 */
function startOf(pid: number, tid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/task/${tid}/stat`, 'latin1');
    // The second field is the name, in parentheses, with any characters in it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    // The first thread may be over before the others.
    if (fields[0] === 'Z' && tid === pid && readdirSync(`/proc/${pid}/task`).length === 1) return 0;
    const started = Number(fields[19]);
    return Number.isSafeInteger(started) ? started : undefined;
  } catch {
    return undefined;
  }
}

const NAME = /^owner-(\d{1,15})$/;

/** Including drafts left by a stopped process. */
const OWN_NAME = /^owner-(\d{1,15})(?:\.[\d.]+draft)?$/;

/** Error codes of a file system without hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

type Mark = 'held' | 'asks' | 'free' | 'torn';

/** What an owner's file says after its state. */
interface Claim extends LiveThread {
  readonly directory: string;
}

interface Found {
  readonly number: number;
  readonly mark: Mark;
  /** Undefined if the file cannot be parsed, for example while it is being written. */
  readonly claim: Claim | undefined;
}

export class DirectoryOwner {
  readonly #directory: string;
  readonly #number: number;
  readonly #path: string;
  readonly #inode: bigint;
  /** Whether the directory is new, or was closed by its previous owner. */
  readonly isAfterCleanEnd: boolean;
  /** Kept open, so that no other file gets the inode. */
  #file: number | undefined;
  #mark: Mark;

  private constructor(
    directory: string,
    number: number,
    file: number,
    inode: bigint,
    mark: Mark,
    isAfterCleanEnd: boolean,
  ) {
    this.isAfterCleanEnd = isAfterCleanEnd;
    this.#directory = directory;
    this.#number = number;
    this.#path = fileOf(directory, number);
    this.#file = file;
    this.#inode = inode;
    this.#mark = mark;
  }

  /**
   * Takes a directory, given by its real path, unless it is known to be taken. Call `confirm` once the database is
   * open, and `leave` if it could not be opened or has been closed.
   * @throws {EngineError} `store-locked`. Errors of node:fs.
   */
  static take(directory: string): DirectoryOwner {
    const own = thisThread();
    for (;;) {
      const last = lastFound(directory);
      const life = last === undefined ? 'ended' : lifeOfOwner(last, own, directory);
      if (last !== undefined && life === 'alive') throw lockedError(directory, last, own);
      const mark = life === 'unknown' ? 'asks' : 'held';
      const isAfterCleanEnd = last?.mark === 'free' || (last === undefined && readdirSync(directory).length === 0);
      const owner = DirectoryOwner.#make(directory, (last?.number ?? 0) + 1, mark, own, isAfterCleanEnd);
      if (owner === undefined) continue;
      if ((lastFound(directory)?.number ?? 0) === owner.#number) {
        if (mark === 'held') owner.#removeOthers();
        return owner;
      }
      owner.#remove();
    }
  }

  /**
   * Asserts that a directory that will only be read has no known owner.
   * @throws {EngineError} `store-locked`. Errors of node:fs.
   */
  static assertFree(directory: string): void {
    const own = thisThread();
    const last = lastFound(directory);
    if (last !== undefined && lifeOfOwner(last, own, directory) === 'alive') throw lockedError(directory, last, own);
  }

  /** Undefined if another opener has created the file with this number, or a higher one and removed this draft. */
  static #make(
    directory: string,
    number: number,
    mark: Mark,
    own: LiveThread,
    isAfterCleanEnd: boolean,
  ): DirectoryOwner | undefined {
    const path = fileOf(directory, number);
    const claim: Claim = { ...own, directory: inodeOf(directory) };
    // Written under another name first, so that it is never seen half-written.
    const draft = join(directory, `owner-${number}.${own.pid}.${own.tid}.draft`);
    let file = openSync(draft, 'w+', 0o644);
    try {
      const text = `${mark} ${JSON.stringify(claim)}\n`;
      writeSync(file, text);
      if (!linkNew(draft, path)) {
        closeSync(file);
        file = openSync(path, 'wx+', 0o644);
        writeSync(file, text);
      }
      const { ino } = fstatSync(file, { bigint: true });
      return new DirectoryOwner(directory, number, file, ino, mark, isAfterCleanEnd);
    } catch (error) {
      closeSync(file);
      if (codeOf(error) === 'EEXIST' || codeOf(error) === 'ENOENT') return undefined;
      throw error;
    } finally {
      rmSync(draft, { force: true });
    }
  }

  /** The database is open, so the previous owner no longer has the directory. */
  confirm(): void {
    if (this.#mark === 'asks') this.#write('held');
    this.#removeOthers();
  }

  /**
   * Asserts that the directory is still this owner's.
   * @throws {EngineError} `store-lost`.
   */
  assertHeld(): void {
    const found = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (found?.ino === this.#inode) return;
    throw new EngineError(
      'store-lost',
      `the directory ${this.#directory} is not this engine's any more: its file ${this.#path} is gone, so another one has opened the directory, or it was removed; nothing more is written or acknowledged`,
      { details: { directory: this.#directory } },
    );
  }

  /**
   * Gives up the directory as far as the disk allows; never throws. Leaving twice is harmless.
   * @param isClean whether the database was closed, so that the next owner need not check all of its files
   */
  leave(isClean: boolean): void {
    const file = this.#file;
    if (file === undefined) return;
    // If the directory could not be taken, its previous owner remains.
    if (this.#mark === 'asks') {
      this.#remove();
      return;
    }
    this.#file = undefined;
    try {
      this.#write(isClean ? 'free' : 'torn', file);
    } catch {
      this.#disappear();
    } finally {
      closeSync(file);
    }
  }

  /**
   * Removes the file if a full or failing disk takes no mark: it would claim the directory for this process until the
   * process ends. Without it, the next owner checks all files, as after `torn`.
   */
  #disappear(): void {
    try {
      if (statSync(this.#path, { bigint: true }).ino === this.#inode) rmSync(this.#path);
    } catch {
      // The caller has the error that matters, that of the disk.
    }
  }

  #write(mark: Mark, file = this.#file): void {
    if (file !== undefined) writeSync(file, mark, 0, 'latin1');
    this.#mark = mark;
  }

  #remove(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    rmSync(this.#path, { force: true });
  }

  #removeOthers(): void {
    for (const name of readdirSync(this.#directory)) {
      const number = OWN_NAME.exec(name)?.[1];
      if (number !== undefined && Number(number) < this.#number) rmSync(join(this.#directory, name), { force: true });
    }
  }
}

/** Gives a file a second name; false where the file system has no hard links. */
function linkNew(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (NO_LINKS.includes(String(codeOf(error)))) return false;
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown }).code;
}

function fileOf(directory: string, number: number): string {
  return join(directory, `owner-${number}`);
}

function numbersIn(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => {
    const number = NAME.exec(name)?.[1];
    return number === undefined ? [] : [Number(number)];
  });
}

/** The file that counts, if there is one. */
function lastFound(directory: string): Found | undefined {
  for (;;) {
    const number = Math.max(0, ...numbersIn(directory));
    if (number === 0) return undefined;
    try {
      return { number, ...readFound(readFileSync(fileOf(directory, number), 'utf8')) };
    } catch (error) {
      // It was removed because there is a higher one.
      if (codeOf(error) !== 'ENOENT') throw error;
    }
  }
}

function readFound(text: string): { mark: Mark; claim: Claim | undefined } {
  const word = text.slice(0, 4);
  const mark = word === 'free' || word === 'asks' || word === 'torn' ? word : 'held';
  try {
    const { pid, tid, started, place, directory } = JSON.parse(text.slice(5)) as Record<string, unknown>;
    const isClaim =
      [pid, tid, started].every(Number.isSafeInteger) && typeof place === 'string' && typeof directory === 'string';
    return { mark, claim: isClaim ? ({ pid, tid, started, place, directory } as Claim) : undefined };
  } catch {
    return { mark, claim: undefined };
  }
}

function lifeOfOwner({ mark, claim }: Found, own: LiveThread, directory: string): Life {
  if (mark === 'free' || mark === 'torn') return 'ended';
  if (claim === undefined) return 'unknown';
  return claim.directory === inodeOf(directory) ? lifeOf(claim, own) : 'ended';
}

function inodeOf(directory: string): string {
  return String(statSync(directory, { bigint: true }).ino);
}

function lockedError(directory: string, { claim, number }: Found, own: LiveThread): EngineError {
  const isHere = claim?.pid === own.pid;
  const who = isHere
    ? claim.tid === own.tid
      ? 'an engine of this thread'
      : 'an engine of another thread of this process'
    : `an engine of process ${claim?.pid}`;
  return new EngineError(
    'store-locked',
    `cannot open ${directory}: ${who} holds it (${fileOf(directory, number)}); close that one first`,
    { details: { directory, pid: claim?.pid } },
  );
}
