module rooch_framework::bitcoin_validator {
    struct BitcoinValidator has drop, store {}
}
