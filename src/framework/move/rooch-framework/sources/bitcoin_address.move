module rooch_framework::bitcoin_address {
    #[data_struct]
    struct BitcoinAddress has copy, drop, store {
        bytes: vector<u8>,
    }

    native fun derive_bitcoin_taproot_address(a0: &vector<u8>, a1: std::option::Option<address>): BitcoinAddress;

    native fun parse(a0: &vector<u8>): BitcoinAddress;

    public native fun verify_bitcoin_address_with_public_key(a0: &BitcoinAddress, a1: &vector<u8>): bool;
}
