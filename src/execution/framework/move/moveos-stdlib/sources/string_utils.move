/// Numbers in decimal text, and what one does with text.
module moveos_std::string_utils {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::u256;
    use std::vector;

    /// Text that is no number.
    const ErrorInvalidStringNumber: u64 = 1;

    const U8_MAX: u256 = 0xFF;
    const U16_MAX: u256 = 0xFFFF;
    const U32_MAX: u256 = 0xFFFF_FFFF;
    const U64_MAX: u256 = 0xFFFF_FFFF_FFFF_FFFF;
    const U128_MAX: u256 = 0xFFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF;
    const U256_MAX: u256 = 0xFFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF_FFFF;

    const SPACE: u8 = 32;
    const POINT: u8 = 46;
    const ZERO: u8 = 48;

    // ---- reading numbers ----
    // Digits only; no digits are zero. A number that does not fit is an arithmetic error, not none.

    /// A u8, or none.
    public fun parse_u8_option(s: &String): Option<u8> {
        option::map(parse_up_to(s, U8_MAX), |number| (number as u8))
    }

    /// A u8; aborts where there is none.
    public fun parse_u8(s: &String): u8 {
        expect(parse_u8_option(s))
    }

    /// A u16, or none.
    public fun parse_u16_option(s: &String): Option<u16> {
        option::map(parse_up_to(s, U16_MAX), |number| (number as u16))
    }

    /// A u16; aborts where there is none.
    public fun parse_u16(s: &String): u16 {
        expect(parse_u16_option(s))
    }

    /// A u32, or none.
    public fun parse_u32_option(s: &String): Option<u32> {
        option::map(parse_up_to(s, U32_MAX), |number| (number as u32))
    }

    /// A u32; aborts where there is none.
    public fun parse_u32(s: &String): u32 {
        expect(parse_u32_option(s))
    }

    /// A u64, or none.
    public fun parse_u64_option(s: &String): Option<u64> {
        option::map(parse_up_to(s, U64_MAX), |number| (number as u64))
    }

    /// A u64; aborts where there is none.
    public fun parse_u64(s: &String): u64 {
        expect(parse_u64_option(s))
    }

    /// A u128, or none.
    public fun parse_u128_option(s: &String): Option<u128> {
        option::map(parse_up_to(s, U128_MAX), |number| (number as u128))
    }

    /// A u128; aborts where there is none.
    public fun parse_u128(s: &String): u128 {
        expect(parse_u128_option(s))
    }

    /// A u256, or none.
    public fun parse_u256_option(s: &String): Option<u256> {
        parse_up_to(s, U256_MAX)
    }

    /// A u256; aborts where there is none.
    public fun parse_u256(s: &String): u256 {
        expect(parse_u256_option(s))
    }

    /// A number with up to `decimal` places after the point, times ten to the power of `decimal`; none where there are
    /// more places, or another character. Further points are skipped.
    public fun parse_decimal_option(s: &String, decimal: u8): Option<u256> {
        let bytes = string::bytes(s);
        let count = vector::length(bytes);
        let value = 0u256;
        let places_left = decimal;
        let after_point = false;
        let index = 0;
        while (index < count) {
            let character = *vector::borrow(bytes, index);
            if (character == POINT) {
                after_point = true
            } else {
                if (!is_digit(character)) return option::none();
                value = value * 10 + digit_value(character);
                if (after_point) {
                    if (places_left == 0) return option::none();
                    places_left = places_left - 1;
                }
            };
            index = index + 1;
        };
        option::some(value * u256::pow(10, places_left))
    }

    /// The same; aborts where there is none.
    public fun parse_decimal(s: &String, decimal: u8): u256 {
        expect(parse_decimal_option(s, decimal))
    }

    fun parse_up_to(s: &String, max: u256): Option<u256> {
        let bytes = string::bytes(s);
        let count = vector::length(bytes);
        let value = 0u256;
        let index = 0;
        while (index < count) {
            let character = *vector::borrow(bytes, index);
            if (!is_digit(character)) return option::none();
            value = value * 10 + digit_value(character);
            // underflows, and so fails as the narrower type's own arithmetic would, at the first digit too many
            _ = max - value;
            index = index + 1;
        };
        option::some(value)
    }

    fun is_digit(character: u8): bool {
        ZERO <= character && character <= ZERO + 9
    }

    fun digit_value(character: u8): u256 {
        ((character - ZERO) as u256)
    }

    fun expect<T: drop>(parsed: Option<T>): T {
        assert!(option::is_some(&parsed), ErrorInvalidStringNumber);
        option::destroy_some(parsed)
    }

    // ---- writing numbers ----

    /// Decimal digits.
    public fun to_string_u256(n: u256): String {
        let digits = vector[];
        loop {
            vector::push_back(&mut digits, ((n % 10) as u8) + ZERO);
            n = n / 10;
            if (n == 0) break
        };
        vector::reverse(&mut digits);
        string::utf8(digits)
    }

    /// Decimal digits.
    public fun to_string_u128(n: u128): String { to_string_u256((n as u256)) }

    /// Decimal digits.
    public fun to_string_u64(n: u64): String { to_string_u256((n as u256)) }

    /// Decimal digits.
    public fun to_string_u32(n: u32): String { to_string_u256((n as u256)) }

    /// Decimal digits.
    public fun to_string_u16(n: u16): String { to_string_u256((n as u256)) }

    /// Decimal digits.
    public fun to_string_u8(n: u8): String { to_string_u256((n as u256)) }

    // ---- text ----

    /// With `A` to `Z` as small letters.
    public fun to_lower_case(s: &String): String {
        string::utf8(vector::map_ref(string::bytes(s), |character| {
            let character = *character;
            if (65 <= character && character <= 90) character + 32 else character
        }))
    }

    /// With `a` to `z` as capital letters.
    public fun to_upper_case(s: &String): String {
        string::utf8(vector::map_ref(string::bytes(s), |character| {
            let character = *character;
            if (97 <= character && character <= 122) character - 32 else character
        }))
    }

    /// Whether text starts with `needle`.
    public fun starts_with(haystack_str: &String, needle: &String): bool {
        starts_with_bytes(haystack_str, string::bytes(needle))
    }

    /// Whether text starts with `needle`; aborts in `std::string` where that would end inside a character.
    public fun starts_with_bytes(haystack: &String, needle: &vector<u8>): bool {
        let end = vector::length(needle);
        if (end > string::length(haystack)) return false;
        let start = string::sub_string(haystack, 0, end);
        string::bytes(&start) == needle
    }

    /// Whether `sub` occurs in text.
    public fun contains(s: &String, sub: &String): bool {
        string::is_empty(sub) || string::index_of(s, sub) < string::length(s)
    }

    /// The parts between occurrences of `delimiter`, which must not be empty.
    public fun split(s: &String, delimiter: &String): vector<String> {
        let parts = vector[];
        let rest = *s;
        loop {
            let end = string::length(&rest);
            let at = string::index_of(&rest, delimiter);
            vector::push_back(&mut parts, string::sub_string(&rest, 0, at));
            if (at == end) return parts;
            rest = string::sub_string(&rest, at + string::length(delimiter), end);
        }
    }

    /// Without spaces at both ends. The reference network makes the empty text of a single character between them, and
    /// so does this, since contracts must get the same.
    public fun trim(s: &String): String {
        let bytes = string::bytes(s);
        let end = vector::length(bytes);
        while (end > 0 && *vector::borrow(bytes, end - 1) == SPACE) end = end - 1;
        let start = 0;
        while (start < end && *vector::borrow(bytes, start) == SPACE) start = start + 1;
        if (end - start < 2) return string::utf8(b"");
        string::sub_string(s, start, end)
    }

    /// Without `prefix`, where text starts with it.
    public fun strip_prefix(s: String, prefix: &String): String {
        if (!starts_with(&s, prefix)) return s;
        string::sub_string(&s, string::length(prefix), string::length(&s))
    }
}
