module rooch_framework::address_mapping {
    struct MultiChainAddressMapping has key {
        _placeholder: bool,
    }

    struct RoochToBitcoinAddressMapping has key {
        _placeholder: bool,
    }
}
