/**
 * Rows on their way to a store, one after another in one buffer.
 *
 * A transfer of coins writes and deletes 75 rows. As operations these are 150 arrays and 75 objects, which take longer
 * to make than their contents. So the encoders write the keys and values of rows into a batch, in the form in which
 * memory keeps them (row-chunks.ts), and a store in memory copies all of them at once. Any other store gets them as
 * operations.
 *
 * `put` begins a row, then the parts of its key are written; `value` begins its value and `end` ends it. `delete`
 * begins a deletion, which `endDeletion` ends after its key.
 * @module
 */
import { HEAP_BYTES_MAX } from '../base/bytes/arena.ts';
import { ByteWriter } from '../base/bytes/writer.ts';
import { EngineError } from '../base/error.ts';
import { COLUMN, type ColumnName } from './column.ts';
import { checkEachOperation } from './key-range.ts';
import { COMMIT_PIECE_OPERATIONS, STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX } from './limits.ts';
import { HEAD_BYTES, keyViewOf, numberBytes, padded, rowLength, valueViewOf } from './row-chunks.ts';
import type { Operation } from './store.ts';

/** Writes rows into a batch: stops when the batch is full, and goes on once it has been emptied. */
export type RowWriting = Generator<void, void, undefined>;

export type PutOperation = Extract<Operation, { readonly type: 'put' }>;

/** Rows for a store, in either form. */
export type Rows = readonly Operation[] | RowBatch;

/** Initial room, which grows as needed, on V8's heap: a fork that writes nothing has two batches. */
const BYTES_MIN = HEAP_BYTES_MAX;

/** A batch that grew beyond this gives its buffer back. */
const KEPT_BYTES_MAX = 1024 * 1024;

/** A batch with fewer rows is full too once it has this many bytes. */
const FULL_BYTES = 4 * 1024 * 1024;

/** What is known of the row that an operation replaces: nothing, that there is none (true), or its value. */
type Known = Uint8Array | true | undefined;

export class RowBatch {
  /** Where keys and values are written. */
  readonly writer: ByteWriter = new ByteWriter(BYTES_MIN);
  /** Indexed by the position of the row in the batch. */
  #known: Known[] = [];
  #length = 0;
  /** Where the last row begun begins. */
  #rowAt = 0;
  /** Where its value begins, including the value's length. */
  #valueAt = 0;
  /** How many bytes are reserved for that length. */
  #lengthBytes = 1;

  /** What `write` writes, as operations. */
  static operationsOf(write: (batch: RowBatch) => Iterable<void>): Operation[] {
    const batch = new RowBatch();
    batch.writeAll(write(batch));
    return batch.operations();
  }

  /** As `operationsOf`, where nothing is deleted. */
  static putsOf(write: (batch: RowBatch) => Iterable<void>): PutOperation[] {
    return RowBatch.operationsOf(write).filter((operation) => operation.type === 'put');
  }

  /** The number of rows, deletions among them. */
  get length(): number {
    return this.#length;
  }

  /** Whether it has as many rows as memory holds at once when a large transaction is written in pieces. */
  get isFull(): boolean {
    return this.#length >= COMMIT_PIECE_OPERATIONS || this.writer.length >= FULL_BYTES;
  }

  /** The rows, laid out as in row-chunks.ts: a view, valid until the next one is begun. */
  get bytes(): Uint8Array {
    return this.writer.view();
  }

  clear(): void {
    this.#known.fill(undefined, 0, this.#length);
    if (this.#length > COMMIT_PIECE_OPERATIONS) this.#known = [];
    this.#length = 0;
    this.writer.clear(KEPT_BYTES_MAX);
  }

  /**
   * Begins a row; the rest of its key follows.
   * @param known what is known of the row that it replaces
   */
  put(column: ColumnName, known?: Known): void {
    const { writer } = this;
    this.#known[this.#length] = known;
    this.#rowAt = writer.skip(HEAD_BYTES + 1);
    writer.overwrite(this.#rowAt + HEAD_BYTES, COLUMN[column]);
  }

  /** Begins a deletion; the rest of its key follows. */
  delete(column: ColumnName, known?: Uint8Array): void {
    this.put(column, known);
  }

  /** Ends the key of a row; its value follows. `isLong`: whether it is expected to exceed 126 bytes. */
  value(isLong = false): void {
    this.#endKey();
    this.#lengthBytes = isLong ? 2 : 1;
    this.#valueAt = this.writer.skip(this.#lengthBytes);
  }

  /**
   * Ends a row.
   * @throws {EngineError} `limit-exceeded` if it is longer than a store takes
   */
  end(): void {
    const { writer } = this;
    const bytes = writer.length - this.#valueAt - this.#lengthBytes;
    if (bytes > STORE_VALUE_BYTES_MAX) throw tooLong('value', 'STORE_VALUE_BYTES_MAX', STORE_VALUE_BYTES_MAX, bytes);
    const needed = numberBytes(bytes + 1);
    if (needed !== this.#lengthBytes) writer.move(this.#valueAt + this.#lengthBytes, this.#valueAt + needed);
    let at = this.#valueAt;
    let rest = bytes + 1;
    for (; rest >= 0x80; rest >>>= 7) writer.overwrite(at++, rest | 0x80);
    writer.overwrite(at, rest);
    this.#endRow();
  }

  /** Takes back the row that was begun; returns what was written of its value. */
  takeBack(): Uint8Array {
    const written = this.writer.view().slice(this.#valueAt + this.#lengthBytes);
    this.writer.truncate(this.#rowAt);
    return written;
  }

  endDeletion(): void {
    this.#endKey();
    this.writer.u8(0);
    this.#endRow();
  }

  /**
   * Adds a row given as an operation.
   * @throws {EngineError} `invalid-argument`, `limit-exceeded`
   */
  add(operation: Operation): void {
    checkEachOperation([operation]);
    const { writer } = this;
    const { key, replaced } = operation;
    this.#known[this.#length] = operation.type === 'put' && operation.isNew === true ? true : replaced;
    this.#rowAt = writer.skip(HEAD_BYTES);
    writer.bytes(key);
    if (operation.type === 'delete') {
      this.endDeletion();
      return;
    }
    this.value(operation.value.length > 126);
    writer.bytes(operation.value);
    this.end();
  }

  /** Writes rows to the end, however many there are. */
  writeAll(rows: Iterable<void>): void {
    for (const _ of rows);
  }

  operations(): Operation[] {
    const bytes = this.writer.finish();
    const operations: Operation[] = [];
    let at = 0;
    for (let index = 0; index < this.#length; index++) {
      operations.push(operationOf(keyViewOf(bytes, at), valueViewOf(bytes, at), this.#known[index]));
      at += rowLength(bytes, at);
    }
    return operations;
  }

  #endRow(): void {
    const { length } = this.writer;
    this.writer.skip(padded(length) - length);
    this.#length++;
  }

  #endKey(): void {
    const { writer } = this;
    const length = writer.length - this.#rowAt - HEAD_BYTES;
    if (length > STORE_KEY_BYTES_MAX) throw tooLong('key', 'STORE_KEY_BYTES_MAX', STORE_KEY_BYTES_MAX, length);
    writer.overwrite(this.#rowAt, (length - 1) >> 8);
    writer.overwrite(this.#rowAt + 1, length - 1);
  }
}

export function operationsOf(rows: Rows): readonly Operation[] {
  return rows instanceof RowBatch ? rows.operations() : rows;
}

function operationOf(key: Uint8Array, value: Uint8Array | undefined, known: Known): Operation {
  if (value === undefined)
    return known instanceof Uint8Array ? { type: 'delete', key, replaced: known } : { type: 'delete', key };
  if (known === undefined) return { type: 'put', key, value };
  return known === true ? { type: 'put', key, value, isNew: true } : { type: 'put', key, value, replaced: known };
}

function tooLong(part: string, name: string, max: number, bytes: number): EngineError {
  return new EngineError('limit-exceeded', `expected a ${part} of at most ${max} bytes (${name}), got ${bytes}`);
}
