/**
 * The portable form of a whole store: what `movelet dump` writes and `movelet load` reads, and the durable form of a
 * snapshot.
 *
 * Layout: `magic (8) | format version (4) | rows | 0 (4) | number of rows (8) | SHA-256 of all bytes before (32)`. A row
 * is `key length (4) | value length (4) | key | value`, all numbers little endian; keys are not empty and ascend, so a
 * key length of zero ends the rows. The same content gives the same bytes, whichever kind of store held it.
 *
 * A dump is written from one view, so that it is consistent while the chain goes on. Nothing becomes visible before the
 * digest is checked: the head row, without which a store counts as empty, is written last.
 *
 * @module
 */

import { A_FUNCTION, argumentError, assertBytes, assertMethods, assertOptions, BYTES } from '../base/argument.ts';
import { readU32 } from '../base/bytes/bigint.ts';
import { compareBytes, equalBytes, joinBytes, toHexPrefixed } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { createSha256 } from '../base/hash/sha256.ts';
import { STORE_KEY_BYTES_MAX, STORE_VALUE_BYTES_MAX } from './limits.ts';
import { assertStore, type Operation, type ReadableStore, type Row, type Store } from './store.ts';

/** Size of the chunks in which a dump is written, in bytes. */
const DUMP_CHUNK_BYTES = 262_144;

/** Bytes of rows in one batch of a load: each batch is synced, so smaller ones would wait for the disk more often. */
const DUMP_BATCH_BYTES = 4_194_304;

/** 'movelet' and a byte that text files do not hold. */
const MAGIC = Uint8Array.of(0x6d, 0x6f, 0x76, 0x65, 0x6c, 0x65, 0x74, 0xd0);

/** The format that this version writes, and the only one that it reads. */
const DUMP_FORMAT_VERSION = 1;

const HEADER_BYTES = 12;
const ROW_HEADER_BYTES = 8;
const TRAILER_BYTES = 12;
const DIGEST_BYTES = 32;

interface DumpOptions {
  /** Called with the key of each row, in their order. */
  readonly onRow?: ((key: Uint8Array) => void) | undefined;
  /** Converts a row for the dump. Default: itself. */
  readonly written?: ((row: Row) => Row) | undefined;
}

/**
 * The dump of a store or view, in chunks of about DUMP_CHUNK_BYTES. If the store is written meanwhile, the dump shows
 * the moment of its first step.
 */
export async function* dumpStore(
  store: ReadableStore,
  { onRow, written }: DumpOptions = {},
): AsyncIterable<Uint8Array> {
  assertMethods(store, 'store', 'a store or a view of one', ['scan']);
  const hash = createSha256();
  let parts: Uint8Array[] = [MAGIC, numbers(DUMP_FORMAT_VERSION)];
  let length = HEADER_BYTES;
  let count = 0;
  const take = (): Uint8Array => {
    const chunk = joinBytes(parts);
    hash.update(chunk);
    parts = [];
    length = 0;
    return chunk;
  };
  for await (const row of store.scan({})) {
    const { key, value } = written?.(row) ?? row;
    parts.push(numbers(key.length, value.length), key, value);
    length += ROW_HEADER_BYTES + key.length + value.length;
    count++;
    onRow?.(key);
    if (length >= DUMP_CHUNK_BYTES) yield take();
  }
  parts.push(numbers(0, count % 2 ** 32, Math.floor(count / 2 ** 32)));
  length += TRAILER_BYTES;
  yield take();
  yield Uint8Array.from(hash.digest());
}

/** How a dump is read into a store. */
export interface LoadOptions {
  /** Key of the row that makes the content visible; written last, in a batch of its own. */
  readonly headKey: Uint8Array;
  /**
   * Called when all rows are written but not yet visible, with a store that has the head too. If it throws, the load
   * throws the same error and nothing is loaded. The digest only reveals damage; pass a check if you do not trust the
   * author of the dump. Default: none.
   */
  readonly check?: ((whole: ReadableStore) => Promise<void>) | undefined;
  /** Called after each batch with the rows written so far. */
  readonly onProgress?: ((rows: number) => void) | undefined;
}

/**
 * Loads a dump into an empty store. After a failed load the store is empty again, if it still takes writes.
 * @returns the number of rows.
 * @throws {EngineError} `corrupt` for a dump that is cut, changed or followed by other bytes, `format-unknown` for one
 * of another version, `malformed-bytes` for input that is not a dump, `invalid-argument` for a store that is not empty,
 * and what `Store.batch` throws.
 */
export async function loadDump(
  store: Store,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options: LoadOptions,
): Promise<number> {
  assertStore(store);
  if (!isIterable(chunks)) throw argumentError('chunks', 'the chunks of a dump, iterable', chunks);
  assertOptions(options, LOAD_OPTIONS);
  assertBytes(options.headKey, 'headKey');
  const [first] = await store.range({ limit: 1 });
  if (first !== undefined) {
    const held =
      store.get(options.headKey) === undefined
        ? 'rows without a head: an earlier load did not end; remove it first'
        : 'a chain';
    throw new EngineError(
      'invalid-argument',
      `expected an empty store to load a dump into, got one that holds ${held}`,
    );
  }
  const reader = new DumpReader(chunks);
  try {
    return await loadRows(store, reader, options);
  } catch (error) {
    // If the store failed, clearing fails too: its rows stay without a head, and the first error is thrown.
    await clearStore(store).catch(() => undefined);
    throw error;
  } finally {
    await reader.close();
  }
}

const LOAD_OPTIONS = { headKey: BYTES, check: A_FUNCTION, onProgress: A_FUNCTION };

function isIterable(chunks: unknown): boolean {
  return typeof chunks === 'object' && chunks !== null && (Symbol.asyncIterator in chunks || Symbol.iterator in chunks);
}

async function loadRows(
  store: Store,
  reader: DumpReader,
  { headKey, check, onProgress }: LoadOptions,
): Promise<number> {
  let operations: Operation[] = [];
  let bytes = 0;
  let rows = 0;
  let head: Row | undefined;
  for await (const page of reader.pages()) {
    for (const row of page) {
      rows++;
      if (equalBytes(row.key, headKey)) {
        head = row;
        continue;
      }
      operations.push({ type: 'put', key: row.key, value: row.value });
      bytes += row.key.length + row.value.length;
      if (bytes < DUMP_BATCH_BYTES) continue;
      await store.batch(operations, { sync: true });
      onProgress?.(rows);
      operations = [];
      bytes = 0;
    }
  }
  if (head === undefined) {
    throw new EngineError('corrupt', `the dump has no head row (key ${toHexPrefixed(headKey)}); it is of no chain`);
  }
  await store.batch(operations, { sync: true });
  if (check !== undefined) await checkWhole(store, head, check);
  await store.batch([{ type: 'put', ...head }], { sync: true });
  onProgress?.(reader.count);
  return reader.count;
}

async function checkWhole(store: Store, head: Row, check: (whole: ReadableStore) => Promise<void>): Promise<void> {
  const whole = store.fork();
  try {
    await whole.batch([{ type: 'put', ...head }]);
    await check(whole);
  } finally {
    await whole.close();
  }
}

/**
 * The rows of a dump in pages, in order. They count only once all pages have been read, since the digest comes last.
 * @throws {EngineError} as `loadDump`
 */
export async function* dumpRows(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<readonly Row[], void, undefined> {
  const reader = new DumpReader(chunks);
  try {
    yield* reader.pages();
  } finally {
    await reader.close();
  }
}

/** Removes every row. */
export async function clearStore(store: Store): Promise<void> {
  let operations: Operation[] = [];
  for await (const { key } of store.scan({})) {
    operations.push({ type: 'delete', key });
    if (operations.length < CLEAR_OPERATIONS) continue;
    await store.batch(operations);
    operations = [];
  }
  if (operations.length > 0) await store.batch(operations);
}

const CLEAR_OPERATIONS = 10_000;

/**
 * Reads a dump from chunks of any size, checking as it goes; what it yields counts only once `pages` has ended. It
 * awaits only when bytes are missing: awaiting each part of each row takes longer than everything else.
 */
class DumpReader {
  readonly #chunks: AsyncIterator<Uint8Array> | Iterator<Uint8Array>;
  readonly #hash = createSha256();
  #buffer: Uint8Array = new Uint8Array(0);
  #at = 0;
  /** Offset in the buffer of the first byte that is not hashed yet. */
  #hashed = 0;
  #position = 0;
  /** Rows read so far. */
  count = 0;

  constructor(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>) {
    this.#chunks = Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
  }

  /** Yields every row in order, and ends only after checking the digest and the end of the input. */
  async *pages(): AsyncIterable<readonly Row[]> {
    await this.#readHeader();
    let page: Row[] = [];
    let bytes = 0;
    let before: Uint8Array | undefined;
    for (;;) {
      if (!this.#has(4)) await this.#fill(4, 'a row');
      const keyBytes = this.#takeNumber();
      if (keyBytes === 0) break;
      if (!this.#has(4)) await this.#fill(4, 'a row');
      const valueBytes = this.#takeNumber();
      if (keyBytes > STORE_KEY_BYTES_MAX || valueBytes > STORE_VALUE_BYTES_MAX) {
        throw this.#corrupt(`a row of ${keyBytes} and ${valueBytes} bytes is longer than any row may be`);
      }
      if (!this.#has(keyBytes + valueBytes)) await this.#fill(keyBytes + valueBytes, 'a row');
      const row = this.#take(keyBytes + valueBytes);
      const key = row.subarray(0, keyBytes);
      if (before !== undefined && compareBytes(before, key) >= 0) throw this.#corrupt('its keys do not ascend');
      before = key;
      this.count++;
      page.push({ key, value: row.subarray(keyBytes) });
      bytes += row.length;
      if (bytes < DUMP_BATCH_BYTES) continue;
      yield page;
      page = [];
      bytes = 0;
    }
    await this.#readTrailer();
    yield page;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  async #readHeader(): Promise<void> {
    await this.#fill(8, 'its header');
    if (!equalBytes(this.#take(8), MAGIC)) {
      throw new EngineError('malformed-bytes', 'expected a dump of movelet, got bytes that do not begin as one');
    }
    await this.#fill(4, 'its header');
    const version = this.#takeNumber();
    if (version !== DUMP_FORMAT_VERSION) {
      throw new EngineError(
        'format-unknown',
        `the dump has format version ${version}, this program reads ${DUMP_FORMAT_VERSION}; load it with the version that wrote it`,
        { details: { version, supported: DUMP_FORMAT_VERSION } },
      );
    }
  }

  async #readTrailer(): Promise<void> {
    await this.#fill(8, 'its count');
    const count = this.#takeNumber() + this.#takeNumber() * 2 ** 32;
    if (count !== this.count) throw this.#corrupt(`it holds ${this.count} rows and says ${count}`);
    this.#hashTaken();
    await this.#fill(DIGEST_BYTES, 'its digest');
    const stored = this.#take(DIGEST_BYTES);
    this.#hashed = this.#at;
    if (!equalBytes(Uint8Array.from(this.#hash.digest()), stored)) {
      throw this.#corrupt('its digest does not match its bytes');
    }
    if (this.#has(1) || (await this.#read(1))) throw this.#corrupt('other bytes follow its end');
  }

  #has(length: number): boolean {
    return this.#buffer.length - this.#at >= length;
  }

  /** The next bytes, which must be in the buffer. */
  #take(length: number): Uint8Array {
    const taken = this.#buffer.subarray(this.#at, this.#at + length);
    this.#at += length;
    this.#position += length;
    return taken;
  }

  /** The next 32-bit number, little endian. */
  #takeNumber(): number {
    this.#at += 4;
    this.#position += 4;
    return readU32(this.#buffer, this.#at - 4);
  }

  /** Hashes what was taken since the last call. */
  #hashTaken(): void {
    if (this.#hashed < this.#at) this.#hash.update(this.#buffer.subarray(this.#hashed, this.#at));
    this.#hashed = this.#at;
  }

  async #fill(length: number, what: string): Promise<void> {
    if (!this.#has(length) && !(await this.#read(length))) throw this.#corrupt(`it ends in the middle of ${what}`);
  }

  /** Reads chunks until the buffer has `length` bytes; returns whether it has. */
  async #read(length: number): Promise<boolean> {
    this.#hashTaken();
    const parts = [this.#buffer.subarray(this.#at)];
    let there = this.#buffer.length - this.#at;
    while (there < length) {
      const next = await this.#chunks.next();
      if (next.done === true) break;
      assertBytes(next.value, 'chunks');
      parts.push(next.value);
      there += next.value.length;
    }
    this.#buffer = joinBytes(parts);
    this.#at = 0;
    this.#hashed = 0;
    return there >= length;
  }

  #corrupt(what: string): EngineError {
    return new EngineError('corrupt', `the dump is damaged at byte ${this.#position}: ${what}; nothing was loaded`, {
      details: { position: this.#position },
    });
  }
}

/** 32-bit numbers, little endian. */
function numbers(...values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * 4);
  const view = new DataView(bytes.buffer);
  for (const [index, value] of values.entries()) view.setUint32(index * 4, value, true);
  return bytes;
}
