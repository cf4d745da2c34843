module rooch_framework::rs256 {
    native fun native_verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>, a3: &vector<u8>): bool;

    native fun native_verify_prehash(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>, a3: &vector<u8>, a4: u8): bool;
}
