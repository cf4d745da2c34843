/// Hexadecimal text: lower case out, either case in, no prefix.
module moveos_std::hex {
    use std::option::{Self, Option};
    use std::vector;

    /// An odd number of digits.
    const ErrorInvalidHexLength: u64 = 1;
    /// A character that is no digit.
    const ErrorNotValidHexCharacter: u64 = 2;

    const DIGITS: vector<u8> = b"0123456789abcdef";
    /// What `value_of` gives for a character that is no digit.
    const NO_DIGIT: u8 = 16;

    /// Two digits for each byte.
    public fun encode(bytes: vector<u8>): vector<u8> {
        let digits = DIGITS;
        let text = vector[];
        vector::for_each_ref(&bytes, |byte| {
            let byte = (*byte as u64);
            vector::push_back(&mut text, *vector::borrow(&digits, byte >> 4));
            vector::push_back(&mut text, *vector::borrow(&digits, byte & 15));
        });
        text
    }

    /// The bytes of hexadecimal text; aborts where it is none.
    public fun decode(hex: &vector<u8>): vector<u8> {
        assert!(vector::length(hex) % 2 == 0, ErrorInvalidHexLength);
        let bytes = decode_option(hex);
        assert!(option::is_some(&bytes), ErrorNotValidHexCharacter);
        option::destroy_some(bytes)
    }

    /// The bytes of hexadecimal text, or none.
    public fun decode_option(hex: &vector<u8>): Option<vector<u8>> {
        let count = vector::length(hex);
        if (count % 2 != 0) return option::none();
        let bytes = vector[];
        let index = 0;
        while (index < count) {
            let high = value_of(*vector::borrow(hex, index));
            let low = value_of(*vector::borrow(hex, index + 1));
            if (high == NO_DIGIT || low == NO_DIGIT) return option::none();
            vector::push_back(&mut bytes, high << 4 | low);
            index = index + 2;
        };
        option::some(bytes)
    }

    fun value_of(character: u8): u8 {
        if (48 <= character && character <= 57) character - 48 // '0' to '9'
        else if (97 <= character && character <= 102) character - 87 // 'a' to 'f'
        else if (65 <= character && character <= 70) character - 55 // 'A' to 'F'
        else NO_DIGIT
    }
}
