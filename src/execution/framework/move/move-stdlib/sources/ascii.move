/// Text of 7-bit characters.
module std::ascii {
    use std::option::{Self, Option};
    use std::vector;

    /// A byte is above 127.
    const EINVALID_ASCII_CHARACTER: u64 = 0x10000;

    #[data_struct]
    /// Bytes, each of them at most 127.
    struct String has copy, drop, store {
        bytes: vector<u8>,
    }

    /// One such byte.
    struct Char has copy, drop, store {
        byte: u8,
    }

    /// A byte as a character; aborts above 127.
    public fun char(byte: u8): Char {
        assert!(is_valid_char(byte), EINVALID_ASCII_CHARACTER);
        Char { byte }
    }

    /// Bytes as text; aborts if one is above 127.
    public fun string(bytes: vector<u8>): String {
        assert!(all_valid(&bytes), EINVALID_ASCII_CHARACTER);
        String { bytes }
    }

    /// Bytes as text, or none if one is above 127.
    public fun try_string(bytes: vector<u8>): Option<String> {
        if (all_valid(&bytes)) option::some(String { bytes }) else option::none()
    }

    /// Whether every character has a glyph or is a space.
    public fun all_characters_printable(string: &String): bool {
        vector::all(&string.bytes, |byte| is_printable_char(*byte))
    }

    /// Appends a character.
    public fun push_char(string: &mut String, char: Char) {
        let Char { byte } = char;
        vector::push_back(&mut string.bytes, byte);
    }

    /// Takes the last character off; aborts on empty text.
    public fun pop_char(string: &mut String): Char {
        Char { byte: vector::pop_back(&mut string.bytes) }
    }

    /// Number of characters.
    public fun length(string: &String): u64 {
        vector::length(&string.bytes)
    }

    /// The bytes.
    public fun as_bytes(string: &String): &vector<u8> {
        &string.bytes
    }

    /// The bytes, by value.
    public fun into_bytes(string: String): vector<u8> {
        let String { bytes } = string;
        bytes
    }

    /// The byte of a character.
    public fun byte(char: Char): u8 {
        let Char { byte } = char;
        byte
    }

    /// Whether a byte is a character at all.
    public fun is_valid_char(b: u8): bool {
        b < 0x80
    }

    /// Whether a byte is a character with a glyph, or a space.
    public fun is_printable_char(byte: u8): bool {
        0x20 <= byte && byte < 0x7F
    }

    fun all_valid(bytes: &vector<u8>): bool {
        vector::all(bytes, |byte| is_valid_char(*byte))
    }
}
