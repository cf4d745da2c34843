/// Proves senders by methods of their identity documents. What a method signs comes in one of three envelopes: the
/// transaction's hash as it is, a message of a Bitcoin wallet, or an assertion of WebAuthn.
module rooch_framework::did_validator {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::base64;
    use moveos_std::bcs;
    use moveos_std::consensus_codec;
    use moveos_std::hash;
    use moveos_std::hex;
    use moveos_std::json;
    use moveos_std::tx_context;
    use rooch_framework::did::{Self, DID};

    friend rooch_framework::transaction_validator;

    /// There is no envelope of this number.
    const ErrorInvalidEnvelopeType: u64 = 101002;
    /// The method is not one for authentication.
    const ErrorVerificationMethodNotAuthorized: u64 = 101004;
    /// The document has no such method.
    const ErrorVerificationMethodNotFound: u64 = 101005;
    /// The message is not that of the transaction.
    const ErrorInvalidEnvelopeMessage: u64 = 101006;
    /// The method did not sign.
    const ErrorSignatureVerificationFailed: u64 = 101007;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidDIDAuthPayload: u64 = 101001;
    #[test_only] const ErrorDIDDocumentNotFound: u64 = 101003;

    const ID: u64 = 4;
    const RAW_HASH: u8 = 0;
    const BITCOIN_MESSAGE: u8 = 1;
    const WEBAUTHN: u8 = 2;
    const BITCOIN_PREFIX: vector<u8> = b"Bitcoin Signed Message:\n";
    const MESSAGE_START: vector<u8> = b"Rooch Transaction:\n";

    struct DIDValidator has drop, store {}

    #[data_struct]
    struct DIDAuthPayload has copy, drop, store {
        envelope: u8,
        vm_fragment: String,
        signature: vector<u8>,
        /// There for all envelopes but the first.
        message: Option<vector<u8>>,
    }

    #[data_struct]
    struct WebauthnEnvelopeData has copy, drop, store {
        authenticator_data: vector<u8>,
        client_data_json: vector<u8>,
    }

    #[data_struct]
    struct ClientData has copy, drop, store {
        challenge: String,
        origin: String,
        type: String,
    }

    /// The number by which transactions name it.
    public fun auth_validator_id(): u64 { ID }

    /// The message that a Bitcoin wallet signs for a transaction.
    public fun build_rooch_transaction_message(tx_hash: vector<u8>): vector<u8> {
        let message = MESSAGE_START;
        vector::append(&mut message, hex::encode(tx_hash));
        message
    }

    /// The standard prefix and a message, each after its length.
    public fun encode_bitcoin_message(message: vector<u8>): vector<u8> {
        let encoder = consensus_codec::encoder();
        consensus_codec::emit_var_slice(&mut encoder, BITCOIN_PREFIX);
        consensus_codec::emit_var_slice(&mut encoder, message);
        consensus_codec::unpack_encoder(encoder)
    }

    /// Aborts unless a method for authentication of the sender's document signed the transaction. Gives the document's
    /// identifier and the method's name.
    public(friend) fun validate(authenticator_payload: vector<u8>): (DID, String) {
        let DIDAuthPayload { envelope, vm_fragment, signature, message } =
            bcs::from_bytes<DIDAuthPayload>(authenticator_payload);
        assert!(envelope <= WEBAUTHN, ErrorInvalidEnvelopeType);
        let sender = tx_context::sender();
        let document = did::get_did_document_by_address(sender);
        let is_authorized = vector::contains(did::doc_authentication_methods(document), &vm_fragment);
        assert!(is_authorized, ErrorVerificationMethodNotAuthorized);
        let found = did::doc_verification_method(document, &vm_fragment);
        assert!(option::is_some(&found), ErrorVerificationMethodNotFound);
        let method = option::destroy_some(found);
        let is_signed = did::verify_signature_by_type(
            signed_bytes(envelope, message, tx_context::tx_hash()),
            signature,
            did::verification_method_public_key_multibase(&method),
            did::verification_method_type(&method)
        );
        assert!(is_signed, ErrorSignatureVerificationFailed);
        (did::new_rooch_did_by_address(sender), vm_fragment)
    }

    fun signed_bytes(envelope: u8, message: Option<vector<u8>>, tx_hash: vector<u8>): vector<u8> {
        if (envelope == RAW_HASH) return tx_hash;
        assert!(option::is_some(&message), ErrorInvalidEnvelopeMessage);
        let message = option::destroy_some(message);
        if (envelope == BITCOIN_MESSAGE) {
            assert!(message == build_rooch_transaction_message(tx_hash), ErrorInvalidEnvelopeMessage);
            hash::sha2_256(encode_bitcoin_message(message))
        } else {
            webauthn_bytes(message, tx_hash)
        }
    }

    /// What an authenticator signs: its data and the hash of the client's, whose challenge must be the transaction's hash.
    fun webauthn_bytes(message: vector<u8>, tx_hash: vector<u8>): vector<u8> {
        let WebauthnEnvelopeData { authenticator_data, client_data_json } =
            bcs::from_bytes<WebauthnEnvelopeData>(message);
        let ClientData { challenge, origin: _, type: _ } = json::from_json<ClientData>(client_data_json);
        assert!(base64::decode(string::bytes(&challenge)) == tx_hash, ErrorInvalidEnvelopeMessage);
        vector::append(&mut authenticator_data, hash::sha2_256(client_data_json));
        authenticator_data
    }

    // ---- for tests alone ----

    #[test_only]
    /// An encoded payload.
    public fun create_test_did_auth_payload(
        envelope: u8,
        vm_fragment: String,
        signature: vector<u8>,
        message: Option<vector<u8>>
    ): vector<u8> {
        bcs::to_bytes(&DIDAuthPayload { envelope, vm_fragment, signature, message })
    }

    #[test_only]
    /// An encoded message for the envelope of WebAuthn.
    public fun create_test_webauthn_envelope(authenticator_data: vector<u8>, client_data_json: vector<u8>): vector<u8> {
        bcs::to_bytes(&WebauthnEnvelopeData { authenticator_data, client_data_json })
    }
}
