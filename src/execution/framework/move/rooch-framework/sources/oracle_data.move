/// What an oracle said, and when.
module rooch_framework::oracle_data {
    use std::string::String;

    struct Data<T> has copy, drop {
        value: T,
        metadata: Metadata,
    }

    struct Metadata has copy, drop {
        ticker: String,
        sequence_number: u64,
        /// Milliseconds.
        timestamp: u64,
        oracle: address,
        identifier: String,
    }

    /// A datum.
    public fun new<T>(
        value: T,
        ticker: String,
        sequence_number: u64,
        timestamp: u64,
        oracle: address,
        identifier: String
    ): Data<T> {
        Data { value, metadata: Metadata { ticker, sequence_number, timestamp, oracle, identifier } }
    }

    /// What was said.
    public fun value<T>(data: &Data<T>): &T {
        &data.value
    }

    /// Who said it.
    public fun oracle_address<T>(data: &Data<T>): &address {
        &data.metadata.oracle
    }

    /// When it was said, in milliseconds.
    public fun timestamp<T>(data: &Data<T>): u64 {
        data.metadata.timestamp
    }
}
