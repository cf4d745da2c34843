/// A map of any size whose entries are fields of an object, so that one entry is read or written without the others.
/// The handle is embedded in what holds the table. Keys are hashed: iteration is in the order of hashes.
module moveos_std::table {
    use std::option::Option;
    use std::vector;
    use moveos_std::core_addresses;
    use moveos_std::object::{Self, Object, ObjectID};

    struct TablePlaceholder has key {
        _placeholder: bool,
    }

    struct Table<phantom K: copy + drop + store, phantom V> has store {
        handle: Object<TablePlaceholder>,
    }

    /// Entries that were found by `list_field_keys` and not visited yet.
    struct Iterator<K: copy + drop + store, phantom V> has drop, store {
        handle: ObjectID,
        cursor: Option<K>,
        limit: u64,
        /// Visited from the end.
        keys: vector<address>,
    }

    /// A table without entries.
    public fun new<K: copy + drop + store, V: store>(): Table<K, V> {
        Table { handle: object::new(TablePlaceholder { _placeholder: false }) }
    }

    /// A table whose handle has this id; for system accounts.
    public fun new_with_object_id_by_system<K: copy + drop + store, V: store>(
        system: &signer,
        id: ObjectID
    ): Table<K, V> {
        core_addresses::assert_system_reserved(system);
        Table { handle: object::new_with_object_id(id, TablePlaceholder { _placeholder: false }) }
    }

    /// Adds an entry; aborts if there is one with this key.
    public fun add<K: copy + drop + store, V: store>(table: &mut Table<K, V>, key: K, val: V) {
        object::add_field(&mut table.handle, key, val)
    }

    /// The value of a key; aborts without it.
    public fun borrow<K: copy + drop + store, V: store>(table: &Table<K, V>, key: K): &V {
        object::borrow_field(&table.handle, key)
    }

    /// The value of a key, or `default`.
    public fun borrow_with_default<K: copy + drop + store, V: store>(
        table: &Table<K, V>,
        key: K,
        default: &V
    ): &V {
        object::borrow_field_with_default(&table.handle, key, default)
    }

    /// The value of a key, for change; aborts without it.
    public fun borrow_mut<K: copy + drop + store, V: store>(table: &mut Table<K, V>, key: K): &mut V {
        object::borrow_mut_field(&mut table.handle, key)
    }

    /// The value of a key, for change; adds it with `default` first where it is missing.
    public fun borrow_mut_with_default<K: copy + drop + store, V: store + drop>(
        table: &mut Table<K, V>,
        key: K,
        default: V
    ): &mut V {
        object::borrow_mut_field_with_default(&mut table.handle, key, default)
    }

    /// Sets the value of a key, whether it was there or not.
    public fun upsert<K: copy + drop + store, V: store + drop>(table: &mut Table<K, V>, key: K, value: V) {
        object::upsert_field(&mut table.handle, key, value)
    }

    /// Takes an entry out and gives its value; aborts without it.
    public fun remove<K: copy + drop + store, V: store>(table: &mut Table<K, V>, key: K): V {
        object::remove_field(&mut table.handle, key)
    }

    /// Whether there is an entry with this key.
    public fun contains<K: copy + drop + store, V: store>(table: &Table<K, V>, key: K): bool {
        object::contains_field(&table.handle, key)
    }

    /// Up to `limit` entries that follow the key `cursor`, or from the start.
    public fun list_field_keys<K: copy + drop + store, V: store>(
        table: &Table<K, V>,
        cursor: Option<K>,
        limit: u64
    ): Iterator<K, V> {
        Iterator {
            handle: object::id(&table.handle),
            cursor,
            limit,
            keys: object::list_field_keys(&table.handle, cursor, limit),
        }
    }

    /// Number of entries that are left to visit.
    public fun field_keys_len<K: copy + drop + store, V: store>(iterator: &Iterator<K, V>): u64 {
        vector::length(&iterator.keys)
    }

    /// The next entry; aborts when none is left.
    public fun next<K: copy + drop + store, V: store>(iterator: &mut Iterator<K, V>): (&K, &V) {
        let key = vector::pop_back(&mut iterator.keys);
        object::borrow_field_with_key_internal<K, V>(iterator.handle, key)
    }

    /// The next entry, its value for change; aborts when none is left.
    public fun next_mut<K: copy + drop + store, V: store>(iterator: &mut Iterator<K, V>): (&K, &mut V) {
        let key = vector::pop_back(&mut iterator.keys);
        object::borrow_mut_field_with_key_internal<K, V>(iterator.handle, key)
    }

    /// Ends a table that has no entries.
    public fun destroy_empty<K: copy + drop + store, V: store>(table: Table<K, V>) {
        let Table { handle } = table;
        let TablePlaceholder { _placeholder: _ } = object::remove(handle);
    }

    /// Number of entries.
    public fun length<K: copy + drop + store, V: store>(table: &Table<K, V>): u64 {
        object::field_size(&table.handle)
    }

    /// Whether there are no entries.
    public fun is_empty<K: copy + drop + store, V: store>(table: &Table<K, V>): bool {
        length(table) == 0
    }

    /// Ends a table with whatever is in it.
    public fun drop<K: copy + drop + store, V: drop>(table: Table<K, V>) {
        let Table { handle } = table;
        let TablePlaceholder { _placeholder: _ } = object::remove_unchecked(handle);
    }

    /// The id of the table's object.
    public fun handle<K: copy + drop + store, V: store>(table: &Table<K, V>): ObjectID {
        object::id(&table.handle)
    }

    // ---- for tests alone ----

    #[test_only]
    /// Ends a table with whatever is in it, values that cannot be dropped too.
    public fun drop_unchecked<K: copy + drop + store, V: store>(table: Table<K, V>) {
        let Table { handle } = table;
        let TablePlaceholder { _placeholder: _ } = object::remove_unchecked(handle);
    }
}
