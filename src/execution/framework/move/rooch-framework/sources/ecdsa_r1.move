/// ECDSA signatures on the curve P-256.
module rooch_framework::ecdsa_r1 {
    use std::vector;

    // The native aborts with these as well, and with 3 for an unknown hash.

    /// The signature is not of 64 bytes.
    const ErrorInvalidSignature: u64 = 1;
    /// The key is not of 33 bytes.
    const ErrorInvalidPubKey: u64 = 2;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidHashType: u64 = 3;

    const PUBLIC_KEY_LENGTH: u64 = 33;
    const SIGNATURE_LENGTH: u64 = 64;
    const SHA256: u8 = 1;

    /// Whether the signature of the message's SHA-256 holds.
    public fun verify(signature: &vector<u8>, public_key: &vector<u8>, msg: &vector<u8>): bool {
        assert!(vector::length(signature) == SIGNATURE_LENGTH, ErrorInvalidSignature);
        assert!(vector::length(public_key) == PUBLIC_KEY_LENGTH, ErrorInvalidPubKey);
        native_verify(signature, public_key, msg, SHA256)
    }

    /// Bytes of a compressed public key.
    public fun public_key_length(): u64 { PUBLIC_KEY_LENGTH }

    /// Bytes of a signature.
    public fun raw_signature_length(): u64 { SIGNATURE_LENGTH }

    native fun native_verify(
        signature: &vector<u8>,
        public_key: &vector<u8>,
        msg: &vector<u8>,
        hash_type: u8
    ): bool;
}
