module rooch_framework::genesis {
    struct GenesisContext has copy, drop, store {
        chain_id: u64,
        sequencer: rooch_framework::bitcoin_address::BitcoinAddress,
        rooch_dao: rooch_framework::bitcoin_address::BitcoinAddress,
    }
}
