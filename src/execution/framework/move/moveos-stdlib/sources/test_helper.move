#[test_only]
/// What tests in Move need and contracts must not have.
module moveos_std::test_helper {
    /// Ends a value of any type, whether or not it can be dropped.
    native public fun destroy<T>(x: T);
}
