/// Numbers that nobody can choose before a transaction is ordered, and that whoever orders could: good for games, not for
/// money.
module rooch_framework::simple_rng {
    use std::hash;
    use std::option;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use rooch_framework::transaction::{Self, TransactionSequenceInfo};

    /// The range is empty.
    const ErrorInvalidArg: u64 = 0;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidU64: u64 = 1;
    #[test_only] const ErrorInvalidU128: u64 = 2;
    #[test_only] const ErrorInvalidSeed: u64 = 3;

    /// The number in the first 8 bytes, big-endian.
    public fun bytes_to_u64(bytes: vector<u8>): u64 {
        let value = 0;
        let index = 0;
        while (index < 8) {
            value = value << 8 | (*vector::borrow(&bytes, index) as u64);
            index = index + 1;
        };
        value
    }

    /// The number in the first 16 bytes, big-endian.
    public fun bytes_to_u128(bytes: vector<u8>): u128 {
        let value = 0;
        let index = 0;
        while (index < 16) {
            value = value << 8 | (*vector::borrow(&bytes, index) as u128);
            index = index + 1;
        };
        value
    }

    /// A number, the same each time within a transaction.
    public fun rand_u64(): u64 {
        rand_u64_with_count(0)
    }

    /// A number for each `count` within a transaction.
    public fun rand_u64_with_count(count: u64): u64 {
        bytes_to_u64(seed(count))
    }

    /// A number, the same each time within a transaction.
    public fun rand_u128(): u128 {
        rand_u128_with_count(0)
    }

    /// A number for each `count` within a transaction.
    public fun rand_u128_with_count(count: u64): u128 {
        bytes_to_u128(seed(count))
    }

    /// A number from `low` up to, not including, `high`, the same each time within a transaction.
    public fun rand_u64_range(low: u64, high: u64): u64 {
        rand_u64_range_with_count(low, high, 0)
    }

    /// A number from `low` up to, not including, `high`, for each `count` within a transaction.
    public fun rand_u64_range_with_count(low: u64, high: u64, count: u64): u64 {
        assert!(low < high, ErrorInvalidArg);
        low + rand_u64_with_count(count) % (high - low)
    }

    /// A number from `low` up to, not including, `high`, the same each time within a transaction.
    public fun rand_u128_range(low: u128, high: u128): u128 {
        rand_u128_range_with_count(low, high, 0)
    }

    /// A number from `low` up to, not including, `high`, for each `count` within a transaction.
    public fun rand_u128_range_with_count(low: u128, high: u128, count: u64): u128 {
        assert!(low < high, ErrorInvalidArg);
        low + rand_u128_with_count(count) % (high - low)
    }

    /// Hash of what ordering fixed, or of the transaction where it was not ordered, and of time, sender and `count`.
    fun seed(count: u64): vector<u8> {
        let sequence_info = tx_context::get_attribute<TransactionSequenceInfo>();
        let unforeseen = if (option::is_some(&sequence_info)) {
            transaction::tx_accumulator_root(option::borrow(&sequence_info))
        } else {
            tx_context::tx_hash()
        };
        let bytes = bcs::to_bytes(&unforeseen);
        vector::append(&mut bytes, bcs::to_bytes(&timestamp::now_milliseconds()));
        vector::append(&mut bytes, bcs::to_bytes(&tx_context::sender()));
        vector::append(&mut bytes, bcs::to_bytes(&tx_context::sequence_number()));
        vector::append(&mut bytes, bcs::to_bytes(&count));
        hash::sha3_256(bytes)
    }
}
