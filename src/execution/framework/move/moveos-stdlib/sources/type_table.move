/// A table with at most one value of each type, under the canonical name of the type.
module moveos_std::type_table {
    use std::string::String;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::type_info;

    struct TablePlaceholder has key {
        _placeholder: bool,
    }

    struct TypeTable has store {
        handle: Object<TablePlaceholder>,
    }

    /// A table without values.
    public fun new(): TypeTable {
        TypeTable { handle: object::new(TablePlaceholder { _placeholder: false }) }
    }

    /// The key of a type: its canonical name.
    public fun key<V>(): String {
        type_info::type_name<V>()
    }

    /// Adds a value; aborts if there is one of its type.
    public fun add<V: key + store>(table: &mut TypeTable, val: V) {
        object::add_field(&mut table.handle, key<V>(), val)
    }

    /// The value of a type; aborts without it.
    public fun borrow<V: key + store>(table: &TypeTable): &V {
        object::borrow_field(&table.handle, key<V>())
    }

    /// The value of a type, for change; aborts without it.
    public fun borrow_mut<V: key + store>(table: &mut TypeTable): &mut V {
        object::borrow_mut_field(&mut table.handle, key<V>())
    }

    /// Takes the value of a type out; aborts without it.
    public fun remove<V: key + store>(table: &mut TypeTable): V {
        object::remove_field(&mut table.handle, key<V>())
    }

    /// Whether there is a value of a type.
    public fun contains<V: key + store>(table: &TypeTable): bool {
        object::contains_field(&table.handle, key<V>())
    }

    /// The id of the table's object.
    public fun handle(table: &TypeTable): ObjectID {
        object::id(&table.handle)
    }

    /// Ends a table that has no values.
    public fun destroy_empty(table: TypeTable) {
        let TypeTable { handle } = table;
        let TablePlaceholder { _placeholder: _ } = object::remove(handle);
    }

    // ---- for tests alone ----

    #[test_only]
    /// Ends a table with whatever is in it.
    public fun drop_unchecked(table: TypeTable) {
        let TypeTable { handle } = table;
        let TablePlaceholder { _placeholder: _ } = object::remove_unchecked(handle);
    }
}
