// Tests of the counter in Move: `movelet test examples/counter`.
#[test_only]
module counter::counter_tests {
    use counter::counter::{Self, Counter};
    use moveos_std::object;
    use std::debug;
    use std::signer;
    use std::vector;

    fun add(account: &signer, amount: u64) {
        let id = object::named_object_id<Counter>();
        counter::add(account, object::borrow_mut_object_shared<Counter>(id), amount);
    }

    #[test(alice = @0x7, bob = @0x8)]
    fun everybody_adds(alice: signer, bob: signer) {
        counter::init_for_test();
        add(&alice, 7);
        add(&bob, 5);
        debug::print(&counter::value());
        assert!(counter::value() == 12, 1);
    }

    // The changes of other tests are not visible here.
    #[test]
    fun it_begins_at_zero() {
        counter::init_for_test();
        assert!(counter::value() == 0, 1);
    }

    #[test(alice = @0x7, bob = @0x8, expected = @0x8)]
    fun a_signer_has_its_address(alice: signer, bob: signer, expected: address) {
        assert!(signer::address_of(&alice) == @0x7 && signer::address_of(&bob) == expected, 1);
    }

    #[test(account = @counter)]
    #[expected_failure(abort_code = counter::counter::ErrorNothingToAdd)]
    fun nothing_cannot_be_added(account: signer) {
        counter::init_for_test();
        add(&account, 0);
    }

    #[test(account = @counter), expected_failure(abort_code = 1, location = counter)]
    fun nor_by_its_number(account: signer) {
        counter::init_for_test();
        add(&account, 0);
    }

    #[test(account = @0x7)]
    #[expected_failure(arithmetic_error, location = counter)]
    fun it_does_not_overflow(account: signer) {
        counter::init_for_test();
        add(&account, 18446744073709551615);
        add(&account, 1);
    }

    #[test]
    #[expected_failure(vector_error, minor_status = 1, location = Self)]
    fun an_empty_vector_has_no_first() {
        vector::borrow(&vector::empty<u64>(), 0);
    }

    #[test]
    #[expected_failure(out_of_gas, location = Self)]
    fun a_loop_without_end_runs_out_of_gas() {
        while (true) {}
    }

    #[test]
    #[expected_failure(major_status = 4017, location = Self)]
    fun a_status_has_a_number() {
        counter::init_for_test();
        let zero = counter::value();
        1 / zero;
    }

    #[test]
    #[expected_failure]
    fun any_failure_will_do() {
        abort 42
    }
}
