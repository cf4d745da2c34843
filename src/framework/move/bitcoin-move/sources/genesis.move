module bitcoin_move::genesis {
    struct BitcoinGenesisContext has copy, drop, store {
        network: u8,
        genesis_block_height: u64,
        genesis_block_hash: address,
        reorg_block_count: u64,
        rooch_dao: MultisignAccountConfig,
    }

    struct MultisignAccountConfig has copy, drop, store {
        multisign_bitcoin_address: rooch_framework::bitcoin_address::BitcoinAddress,
        threshold: u64,
        participant_public_keys: vector<vector<u8>>,
    }
}
