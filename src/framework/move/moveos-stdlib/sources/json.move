module moveos_std::json {
    native fun native_from_json<T0>(a0: vector<u8>): std::option::Option<T0>;

    native fun native_to_json<T0>(a0: &T0): vector<u8>;
}
