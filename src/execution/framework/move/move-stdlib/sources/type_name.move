/// Types as text, in canonical form: addresses with all 64 digits, no spaces.
module std::type_name {
    use std::ascii::String;

    struct TypeName has copy, drop, store {
        name: String,
    }

    /// The name of `T`.
    public native fun get<T>(): TypeName;

    /// The text.
    public fun borrow_string(self: &TypeName): &String {
        &self.name
    }

    /// The text, by value.
    public fun into_string(self: TypeName): String {
        let TypeName { name } = self;
        name
    }
}
