/// Public keys as identifiers: `did:key:` and the multibase text of the key.
module moveos_std::did_key {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::multibase_key::{Self, KeyInfo};

    /// Text that does not start with `did:key:`, or has nothing after it.
    const ErrorInvalidDidKeyFormat: u64 = 1;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ETestAssertionFailed: u64 = 100;

    const PREFIX: vector<u8> = b"did:key:";

    /// The identifier of a key of a kind of `multibase_key`.
    public fun generate(pubkey: &vector<u8>, key_type: u8): String {
        let identifier = string::utf8(PREFIX);
        string::append(&mut identifier, multibase_key::encode_with_type(pubkey, key_type));
        identifier
    }

    /// The identifier of an Ed25519 key.
    public fun generate_ed25519(pubkey: &vector<u8>): String {
        generate(pubkey, multibase_key::key_type_ed25519())
    }

    /// The identifier of a secp256k1 key.
    public fun generate_secp256k1(pubkey: &vector<u8>): String {
        generate(pubkey, multibase_key::key_type_secp256k1())
    }

    /// The identifier of a P-256 key.
    public fun generate_secp256r1(pubkey: &vector<u8>): String {
        generate(pubkey, multibase_key::key_type_ecdsar1())
    }

    /// Kind and bytes of the key; aborts where the text is no such identifier.
    public fun parse(did_key_str: &String): (u8, vector<u8>) {
        let key = key_text(did_key_str);
        assert!(option::is_some(&key), ErrorInvalidDidKeyFormat);
        multibase_key::decode_with_type(option::borrow(&key))
    }

    /// The bytes of an Ed25519 key, or none.
    public fun parse_ed25519(did_key_str: &String): Option<vector<u8>> {
        parse_of_type(did_key_str, multibase_key::key_type_ed25519())
    }

    /// The bytes of a secp256k1 key, or none.
    public fun parse_secp256k1(did_key_str: &String): Option<vector<u8>> {
        parse_of_type(did_key_str, multibase_key::key_type_secp256k1())
    }

    /// The bytes of a P-256 key, or none.
    public fun parse_secp256r1(did_key_str: &String): Option<vector<u8>> {
        parse_of_type(did_key_str, multibase_key::key_type_ecdsar1())
    }

    fun parse_of_type(identifier: &String, key_type: u8): Option<vector<u8>> {
        let text = key_text(identifier);
        if (option::is_none(&text)) return option::none();
        let key: Option<KeyInfo> = multibase_key::decode_with_type_option(option::borrow(&text));
        if (option::is_none(&key)) return option::none();
        let key = option::destroy_some(key);
        if (multibase_key::key_info_type(&key) == key_type) {
            option::some(multibase_key::key_info_bytes(&key))
        } else {
            option::none()
        }
    }

    /// What follows the prefix, if that and anything is there.
    fun key_text(identifier: &String): Option<String> {
        let text = string::bytes(identifier);
        let (start, end) = (vector::length(&PREFIX), vector::length(text));
        if (end > start && vector::slice(text, 0, start) == PREFIX) {
            option::some(string::sub_string(identifier, start, end))
        } else {
            option::none()
        }
    }
}
