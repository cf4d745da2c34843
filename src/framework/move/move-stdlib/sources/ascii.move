module std::ascii {
    struct Char has copy, drop, store {
        byte: u8,
    }

    #[data_struct]
    struct String has copy, drop, store {
        bytes: vector<u8>,
    }
}
