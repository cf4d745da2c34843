module bitcoin_move::multisign_account {
    struct MultisignAccountInfo has store, key {
        multisign_address: address,
        multisign_bitcoin_address: rooch_framework::bitcoin_address::BitcoinAddress,
        threshold: u64,
        participants: moveos_std::simple_map::SimpleMap<address, ParticipantInfo>,
    }

    struct ParticipantInfo has copy, drop, store {
        participant_address: address,
        participant_bitcoin_address: rooch_framework::bitcoin_address::BitcoinAddress,
        public_key: vector<u8>,
    }
}
