/// A counter that everybody can add to.
module counter::counter {
    use moveos_std::event;
    use moveos_std::object::{Self, Object};
    use std::signer;

    /// Adding nothing is a mistake.
    const ErrorNothingToAdd: u64 = 1;

    /// The one counter, a shared object.
    struct Counter has key {
        value: u64,
    }

    struct Added has copy, drop {
        by: address,
        amount: u64,
        value: u64,
    }

    /// Runs when the package is published.
    fun init() {
        object::to_shared(object::new_named_object(Counter { value: 0 }));
    }

    public entry fun add(account: &signer, counter: &mut Object<Counter>, amount: u64) {
        assert!(amount > 0, ErrorNothingToAdd);
        let counter = object::borrow_mut(counter);
        counter.value = counter.value + amount;
        event::emit(Added { by: signer::address_of(account), amount, value: counter.value });
    }

    public fun value(): u64 {
        let id = object::named_object_id<Counter>();
        object::borrow(object::borrow_object<Counter>(id)).value
    }

    #[test_only]
    /// Makes the counter, since nothing is published for a test in Move.
    public fun init_for_test() {
        init();
    }
}
