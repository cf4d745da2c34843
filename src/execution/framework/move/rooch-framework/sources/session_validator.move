/// Proves senders by keys that their accounts lent.
module rooch_framework::session_validator {
    use std::option;
    use std::vector;
    use moveos_std::tx_context;
    use rooch_framework::auth_validator;
    use rooch_framework::ecdsa_k1;
    use rooch_framework::ecdsa_r1;
    use rooch_framework::ed25519;
    use rooch_framework::session_key;

    friend rooch_framework::transaction_validator;

    const ID: u64 = 0;
    /// All schemes have signatures of one length.
    const SIGNATURE_END: u64 = 65;

    struct SessionValidator has drop, store {}

    /// The number by which transactions name it.
    public fun auth_validator_id(): u64 { ID }

    /// Aborts unless the sender's account has a key that signed the transaction, was used lately, and may make such a
    /// transaction. Gives the authentication key. The payload is the number of the scheme, a signature and a key.
    public(friend) fun validate(authenticator_payload: vector<u8>): vector<u8> {
        let sender = tx_context::sender();
        assert!(session_key::has_session_key(sender), auth_validator::error_validate_invalid_account_auth_key());
        let authentication_key = authenticate(&authenticator_payload, &tx_context::tx_hash());
        let found = session_key::get_session_key(sender, authentication_key);
        assert!(option::is_some(&found), auth_validator::error_validate_invalid_account_auth_key());
        let key = option::destroy_some(found);
        assert!(!session_key::is_expired(&key), auth_validator::error_validate_session_is_expired());
        assert!(
            session_key::in_session_scope(&key),
            auth_validator::error_validate_function_call_beyond_session_scope()
        );
        authentication_key
    }

    /// The authentication key of the key that signed; aborts where it did not. Bytes after the key do not count.
    fun authenticate(payload: &vector<u8>, tx_hash: &vector<u8>): vector<u8> {
        let scheme = *vector::borrow(payload, 0);
        let (is_signed, authentication_key) = if (scheme == session_key::signature_scheme_ed25519()) {
            let (signature, public_key) = split(payload, ed25519::public_key_length());
            let is_signed = ed25519::verify(&signature, &public_key, tx_hash);
            (is_signed, session_key::ed25519_public_key_to_authentication_key(&public_key))
        } else if (scheme == session_key::signature_scheme_secp256k1()) {
            let (signature, public_key) = split(payload, ecdsa_k1::public_key_length());
            let is_signed = ecdsa_k1::verify(&signature, &public_key, tx_hash, ecdsa_k1::sha256());
            (is_signed, session_key::secp256k1_public_key_to_authentication_key(&public_key))
        } else if (scheme == session_key::signature_scheme_ecdsar1()) {
            let (signature, public_key) = split(payload, ecdsa_r1::public_key_length());
            let is_signed = ecdsa_r1::verify(&signature, &public_key, tx_hash);
            (is_signed, session_key::secp256r1_public_key_to_authentication_key(&public_key))
        } else {
            (false, vector[])
        };
        assert!(is_signed, auth_validator::error_validate_invalid_authenticator());
        authentication_key
    }

    fun split(payload: &vector<u8>, key_length: u64): (vector<u8>, vector<u8>) {
        // A payload that is too short fails here, with the VM's own error.
        let _ = *vector::borrow(payload, SIGNATURE_END + key_length - 1);
        let signature = vector::slice(payload, 1, SIGNATURE_END);
        let public_key = vector::slice(payload, SIGNATURE_END, SIGNATURE_END + key_length);
        (signature, public_key)
    }
}
