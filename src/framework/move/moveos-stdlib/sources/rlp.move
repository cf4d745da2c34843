module moveos_std::rlp {
    #[data_struct(T0)]
    public native fun from_bytes<T0>(a0: vector<u8>): T0;

    public native fun to_bytes<T0>(a0: &T0): vector<u8>;
}
