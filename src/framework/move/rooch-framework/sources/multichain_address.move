module rooch_framework::multichain_address {
    #[data_struct]
    struct MultiChainAddress has copy, drop, store {
        multichain_id: u64,
        raw_address: vector<u8>,
    }
}
