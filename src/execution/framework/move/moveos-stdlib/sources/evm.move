/// The precompiled contracts of Ethereum, with its encodings. The natives abort with 1 (recovery), 5 (modexp), 6 (point
/// addition), 7 (scalar multiplication), 8 (pairing), 9 (BLAKE2), 10 (point evaluation) and 11 (length of an input).
module moveos_std::evm {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorEcRecoverFailed: u64 = 1;
    #[test_only] const ErrorModexpFailed: u64 = 5;
    #[test_only] const ErrorEcAddFailed: u64 = 6;
    #[test_only] const ErrorEcMulFailed: u64 = 7;
    #[test_only] const ErrorEcPairingFailed: u64 = 8;
    #[test_only] const ErrorBlake2fFailed: u64 = 9;
    #[test_only] const ErrorPointEvaluationFailed: u64 = 10;
    #[test_only] const ErrorInvalidInputSize: u64 = 11;

    /// Address of the key that made a signature.
    public native fun ec_recover(hash: vector<u8>, v: vector<u8>, r: vector<u8>, s: vector<u8>): vector<u8>;

    /// SHA-256.
    public fun sha2_256(data: vector<u8>): vector<u8> {
        std::hash::sha2_256(data)
    }

    /// RIPEMD-160.
    public fun ripemd_160(data: vector<u8>): vector<u8> {
        moveos_std::hash::ripemd160(&data)
    }

    /// The input.
    public fun identity(data: vector<u8>): vector<u8> {
        data
    }

    /// `b ** e % m`, for numbers of the given sizes in bytes.
    public native fun modexp(
        b_size: vector<u8>,
        e_size: vector<u8>,
        m_size: vector<u8>,
        b: vector<u8>,
        e: vector<u8>,
        m: vector<u8>
    ): vector<u8>;

    /// Sum of two points of BN254.
    public native fun ec_add(
        x1: vector<u8>,
        y1: vector<u8>,
        x2: vector<u8>,
        y2: vector<u8>
    ): (vector<u8>, vector<u8>);

    /// Multiple of a point of BN254.
    public native fun ec_mul(x1: vector<u8>, y1: vector<u8>, s: vector<u8>): (vector<u8>, vector<u8>);

    /// Whether a product of pairings of BN254 is one.
    public native fun ec_pairing(data: vector<u8>): vector<u8>;

    /// The compression function of BLAKE2b.
    public native fun blake2f(
        rounds: vector<u8>,
        h: vector<u8>,
        m: vector<u8>,
        t: vector<u8>,
        f: vector<u8>
    ): vector<u8>;

    /// Whether a polynomial that was committed to has the value `y` at `x` (EIP-4844).
    public native fun point_evaluation(
        versioned_hash: vector<u8>,
        x: vector<u8>,
        y: vector<u8>,
        commitment: vector<u8>,
        proof: vector<u8>
    ): (vector<u8>, vector<u8>);
}
