/// Text in UTF-8. Lengths and positions count bytes; a cut must not split a character.
module std::string {
    use std::ascii;
    use std::option::{Self, Option};
    use std::vector;

    /// Bytes that are not UTF-8.
    const EINVALID_UTF8: u64 = 1;
    /// A position beyond the end, inside a character, or behind the other one.
    const EINVALID_INDEX: u64 = 2;

    #[data_struct]
    /// Bytes that are UTF-8.
    struct String has copy, drop, store {
        bytes: vector<u8>,
    }

    /// Bytes as text; aborts unless they are UTF-8.
    public fun utf8(bytes: vector<u8>): String {
        assert!(internal_check_utf8(&bytes), EINVALID_UTF8);
        String { bytes }
    }

    /// ASCII text as it is.
    public fun from_ascii(s: ascii::String): String {
        String { bytes: ascii::into_bytes(s) }
    }

    /// The same text as ASCII; aborts in `std::ascii` on a character above 127.
    public fun to_ascii(s: String): ascii::String {
        ascii::string(into_bytes(s))
    }

    /// Bytes as text, or none unless they are UTF-8.
    public fun try_utf8(bytes: vector<u8>): Option<String> {
        if (internal_check_utf8(&bytes)) option::some(String { bytes }) else option::none()
    }

    /// The bytes.
    public fun bytes(s: &String): &vector<u8> {
        &s.bytes
    }

    /// The bytes, by value.
    public fun into_bytes(string: String): vector<u8> {
        let String { bytes } = string;
        bytes
    }

    /// Whether it has no character.
    public fun is_empty(s: &String): bool {
        vector::is_empty(&s.bytes)
    }

    /// Length in bytes.
    public fun length(s: &String): u64 {
        vector::length(&s.bytes)
    }

    /// Appends `r`.
    public fun append(s: &mut String, r: String) {
        vector::append(&mut s.bytes, into_bytes(r));
    }

    /// Appends bytes; aborts unless they are UTF-8.
    public fun append_utf8(s: &mut String, bytes: vector<u8>) {
        append(s, utf8(bytes));
    }

    /// Puts `o` before the byte at `at`.
    public fun insert(s: &mut String, at: u64, o: String) {
        let end = length(s);
        let before = sub_string(s, 0, at);
        let after = sub_string(s, at, end);
        append(&mut before, o);
        append(&mut before, after);
        *s = before;
    }

    /// The bytes from `i` up to, not including, `j`.
    public fun sub_string(s: &String, i: u64, j: u64): String {
        let bytes = &s.bytes;
        assert!(i <= j && j <= vector::length(bytes), EINVALID_INDEX);
        assert!(internal_is_char_boundary(bytes, i) && internal_is_char_boundary(bytes, j), EINVALID_INDEX);
        String { bytes: internal_sub_string(bytes, i, j) }
    }

    /// Where `r` first occurs, or the length of `s` where it does not.
    public fun index_of(s: &String, r: &String): u64 {
        internal_index_of(&s.bytes, &r.bytes)
    }

    /// Whether bytes are UTF-8.
    public native fun internal_check_utf8(v: &vector<u8>): bool;

    native fun internal_is_char_boundary(v: &vector<u8>, i: u64): bool;

    native fun internal_sub_string(v: &vector<u8>, i: u64, j: u64): vector<u8>;

    native fun internal_index_of(v: &vector<u8>, r: &vector<u8>): u64;
}
