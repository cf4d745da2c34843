module moveos_std::linked_table {
    struct LinkedTable<T0: copy + drop + store, phantom T1: store> has store, key {
        handle: moveos_std::object::Object<TablePlaceholder>,
        size: u64,
        head: std::option::Option<T0>,
        tail: std::option::Option<T0>,
    }

    struct Node<T0: copy + drop + store, T1: store> has store {
        prev: std::option::Option<T0>,
        next: std::option::Option<T0>,
        value: T1,
    }

    struct TablePlaceholder has key {
        _placeholder: bool,
    }
}
