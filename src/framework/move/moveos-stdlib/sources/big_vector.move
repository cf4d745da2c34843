module moveos_std::big_vector {
    struct BigVector<T0: store> has store {
        buckets: moveos_std::table::Table<u64, vector<T0>>,
        end_index: u64,
        bucket_size: u64,
    }
}
