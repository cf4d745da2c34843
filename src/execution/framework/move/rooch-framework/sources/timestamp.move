/// The clock of local chains, which anybody may move forward.
module rooch_framework::timestamp {
    use moveos_std::signer;
    use moveos_std::timestamp;
    use rooch_framework::chain_id;

    /// The chain is not a local one.
    const ErrorUnsupportedChain: u64 = 1;

    /// Never made: it stands for this module as a signer.
    struct TimestampPlaceholder has key {}

    /// Moves the clock of a local chain forward.
    public entry fun fast_forward_seconds_for_local(timestamp_seconds: u64) {
        assert!(chain_id::is_local(), ErrorUnsupportedChain);
        let system = signer::module_signer<TimestampPlaceholder>();
        timestamp::fast_forward_seconds_by_system(&system, timestamp_seconds);
    }
}
