module moveos_std::evm {
    public native fun blake2f(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>, a3: vector<u8>, a4: vector<u8>): vector<u8>;

    public native fun ec_add(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>, a3: vector<u8>): (vector<u8>, vector<u8>);

    public native fun ec_mul(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>): (vector<u8>, vector<u8>);

    public native fun ec_pairing(a0: vector<u8>): vector<u8>;

    public native fun ec_recover(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>, a3: vector<u8>): vector<u8>;

    public native fun modexp(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>, a3: vector<u8>, a4: vector<u8>, a5: vector<u8>): vector<u8>;

    public native fun point_evaluation(a0: vector<u8>, a1: vector<u8>, a2: vector<u8>, a3: vector<u8>, a4: vector<u8>): (vector<u8>, vector<u8>);
}
