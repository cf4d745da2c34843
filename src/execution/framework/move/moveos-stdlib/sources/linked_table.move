/// A table that keeps the order in which entries were put in, at either end.
module moveos_std::linked_table {
    use std::option::{Self, Option};
    use moveos_std::object::{Self, Object};

    /// There still are entries.
    const ErrorTableNotEmpty: u64 = 0;
    /// There are no entries.
    const ErrorTableIsEmpty: u64 = 1;

    struct TablePlaceholder has key {
        _placeholder: bool,
    }

    struct LinkedTable<K: copy + drop + store, phantom V: store> has key, store {
        handle: Object<TablePlaceholder>,
        size: u64,
        head: Option<K>,
        tail: Option<K>,
    }

    struct Node<K: copy + drop + store, V: store> has store {
        prev: Option<K>,
        next: Option<K>,
        value: V,
    }

    /// A table without entries.
    public fun new<K: copy + drop + store, V: store>(): LinkedTable<K, V> {
        LinkedTable {
            handle: object::new(TablePlaceholder { _placeholder: false }),
            size: 0,
            head: option::none(),
            tail: option::none(),
        }
    }

    /// The first key, if any.
    public fun front<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): &Option<K> {
        &table.head
    }

    /// The last key, if any.
    public fun back<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): &Option<K> {
        &table.tail
    }

    /// Adds an entry before all others; aborts if there is one with this key.
    public fun push_front<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K, value: V) {
        let next = table.head;
        object::add_field(&mut table.handle, k, Node { prev: option::none(), next, value });
        table.head = option::some(k);
        if (option::is_some(&next)) {
            node_mut(table, option::destroy_some(next)).prev = option::some(k)
        } else {
            table.tail = option::some(k)
        };
        table.size = table.size + 1;
    }

    /// Adds an entry behind all others; aborts if there is one with this key.
    public fun push_back<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K, value: V) {
        let prev = table.tail;
        object::add_field(&mut table.handle, k, Node { prev, next: option::none(), value });
        table.tail = option::some(k);
        if (option::is_some(&prev)) {
            node_mut(table, option::destroy_some(prev)).next = option::some(k)
        } else {
            table.head = option::some(k)
        };
        table.size = table.size + 1;
    }

    /// The value of a key; aborts without it.
    public fun borrow<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &V {
        &node(table, k).value
    }

    /// The value of a key, for change; aborts without it.
    public fun borrow_mut<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): &mut V {
        &mut node_mut(table, k).value
    }

    /// The key before a key, if any; aborts without that key.
    public fun prev<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Option<K> {
        &node(table, k).prev
    }

    /// The key after a key, if any; aborts without that key.
    public fun next<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Option<K> {
        &node(table, k).next
    }

    /// Takes an entry out and gives its value; aborts without it.
    public fun remove<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): V {
        let Node { prev, next, value } = object::remove_field<TablePlaceholder, K, Node<K, V>>(&mut table.handle, k);
        if (option::is_some(&prev)) node_mut(table, *option::borrow(&prev)).next = next else table.head = next;
        if (option::is_some(&next)) node_mut(table, *option::borrow(&next)).prev = prev else table.tail = prev;
        table.size = table.size - 1;
        value
    }

    /// Takes the first entry out; aborts without one.
    public fun pop_front<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>): (K, V) {
        assert!(option::is_some(&table.head), ErrorTableIsEmpty);
        let key = *option::borrow(&table.head);
        let value = remove(table, key);
        (key, value)
    }

    /// Takes the last entry out; aborts without one.
    public fun pop_back<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>): (K, V) {
        assert!(option::is_some(&table.tail), ErrorTableIsEmpty);
        let key = *option::borrow(&table.tail);
        let value = remove(table, key);
        (key, value)
    }

    /// Whether there is an entry with this key.
    public fun contains<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): bool {
        object::contains_field_with_type<TablePlaceholder, K, Node<K, V>>(&table.handle, k)
    }

    /// Number of entries.
    public fun length<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): u64 {
        table.size
    }

    /// Whether there are no entries.
    public fun is_empty<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>): bool {
        table.size == 0
    }

    /// Ends a table that has no entries.
    public fun destroy_empty<K: copy + drop + store, V: store>(table: LinkedTable<K, V>) {
        let LinkedTable { handle, size, head: _, tail: _ } = table;
        assert!(size == 0, ErrorTableNotEmpty);
        let TablePlaceholder { _placeholder: _ } = object::remove_unchecked(handle);
    }

    /// Ends a table that is an object, with whatever is in it.
    public fun drop<K: copy + drop + store, V: drop + store>(table_obj: Object<LinkedTable<K, V>>) {
        let LinkedTable { handle, size: _, head: _, tail: _ } = object::remove(table_obj);
        let TablePlaceholder { _placeholder: _ } = object::remove_unchecked(handle);
    }

    fun node<K: copy + drop + store, V: store>(table: &LinkedTable<K, V>, k: K): &Node<K, V> {
        object::borrow_field<TablePlaceholder, K, Node<K, V>>(&table.handle, k)
    }

    fun node_mut<K: copy + drop + store, V: store>(table: &mut LinkedTable<K, V>, k: K): &mut Node<K, V> {
        object::borrow_mut_field<TablePlaceholder, K, Node<K, V>>(&mut table.handle, k)
    }
}
