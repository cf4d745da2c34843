/// RSA signatures with PKCS #1 v1.5 padding and SHA-256.
module rooch_framework::rs256 {
    use std::vector;

    /// The signature is not as long as the modulus.
    const ErrorInvalidSignature: u64 = 1;
    /// The modulus is too short, or the exponent not of 1 to 512 bytes.
    const ErrorInvalidPubKey: u64 = 2;
    /// The hash is unknown.
    const ErrorInvalidHashType: u64 = 3;
    /// The hash of the message is not of 32 bytes.
    const ErrorInvalidMessageLength: u64 = 4;

    const SHA256: u8 = 0;
    const SHA256_LENGTH: u64 = 32;
    /// 2048 bits.
    const MODULUS_LENGTH_MIN: u64 = 256;
    const EXPONENT_LENGTH_MAX: u64 = 512;

    /// Number of SHA-256.
    public fun sha256(): u8 { SHA256 }

    /// Whether the signature of a message holds for the key with modulus `n` and exponent `e`, big-endian.
    public fun verify(signature: &vector<u8>, n: &vector<u8>, e: &vector<u8>, msg: &vector<u8>): bool {
        check_lengths(signature, n, e);
        native_verify(signature, n, e, msg)
    }

    /// The same, for a message that is hashed already.
    public fun verify_prehash(
        signature: &vector<u8>,
        n: &vector<u8>,
        e: &vector<u8>,
        msg: &vector<u8>,
        hash_type: u8
    ): bool {
        check_lengths(signature, n, e);
        assert!(hash_type == SHA256, ErrorInvalidHashType);
        assert!(vector::length(msg) == SHA256_LENGTH, ErrorInvalidMessageLength);
        native_verify_prehash(signature, n, e, msg, hash_type)
    }

    fun check_lengths(signature: &vector<u8>, n: &vector<u8>, e: &vector<u8>) {
        let modulus_length = vector::length(n);
        let exponent_length = vector::length(e);
        assert!(vector::length(signature) == modulus_length, ErrorInvalidSignature);
        assert!(modulus_length >= MODULUS_LENGTH_MIN, ErrorInvalidPubKey);
        assert!(0 < exponent_length && exponent_length <= EXPONENT_LENGTH_MAX, ErrorInvalidPubKey);
    }

    native fun native_verify(
        signature: &vector<u8>,
        n: &vector<u8>,
        e: &vector<u8>,
        msg: &vector<u8>,
    ): bool;

    native fun native_verify_prehash(
        signature: &vector<u8>,
        n: &vector<u8>,
        e: &vector<u8>,
        msg: &vector<u8>,
        hash_type: u8
    ): bool;
}
