module moveos_std::genesis {
    struct GenesisContext has copy, drop, store {
        timestamp: u64,
    }
}
