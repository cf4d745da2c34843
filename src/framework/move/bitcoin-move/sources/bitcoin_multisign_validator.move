module bitcoin_move::bitcoin_multisign_validator {
    struct BitcoinMultisignValidator has drop, store {}
}
