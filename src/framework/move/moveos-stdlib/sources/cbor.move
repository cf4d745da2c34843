module moveos_std::cbor {
    native fun native_from_cbor<T0>(a0: vector<u8>): std::option::Option<T0>;

    native fun native_to_cbor<T0>(a0: &T0): vector<u8>;
}
