/**
 * The limits of the stores.
 * @module
 */

/** Rows in one page read from a store. Above any page of the node; a whole column is read with `scan`. */
export const STORE_RANGE_ROWS_MAX = 10_000;

/** Length of a store key in bytes: the longest index key (two type tags and an object id) with room to spare. */
export const STORE_KEY_BYTES_MAX = 65_536;

/** Length of one stored value in bytes: a raw Bitcoin block is at most 4 MB, the largest object by design far less. */
export const STORE_VALUE_BYTES_MAX = 67_108_864;

/** Operations in one atomic batch: a Bitcoin block of 10,000 outputs makes some 300,000. */
export const STORE_BATCH_OPERATIONS_MAX = 4_000_000;

/** Rows that a scan takes from a store in one step: enough to hide the cost of a step, few enough to hold. */
export const SCAN_PAGE_ROWS_MAX = 1_000;

/** Operations of waiting batches that are joined into one write: more would only delay the first of them. */
export const JOINED_OPERATIONS_MAX = 20_000;

/** LevelDB's cache of uncompressed blocks: the hot part of a column; decoded tree nodes have their own cache. */
export const LEVEL_CACHE_BYTES = 67_108_864;
