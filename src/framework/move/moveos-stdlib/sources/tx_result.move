module moveos_std::tx_result {
    struct TxResult has copy, drop, store {
        executed: bool,
        gas_used: u64,
    }
}
