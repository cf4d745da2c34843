/// What is known of a type.
module moveos_std::type_info {
    use std::string::{Self, String};
    use std::type_name;
    use std::vector;
    use moveos_std::bcs;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorTypeMismatch: u64 = 1;

    struct TypeInfo has copy, drop, store {
        account_address: address,
        module_name: vector<u8>,
        struct_name: vector<u8>,
    }

    /// Address of the type's module.
    public fun account_address(type_info: &TypeInfo): address {
        type_info.account_address
    }

    /// Name of the type's module.
    public fun module_name(type_info: &TypeInfo): String {
        string::utf8(type_info.module_name)
    }

    /// Name of the struct, with type arguments.
    public fun struct_name(type_info: &TypeInfo): String {
        string::utf8(type_info.struct_name)
    }

    /// Where the struct `T` is defined; aborts with 1 for types that are no structs.
    native public fun type_of<T>(): TypeInfo;

    /// The canonical name of `T`: addresses with all 64 digits, no spaces.
    public fun type_name<T>(): String {
        string::from_ascii(type_name::into_string(type_name::get<T>()))
    }

    /// Length of a value's encoding.
    public fun size_of_val<T>(val_ref: &T): u64 {
        vector::length(&bcs::to_bytes(val_ref))
    }
}
