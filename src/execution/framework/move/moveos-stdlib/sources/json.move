/// JSON: structs as objects by field name, vectors as arrays, integers of 128 bits and more as decimal text.
module moveos_std::json {
    use std::option::{Self, Option};
    use std::string::String;
    use moveos_std::simple_map::{Self, SimpleMap};

    // The natives abort with 1 where the type is no struct, and with 2 or 3 where a value has no JSON form.

    /// The text is no JSON, or none of this type.
    const ErrorInvalidJSONString: u64 = 2;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorTypeNotMatch: u64 = 1;

    #[data_struct(T)]
    /// A value of a plain data type; aborts unless the text is one.
    public fun from_json<T: copy>(json_str: vector<u8>): T {
        let value = native_from_json<T>(json_str);
        assert!(option::is_some(&value), ErrorInvalidJSONString);
        option::destroy_some(value)
    }

    #[data_struct(T)]
    /// A value of a plain data type, or none.
    public fun from_json_option<T: copy>(json_str: vector<u8>): Option<T> {
        native_from_json<T>(json_str)
    }

    /// The members of an object, values as text; empty where the text is no object.
    public fun to_map(json_str: vector<u8>): SimpleMap<String, String> {
        option::destroy_with_default(native_from_json<SimpleMap<String, String>>(json_str), simple_map::new())
    }

    /// The JSON text of a value.
    public fun to_json<T>(value: &T): vector<u8> {
        native_to_json(value)
    }

    native fun native_from_json<T>(json_str: vector<u8>): Option<T>;

    native fun native_to_json<T>(value: &T): vector<u8>;
}
