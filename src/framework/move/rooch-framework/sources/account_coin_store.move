module rooch_framework::account_coin_store {
    struct AcceptCoinEvent has copy, drop, store {
        enable: bool,
    }

    struct AutoAcceptCoins has store, key {
        auto_accept_coins: moveos_std::table::Table<address, bool>,
    }
}
