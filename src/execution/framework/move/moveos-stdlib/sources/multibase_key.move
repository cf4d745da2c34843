/// Public keys as text: base58 of two bytes that tell the kind (multicodec) and the key.
module moveos_std::multibase_key {
    use std::option::{Self, Option};
    use std::string::String;
    use std::vector;
    use moveos_std::multibase_codec;

    /// An Ed25519 key that is not of 32 bytes.
    const ErrorInvalidEd25519KeyLength: u64 = 1;
    /// A secp256k1 key that is not of 33 bytes.
    const ErrorInvalidSecp256k1KeyLength: u64 = 2;
    /// A P-256 key that is not of 33 bytes.
    const ErrorInvalidSecp256r1KeyLength: u64 = 3;
    /// Bytes that are no key of a known kind.
    const ErrorInvalidDidKeyIdentifier: u64 = 4;
    /// A number of no kind.
    const ErrorUnsupportedKeyType: u64 = 5;
    /// Text that is not multibase.
    const ErrorInvalidPublicKeyMultibaseFormat: u64 = 6;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ETestAssertionFailed: u64 = 100;

    const ED25519: u8 = 1;
    const SECP256K1: u8 = 2;
    const ECDSA_R1: u8 = 3;
    const ED25519_CODE: vector<u8> = x"ed01";
    const SECP256K1_CODE: vector<u8> = x"e701";
    const ECDSA_R1_CODE: vector<u8> = x"1200";
    const CODE_LENGTH: u64 = 2;

    struct KeyInfo has copy, drop, store {
        key_type: u8,
        key_bytes: vector<u8>,
    }

    /// The kind of a key.
    public fun key_info_type(key_info: &KeyInfo): u8 { key_info.key_type }

    /// The bytes of a key.
    public fun key_info_bytes(key_info: &KeyInfo): vector<u8> { key_info.key_bytes }

    /// Kind of Ed25519 keys.
    public fun key_type_ed25519(): u8 { ED25519 }

    /// Kind of secp256k1 keys.
    public fun key_type_secp256k1(): u8 { SECP256K1 }

    /// Kind of P-256 keys.
    public fun key_type_ecdsar1(): u8 { ECDSA_R1 }

    /// The two bytes that tell a kind.
    public fun multicodec_prefix_for_type(key_type: u8): vector<u8> {
        if (key_type == ED25519) {
            ED25519_CODE
        } else if (key_type == SECP256K1) {
            SECP256K1_CODE
        } else {
            assert!(key_type == ECDSA_R1, ErrorUnsupportedKeyType);
            ECDSA_R1_CODE
        }
    }

    /// The text of a key; aborts where it is not of the kind's length.
    public fun encode_with_type(pubkey: &vector<u8>, key_type: u8): String {
        let bytes = multicodec_prefix_for_type(key_type);
        let error = if (key_type == ED25519) ErrorInvalidEd25519KeyLength
            else if (key_type == SECP256K1) ErrorInvalidSecp256k1KeyLength
            else ErrorInvalidSecp256r1KeyLength;
        assert!(vector::length(pubkey) == key_length(key_type), error);
        vector::append(&mut bytes, *pubkey);
        multibase_codec::encode_base58btc(&bytes)
    }

    /// Kind and bytes of a key; aborts where the text is none.
    public fun decode_with_type(encoded_str: &String): (u8, vector<u8>) {
        let bytes = multibase_codec::decode(encoded_str);
        assert!(option::is_some(&bytes), ErrorInvalidPublicKeyMultibaseFormat);
        let key = parse(option::destroy_some(bytes));
        assert!(option::is_some(&key), ErrorInvalidDidKeyIdentifier);
        let KeyInfo { key_type, key_bytes } = option::destroy_some(key);
        (key_type, key_bytes)
    }

    /// Kind and bytes of a key, or none where the text is none.
    public fun decode_with_type_option(encoded_str: &String): Option<KeyInfo> {
        let bytes = multibase_codec::decode(encoded_str);
        if (option::is_none(&bytes)) option::none() else parse(option::destroy_some(bytes))
    }

    /// The text of an Ed25519 key.
    public fun encode_ed25519_key(pubkey: &vector<u8>): String {
        encode_with_type(pubkey, ED25519)
    }

    /// The text of a secp256k1 key.
    public fun encode_secp256k1_key(pubkey: &vector<u8>): String {
        encode_with_type(pubkey, SECP256K1)
    }

    /// The text of a P-256 key.
    public fun encode_ecdsar1_key(pubkey: &vector<u8>): String {
        encode_with_type(pubkey, ECDSA_R1)
    }

    /// The bytes of an Ed25519 key, or none where the text is none.
    public fun decode_ed25519_key(pk_mb_str: &String): Option<vector<u8>> {
        decode_of_type(pk_mb_str, ED25519)
    }

    /// The bytes of a secp256k1 key, or none where the text is none.
    public fun decode_secp256k1_key(pk_mb_str: &String): Option<vector<u8>> {
        decode_of_type(pk_mb_str, SECP256K1)
    }

    /// The bytes of a P-256 key, or none where the text is none.
    public fun decode_secp256r1_key(pk_mb_str: &String): Option<vector<u8>> {
        decode_of_type(pk_mb_str, ECDSA_R1)
    }

    fun decode_of_type(text: &String, key_type: u8): Option<vector<u8>> {
        let key = decode_with_type_option(text);
        if (option::is_none(&key)) return option::none();
        let KeyInfo { key_type: found, key_bytes } = option::destroy_some(key);
        if (found == key_type) option::some(key_bytes) else option::none()
    }

    fun parse(bytes: vector<u8>): Option<KeyInfo> {
        let count = vector::length(&bytes);
        if (count < CODE_LENGTH) return option::none();
        let code = vector::slice(&bytes, 0, CODE_LENGTH);
        let key_type = if (code == ED25519_CODE) ED25519
            else if (code == SECP256K1_CODE) SECP256K1
            else if (code == ECDSA_R1_CODE) ECDSA_R1
            else return option::none();
        if (count - CODE_LENGTH != key_length(key_type)) return option::none();
        option::some(KeyInfo { key_type, key_bytes: vector::slice(&bytes, CODE_LENGTH, count) })
    }

    fun key_length(key_type: u8): u64 {
        if (key_type == ED25519) 32 else 33
    }
}
