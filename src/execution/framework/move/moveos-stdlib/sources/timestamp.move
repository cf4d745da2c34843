/// The chain's clock: one object, moved forward by the order of transactions, never back.
module moveos_std::timestamp {
    use moveos_std::core_addresses;
    use moveos_std::object;
    use moveos_std::signer;

    /// The new time is before the present one.
    const ErrorInvalidTimestamp: u64 = 1;
    /// The signer is no system account.
    const ErrorNotGenesisAddress: u64 = 2;

    const MILLISECONDS_PER_SECOND: u64 = 1000;

    /// Milliseconds since 1970-01-01 UTC.
    struct Timestamp has key {
        milliseconds: u64,
    }

    /// Sets the clock; aborts if that would set it back.
    public(friend) fun update_global_time(timestamp_milliseconds: u64) {
        assert!(try_set(timestamp_milliseconds), ErrorInvalidTimestamp);
    }

    /// Sets the clock unless that would set it back, and tells whether it did. For system accounts.
    public fun try_update_global_time(genesis_account: &signer, timestamp_milliseconds: u64): bool {
        assert_system(genesis_account);
        try_set(timestamp_milliseconds)
    }

    /// The clock.
    public fun timestamp(): &Timestamp {
        object::borrow(object::borrow_object<Timestamp>(object::named_object_id<Timestamp>()))
    }

    /// Milliseconds on a clock.
    public fun milliseconds(self: &Timestamp): u64 {
        self.milliseconds
    }

    /// Whole seconds on a clock.
    public fun seconds(self: &Timestamp): u64 {
        self.milliseconds / MILLISECONDS_PER_SECOND
    }

    /// The present time in milliseconds.
    public fun now_milliseconds(): u64 {
        milliseconds(timestamp())
    }

    /// The present time in whole seconds.
    public fun now_seconds(): u64 {
        seconds(timestamp())
    }

    /// Seconds as milliseconds.
    public fun seconds_to_milliseconds(seconds: u64): u64 {
        seconds * MILLISECONDS_PER_SECOND
    }

    /// Moves the clock forward. For system accounts.
    public fun fast_forward_seconds_by_system(genesis_account: &signer, timestamp_seconds: u64) {
        assert_system(genesis_account);
        update_global_time(now_milliseconds() + seconds_to_milliseconds(timestamp_seconds));
    }

    fun try_set(milliseconds: u64): bool {
        let object = object::borrow_mut_object_extend<Timestamp>(object::named_object_id<Timestamp>());
        let timestamp = object::borrow_mut(object);
        if (milliseconds < timestamp.milliseconds) return false;
        timestamp.milliseconds = milliseconds;
        true
    }

    fun assert_system(account: &signer) {
        assert!(core_addresses::is_system_reserved_address(signer::address_of(account)), ErrorNotGenesisAddress);
    }

    // ---- for tests alone ----

    #[test_only]
    /// Sets the clock to a later time.
    public fun update_global_time_for_test(timestamp_milliseconds: u64) {
        update_global_time(timestamp_milliseconds);
    }

    #[test_only]
    /// Sets the clock to a later time, in seconds.
    public fun update_global_time_for_test_secs(timestamp_seconds: u64) {
        update_global_time(seconds_to_milliseconds(timestamp_seconds));
    }

    #[test_only]
    /// Moves the clock forward.
    public fun fast_forward_seconds_for_test(timestamp_seconds: u64) {
        fast_forward_milliseconds_for_test(seconds_to_milliseconds(timestamp_seconds));
    }

    #[test_only]
    /// Moves the clock forward.
    public fun fast_forward_milliseconds_for_test(timestamp_milliseconds: u64) {
        update_global_time(now_milliseconds() + timestamp_milliseconds);
    }
}
