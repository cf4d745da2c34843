/// Divides what it receives between two parties, and never holds anything.
module splitter::splitter {
    use moveos_std::object::{Self, Object};

    /// The one splitter, a shared object.
    struct Splitter has key {
        received: u64,
        first: u64,
        second: u64,
    }

    fun init() {
        object::to_shared(object::new_named_object(Splitter { received: 0, first: 0, second: 0 }));
    }

    public entry fun pay(splitter: &mut Object<Splitter>, amount: u64) {
        let splitter = object::borrow_mut(splitter);
        splitter.received = splitter.received + amount;
        splitter.first = splitter.first + amount * 30 / 100;
        splitter.second = splitter.second + amount * 70 / 100;
    }

    /// What came in, and what went to each party.
    public fun totals(): (u64, u64, u64) {
        let splitter = object::borrow(object::borrow_object<Splitter>(object::named_object_id<Splitter>()));
        (splitter.received, splitter.first, splitter.second)
    }
}
