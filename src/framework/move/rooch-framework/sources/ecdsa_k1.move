module rooch_framework::ecdsa_k1 {
    public native fun decompress_pubkey(a0: &vector<u8>): vector<u8>;

    public native fun ecrecover(a0: &vector<u8>, a1: &vector<u8>, a2: u8): vector<u8>;

    public native fun verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>, a3: u8): bool;
}
