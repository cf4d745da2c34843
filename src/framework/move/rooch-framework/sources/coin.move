module rooch_framework::coin {
    struct BurnEvent has copy, drop, store {
        coin_type: std::string::String,
        amount: u256,
    }

    struct Coin<phantom T0: key> {
        value: u256,
    }

    struct CoinInfo<phantom T0: key> has store, key {
        coin_type: std::string::String,
        name: std::string::String,
        symbol: std::string::String,
        icon_url: std::option::Option<std::string::String>,
        decimals: u8,
        supply: u256,
    }

    struct CoinMetadata has store, key {
        coin_info_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
        name: std::string::String,
        symbol: std::string::String,
        icon_url: std::option::Option<std::string::String>,
        decimals: u8,
        supply: u256,
    }

    struct CoinRegistry has key {}

    struct GenericCoin {
        coin_type: std::string::String,
        value: u256,
    }

    struct MintEvent has copy, drop, store {
        coin_type: std::string::String,
        amount: u256,
    }
}
