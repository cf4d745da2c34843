module rooch_framework::multi_coin_store {
    struct Balance has store {
        value: u256,
    }

    struct CoinStoreField has store, key {
        coin_type: std::string::String,
        balance: Balance,
        frozen: bool,
    }

    struct CreateEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
    }

    struct DepositEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
        amount: u256,
    }

    struct FreezeEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
        frozen: bool,
    }

    struct MultiCoinStore has key {}

    struct RemoveEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
    }

    struct WithdrawEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
        amount: u256,
    }
}
