/**
 * What one access to an object made the runtime read of the state: gas depends on it.
 *
 * What the session has looked at before costs nothing; if any object on the path is absent, only that counts.
 * Source: moveos/moveos-object-runtime/src/runtime_object.rs of the reference.
 * @module
 */
export class Loads {
  /** Value bytes of the objects that were read. */
  bytes = 0;
  /** Whether an object was looked for that the state does not have. */
  isAbsent = false;

  /** Begins anew. */
  clear(): void {
    this.bytes = 0;
    this.isAbsent = false;
  }

  /** Adds what the state gave: the value of an object, or nothing. */
  add(value: Uint8Array | undefined): void {
    if (value === undefined) this.isAbsent = true;
    else this.bytes += value.length;
  }
}
