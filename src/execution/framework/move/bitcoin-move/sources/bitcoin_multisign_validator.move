/// Proof of a sender that is an account of several keys: as many Bitcoin signatures as the account asks for, each of one
/// of its keys.
module bitcoin_move::bitcoin_multisign_validator {
    use std::vector;
    use moveos_std::hash;
    use moveos_std::signer;
    use moveos_std::tx_context;
    use rooch_framework::auth_payload;
    use rooch_framework::auth_validator;
    use rooch_framework::auth_validator_registry;
    use rooch_framework::ecdsa_k1;
    use bitcoin_move::multisign_account;

    friend bitcoin_move::genesis;

    /// A registry that gave another number.
    const ErrorGenesisInitError: u64 = 1;

    /// Number in the registry.
    const ID: u64 = 2;

    struct BitcoinMultisignValidator has drop, store {}

    /// The number in the registry.
    public fun auth_validator_id(): u64 { ID }

    /// Registers.
    public(friend) fun genesis_init() {
        let system = signer::module_signer<BitcoinMultisignValidator>();
        let id = auth_validator_registry::register_by_system_with_id<BitcoinMultisignValidator>(&system, ID);
        assert!(id == ID, ErrorGenesisInitError);
    }

    /// Registers on a chain that began without it.
    public fun init_for_upgrade() {
        if (!auth_validator_registry::is_registered<BitcoinMultisignValidator>()) genesis_init();
    }

    /// Aborts unless the payload proves the sender. A key may sign twice: keys are not asked to differ, as on the
    /// networks that run release 27.
    public fun validate(authenticator_payload: vector<u8>) {
        let payload = auth_payload::multisign_from_bytes(authenticator_payload);
        let message = auth_payload::multisign_encode_full_message(&payload, tx_context::tx_hash());
        let keys = auth_payload::multisign_public_keys(&payload);
        check_account(tx_context::sender(), keys);
        check_signatures(auth_payload::multisign_signatures(&payload), keys, hash::sha2_256(message));
    }

    fun check_account(account: address, keys: &vector<vector<u8>>) {
        require(multisign_account::is_multisign_account(account));
        require(vector::length(keys) >= multisign_account::threshold(account));
        let i = 0;
        while (i < vector::length(keys)) {
            require(multisign_account::is_participant_via_public_key(account, vector::borrow(keys, i)));
            i = i + 1;
        }
    }

    fun check_signatures(signatures: &vector<vector<u8>>, keys: &vector<vector<u8>>, message: vector<u8>) {
        require(vector::length(signatures) == vector::length(keys));
        let i = 0;
        while (i < vector::length(keys)) {
            let signature = vector::borrow(signatures, i);
            require(ecdsa_k1::verify(signature, vector::borrow(keys, i), &message, ecdsa_k1::sha256()));
            i = i + 1;
        }
    }

    fun require(condition: bool) {
        assert!(condition, auth_validator::error_validate_invalid_authenticator());
    }
}
