/**
 * Every limit and default of the engine, with its reason. Bound and unit stand last in the name.
 * A limit that a caller may change is an option of the same name; the others are consensus or format.
 * @module
 */

/** Nesting of a type tag, in levels. The reference's bound for the binary form; text is held to the same. */
export const TYPE_TAG_DEPTH_MAX = 9;

/** Type nodes in one tag: a flat tag with many arguments is as costly as a deep one. */
export const TYPE_TAG_NODES_MAX = 256;

/** Length of a Move identifier in bytes; the module format's own bound. */
export const IDENTIFIER_BYTES_MAX = 255;

/** Parts of an object id. Practical depth is 3 (object, child, dynamic field); the rest is room. */
export const OBJECT_ID_DEPTH_MAX = 16;

/** Nesting of object changes in one change set; follows from OBJECT_ID_DEPTH_MAX. */
export const CHANGE_SET_DEPTH_MAX = 16;

/** Nesting of a value that is decoded for display; Move itself allows 128. */
export const VALUE_DEPTH_MAX = 128;

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
