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

/** Parts of a value that is decoded for display, so that a large stored value cannot fill the memory of a reader. */
export const VALUE_NODES_MAX = 1_000_000;

/** Version of the data format that this program writes; part of the head. */
export const DATA_FORMAT_VERSION = 1;

/** Jobs that share one batch of the writer: bounds the rows in flight and what a failed sync can take back. */
export const WRITER_GROUP_JOBS_MAX = 256;

/** Levels of a layout: the reference bounds the depth of a value at 128. */
export const LAYOUT_DEPTH_MAX = 128;

/** Parts of one layout: nested generic structs grow fast. */
export const LAYOUT_NODES_MAX = 4096;

/** States of the module store whose layouts are kept: the present one, and some for reads of the past and of forks. */
export const LAYOUT_ROOTS_MAX = 16;

/** Gas that the genesis transaction may use: all of u64, as in the reference. */
export const GENESIS_GAS_AMOUNT_MAX = 0xffff_ffff_ffff_ffffn;

/** Rows that a filtered walk reads at a time: fewer would wait more often, more would read in vain. */
export const PAGE_SCAN_ROWS = 64;

/** Ids that one query may name; the reference's bound. */
export const QUERY_IDS_MAX = 100;

/** Coins of one account that a list of balances sorts; the order is that of a hash, so all must be read. */
export const BALANCE_COINS_MAX = 5_000;

/** Chain ids of the reference's networks; custom chains take any other u64. */
export const CHAIN_ID_MAIN = 1n;
export const CHAIN_ID_TEST = 2n;
export const CHAIN_ID_DEV = 3n;
export const CHAIN_ID_LOCAL = 4n;

/** 2023-11-14T22:13:20Z in milliseconds: fixed, so that the default genesis is the same in every run. */
export const GENESIS_TIMESTAMP_DEFAULT = 1_700_000_000_000n;

/** A million gas coins of 8 decimals for each known account. */
export const ACCOUNT_BALANCE_DEFAULT = 100_000_000_000_000n;
