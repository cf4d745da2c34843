/// The number of the chain, in one frozen object. Signed transactions name it, so that they hold on one chain only.
module rooch_framework::chain_id {
    use moveos_std::object;

    friend rooch_framework::genesis;

    const MAIN: u64 = 1;
    const TEST: u64 = 2;
    const DEV: u64 = 3;
    const LOCAL: u64 = 4;

    struct ChainID has key, store {
        id: u64,
    }

    /// Makes the object.
    public(friend) fun genesis_init(_genesis_account: &signer, chain_id: u64) {
        object::to_frozen(object::new_named_object(ChainID { id: chain_id }));
    }

    /// The number.
    public fun id(self: &ChainID): u64 {
        self.id
    }

    /// The object's value.
    public fun borrow(): &ChainID {
        object::borrow(object::borrow_object<ChainID>(object::named_object_id<ChainID>()))
    }

    /// The number.
    public fun chain_id(): u64 {
        borrow().id
    }

    /// Whether the chain is a local one.
    public fun is_local(): bool {
        chain_id() == LOCAL
    }

    /// Whether the chain is for development.
    public fun is_dev(): bool {
        chain_id() == DEV
    }

    /// Whether the chain is a local one or for development.
    public fun is_local_or_dev(): bool {
        let id = chain_id();
        id == LOCAL || id == DEV
    }

    /// Whether the chain is the test network.
    public fun is_test(): bool {
        chain_id() == TEST
    }

    /// Whether the chain is the main network.
    public fun is_main(): bool {
        chain_id() == MAIN
    }
}
