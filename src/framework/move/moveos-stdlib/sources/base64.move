module moveos_std::base64 {
    public native fun decode(a0: &vector<u8>): vector<u8>;

    public native fun encode(a0: &vector<u8>): vector<u8>;
}
