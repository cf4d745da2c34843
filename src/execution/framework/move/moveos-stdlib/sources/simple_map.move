/// A map in a vector: searches are linear, order is that of insertion until something is removed. For a handful of
/// entries; use `table` for more.
module moveos_std::simple_map {
    use std::option::{Self, Option};
    use std::vector;

    /// There is an entry with this key.
    const ErrorKeyAlreadyExists: u64 = 1;
    /// There is no entry with this key.
    const ErrorKeyNotFound: u64 = 2;

    struct SimpleMap<Key, Value> has copy, drop, store {
        data: vector<Element<Key, Value>>,
    }

    struct Element<Key, Value> has copy, drop, store {
        key: Key,
        value: Value,
    }

    /// Number of entries.
    public fun length<Key, Value>(map: &SimpleMap<Key, Value>): u64 {
        vector::length(&map.data)
    }

    /// A map without entries.
    public fun new<Key, Value>(): SimpleMap<Key, Value> {
        SimpleMap { data: vector[] }
    }

    /// A copy.
    public fun clone<Key: store + copy, Value: store + copy>(map: &SimpleMap<Key, Value>): SimpleMap<Key, Value> {
        SimpleMap {
            data: vector::map_ref(&map.data, |element| {
                let element: &Element<Key, Value> = element;
                Element { key: element.key, value: element.value }
            })
        }
    }

    /// The value of a key; aborts without it.
    public fun borrow<Key, Value>(map: &SimpleMap<Key, Value>, key: &Key): &Value {
        &vector::borrow(&map.data, index_of(map, key)).value
    }

    /// The value of a key, or `default`.
    public fun borrow_with_default<Key, Value>(map: &SimpleMap<Key, Value>, key: &Key, default: &Value): &Value {
        let (found, index) = find(map, key);
        if (found) &vector::borrow(&map.data, index).value else default
    }

    /// The value of a key, for change; aborts without it.
    public fun borrow_mut<Key, Value>(map: &mut SimpleMap<Key, Value>, key: &Key): &mut Value {
        let index = index_of(map, key);
        &mut vector::borrow_mut(&mut map.data, index).value
    }

    /// Whether there is an entry with this key.
    public fun contains_key<Key, Value>(map: &SimpleMap<Key, Value>, key: &Key): bool {
        let (found, _) = find(map, key);
        found
    }

    /// Ends a map that has no entries.
    public fun destroy_empty<Key, Value>(map: SimpleMap<Key, Value>) {
        let SimpleMap { data } = map;
        vector::destroy_empty(data);
    }

    /// Adds an entry; aborts if there is one with this key.
    public fun add<Key, Value>(map: &mut SimpleMap<Key, Value>, key: Key, value: Value) {
        assert!(!contains_key(map, &key), ErrorKeyAlreadyExists);
        vector::push_back(&mut map.data, Element { key, value });
    }

    /// Sets the entry of a key, in its old place, and gives the entry that was there.
    public fun upsert<Key, Value>(
        map: &mut SimpleMap<Key, Value>,
        key: Key,
        value: Value
    ): (Option<Key>, Option<Value>) {
        let (found, index) = find(map, &key);
        vector::push_back(&mut map.data, Element { key, value });
        if (!found) return (option::none(), option::none());
        let Element { key, value } = vector::swap_remove(&mut map.data, index);
        (option::some(key), option::some(value))
    }

    /// Copies of all keys.
    public fun keys<Key: copy, Value>(map: &SimpleMap<Key, Value>): vector<Key> {
        vector::map_ref(&map.data, |element| {
            let element: &Element<Key, Value> = element;
            element.key
        })
    }

    /// Copies of all values, in the order of the keys.
    public fun values<Key, Value: copy>(map: &SimpleMap<Key, Value>): vector<Value> {
        vector::map_ref(&map.data, |element| {
            let element: &Element<Key, Value> = element;
            element.value
        })
    }

    /// All keys and all values, last entry first.
    public fun to_vec_pair<Key, Value>(map: SimpleMap<Key, Value>): (vector<Key>, vector<Value>) {
        let SimpleMap { data } = map;
        let keys = vector[];
        let values = vector[];
        while (!vector::is_empty(&data)) {
            let Element { key, value } = vector::pop_back(&mut data);
            vector::push_back(&mut keys, key);
            vector::push_back(&mut values, value);
        };
        vector::destroy_empty(data);
        (keys, values)
    }

    /// Takes an entry out; the last one takes its place. Aborts without it.
    public fun remove<Key, Value>(map: &mut SimpleMap<Key, Value>, key: &Key): (Key, Value) {
        let index = index_of(map, key);
        let Element { key, value } = vector::swap_remove(&mut map.data, index);
        (key, value)
    }

    fun find<Key, Value>(map: &SimpleMap<Key, Value>, key: &Key): (bool, u64) {
        let count = vector::length(&map.data);
        let index = 0;
        while (index < count) {
            if (&vector::borrow(&map.data, index).key == key) return (true, index);
            index = index + 1;
        };
        (false, 0)
    }

    fun index_of<Key, Value>(map: &SimpleMap<Key, Value>, key: &Key): u64 {
        let (found, index) = find(map, key);
        assert!(found, ErrorKeyNotFound);
        index
    }
}
