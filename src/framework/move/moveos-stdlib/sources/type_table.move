module moveos_std::type_table {
    struct TablePlaceholder has key {
        _placeholder: bool,
    }

    struct TypeTable has store {
        handle: moveos_std::object::Object<TablePlaceholder>,
    }
}
