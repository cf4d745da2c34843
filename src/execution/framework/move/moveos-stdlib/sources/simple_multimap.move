/// Several values to a key, in a vector: searches are linear, order is that of insertion until something is removed.
module moveos_std::simple_multimap {
    use std::vector;

    /// There is no entry with this key.
    const ErrorKeyNotFound: u64 = 1;

    struct SimpleMultiMap<Key, Value> has copy, drop, store {
        data: vector<Element<Key, Value>>,
    }

    struct Element<Key, Value> has copy, drop, store {
        key: Key,
        value: vector<Value>,
    }

    /// A map without keys.
    public fun new<Key, Value>(): SimpleMultiMap<Key, Value> {
        SimpleMultiMap { data: vector[] }
    }

    /// Number of keys.
    public fun length<Key, Value>(map: &SimpleMultiMap<Key, Value>): u64 {
        vector::length(&map.data)
    }

    /// Whether there are no keys.
    public fun is_empty<Key, Value>(map: &SimpleMultiMap<Key, Value>): bool {
        vector::is_empty(&map.data)
    }

    /// The values of a key; aborts without it.
    public fun borrow<Key, Value>(map: &SimpleMultiMap<Key, Value>, key: &Key): &vector<Value> {
        &vector::borrow(&map.data, index_of(map, key)).value
    }

    /// The values of a key, for change; aborts without it.
    public fun borrow_mut<Key, Value>(map: &mut SimpleMultiMap<Key, Value>, key: &Key): &mut vector<Value> {
        let index = index_of(map, key);
        &mut vector::borrow_mut(&mut map.data, index).value
    }

    /// The first value of a key; aborts without one.
    public fun borrow_first<Key, Value>(map: &SimpleMultiMap<Key, Value>, key: &Key): &Value {
        vector::borrow(borrow(map, key), 0)
    }

    /// The first value of a key, for change; aborts without one.
    public fun borrow_first_mut<Key, Value>(map: &mut SimpleMultiMap<Key, Value>, key: &Key): &mut Value {
        vector::borrow_mut(borrow_mut(map, key), 0)
    }

    /// The first value of a key, or `default`.
    public fun borrow_first_with_default<Key, Value>(
        map: &SimpleMultiMap<Key, Value>,
        key: &Key,
        default: &Value
    ): &Value {
        let (found, index) = find(map, key);
        if (!found) return default;
        let values = &vector::borrow(&map.data, index).value;
        if (vector::is_empty(values)) default else vector::borrow(values, 0)
    }

    /// Whether the key is there.
    public fun contains_key<Key, Value>(map: &SimpleMultiMap<Key, Value>, key: &Key): bool {
        let (found, _) = find(map, key);
        found
    }

    /// Ends a map that has no keys.
    public fun destroy_empty<Key, Value>(map: SimpleMultiMap<Key, Value>) {
        let SimpleMultiMap { data } = map;
        vector::destroy_empty(data);
    }

    /// Adds a value to a key, behind those it has.
    public fun add<Key: store + drop, Value: store>(map: &mut SimpleMultiMap<Key, Value>, key: Key, value: Value) {
        let (found, index) = find(map, &key);
        if (found) {
            vector::push_back(&mut vector::borrow_mut(&mut map.data, index).value, value)
        } else {
            vector::push_back(&mut map.data, Element { key, value: vector[value] })
        }
    }

    /// Copies of all keys.
    public fun keys<Key: copy, Value>(map: &SimpleMultiMap<Key, Value>): vector<Key> {
        vector::map_ref(&map.data, |element| {
            let element: &Element<Key, Value> = element;
            element.key
        })
    }

    /// Copies of all values of all keys, in one vector.
    public fun values<Key, Value: copy>(map: &SimpleMultiMap<Key, Value>): vector<Value> {
        let values = vector[];
        vector::for_each_ref(&map.data, |element| {
            let element: &Element<Key, Value> = element;
            vector::append(&mut values, element.value)
        });
        values
    }

    /// All keys, and the values of each, last key first.
    public fun to_vec_pair<Key, Value>(map: SimpleMultiMap<Key, Value>): (vector<Key>, vector<vector<Value>>) {
        let SimpleMultiMap { data } = map;
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

    /// Takes a key and its values out; the last key takes its place. Aborts without it.
    public fun remove<Key, Value>(map: &mut SimpleMultiMap<Key, Value>, key: &Key): (Key, vector<Value>) {
        let index = index_of(map, key);
        let Element { key, value } = vector::swap_remove(&mut map.data, index);
        (key, value)
    }

    fun find<Key, Value>(map: &SimpleMultiMap<Key, Value>, key: &Key): (bool, u64) {
        let count = vector::length(&map.data);
        let index = 0;
        while (index < count) {
            if (&vector::borrow(&map.data, index).key == key) return (true, index);
            index = index + 1;
        };
        (false, 0)
    }

    fun index_of<Key, Value>(map: &SimpleMultiMap<Key, Value>, key: &Key): u64 {
        let (found, index) = find(map, key);
        assert!(found, ErrorKeyNotFound);
        index
    }
}
