module std::string {
    #[data_struct]
    struct String has copy, drop, store {
        bytes: vector<u8>,
    }

    public native fun internal_check_utf8(a0: &vector<u8>): bool;

    native fun internal_index_of(a0: &vector<u8>, a1: &vector<u8>): u64;

    native fun internal_is_char_boundary(a0: &vector<u8>, a1: u64): bool;

    native fun internal_sub_string(a0: &vector<u8>, a1: u64, a2: u64): vector<u8>;
}
