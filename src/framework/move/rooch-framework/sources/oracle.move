module rooch_framework::oracle {
    struct NewOracleEvent has copy, drop {
        name: std::string::String,
        oracle_id: moveos_std::object::ObjectID,
        admin_id: moveos_std::object::ObjectID,
    }

    struct OracleAdminCap has store, key {
        oracle_id: moveos_std::object::ObjectID,
    }

    struct SimpleOracle has store, key {
        id: moveos_std::object::Object<TablePlaceholder>,
        address: address,
        name: std::string::String,
        description: std::string::String,
        url: std::string::String,
    }

    struct StoredData<T0: store> has copy, drop, store {
        value: T0,
        sequence_number: u64,
        timestamp: u64,
        identifier: std::string::String,
    }

    struct TablePlaceholder has key {
        _placeholder: bool,
    }
}
