#[test_only]
/// Identity documents, keys and validated transactions for tests in Move.
module rooch_framework::did_test_common {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::account;
    use moveos_std::bcs;
    use moveos_std::did_key;
    use moveos_std::multibase_codec;
    use moveos_std::object::ObjectID;
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use rooch_framework::auth_validator;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use rooch_framework::did;
    use rooch_framework::genesis;
    use rooch_framework::session_key;

    /// A text that is no key.
    const ErrorNoKey: u64 = 1;

    /// The key of the creator of documents, in its compressed form.
    const CREATOR_KEY: vector<u8> = x"034cdb7426f6cebd2e69630c5214fac8dee6a999b43b22907d1d8e4a9363a96a14";

    // ---- keys ----

    /// A secp256k1 key that nobody has, of the right length.
    public fun generate_test_secp256k1_multibase(): String {
        multibase_codec::encode_base58btc(&compressed_key())
    }

    /// An Ed25519 key that nobody has.
    public fun generate_test_ed25519_multibase(): String {
        multibase_codec::encode_base58btc(&bcs::to_bytes(&tx_context::fresh_address()))
    }

    /// A P-256 key that nobody has, of the right length.
    public fun generate_test_ecdsa_r1_multibase(): String {
        multibase_codec::encode_base58btc(&compressed_key())
    }

    /// The creator's key and the address that it pays to.
    public fun generate_secp256k1_public_key_and_bitcoin_address(): (String, BitcoinAddress) {
        let key = CREATOR_KEY;
        let address = bitcoin_address::derive_bitcoin_taproot_address_from_pubkey(&key);
        (multibase_codec::encode_base58btc(&key), address)
    }

    /// The identifier of a P-256 key that nobody has.
    public fun generate_test_did_key_string(): String {
        did_key::generate_secp256r1(&compressed_key())
    }

    /// A byte and 32 more.
    fun compressed_key(): vector<u8> {
        let key = b"0";
        vector::append(&mut key, bcs::to_bytes(&tx_context::fresh_address()));
        key
    }

    fun decoded(public_key_multibase: &String): vector<u8> {
        let key = multibase_codec::decode(public_key_multibase);
        assert!(option::is_some(&key), ErrorNoKey);
        option::destroy_some(key)
    }

    // ---- who signed ----

    /// Makes the transaction one that the creator's key signed. Gives the creator's signer, address, key and Bitcoin
    /// address.
    public fun switch_to_new_account(): (signer, address, String, BitcoinAddress) {
        let (key, bitcoin) = generate_secp256k1_public_key_and_bitcoin_address();
        let creator = bitcoin_address::to_rooch_address(&bitcoin);
        let session_key = session_key::secp256k1_public_key_to_authentication_key(&decoded(&key));
        auth_validator::set_tx_validate_result_for_testing(0, option::none(), option::some(session_key), bitcoin);
        (account::create_signer_for_testing(creator), creator, key, bitcoin)
    }

    /// Makes the transaction one that a secp256k1 key signed.
    public fun setup_secp256k1_session_key_auth(public_key_multibase: &String) {
        let key = session_key::secp256k1_public_key_to_authentication_key(&decoded(public_key_multibase));
        auth_validator::set_simple_tx_validate_result_for_testing(option::some(key));
    }

    /// Makes the transaction one that an Ed25519 key signed.
    public fun setup_ed25519_session_key_auth(public_key_multibase: &String) {
        let key = session_key::ed25519_public_key_to_authentication_key(&decoded(public_key_multibase));
        auth_validator::set_simple_tx_validate_result_for_testing(option::some(key));
    }

    /// The signer of an address without a document.
    public fun create_test_account_and_signer(): signer {
        account::create_signer_for_testing(@0x42)
    }

    // ---- documents ----

    /// Makes the objects of the framework, a second after time zero.
    public fun init_test_framework() {
        genesis::init_for_test();
        timestamp::fast_forward_milliseconds_for_test(1000);
    }

    /// The same, and a transaction that the creator's key signed. Gives the creator's signer, address and key.
    public fun setup_did_test_basic(): (signer, address, String) {
        init_test_framework();
        let (creator, address, key, _) = switch_to_new_account();
        (creator, address, key)
    }

    /// The same, and the creator's document, whose id is the last that it gives.
    public fun setup_did_test_with_creation(): (signer, address, String, ObjectID) {
        setup_did_test_with_scope_creation(option::none())
    }

    /// The same, with scopes for the session key of the document.
    public fun setup_did_test_with_scope_creation(
        session_scope: Option<vector<String>>
    ): (signer, address, String, ObjectID) {
        let (creator, address, key) = setup_did_test_basic();
        let document = did::create_did_object_for_self_with_custom_scopes(&creator, key, session_scope);
        (creator, address, key, document)
    }

    /// The signer of a document that offers custody, in a transaction that its key signed.
    public fun setup_custodian_with_cadop_service(): signer {
        let (_, _, key, document) = setup_did_test_with_creation();
        let address = did::get_did_address(did::get_did_document_by_object_id(document));
        let custodian = account::create_signer_for_testing(address);
        setup_secp256k1_session_key_auth(&key);
        did::add_service_entry(
            &custodian,
            string::utf8(b"cadop-custodian"),
            string::utf8(b"CadopCustodianService"),
            string::utf8(b"https://custodian.example.com/cadop"),
        );
        custodian
    }

    /// The same signer, the identifier of a user, and a key with its type for the service.
    public fun setup_cadop_test_full(): (signer, String, String, String) {
        let custodian = setup_custodian_with_cadop_service();
        let user = generate_test_did_key_string();
        let key = generate_test_secp256k1_multibase();
        (custodian, user, key, string::utf8(b"EcdsaSecp256k1VerificationKey2019"))
    }
}
