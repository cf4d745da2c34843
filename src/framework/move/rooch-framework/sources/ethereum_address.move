module rooch_framework::ethereum_address {
    #[data_struct]
    struct ETHAddress has copy, drop, store {
        bytes: vector<u8>,
    }
}
