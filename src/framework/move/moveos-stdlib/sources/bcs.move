module moveos_std::bcs {
    struct BCS has copy, drop, store {
        bytes: vector<u8>,
    }

    public(friend) native fun native_from_bytes<T0>(a0: vector<u8>): std::option::Option<T0>;
}
