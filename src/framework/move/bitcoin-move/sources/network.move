module bitcoin_move::network {
    struct BitcoinNetwork has key {
        network: u8,
    }
}
