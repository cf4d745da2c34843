// Tests of the auction in Move: `movelet test examples/auction`.
#[test_only]
module auction::auction_tests {
    use auction::auction::{Self, Auction};
    use moveos_std::object::{Self, Object};
    use rooch_framework::gas_coin;
    use std::signer;

    /// The framework's objects, the auction, and coins: no `init` has run before a test.
    fun begin(alice: &signer, bob: &signer) {
        rooch_framework::genesis::init_for_test();
        auction::init_for_test();
        gas_coin::faucet_for_test(signer::address_of(alice), 100);
        gas_coin::faucet_for_test(signer::address_of(bob), 100);
    }

    fun shared(): &mut Object<Auction> {
        object::borrow_mut_object_shared<Auction>(object::named_object_id<Auction>())
    }

    #[test(alice = @0x77, bob = @0x78)]
    fun a_bidder_who_is_outbid_takes_the_coins_back(alice: signer, bob: signer) {
        begin(&alice, &bob);
        auction::bid(&alice, shared(), 30);
        auction::bid(&bob, shared(), 40);
        let (leader, highest) = auction::highest();
        assert!(leader == @0x78 && highest == 40, 1);
        assert!(gas_coin::balance(@0x77) == 70, 2);
        auction::take_back(&alice, shared());
        assert!(gas_coin::balance(@0x77) == 100, 3);
        assert!(gas_coin::balance(@0x78) == 60, 4);
    }

    #[test(alice = @0x77, bob = @0x78)]
    #[expected_failure(abort_code = auction::auction::ErrorTooLow)]
    fun the_same_again_is_too_low(alice: signer, bob: signer) {
        begin(&alice, &bob);
        auction::bid(&alice, shared(), 30);
        auction::bid(&bob, shared(), 30);
    }

    #[test(alice = @0x77, bob = @0x78)]
    #[expected_failure(abort_code = auction::auction::ErrorNothingToTake)]
    fun the_leader_has_nothing_to_take_back(alice: signer, bob: signer) {
        begin(&alice, &bob);
        auction::bid(&alice, shared(), 30);
        auction::take_back(&alice, shared());
    }
}
