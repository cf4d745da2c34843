module moveos_std::hash {
    public native fun blake2b256(a0: &vector<u8>): vector<u8>;

    public native fun keccak256(a0: &vector<u8>): vector<u8>;

    public native fun ripemd160(a0: &vector<u8>): vector<u8>;
}
