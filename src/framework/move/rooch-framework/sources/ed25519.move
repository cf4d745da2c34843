module rooch_framework::ed25519 {
    public native fun verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>): bool;
}
