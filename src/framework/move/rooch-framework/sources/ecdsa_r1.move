module rooch_framework::ecdsa_r1 {
    native fun native_verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>, a3: u8): bool;
}
