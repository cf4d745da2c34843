/**
 * Bounds of stores, and of what reads and writes them in pieces.
 * @module
 */

/** Operations of a commit that are built at a time: some 600 kB of rows, released before the next ones are built. */
export const COMMIT_PIECE_OPERATIONS = 1_000;

/**
 * Rows that a scan passes over before it yields the thread: three milliseconds of change sets. A request waits three
 * rounds of the event loop (src/server/rpc/fair-queue.ts), so it may wait for as many pieces.
 */
export const SCAN_PIECE_ROWS = 16;

/** The same in bytes, for long rows: some three milliseconds of decoding. */
export const SCAN_PIECE_BYTES = 262_144;

/** Milliseconds spent on formatting the items of a page, or writing them as text, before yielding the thread. */
export const PAGE_PIECE_MS = 2;

/** Rows in one page read from a store. More than any page of the node; a whole column is read with `scan`. */
export const STORE_RANGE_ROWS_MAX = 10_000;

/** Length of a store key in bytes: the longest index key (two type tags and an object id) with room to spare. */
export const STORE_KEY_BYTES_MAX = 65_536;

/** Length of one stored value in bytes: a raw Bitcoin block is at most 4 MB, the largest object by design far less. */
export const STORE_VALUE_BYTES_MAX = 67_108_864;

/** Operations in one atomic batch: a Bitcoin block of 10,000 outputs makes some 300,000. */
export const STORE_BATCH_OPERATIONS_MAX = 4_000_000;

/**
 * Operations and bytes that a large batch holds before it writes its first piece. Up to this size one ordinary batch is
 * faster, since a piece also reads and writes what it replaces. LevelDB holds two more copies while it writes them.
 */
export const LARGE_BATCH_HELD_OPERATIONS_MAX = 40_000;
export const LARGE_BATCH_HELD_BYTES_MAX = 16_777_216;

/**
 * Operations and bytes of one piece of a large batch; each piece is synced. Two may be in memory at a time, and a few
 * more as LevelDB's batches, which are freed when JavaScript collects garbage.
 */
export const LARGE_BATCH_PIECE_OPERATIONS_MAX = 10_000;
export const LARGE_BATCH_PIECE_BYTES_MAX = 4_194_304;

/** Rows that a scan reads from a store in one step: enough to hide the cost of a step, few enough to hold in memory. */
export const SCAN_PAGE_ROWS_MAX = 1_000;

/** The same in bytes, and the rows of the first page; later pages adapt to the length of the rows before them. */
export const SCAN_PAGE_BYTES_MAX = 1_048_576;
export const SCAN_FIRST_PAGE_ROWS = 100;

/**
 * Bytes of replaced rows of a directory that are kept for views and forks of earlier moments; beyond that, the oldest
 * can no longer be read. A Bitcoin block of 3,463 transactions replaces, or adds, 20 MB.
 */
export const VIEWS_BYTES_MAX: number = 256 * 2 ** 20;

/** LevelDB's cache of uncompressed blocks: the hot part of a column. Decoded tree nodes have a cache of their own. */
export const LEVEL_CACHE_BYTES = 67_108_864;

/**
 * Bytes that LevelDB gathers in its log and in memory before it writes a table; up to twice as many may be in memory.
 * With its default of 4 MiB, ingesting a block takes a sixth longer, since tables are merged more often.
 */
export const LEVEL_WRITE_BUFFER_BYTES = 16_777_216;

/** Bytes of values that may be only in LevelDB's log when a store closes: opening replays it, at 15 ms per MB. */
export const LEVEL_LOG_BYTES_LEFT_MAX = 4_194_304;
