module rooch_framework::payment_revenue {
    struct PaymentRevenueHub has key {
        multi_coin_store: moveos_std::object::Object<rooch_framework::multi_coin_store::MultiCoinStore>,
        revenue_by_source: moveos_std::table::Table<std::string::String, moveos_std::table::Table<std::string::String, u256>>,
    }

    struct RevenueDepositedEvent has copy, drop {
        hub_id: moveos_std::object::ObjectID,
        owner: address,
        coin_type: std::string::String,
        amount: u256,
        source_type: std::string::String,
        source_id: std::option::Option<moveos_std::object::ObjectID>,
        source_description: std::string::String,
    }

    struct RevenueHubCreatedEvent has copy, drop {
        hub_id: moveos_std::object::ObjectID,
        owner: address,
    }

    struct RevenueSource has copy, drop, store {
        source_type: std::string::String,
        source_id: std::option::Option<moveos_std::object::ObjectID>,
        description: std::string::String,
    }

    struct RevenueWithdrawnEvent has copy, drop {
        hub_id: moveos_std::object::ObjectID,
        owner: address,
        coin_type: std::string::String,
        amount: u256,
        fee_amount: u256,
        net_amount: u256,
        fee_rate_bps: u16,
    }
}
