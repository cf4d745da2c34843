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
