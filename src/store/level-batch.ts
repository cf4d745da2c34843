/**
 * Batches of LevelDB, written without what abstract-level does for others.
 *
 * Its `put` makes two objects of eight fields for each row, looks up encodings and asks for hooks and listeners: nine
 * tenths of what a row takes on its way into a batch. All of that is to no end where keys and values are bytes and nobody
 * else has the database. What it hands them to in the end is the method that each backend implements, so the rows after
 * the first go there at once. (The first one tells it that there is something to write.)
 * @module
 */
import type { BytesOptions, Database, DatabaseBatch } from './database.ts';

/** What abstract-level asks of the batches of a backend. */
interface BackendBatch extends DatabaseBatch {
  _put(key: Uint8Array, value: Uint8Array): void;
  _del(key: Uint8Array): void;
}

/** Lets a database of LevelDB, which was opened for this program alone, make such batches. */
export function makeDirectBatches(database: Database): void {
  const begin = database.batch.bind(database);
  database.batch = () => {
    const batch = begin();
    return isBackendBatch(batch) ? new LevelBatch(batch) : batch;
  };
}

function isBackendBatch(batch: DatabaseBatch): batch is BackendBatch {
  return '_put' in batch && '_del' in batch;
}

class LevelBatch implements DatabaseBatch {
  readonly #batch: BackendBatch;
  #isEmpty = true;

  constructor(batch: BackendBatch) {
    this.#batch = batch;
  }

  put(key: Uint8Array, value: Uint8Array, options: BytesOptions): void {
    if (this.#isEmpty) this.#batch.put(key, value, options);
    else this.#batch._put(key, value);
    this.#isEmpty = false;
  }

  del(key: Uint8Array, options: Pick<BytesOptions, 'keyEncoding'>): void {
    if (this.#isEmpty) this.#batch.del(key, options);
    else this.#batch._del(key);
    this.#isEmpty = false;
  }

  write(options: { readonly sync?: boolean }): Promise<void> {
    return this.#batch.write(options);
  }

  close(): Promise<void> {
    return this.#batch.close();
  }
}
