module moveos_std::base58 {
    public native fun checksum_decoding(a0: &vector<u8>, a1: u8): vector<u8>;

    public native fun checksum_encoding(a0: &vector<u8>, a1: u8): vector<u8>;

    public native fun decoding(a0: &vector<u8>): vector<u8>;

    public native fun encoding(a0: &vector<u8>): vector<u8>;
}
