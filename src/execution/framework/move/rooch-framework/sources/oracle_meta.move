/// The middle of what several oracles say, as far as it is fresh.
module rooch_framework::oracle_meta {
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::object::Object;
    use moveos_std::sort;
    use rooch_framework::oracle::{Self, SimpleOracle};
    use rooch_framework::oracle_data::{Self, Data};

    /// Too few oracles said something lately.
    const ErrorValidDataSizeLessThanThreshold: u64 = 0;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorUnsupportedDataType: u64 = 1;

    struct MetaOracle<T> {
        oracle_data: vector<Option<Data<T>>>,
        threshold: u64,
        time_window_ms: u64,
        ticker: String,
        max_timestamp: u64,
    }

    struct TrustedData<T> has copy, drop {
        value: T,
        oracles: vector<address>,
    }

    /// To be filled: so many oracles at least must have spoken within so many milliseconds under a name.
    public fun new<T: copy + drop>(threshold: u64, time_window_ms: u64, ticker: String): MetaOracle<T> {
        MetaOracle { oracle_data: vector[], threshold, time_window_ms, ticker, max_timestamp: 0 }
    }

    /// Adds what an oracle said last, if anything. The window ends at the time of the one that is added last.
    public fun add_simple_oracle<T: copy + drop + store>(
        meta_oracle: &mut MetaOracle<T>,
        oracle: &Object<SimpleOracle>
    ) {
        let latest = oracle::get_latest_data<T>(oracle, meta_oracle.ticker);
        if (option::is_some(&latest)) {
            meta_oracle.max_timestamp = oracle_data::timestamp(option::borrow(&latest))
        };
        vector::push_back(&mut meta_oracle.oracle_data, latest);
    }

    /// The value in the middle, the upper one of two, and who counted.
    public fun median<T: copy + drop>(meta_oracle: MetaOracle<T>): TrustedData<T> {
        let MetaOracle { oracle_data, threshold, time_window_ms, ticker: _, max_timestamp } = meta_oracle;
        let oldest = max_timestamp - time_window_ms;
        let values = vector[];
        let oracles = vector[];
        vector::for_each(oracle_data, |said| {
            if (option::is_some(&said)) {
                let data = option::destroy_some(said);
                if (oracle_data::timestamp(&data) > oldest) {
                    vector::push_back(&mut values, *oracle_data::value(&data));
                    vector::push_back(&mut oracles, *oracle_data::oracle_address(&data));
                }
            }
        });
        let count = vector::length(&values);
        assert!(count >= threshold, ErrorValidDataSizeLessThanThreshold);
        sort::sort(&mut values);
        TrustedData { value: vector::swap_remove(&mut values, count / 2), oracles }
    }

    /// What the oracles said.
    public fun data<T>(meta: &MetaOracle<T>): &vector<Option<Data<T>>> { &meta.oracle_data }

    /// How many must have spoken.
    public fun threshold<T>(meta: &MetaOracle<T>): u64 { meta.threshold }

    /// Within how many milliseconds.
    public fun time_window_ms<T>(meta: &MetaOracle<T>): u64 { meta.time_window_ms }

    /// Under which name.
    public fun ticker<T>(meta: &MetaOracle<T>): String { meta.ticker }

    /// Where the window ends, in milliseconds.
    public fun max_timestamp<T>(meta: &MetaOracle<T>): u64 { meta.max_timestamp }

    /// The value in the middle.
    public fun value<T>(data: &TrustedData<T>): &T { &data.value }

    /// Who counted.
    public fun oracles<T>(data: &TrustedData<T>): vector<address> { data.oracles }
}
