/// Signatures on the curve Ed25519 (RFC 8032).
module rooch_framework::ed25519 {
    /// Bytes of a public key.
    public fun public_key_length(): u64 { 32 }

    /// Bytes of a signature.
    public fun signature_length(): u64 { 64 }

    /// Whether the signature of a message holds. Malformed input does not hold.
    native public fun verify(signature: &vector<u8>, public_key: &vector<u8>, msg: &vector<u8>): bool;
}
