/// Signatures on the curve secp256k1: ECDSA, and Schnorr as in BIP-340. The natives abort with 1 (no key recovers), 2
/// (malformed signature), 3 (malformed key), 4 (unknown hash), 5 (malformed x-only key), 6 (malformed message) and 7
/// (malformed Schnorr signature).
module rooch_framework::ecdsa_k1 {
    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorFailToRecoverPubKey: u64 = 1;
    #[test_only] const ErrorInvalidSignature: u64 = 2;
    #[test_only] const ErrorInvalidPubKey: u64 = 3;
    #[test_only] const ErrorInvalidHashType: u64 = 4;
    #[test_only] const ErrorInvalidXOnlyPubKey: u64 = 5;
    #[test_only] const ErrorInvalidMessage: u64 = 6;
    #[test_only] const ErrorInvalidSchnorrSignature: u64 = 7;

    const KECCAK256: u8 = 0;
    const SHA256: u8 = 1;
    const ECDSA: u8 = 0;
    const SCHNORR: u8 = 1;

    /// Bytes of a compressed public key.
    public fun public_key_length(): u64 { 33 }

    /// Bytes of a public key with both coordinates.
    public fun uncompressed_public_key_length(): u64 { 65 }

    /// Number of the hash that Ethereum uses.
    public fun keccak256(): u8 { KECCAK256 }

    /// Number of the hash that Bitcoin uses.
    public fun sha256(): u8 { SHA256 }

    /// Number of ECDSA.
    public fun ecdsa(): u8 { ECDSA }

    /// Number of Schnorr signatures.
    public fun schnorr(): u8 { SCHNORR }

    /// The compressed key that made a signature of 65 bytes, the last of which tells which of the possible keys.
    native public fun ecrecover(signature: &vector<u8>, msg: &vector<u8>, hash: u8): vector<u8>;

    /// Both coordinates of a compressed key.
    native public fun decompress_pubkey(pubkey: &vector<u8>): vector<u8>;

    /// Whether the signature of a message holds: ECDSA for keys of 33 bytes, Schnorr for keys of 32.
    native public fun verify(
        signature: &vector<u8>,
        public_key: &vector<u8>,
        msg: &vector<u8>,
        hash: u8,
    ): bool;
}
