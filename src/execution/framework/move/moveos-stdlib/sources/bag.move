/// A map of any size whose keys and values are of any types.
module moveos_std::bag {
    use moveos_std::object::{Self, Object};

    /// The bag must stay droppable, and the value is not.
    const ErrorBagIsDropable: u64 = 1;
    /// The bag may hold values that cannot be dropped.
    const ErrorBagIsNotDropable: u64 = 2;

    struct BagInner has key {
        /// Whether it may be dropped with values in it.
        dropable: bool,
    }

    struct Bag has store {
        handle: Object<BagInner>,
    }

    /// A bag that must be emptied before it ends.
    public fun new(): Bag {
        Bag { handle: object::new(BagInner { dropable: false }) }
    }

    /// A bag that may be dropped with values in it.
    public fun new_dropable(): Bag {
        Bag { handle: object::new(BagInner { dropable: true }) }
    }

    /// Adds an entry to a bag that must be emptied; aborts if there is one with this key.
    public fun add<K: copy + drop + store, V: store>(bag: &mut Bag, k: K, v: V) {
        assert!(!object::borrow(&bag.handle).dropable, ErrorBagIsDropable);
        object::add_field(&mut bag.handle, k, v)
    }

    /// Adds an entry that may be dropped; aborts if there is one with this key.
    public fun add_dropable<K: copy + drop + store, V: store + drop>(bag: &mut Bag, k: K, v: V) {
        object::add_field(&mut bag.handle, k, v)
    }

    /// The value of a key; aborts without it, or if it is of another type.
    public fun borrow<K: copy + drop + store, V: store>(bag: &Bag, k: K): &V {
        object::borrow_field(&bag.handle, k)
    }

    /// The value of a key, for change; aborts without it, or if it is of another type.
    public fun borrow_mut<K: copy + drop + store, V: store>(bag: &mut Bag, k: K): &mut V {
        object::borrow_mut_field(&mut bag.handle, k)
    }

    /// Takes an entry out and gives its value; aborts without it, or if it is of another type.
    public fun remove<K: copy + drop + store, V: store>(bag: &mut Bag, k: K): V {
        object::remove_field(&mut bag.handle, k)
    }

    /// Whether there is an entry with this key.
    public fun contains<K: copy + drop + store>(bag: &Bag, k: K): bool {
        object::contains_field(&bag.handle, k)
    }

    /// Whether there is an entry with this key whose value is a `V`.
    public fun contains_with_type<K: copy + drop + store, V: store>(bag: &Bag, k: K): bool {
        object::contains_field_with_type<BagInner, K, V>(&bag.handle, k)
    }

    /// Number of entries.
    public fun length(bag: &Bag): u64 {
        object::field_size(&bag.handle)
    }

    /// Whether there are no entries.
    public fun is_empty(bag: &Bag): bool {
        length(bag) == 0
    }

    /// Ends a bag that has no entries.
    public fun destroy_empty(bag: Bag) {
        let Bag { handle } = bag;
        let BagInner { dropable: _ } = object::remove(handle);
    }

    /// Ends a droppable bag with whatever is in it.
    public fun drop(bag: Bag) {
        let Bag { handle } = bag;
        let BagInner { dropable } = object::remove_unchecked(handle);
        assert!(dropable, ErrorBagIsNotDropable);
    }

    // ---- for tests alone ----

    #[test_only]
    /// Ends any bag with whatever is in it.
    public fun drop_unchecked(bag: Bag) {
        let Bag { handle } = bag;
        let BagInner { dropable: _ } = object::remove_unchecked(handle);
    }
}
