/// A value of any type that may be dropped and stored, as its encoding and the name of its type.
module moveos_std::any {
    use std::option;
    use std::string::String;
    use moveos_std::bcs;
    use moveos_std::type_info;

    friend moveos_std::copyable_any;

    /// The value is of another type.
    const ErrorTypeMismatch: u64 = 1;
    /// The bytes are no value of that type.
    const ErrorInvalidBytes: u64 = 2;

    struct Any has drop, store {
        type_name: String,
        data: vector<u8>,
    }

    /// Wraps a value.
    public fun pack<T: drop + store>(x: T): Any {
        Any { type_name: type_info::type_name<T>(), data: bcs::to_bytes(&x) }
    }

    /// The value; aborts unless it is a `T`.
    public fun unpack<T>(x: Any): T {
        let Any { type_name, data } = x;
        assert!(type_name == type_info::type_name<T>(), ErrorTypeMismatch);
        let value = bcs::native_from_bytes<T>(data);
        assert!(option::is_some(&value), ErrorInvalidBytes);
        option::destroy_some(value)
    }

    /// Canonical name of the value's type.
    public fun type_name(x: &Any): &String {
        &x.type_name
    }
}
