module rooch_framework::coin_store {
    struct Balance has store {
        value: u256,
    }

    struct CoinStore<phantom T0: key> has key {
        balance: Balance,
        frozen: bool,
    }

    struct CreateEvent has copy, drop, store {
        coin_store_id: moveos_std::object::ObjectID,
        coin_type: std::string::String,
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
