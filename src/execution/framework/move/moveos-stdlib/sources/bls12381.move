/// BLS signatures on the curve BLS12-381. A malformed signature aborts with 1, a malformed key with 2.
module moveos_std::bls12381 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const E_SIG_FAILED: u64 = 1;
    #[test_only] const E_PUBKEY_FAILED: u64 = 2;

    /// Signatures in G1, keys in G2.
    public native fun bls12381_min_sig_verify(
        signature: &vector<u8>,
        public_key: &vector<u8>,
        msg: &vector<u8>
    ): bool;

    /// Signatures in G2, keys in G1.
    public native fun bls12381_min_pk_verify(
        signature: &vector<u8>,
        public_key: &vector<u8>,
        msg: &vector<u8>
    ): bool;
}
