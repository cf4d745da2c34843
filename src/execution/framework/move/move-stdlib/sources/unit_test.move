#[test_only]
/// Signers for tests in Move.
module std::unit_test {
    /// So many signers, each of another address; the same ones whenever it is called.
    native public fun create_signers_for_testing(num_signers: u64): vector<signer>;
}
