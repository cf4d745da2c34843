/**
 * How a write through a reference is noticed.
 *
 * A reference to a struct or vector is the struct or vector itself, so it does not say what it was borrowed from. But
 * every container of a value that was decoded from state carries an *owner*, and every write to a container (WriteRef,
 * and the vector operations) marks the owner of that container. Containers made by Move code have no owner.
 *
 * Why it suffices to set owners when values are loaded: a container enters a loaded value only by a write through a
 * reference into it, and leaves it only by such a write or with the whole value. So whenever a container is somewhere
 * its owner no longer describes, both the value that it left and the value that it is in are already dirty, gone or
 * fresh, and none of these becomes clean again within a session. Reading through a mutable reference marks nothing,
 * while writing an equal value does, as in the reference (`GlobalValue` in `move-vm/types/src/values/values_impl.rs`).
 *
 * Cost: one field in each container, one load and compare for each write.
 * @module
 */

/** One value of the state that a session holds; `dirty` is set by the first write into it and never cleared. */
export interface Owner {
  dirty: boolean;
}
