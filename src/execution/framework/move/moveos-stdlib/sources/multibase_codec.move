/// Bytes as text whose first character tells the encoding (multibase).
module moveos_std::multibase_codec {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::base58;
    use moveos_std::base64;
    use moveos_std::hex;
    use moveos_std::string_utils;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidMultibasePrefix: u64 = 1;
    #[test_only] const ErrorUnsupportedBase: u64 = 2;
    #[test_only] const ErrorInvalidBase58Char: u64 = 3;
    #[test_only] const ErrorBase58DecodingFailed: u64 = 4;
    #[test_only] const ErrorEncodingFailed: u64 = 5;
    #[test_only] const ETestAssertionFailed: u64 = 100;

    const BASE58BTC: u8 = 122; // 'z'
    const BASE32: u8 = 98; // 'b'
    const BASE64PAD: u8 = 77; // 'M'
    const BASE16: u8 = 102; // 'f'

    /// Name of base58 with Bitcoin's alphabet.
    public fun base58btc_name(): String { string::utf8(b"base58btc") }

    /// Name of base32, which has a prefix here but no code.
    public fun base32_name(): String { string::utf8(b"base32") }

    /// Name of base64 with padding.
    public fun base64pad_name(): String { string::utf8(b"base64pad") }

    /// Name of hexadecimal digits.
    public fun base16_name(): String { string::utf8(b"base16") }

    /// Other name of hexadecimal digits.
    public fun hex_name(): String { string::utf8(b"hex") }

    /// `z` and base58.
    public fun encode_base58btc(bytes: &vector<u8>): String {
        with_prefix(BASE58BTC, base58::encoding(bytes))
    }

    /// `M` and base64 with padding.
    public fun encode_base64pad(bytes: &vector<u8>): String {
        with_prefix(BASE64PAD, base64::encode(bytes))
    }

    /// `f` and hexadecimal digits.
    public fun encode_base16(bytes: &vector<u8>): String {
        with_prefix(BASE16, hex::encode(*bytes))
    }

    /// Text in the encoding of this name, or none where it is not known.
    public fun encode(bytes: &vector<u8>, encoding: &String): Option<String> {
        let prefix = get_prefix_for_encoding(encoding);
        if (option::contains(&prefix, &BASE58BTC)) {
            option::some(encode_base58btc(bytes))
        } else if (option::contains(&prefix, &BASE64PAD)) {
            option::some(encode_base64pad(bytes))
        } else if (option::contains(&prefix, &BASE16)) {
            option::some(encode_base16(bytes))
        } else {
            option::none()
        }
    }

    /// The bytes of text, or none where its first character tells no known encoding or its digits are not hexadecimal;
    /// malformed base58 and base64 abort in their modules.
    public fun decode(encoded_str: &String): Option<vector<u8>> {
        let text = string::bytes(encoded_str);
        if (vector::is_empty(text)) return option::none();
        let prefix = *vector::borrow(text, 0);
        let payload = vector::slice(text, 1, vector::length(text));
        if (prefix == BASE58BTC) {
            option::some(base58::decoding(&payload))
        } else if (prefix == BASE64PAD) {
            option::some(base64::decode(&payload))
        } else if (prefix == BASE16) {
            hex::decode_option(&payload)
        } else {
            option::none()
        }
    }

    /// The first character, if any.
    public fun extract_prefix(encoded_str: &String): Option<u8> {
        let text = string::bytes(encoded_str);
        if (vector::is_empty(text)) option::none() else option::some(*vector::borrow(text, 0))
    }

    /// The first character of the encoding of this name, in capital or small letters.
    public fun get_prefix_for_encoding(encoding_name: &String): Option<u8> {
        let name = string_utils::to_lower_case(encoding_name);
        if (name == base58btc_name()) {
            option::some(BASE58BTC)
        } else if (name == base32_name()) {
            option::some(BASE32)
        } else if (name == base64pad_name()) {
            option::some(BASE64PAD)
        } else if (name == base16_name() || name == hex_name()) {
            option::some(BASE16)
        } else {
            option::none()
        }
    }

    /// The name of the encoding with this first character.
    public fun get_encoding_from_prefix(prefix: u8): Option<String> {
        if (prefix == BASE58BTC) {
            option::some(base58btc_name())
        } else if (prefix == BASE32) {
            option::some(base32_name())
        } else if (prefix == BASE64PAD) {
            option::some(base64pad_name())
        } else if (prefix == BASE16) {
            option::some(base16_name())
        } else {
            option::none()
        }
    }

    fun with_prefix(prefix: u8, text: vector<u8>): String {
        let prefixed = vector[prefix];
        vector::append(&mut prefixed, text);
        string::utf8(prefixed)
    }
}
