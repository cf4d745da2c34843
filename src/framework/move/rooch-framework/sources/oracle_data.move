module rooch_framework::oracle_data {
    struct Data<T0> has copy, drop {
        value: T0,
        metadata: Metadata,
    }

    struct Metadata has copy, drop {
        ticker: std::string::String,
        sequence_number: u64,
        timestamp: u64,
        oracle: address,
        identifier: std::string::String,
    }
}
