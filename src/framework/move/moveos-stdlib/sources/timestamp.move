module moveos_std::timestamp {
    struct Timestamp has key {
        milliseconds: u64,
    }
}
