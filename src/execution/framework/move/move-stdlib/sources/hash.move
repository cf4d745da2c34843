/// The NIST hash functions.
module std::hash {
    /// SHA-256 of FIPS 180-4.
    public native fun sha2_256(data: vector<u8>): vector<u8>;

    /// SHA3-256 of FIPS 202.
    public native fun sha3_256(data: vector<u8>): vector<u8>;
}
