module std::type_name {
    struct TypeName has copy, drop, store {
        name: std::ascii::String,
    }

    public native fun get<T0>(): TypeName;
}
