/// Moving coins from the stores of single types into the `MultiCoinStore` of their accounts. Anybody may do so for any
/// account; who was done is noted by the holder of a capability.
module rooch_framework::coin_migration {
    use std::string::String;
    use std::vector;
    use moveos_std::event;
    use moveos_std::object::{Self, ObjectID};
    use moveos_std::signer;
    use moveos_std::table::{Self, Table};
    use moveos_std::type_info;
    use rooch_framework::account_coin_store;
    use rooch_framework::coin;
    use rooch_framework::coin_store;
    use rooch_framework::multi_coin_store;
    use rooch_framework::onchain_config;

    /// The sender does not hold the capability.
    const ErrorNoCap: u64 = 3;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorMigrationAlreadyDone: u64 = 1;
    #[test_only] const ErrorNothingToMigrate: u64 = 2;

    struct AccountMigrationEvent has copy, drop, store {
        account: address,
    }

    struct CoinStoreMigrationEvent has copy, drop, store {
        account: address,
        coin_type: String,
        balance: u256,
        was_frozen: bool,
    }

    /// Accounts that were noted as done.
    struct MigrationState has key, store {
        migrated_accounts: Table<address, bool>,
    }

    /// The right to note who was done.
    struct MigrationUpdateCap has key, store {}

    /// Makes the object, unless it is there.
    public entry fun initialize_entry(_account: &signer) {
        if (object::exists_object(migration_state_id())) return;
        let state = object::new_named_object(MigrationState { migrated_accounts: table::new() });
        object::transfer_extend(state, @rooch_framework);
    }

    /// Gives the capability to an account; for the administrator.
    public entry fun dispatch_cap_entry(account: &signer, cap_address: address) {
        onchain_config::ensure_admin(account);
        let id = object::named_object_id<MigrationUpdateCap>();
        let capability = if (object::exists_object(id)) {
            object::take_object_extend<MigrationUpdateCap>(id)
        } else {
            object::new_named_object(MigrationUpdateCap {})
        };
        object::transfer(capability, cap_address);
    }

    /// Aborts unless the signer holds the capability.
    public fun ensure_has_cap(account: &signer) {
        assert!(signer::address_of(account) == cap_address(), ErrorNoCap);
    }

    /// Who holds the capability.
    public fun cap_address(): address {
        object::owner(object::borrow_object<MigrationUpdateCap>(object::named_object_id<MigrationUpdateCap>()))
    }

    /// Moves the coins of a type of an account.
    public entry fun migrate_account_entry<CoinType: key>(_account: &signer, addr: address) {
        migrate<CoinType>(addr);
    }

    /// Moves the coins of a type of several accounts.
    public entry fun migrate_accounts_batch_entry<CoinType: key>(_account: &signer, addresses: vector<address>) {
        vector::for_each_ref(&addresses, |addr| migrate<CoinType>(*addr));
    }

    /// Notes that an account was done; for the holder of the capability.
    public entry fun update_migration_state_entry(account: &signer, addr: address) {
        ensure_has_cap(account);
        note(addr);
    }

    /// Notes that several accounts were done; for the holder of the capability.
    public entry fun update_migration_states_batch_entry(account: &signer, addresses: vector<address>) {
        ensure_has_cap(account);
        vector::for_each_ref(&addresses, |addr| note(*addr));
    }

    /// Id of the object.
    public fun migration_state_id(): ObjectID {
        object::named_object_id<MigrationState>()
    }

    /// Whether an account was noted as done.
    public fun is_account_migrated(addr: address): bool {
        table::contains(borrow_migrated(), addr)
    }

    /// How many accounts were noted as done.
    public fun get_migration_stats(): u64 {
        table::length(borrow_migrated())
    }

    fun borrow_migrated(): &Table<address, bool> {
        &object::borrow(object::borrow_object<MigrationState>(migration_state_id())).migrated_accounts
    }

    fun note(addr: address) {
        let state = object::borrow_mut(object::borrow_mut_object_extend<MigrationState>(migration_state_id()));
        if (table::contains(&state.migrated_accounts, addr)) return;
        table::add(&mut state.migrated_accounts, addr, true);
        event::emit(AccountMigrationEvent { account: addr });
    }

    fun migrate<CoinType: key>(account: address) {
        let single_id = account_coin_store::account_coin_store_id<CoinType>(account);
        if (!object::exists_object(single_id)) return;
        let single = coin_store::borrow_mut_coin_store_internal<CoinType>(single_id);
        if (!account_coin_store::exist_multi_coin_store(account)) {
            multi_coin_store::create_multi_coin_store(account);
        };
        let multi_id = account_coin_store::multi_coin_store_id(account);
        let multi = multi_coin_store::borrow_mut_coin_store_internal(multi_id);
        let was_frozen = coin_store::is_frozen(single);
        let balance = coin_store::balance(single);
        let coin = coin_store::withdraw_uncheck_internal<CoinType>(single, balance);
        multi_coin_store::deposit_internal(multi, coin::convert_coin_to_generic_coin(coin));
        let coin_type = type_info::type_name<CoinType>();
        if (was_frozen) multi_coin_store::freeze_coin_store_internal(multi, coin_type, true);
        event::emit(CoinStoreMigrationEvent { account, coin_type, balance, was_frozen });
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the object, unless it is there.
    public fun init_for_test() {
        initialize_entry(&moveos_std::account::create_signer_for_testing(@rooch_framework));
    }

    #[test_only]
    /// Moves an account's coins of a type into its `MultiCoinStore`.
    public fun migrate_account_for_test<CoinType: key + store>(addr: address) {
        migrate<CoinType>(addr);
    }

    #[test_only]
    /// Gives the capability to an account; for the administrator.
    public entry fun dispatch_cap_for_test(account: &signer, cap_address: address) {
        dispatch_cap_entry(account, cap_address);
    }
}
