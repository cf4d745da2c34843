/**
 * The log that LevelDB writes, watched from outside, so that what is acknowledged is found again after a power cut.
 *
 * LevelDB syncs the log that a batch went to, and nothing else: neither the name of a log that it has just begun, nor
 * the log before, which may hold batches that were not synced. A power cut could then take a whole log of acknowledged
 * commits, or keep a commit and lose an earlier one. So before the first synced batch of a new log counts as written, the
 * logs and their names in the directory are synced. Source: LevelDB 1.20, util/env_posix.cc, db/db_impl.cc.
 *
 * Cost: one `stat` after each write, 3 us.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { LogPosition } from './commit-record.ts';
import { syncData, syncName, whereSyncable } from './file-sync.ts';
import { logName, logsIn } from './level-files.ts';

export class WrittenLog {
  readonly #directory: string;
  #log = 0;
  #bytes = 0;
  /** Whether the names of all logs are on the disk, and all logs but the last as a whole. */
  #isSettled = false;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Where the next batch will begin, unless it begins a log. */
  get position(): LogPosition {
    return { log: this.#log, bytes: this.#bytes };
  }

  /** Call it after each write. Throws the errors of node:fs. */
  async wrote(isSynced: boolean): Promise<void> {
    const bytes = this.#size();
    if (bytes > this.#bytes) this.#bytes = bytes;
    else this.#find();
    if (isSynced && !this.#isSettled) await this.settle();
  }

  /** Makes everything durable that is in the logs. Throws the errors of node:fs. */
  async settle(): Promise<void> {
    this.#find();
    // On Windows LevelDB syncs a log when it closes it.
    if (process.platform !== 'win32') {
      for (const log of logsIn(this.#directory)) await whereSyncable(() => this.#sync(log));
    }
    await syncName(join(this.#directory, logName(this.#log)));
    this.#isSettled = true;
  }

  #find(): void {
    this.#isSettled = false;
    this.#log = logsIn(this.#directory).at(-1) ?? 0;
    this.#bytes = this.#size();
  }

  #size(): number {
    return statSync(join(this.#directory, logName(this.#log)), { throwIfNoEntry: false })?.size ?? 0;
  }

  async #sync(log: number): Promise<void> {
    // Once it is gone, what it held is in a table, which LevelDB has synced with its name.
    const file = await open(join(this.#directory, logName(log)), 'r+').catch((error) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    if (file === undefined) return;
    try {
      await syncData(file);
    } finally {
      await file.close();
    }
  }
}
