module moveos_std::table {
    struct Iterator<T0: copy + drop + store, phantom T1> has drop, store {
        handle: moveos_std::object::ObjectID,
        cursor: std::option::Option<T0>,
        limit: u64,
        keys: vector<address>,
    }

    struct Table<phantom T0: copy + drop + store, phantom T1> has store {
        handle: moveos_std::object::Object<TablePlaceholder>,
    }

    struct TablePlaceholder has key {
        _placeholder: bool,
    }
}
