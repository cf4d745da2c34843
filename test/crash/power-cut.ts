/**
 * What a power cut may leave of a directory: rebuilt from a record of what a process did to its files (recorded-files.c).
 *
 * A sync of a file makes its content durable, a sync of the directory the names in it. Of everything else any part may be
 * there: whole writes, parts of them, single pages, in any order. Names change in the order in which they were changed.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RandomNumber } from '../effort.ts';

/** Compiles the library that records; undefined where that cannot be done. */
export function recordingLibrary(directory: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const library = join(directory, 'recorded-files.so');
  const source = fileURLToPath(new URL('recorded-files.c', import.meta.url));
  const { status } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-o', library, source, '-ldl']);
  return status === 0 ? library : undefined;
}

/** Runs a program, and records what it does to the files below `root`, the folder of its data directory. */
export function recordRun(library: string, root: string, program: string, args: readonly string[]): FileEvent[] {
  const log = `${root}.record`;
  mkdirSync(root, { recursive: true });
  execFileSync(process.execPath, [program, ...args], {
    env: { ...process.env, LD_PRELOAD: library, RECORDED_ROOT: `${root}/`, RECORDED_LOG: log, UV_USE_IO_URING: '0' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const events = readEvents(readFileSync(log));
  rmSync(log);
  return events;
}

export interface FileEvent {
  readonly kind: string;
  readonly file: number;
  readonly number: number;
  readonly path: string;
  readonly data: Buffer;
}

function readEvents(record: Buffer): FileEvent[] {
  const events: FileEvent[] = [];
  for (let at = 0; at < record.length; ) {
    const pathEnd = at + 21 + record.readUInt32LE(at + 13);
    const end = pathEnd + record.readUInt32LE(at + 17);
    events.push({
      kind: String.fromCharCode(record[at]!),
      file: record.readInt32LE(at + 1),
      number: Number(record.readBigInt64LE(at + 5)),
      path: record.toString('utf8', at + 21, pathEnd),
      data: record.subarray(pathEnd, end),
    });
    at = end;
  }
  return events;
}

/** A write at an offset, -1 for the end; or a truncation to a length. */
interface Change {
  readonly at: number;
  readonly data: Uint8Array | undefined;
}

/** What survives: of the names, and of what was written to files and not synced. */
export const SURVIVALS: readonly (readonly [Names, Writes])[] = [
  ['synced', 'nothing'],
  ['all', 'nothing'],
  ['all', 'first'],
  ['all', 'some'],
  ['all', 'pages'],
  ['all', 'everything'],
  ['first', 'nothing'],
  ['first', 'first'],
  ['first', 'some'],
  ['first', 'pages'],
];

type Names = 'synced' | 'first' | 'all';
type Writes = 'nothing' | 'first' | 'some' | 'pages' | 'everything';

const PAGE_BYTES = 4096;
const CREATED = 0o100;
const TRUNCATED = 0o1000;

class RecordedFile {
  #durable: Buffer = Buffer.alloc(0);
  #changes: Change[] = [];
  readonly #syncing = new Map<number, number>();

  change(change: Change): void {
    this.#changes.push(change);
  }

  beginSync(number: number): void {
    this.#syncing.set(number, this.#changes.length);
  }

  endSync(number: number): void {
    const count = this.#syncing.get(number)!;
    this.#syncing.delete(number);
    this.#durable = applied(this.#durable, this.#changes.splice(0, count));
    for (const [other, before] of this.#syncing) this.#syncing.set(other, Math.max(0, before - count));
  }

  content(writes: Writes, below: RandomNumber): Buffer {
    const changes = this.#changes;
    if (writes === 'nothing') return this.#durable;
    if (writes === 'everything') return applied(this.#durable, changes);
    if (writes === 'some')
      return applied(
        this.#durable,
        changes.filter(() => below(2) === 0),
      );
    if (writes === 'first') {
      const count = below(changes.length + 1);
      const torn = changes
        .slice(count, count + 1)
        .map(({ at, data }) => ({ at, data: data?.subarray(0, below(data.length)) }));
      return applied(this.#durable, [...changes.slice(0, count), ...torn.filter(({ data }) => data !== undefined)]);
    }
    const pages = Buffer.from(applied(this.#durable, changes));
    for (let at = 0; at < pages.length; at += PAGE_BYTES) {
      if (below(2) === 0) continue;
      const end = Math.min(at + PAGE_BYTES, pages.length);
      pages.fill(0, at, end).set(this.#durable.subarray(at, end), at);
    }
    return pages;
  }
}

function applied(content: Buffer, changes: readonly Change[]): Buffer {
  let length = content.length;
  const placed = changes.map(({ at, data }) => {
    const offset = at < 0 ? length : at;
    length = data === undefined ? offset : Math.max(length, offset + data.length);
    return { offset, data };
  });
  const result = Buffer.alloc(
    Math.max(content.length, ...placed.map(({ offset, data }) => offset + (data?.length ?? 0))),
  );
  content.copy(result);
  for (const { offset, data } of placed) {
    if (data === undefined) result.fill(0, offset);
    else result.set(data, offset);
  }
  return result.subarray(0, length);
}

type NameMap = ReadonlyMap<string, RecordedFile>;

/** The files of a process at one moment of its record. */
export class RecordedDirectory {
  readonly #open = new Map<number, RecordedFile | 'directory'>();
  #synced: NameMap = new Map();
  /** The names after each change since then, the present ones last. */
  #names: NameMap[] = [new Map()];
  readonly #syncing = new Map<number, NameMap>();
  /** Lines of files that were not in the directory. */
  readonly #directory: string;
  readonly told: string[] = [];

  /** @param directory the path of the data directory; what is written elsewhere is `told` */
  constructor(directory: string) {
    this.#directory = directory;
  }

  apply({ kind, file, number, path, data }: FileEvent): void {
    const opened = this.#open.get(file);
    if (kind === 'o') this.#opened(file, path, number);
    else if (kind === 'c') this.#open.delete(file);
    else if (kind === 'r') this.#rename(path, data.toString(), true);
    else if (kind === 'l') this.#rename(path, data.toString(), false);
    else if (kind === 'u') this.#setNames((names) => names.delete(path));
    else if (kind === 'w' && opened === undefined) this.told.push(...data.toString().trim().split('\n'));
    else if (opened === undefined) return;
    else if (opened === 'directory') this.#syncNames(kind, number);
    else if (kind === 'w') opened.change({ at: number, data });
    else if (kind === 't') opened.change({ at: number, data: undefined });
    else if (kind === 'b') opened.beginSync(number);
    else if (kind === 'f') opened.endSync(number);
  }

  /** Writes what survives to a new directory. */
  write(target: string, [names, writes]: readonly [Names, Writes], below: RandomNumber): void {
    mkdirSync(target);
    const first = this.#names[below(this.#names.length)];
    const survived = names === 'synced' ? this.#synced : names === 'first' ? first : this.#present;
    for (const [path, file] of survived!) {
      writeFileSync(join(target, path.slice(this.#directory.length + 1)), file.content(writes, below));
    }
  }

  get #present(): NameMap {
    return this.#names.at(-1)!;
  }

  #opened(file: number, path: string, flags: number): void {
    if (path === this.#directory || path === `${this.#directory}/`) this.#open.set(file, 'directory');
    if (!path.startsWith(`${this.#directory}/`)) return;
    const found = this.#present.get(path);
    if (found === undefined && (flags & CREATED) === 0) return;
    const opened = found ?? new RecordedFile();
    if (found === undefined) this.#setNames((names) => names.set(path, opened));
    else if ((flags & TRUNCATED) !== 0) opened.change({ at: 0, data: undefined });
    this.#open.set(file, opened);
  }

  #rename(path: string, to: string, isMoved: boolean): void {
    const file = this.#present.get(path);
    if (file === undefined) return;
    this.#setNames((names) => {
      if (isMoved) names.delete(path);
      names.set(to, file);
    });
  }

  #setNames(change: (names: Map<string, RecordedFile>) => void): void {
    const names = new Map(this.#present);
    change(names);
    this.#names.push(names);
  }

  #syncNames(kind: string, number: number): void {
    if (kind === 'b') this.#syncing.set(number, this.#present);
    const synced = this.#syncing.get(number);
    if (kind !== 'f' || synced === undefined) return;
    this.#synced = synced;
    this.#names.splice(0, Math.max(0, this.#names.indexOf(synced)));
  }
}
