/**
 * What one access to an object made the runtime read from the state: gas depends on it.
 *
 * What the session has read before costs nothing; if an object on the path is absent, only the absence counts.
 * Source: moveos/moveos-object-runtime/src/runtime_object.rs of the reference.
 * @module
 */
export class Loads {
  /** Value bytes of the objects that were read. */
  bytes = 0;
  /** Whether an object was looked for that the state does not have. */
  isAbsent = false;

  /** Starts over. */
  clear(): void {
    this.bytes = 0;
    this.isAbsent = false;
  }

  /** Adds what was read from the state: the value of an object, or nothing. */
  add(value: Uint8Array | undefined): void {
    if (value === undefined) this.isAbsent = true;
    else this.bytes += value.length;
  }
}
