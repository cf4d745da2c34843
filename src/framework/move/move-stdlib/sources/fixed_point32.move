module std::fixed_point32 {
    struct FixedPoint32 has copy, drop, store {
        value: u64,
    }
}
