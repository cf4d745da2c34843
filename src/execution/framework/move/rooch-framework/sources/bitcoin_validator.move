/// Proves senders by a message that a Bitcoin wallet signed.
module rooch_framework::bitcoin_validator {
    use moveos_std::hash;
    use moveos_std::tx_context;
    use rooch_framework::auth_payload;
    use rooch_framework::auth_validator;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use rooch_framework::ecdsa_k1;

    friend rooch_framework::transaction_validator;

    const ID: u64 = 1;

    struct BitcoinValidator has drop, store {}

    /// The number by which transactions name it.
    public fun auth_validator_id(): u64 { ID }

    /// Aborts unless the key signed the transaction, the address follows from the key, and the sender from the address.
    /// Gives the address.
    public(friend) fun validate(authenticator_payload: vector<u8>): BitcoinAddress {
        let payload = auth_payload::from_bytes(authenticator_payload);
        let public_key = auth_payload::public_key(&payload);
        let message = auth_payload::encode_full_message(&payload, tx_context::tx_hash());
        // verification hashes once more: wallets sign a double SHA-256
        let is_signed = ecdsa_k1::verify(
            &auth_payload::signature(&payload),
            &public_key,
            &hash::sha2_256(message),
            ecdsa_k1::sha256()
        );
        assert!(is_signed, auth_validator::error_validate_invalid_authenticator());
        let address = bitcoin_address::from_string(&auth_payload::from_address(&payload));
        let is_owner = bitcoin_address::verify_bitcoin_address_with_public_key(&address, &public_key)
            && bitcoin_address::to_rooch_address(&address) == tx_context::sender();
        assert!(is_owner, auth_validator::error_validate_invalid_authenticator());
        address
    }
}
