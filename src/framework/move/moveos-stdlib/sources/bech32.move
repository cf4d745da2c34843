module moveos_std::bech32 {
    public native fun decode(a0: vector<u8>, a1: vector<u8>): vector<u8>;

    public native fun encode(a0: u16, a1: vector<u8>, a2: vector<u8>): vector<u8>;

    public native fun segwit_decode(a0: vector<u8>, a1: u8, a2: vector<u8>): vector<u8>;

    public native fun segwit_encode(a0: vector<u8>, a1: u8, a2: vector<u8>): vector<u8>;
}
