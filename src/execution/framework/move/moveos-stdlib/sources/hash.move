/// Hash functions beside and including those of `std::hash`.
module moveos_std::hash {
    /// SHA-256.
    public fun sha2_256(data: vector<u8>): vector<u8> {
        std::hash::sha2_256(data)
    }

    /// SHA3-256.
    public fun sha3_256(data: vector<u8>): vector<u8> {
        std::hash::sha3_256(data)
    }

    /// BLAKE2b with a digest of 32 bytes.
    native public fun blake2b256(data: &vector<u8>): vector<u8>;

    /// Keccak-256, as Ethereum has it.
    native public fun keccak256(data: &vector<u8>): vector<u8>;

    /// RIPEMD-160.
    native public fun ripemd160(data: &vector<u8>): vector<u8>;
}
