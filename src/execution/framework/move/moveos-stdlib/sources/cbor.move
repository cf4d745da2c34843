/// CBOR (RFC 8949), with the mapping of `moveos_std::json`.
module moveos_std::cbor {
    use std::option::{Self, Option};
    use std::string::String;
    use moveos_std::simple_map::{Self, SimpleMap};

    /// The bytes are no CBOR, or none of this type.
    const ERROR_INVALID_CBOR_BYTES: u64 = 1;

    #[data_struct(T)]
    /// A value of a plain data type; aborts unless the bytes are one.
    public fun from_cbor<T: drop>(bytes: vector<u8>): T {
        let value = native_from_cbor<T>(bytes);
        assert!(option::is_some(&value), ERROR_INVALID_CBOR_BYTES);
        option::destroy_some(value)
    }

    #[data_struct(T)]
    /// A value of a plain data type, or none.
    public fun from_cbor_option<T: drop>(bytes: vector<u8>): Option<T> {
        native_from_cbor<T>(bytes)
    }

    /// The entries of a map, values as CBOR; empty where the bytes are no map.
    public fun to_map(bytes: vector<u8>): SimpleMap<String, vector<u8>> {
        option::destroy_with_default(native_from_cbor<SimpleMap<String, vector<u8>>>(bytes), simple_map::new())
    }

    /// The CBOR of a value.
    public fun to_cbor<T>(value: &T): vector<u8> {
        native_to_cbor(value)
    }

    native fun native_from_cbor<T>(bytes: vector<u8>): Option<T>;

    native fun native_to_cbor<T>(value: &T): vector<u8>;
}
