module std::bcs {
    public native fun to_bytes<T0>(a0: &T0): vector<u8>;
}
