/// Addresses as bytes and as text: 64 hexadecimal digits, or the bech32m form that starts with `rooch1`.
module moveos_std::address {
    use std::ascii;
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::bech32;
    use moveos_std::hex;
    use moveos_std::string_utils;

    /// Text that is no address.
    const ErrorAddressParseError: u64 = 1;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorU256TooBigToConvertToAddress: u64 = 2;

    const LENGTH: u64 = 32;
    const HEX_LENGTH: u64 = 64;
    /// Prefix, separator, 52 characters of data and 6 of checksum.
    const BECH32_LENGTH: u64 = 64;
    const BECH32_PREFIX: vector<u8> = b"rooch";
    const MAX: u256 = 0xFFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF;

    /// The address of 32 bytes; aborts for another number.
    public fun from_bytes(bytes: vector<u8>): address {
        bcs::to_address(bytes)
    }

    /// The address of 32 bytes, or none for another number.
    public fun from_bytes_option(bytes: vector<u8>): Option<address> {
        bcs::from_bytes_option<address>(bytes)
    }

    /// The 32 bytes.
    public fun to_bytes(a: &address): vector<u8> {
        bcs::to_bytes(a)
    }

    /// 64 digits, no prefix.
    public fun to_ascii_string(a: &address): ascii::String {
        ascii::string(hex::encode(to_bytes(a)))
    }

    /// 64 digits, no prefix.
    public fun to_string(a: &address): String {
        string::utf8(hex::encode(to_bytes(a)))
    }

    /// Reads 64 digits; aborts for anything else.
    public fun from_ascii_bytes(bytes: &vector<u8>): address {
        expect(from_ascii_bytes_option(bytes))
    }

    /// Reads 64 digits, or none for anything else.
    public fun from_ascii_bytes_option(bytes: &vector<u8>): Option<address> {
        if (vector::length(bytes) == HEX_LENGTH) from_hex(bytes) else option::none()
    }

    /// Reads 64 digits, or none for anything else.
    public fun from_ascii_string(a: ascii::String): Option<address> {
        from_hex(ascii::as_bytes(&a))
    }

    /// The bech32m text.
    public fun to_bech32_string(addr: address): String {
        string::utf8(bech32::encode(bech32::bech32m_to_bip(), BECH32_PREFIX, to_bytes(&addr)))
    }

    /// Reads bech32m text; aborts for anything else.
    public fun from_bech32_string(str: &String): address {
        assert!(!string::is_empty(str), ErrorAddressParseError);
        bcs::to_address(bech32::decode(BECH32_PREFIX, *string::bytes(str)))
    }

    /// Reads either text; hexadecimal digits may have the prefix `0x`, and fewer than 64 are filled up with zeros on the
    /// left. None for anything else, but text of the length and prefix of bech32m aborts where its checksum is wrong.
    public fun from_string_option(str: &String): Option<address> {
        if (string_utils::starts_with_bytes(str, &BECH32_PREFIX) && string::length(str) == BECH32_LENGTH) {
            return option::some(from_bech32_string(str))
        };
        let digits = *string::bytes(str);
        let count = vector::length(&digits);
        if (count >= 2 && *vector::borrow(&digits, 0) == 48 && is_x(*vector::borrow(&digits, 1))) {
            digits = vector::slice(&digits, 2, count);
            count = count - 2;
        };
        if (count == 0 || count > HEX_LENGTH) return option::none();
        let padded = vector[];
        while (count < HEX_LENGTH) {
            vector::push_back(&mut padded, 48); // '0'
            count = count + 1;
        };
        vector::append(&mut padded, digits);
        from_hex(&padded)
    }

    /// Reads either text; aborts for anything else.
    public fun from_string(str: &String): address {
        expect(from_string_option(str))
    }

    /// Number of bytes.
    public fun length(): u64 {
        LENGTH
    }

    /// The largest address as a number.
    public fun max(): u256 {
        MAX
    }

    /// The address 0x0.
    public fun zero(): address {
        @0x0
    }

    fun from_hex(digits: &vector<u8>): Option<address> {
        let bytes = hex::decode_option(digits);
        if (option::is_none(&bytes)) return option::none();
        from_bytes_option(option::destroy_some(bytes))
    }

    fun expect(parsed: Option<address>): address {
        assert!(option::is_some(&parsed), ErrorAddressParseError);
        option::destroy_some(parsed)
    }

    fun is_x(character: u8): bool {
        character == 120 || character == 88 // 'x' or 'X'
    }
}
