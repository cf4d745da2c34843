/// What a Bitcoin wallet signs for a transaction, and the payload that carries it.
///
/// The message is `Rooch Transaction:`, a line feed, what the wallet adds, and the 64 hexadecimal digits of the
/// transaction's hash; the payload leaves the digits out. The signed bytes are a prefix and the message, each after its
/// length. Older wallets put the lengths into the prefix themselves; whatever is not the standard prefix is taken so.
module rooch_framework::auth_payload {
    use std::string::String;
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::consensus_codec;
    use moveos_std::hex;

    /// The message does not start as it must.
    const ErrorInvalidSignature: u64 = 1;

    const STANDARD_PREFIX: vector<u8> = b"Bitcoin Signed Message:\n";
    const MESSAGE_START: vector<u8> = b"Rooch Transaction:\n";

    #[data_struct]
    struct AuthPayload has copy, drop, store {
        signature: vector<u8>,
        message_prefix: vector<u8>,
        /// The message without the digits of the hash.
        message_info: vector<u8>,
        public_key: vector<u8>,
        /// Text of the signer's Bitcoin address.
        from_address: String,
    }

    #[data_struct]
    struct MultisignAuthPayload has copy, drop, store {
        signatures: vector<vector<u8>>,
        message_prefix: vector<u8>,
        message_info: vector<u8>,
        public_keys: vector<vector<u8>>,
    }

    #[data_struct]
    struct SignData has copy, drop {
        message_prefix: vector<u8>,
        message_info: vector<u8>,
    }

    /// A prefix and a message.
    public fun new_sign_data(message_prefix: vector<u8>, message_info: vector<u8>): SignData {
        SignData { message_prefix, message_info }
    }

    /// Reads an encoded payload.
    public fun from_bytes(bytes: vector<u8>): AuthPayload {
        bcs::from_bytes<AuthPayload>(bytes)
    }

    /// The signed bytes.
    public fun encode_full_message(self: &AuthPayload, tx_hash: vector<u8>): vector<u8> {
        assert!(starts_as_message(&self.message_info), ErrorInvalidSignature);
        let message = with_digits(self.message_info, tx_hash);
        if (self.message_prefix == STANDARD_PREFIX) {
            encode(SignData { message_prefix: self.message_prefix, message_info: message })
        } else {
            let bytes = self.message_prefix;
            vector::append(&mut bytes, message);
            bytes
        }
    }

    /// The signature.
    public fun signature(payload: &AuthPayload): vector<u8> {
        payload.signature
    }

    /// The prefix.
    public fun message_prefix(payload: &AuthPayload): vector<u8> {
        payload.message_prefix
    }

    /// The message without the digits of the hash.
    public fun message_info(payload: &AuthPayload): vector<u8> {
        payload.message_info
    }

    /// The key.
    public fun public_key(payload: &AuthPayload): vector<u8> {
        payload.public_key
    }

    /// Text of the signer's Bitcoin address.
    public fun from_address(payload: &AuthPayload): String {
        payload.from_address
    }

    /// Reads an encoded payload of several signers.
    public fun multisign_from_bytes(bytes: vector<u8>): MultisignAuthPayload {
        bcs::from_bytes<MultisignAuthPayload>(bytes)
    }

    /// The signatures, in the order of the keys.
    public fun multisign_signatures(payload: &MultisignAuthPayload): &vector<vector<u8>> {
        &payload.signatures
    }

    /// The prefix.
    public fun multisign_message_prefix(payload: &MultisignAuthPayload): &vector<u8> {
        &payload.message_prefix
    }

    /// The message without the digits of the hash.
    public fun multisign_message_info(payload: &MultisignAuthPayload): &vector<u8> {
        &payload.message_info
    }

    /// The keys.
    public fun multisign_public_keys(payload: &MultisignAuthPayload): &vector<vector<u8>> {
        &payload.public_keys
    }

    /// The bytes that several signers signed.
    public fun multisign_encode_full_message(self: &MultisignAuthPayload, tx_hash: vector<u8>): vector<u8> {
        encode(SignData {
            message_prefix: self.message_prefix,
            message_info: with_digits(self.message_info, tx_hash),
        })
    }

    fun encode(data: SignData): vector<u8> {
        let SignData { message_prefix, message_info } = data;
        let encoder = consensus_codec::encoder();
        consensus_codec::emit_var_slice(&mut encoder, message_prefix);
        consensus_codec::emit_var_slice(&mut encoder, message_info);
        consensus_codec::unpack_encoder(encoder)
    }

    fun with_digits(message: vector<u8>, tx_hash: vector<u8>): vector<u8> {
        vector::append(&mut message, hex::encode(tx_hash));
        message
    }

    fun starts_as_message(message: &vector<u8>): bool {
        let end = vector::length(&MESSAGE_START);
        vector::length(message) >= end && vector::slice(message, 0, end) == MESSAGE_START
    }
}
