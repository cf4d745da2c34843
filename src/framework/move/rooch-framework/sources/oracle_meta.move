module rooch_framework::oracle_meta {
    struct MetaOracle<T0> {
        oracle_data: vector<std::option::Option<rooch_framework::oracle_data::Data<T0>>>,
        threshold: u64,
        time_window_ms: u64,
        ticker: std::string::String,
        max_timestamp: u64,
    }

    struct TrustedData<T0> has copy, drop {
        value: T0,
        oracles: vector<address>,
    }
}
