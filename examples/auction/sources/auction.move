/// An auction for gas coins. It holds the highest bid; bidders who were outbid can take their coins back.
module auction::auction {
    use moveos_std::event;
    use moveos_std::object::{Self, Object};
    use moveos_std::table::{Self, Table};
    use rooch_framework::account_coin_store;
    use rooch_framework::coin_store::{Self, CoinStore};
    use rooch_framework::gas_coin::RGas;
    use std::signer;

    /// The bid is not above the highest so far.
    const ErrorTooLow: u64 = 1;
    /// The account has nothing to take back.
    const ErrorNothingToTake: u64 = 2;

    /// The one auction, a shared object.
    struct Auction has key {
        highest: u256,
        leader: address,
        /// All coins that were bid and not taken back.
        coins: Object<CoinStore<RGas>>,
        /// What bidders who were outbid can take back.
        outbid: Table<address, u256>,
    }

    struct Bid has copy, drop {
        by: address,
        amount: u256,
    }

    /// Runs when the package is published.
    fun init() {
        let auction = Auction {
            highest: 0,
            leader: @auction,
            coins: coin_store::create_coin_store<RGas>(),
            outbid: table::new(),
        };
        object::to_shared(object::new_named_object(auction));
    }

    public entry fun bid(account: &signer, auction: &mut Object<Auction>, amount: u256) {
        let auction = object::borrow_mut(auction);
        assert!(amount > auction.highest, ErrorTooLow);
        coin_store::deposit(&mut auction.coins, account_coin_store::withdraw<RGas>(account, amount));
        let owed = table::borrow_mut_with_default(&mut auction.outbid, auction.leader, 0);
        *owed = *owed + auction.highest;
        auction.highest = amount;
        auction.leader = signer::address_of(account);
        event::emit(Bid { by: auction.leader, amount });
    }

    public entry fun take_back(account: &signer, auction: &mut Object<Auction>) {
        let auction = object::borrow_mut(auction);
        let to = signer::address_of(account);
        assert!(table::contains(&auction.outbid, to), ErrorNothingToTake);
        let amount = table::remove(&mut auction.outbid, to);
        assert!(amount > 0, ErrorNothingToTake);
        account_coin_store::deposit(to, coin_store::withdraw(&mut auction.coins, amount));
    }

    /// The leader and the highest bid.
    public fun highest(): (address, u256) {
        let auction = object::borrow(object::borrow_object<Auction>(object::named_object_id<Auction>()));
        (auction.leader, auction.highest)
    }

    #[test_only]
    /// Makes the auction, since nothing is published for a test in Move.
    public fun init_for_test() {
        init();
    }
}
