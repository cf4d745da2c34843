/// Base58 with Bitcoin's alphabet. Failures abort with 1.
module moveos_std::base58 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const E_DECODE_FAILED: u64 = 1;

    /// The text of bytes.
    native public fun encoding(address_bytes: &vector<u8>): vector<u8>;

    /// The text of a version byte, bytes, and four bytes of a double SHA-256.
    native public fun checksum_encoding(address_bytes: &vector<u8>, version_byte: u8): vector<u8>;

    /// The bytes of text.
    native public fun decoding(encoded_address_bytes: &vector<u8>): vector<u8>;

    /// The bytes of text with checksum and this version byte.
    native public fun checksum_decoding(encoded_address_bytes: &vector<u8>, version_byte: u8): vector<u8>;
}
