module moveos_std::bls12381 {
    public native fun bls12381_min_pk_verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>): bool;

    public native fun bls12381_min_sig_verify(a0: &vector<u8>, a1: &vector<u8>, a2: &vector<u8>): bool;
}
