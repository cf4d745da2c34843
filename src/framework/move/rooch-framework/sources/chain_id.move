module rooch_framework::chain_id {
    struct ChainID has store, key {
        id: u64,
    }
}
