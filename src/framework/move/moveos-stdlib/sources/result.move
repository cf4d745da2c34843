module moveos_std::result {
    struct Result<T0, T1> has copy, drop {
        value: std::option::Option<T0>,
        err: std::option::Option<T1>,
    }
}
