/// How a transaction ended, for what runs after it.
module moveos_std::tx_result {
    struct TxResult has copy, drop, store {
        executed: bool,
        gas_used: u64,
    }

    /// Whether the action ran to its end.
    public fun is_executed(self: &TxResult): bool {
        self.executed
    }

    /// Gas that was used, failed or not.
    public fun gas_used(self: &TxResult): u64 {
        self.gas_used
    }
}
