/// Abort codes that carry a category: the low two bytes of a code are the module's own reason, the bits above them one of
/// the categories below. Modules are free to abort with plain numbers instead, and many do.
module std::error {
    const INVALID_ARGUMENT: u64 = 1;
    const OUT_OF_RANGE: u64 = 2;
    const INVALID_STATE: u64 = 3;
    const UNAUTHENTICATED: u64 = 4;
    const PERMISSION_DENIED: u64 = 5;
    const NOT_FOUND: u64 = 6;
    const ABORTED: u64 = 7;
    const ALREADY_EXISTS: u64 = 8;
    const RESOURCE_EXHAUSTED: u64 = 9;
    const INTERNAL: u64 = 11;
    const NOT_IMPLEMENTED: u64 = 12;
    const UNAVAILABLE: u64 = 13;

    /// The code of `reason` in `category`.
    public fun canonical(category: u64, reason: u64): u64 {
        (category << 16) + reason
    }

    /// The caller gave a value that no state would make valid.
    public fun invalid_argument(reason: u64): u64 { canonical(INVALID_ARGUMENT, reason) }

    /// A position or amount lies beyond what exists.
    public fun out_of_range(reason: u64): u64 { canonical(OUT_OF_RANGE, reason) }

    /// The state forbids the operation now.
    public fun invalid_state(reason: u64): u64 { canonical(INVALID_STATE, reason) }

    /// The sender is not proven to be who it must be.
    public fun unauthenticated(reason: u64): u64 { canonical(UNAUTHENTICATED, reason) }

    /// The sender is known and not allowed to.
    public fun permission_denied(reason: u64): u64 { canonical(PERMISSION_DENIED, reason) }

    /// The named thing does not exist.
    public fun not_found(reason: u64): u64 { canonical(NOT_FOUND, reason) }

    /// A conflict with a concurrent change.
    public fun aborted(reason: u64): u64 { canonical(ABORTED, reason) }

    /// The thing to be created exists.
    public fun already_exists(reason: u64): u64 { canonical(ALREADY_EXISTS, reason) }

    /// A budget or supply is used up.
    public fun resource_exhausted(reason: u64): u64 { canonical(RESOURCE_EXHAUSTED, reason) }

    /// The module's own promise is broken.
    public fun internal(reason: u64): u64 { canonical(INTERNAL, reason) }

    /// The operation is not there.
    public fun not_implemented(reason: u64): u64 { canonical(NOT_IMPLEMENTED, reason) }

    /// The operation may work later.
    public fun unavailable(reason: u64): u64 { canonical(UNAVAILABLE, reason) }
}
