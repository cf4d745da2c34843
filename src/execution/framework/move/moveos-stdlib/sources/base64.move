/// Base64: the standard alphabet with padding out, that or the one for addresses of the web in. Failures abort with 1.
module moveos_std::base64 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const E_DECODE_FAILED: u64 = 1;

    /// The text of bytes.
    native public fun encode(input: &vector<u8>): vector<u8>;

    /// The bytes of text.
    native public fun decode(encoded_input: &vector<u8>): vector<u8>;
}
