/// The coins of accounts. An account has one `MultiCoinStore`, into which everything goes, and for each type also a
/// `CoinStore`, which holds what the account had before there were the former; a balance is the sum of both, and coins
/// are taken from the latter first. An account takes coins of all types unless it says otherwise; then only of those
/// whose store it has made itself.
module rooch_framework::account_coin_store {
    use std::string::String;
    use moveos_std::account;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::table::{Self, Table};
    use moveos_std::type_info;
    use rooch_framework::coin::{Self, Coin, GenericCoin};
    use rooch_framework::coin_store::{Self, CoinStore};
    use rooch_framework::multi_coin_store::{Self, MultiCoinStore};

    friend rooch_framework::account;
    friend rooch_framework::genesis;

    /// The account takes no coins of this type.
    const ErrorAccountNotAcceptCoin: u64 = 1;
    /// The amount is larger than the balance.
    const ErrorInsufficientBalance: u64 = 3;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorCoinTypeNotMatch: u64 = 2;

    /// Whether accounts take coins of all types; those that are not on record do.
    struct AutoAcceptCoins has key, store {
        auto_accept_coins: Table<address, bool>,
    }

    struct AcceptCoinEvent has copy, drop, store {
        enable: bool,
    }

    /// Makes the record.
    public(friend) fun genesis_init(genesis_account: &signer) {
        account::move_resource_to(genesis_account, AutoAcceptCoins { auto_accept_coins: table::new() });
    }

    // ---- by type ----

    /// What an account has of a type, in both of its stores.
    public fun balance<CoinType: key>(addr: address): u256 {
        single_balance<CoinType>(addr) + balance_by_type_name(addr, type_info::type_name<CoinType>())
    }

    /// Id of the store of a type that an account has.
    public fun account_coin_store_id<CoinType: key>(addr: address): ObjectID {
        object::account_named_object_id<CoinStore<CoinType>>(addr)
    }

    /// Whether an account takes coins of a type.
    public fun is_accept_coin<CoinType: key>(addr: address): bool {
        can_auto_accept_coin(addr) || exist_account_coin_store<CoinType>(addr)
    }

    /// Whether an account takes coins of all types.
    public fun can_auto_accept_coin(addr: address): bool {
        let accounts = &account::borrow_resource<AutoAcceptCoins>(@rooch_framework).auto_accept_coins;
        *table::borrow_with_default(accounts, addr, &true)
    }

    /// Lets the signer's account take coins of a type.
    public fun do_accept_coin<CoinType: key>(account: &signer) {
        borrow_mut_or_create_single_store<CoinType>(signer::address_of(account));
        do_accept_coin_by_type_name(account, type_info::type_name<CoinType>());
    }

    /// Lets the signer's account take coins of all types, or no longer.
    public fun set_auto_accept_coin(account: &signer, enable: bool) {
        let accounts = &mut account::borrow_mut_resource<AutoAcceptCoins>(@rooch_framework).auto_accept_coins;
        table::upsert(accounts, signer::address_of(account), enable);
        event::emit(AcceptCoinEvent { enable });
    }

    /// Takes an amount out of the signer's account.
    public fun withdraw<CoinType: key + store>(account: &signer, amount: u256): Coin<CoinType> {
        withdraw_from<CoinType>(signer::address_of(account), amount)
    }

    /// Puts a coin into an account.
    public fun deposit<CoinType: key + store>(addr: address, coin: Coin<CoinType>) {
        deposit_to(addr, coin)
    }

    /// Moves an amount from the signer's account to another.
    public fun transfer<CoinType: key + store>(from: &signer, to: address, amount: u256) {
        deposit_to(to, withdraw_from<CoinType>(signer::address_of(from), amount))
    }

    /// Whether an account has a store of a type.
    public fun exist_account_coin_store<CoinType: key>(addr: address): bool {
        object::exists_object_with_type<CoinStore<CoinType>>(account_coin_store_id<CoinType>(addr))
    }

    /// Whether that store is frozen.
    public fun is_account_coin_store_frozen<CoinType: key>(addr: address): bool {
        exist_account_coin_store<CoinType>(addr) && coin_store::is_frozen(borrow_single_store<CoinType>(addr))
    }

    #[private_generics(CoinType)]
    /// Takes an amount out of any account, for the module that defines the type.
    public fun withdraw_extend<CoinType: key>(addr: address, amount: u256): Coin<CoinType> {
        withdraw_from<CoinType>(addr, amount)
    }

    #[private_generics(CoinType)]
    /// Puts a coin into an account, for the module that defines the type.
    public fun deposit_extend<CoinType: key>(addr: address, coin: Coin<CoinType>) {
        deposit_to(addr, coin)
    }

    #[private_generics(CoinType)]
    /// Moves an amount between any accounts, for the module that defines the type.
    public fun transfer_extend<CoinType: key>(from: address, to: address, amount: u256) {
        deposit_to(to, withdraw_from<CoinType>(from, amount))
    }

    #[private_generics(CoinType)]
    /// Freezes what an account has of a type, or ends that, for the module that defines the type.
    public fun freeze_extend<CoinType: key>(addr: address, frozen: bool) {
        coin_store::freeze_coin_store_internal(borrow_mut_single_store<CoinType>(addr), frozen);
        let coin_type = type_info::type_name<CoinType>();
        multi_coin_store::freeze_coin_store_internal(borrow_mut_multi_store(addr), coin_type, frozen);
    }

    /// Lets the sender's account take coins of a type.
    public entry fun accept_coin_entry<CoinType: key>(account: &signer) {
        do_accept_coin<CoinType>(account)
    }

    /// Lets the sender's account take coins of all types.
    public entry fun enable_auto_accept_coin_entry(account: &signer) {
        set_auto_accept_coin(account, true)
    }

    /// Lets the sender's account take coins only of types that it accepted.
    public entry fun disable_auto_accept_coin_entry(account: &signer) {
        set_auto_accept_coin(account, false)
    }

    // ---- by the type's name ----

    /// What an account has of a type in its `MultiCoinStore`.
    public fun balance_by_type_name(addr: address, coin_type: String): u256 {
        if (exist_multi_coin_store(addr)) multi_coin_store::balance(borrow_multi_store(addr), coin_type) else 0
    }

    /// Id of the `MultiCoinStore` of an account.
    public fun multi_coin_store_id(addr: address): ObjectID {
        object::account_named_object_id<MultiCoinStore>(addr)
    }

    /// Whether an account takes coins of a type.
    public fun is_accept_coin_by_type_name(addr: address, coin_type: String): bool {
        can_auto_accept_coin(addr) || exist_multi_coin_store_field(addr, coin_type)
    }

    /// Lets the signer's account take coins of a type.
    public fun do_accept_coin_by_type_name(account: &signer, coin_type: String) {
        let store = borrow_mut_or_create_multi_store(signer::address_of(account));
        multi_coin_store::create_coin_store_field_if_not_exist(store, coin_type);
    }

    /// Takes an amount out of the `MultiCoinStore` of the signer's account.
    public fun withdraw_by_type_name(account: &signer, coin_type: String, amount: u256): GenericCoin {
        multi_coin_store::withdraw(borrow_mut_multi_store(signer::address_of(account)), coin_type, amount)
    }

    /// Puts a coin into the `MultiCoinStore` of an account.
    public fun deposit_by_type_name(addr: address, coin: GenericCoin) {
        assert!(is_accept_coin_by_type_name(addr, coin::coin_type(&coin)), ErrorAccountNotAcceptCoin);
        multi_coin_store::deposit(borrow_mut_or_create_multi_store(addr), coin)
    }

    /// Moves an amount from the `MultiCoinStore` of the signer's account to that of another.
    public fun transfer_by_type_name(from: &signer, to: address, coin_type: String, amount: u256) {
        deposit_by_type_name(to, withdraw_by_type_name(from, coin_type, amount))
    }

    /// Whether an account has a `MultiCoinStore`.
    public fun exist_multi_coin_store(addr: address): bool {
        object::exists_object_with_type<MultiCoinStore>(multi_coin_store_id(addr))
    }

    /// Whether that has, or had, coins of a type.
    public fun exist_multi_coin_store_field(addr: address, coin_type: String): bool {
        exist_multi_coin_store(addr) && multi_coin_store::exist_coin_store_field(borrow_multi_store(addr), coin_type)
    }

    /// Whether coins of a type are frozen there.
    public fun is_multi_coin_store_frozen_by_type_name(addr: address, coin_type: String): bool {
        exist_multi_coin_store(addr) && multi_coin_store::is_frozen(borrow_multi_store(addr), coin_type)
    }

    /// Lets the sender's account take coins of a type.
    public entry fun accept_coin_entry_by_type_name(account: &signer, coin_type: String) {
        do_accept_coin_by_type_name(account, coin_type)
    }

    // ---- both stores ----

    fun withdraw_from<CoinType: key>(addr: address, amount: u256): Coin<CoinType> {
        let coin_type = type_info::type_name<CoinType>();
        let in_single = single_balance<CoinType>(addr);
        assert!(amount <= in_single + balance_by_type_name(addr, coin_type), ErrorInsufficientBalance);
        let from_single = if (amount < in_single) amount else in_single;
        let coin = if (in_single > 0) {
            coin_store::withdraw_internal(borrow_mut_single_store<CoinType>(addr), from_single)
        } else {
            coin::zero()
        };
        if (from_single < amount) {
            let rest = multi_coin_store::withdraw(borrow_mut_multi_store(addr), coin_type, amount - from_single);
            coin::merge(&mut coin, coin::convert_generic_coin_to_coin(rest));
        };
        coin
    }

    fun deposit_to<CoinType: key>(addr: address, coin: Coin<CoinType>) {
        let coin_type = type_info::type_name<CoinType>();
        assert!(is_accept_coin_by_type_name(addr, coin_type), ErrorAccountNotAcceptCoin);
        let store = borrow_mut_or_create_multi_store(addr);
        multi_coin_store::deposit_internal(store, coin::convert_coin_to_generic_coin(coin));
        // an empty store of the type stands for it in lists of an account's coins; who holds it already aborts
        if (is_accept_coin<CoinType>(addr)) {
            borrow_mut_or_create_single_store<CoinType>(addr);
        }
    }

    fun single_balance<CoinType: key>(addr: address): u256 {
        if (exist_account_coin_store<CoinType>(addr)) coin_store::balance(borrow_single_store<CoinType>(addr)) else 0
    }

    fun borrow_single_store<CoinType: key>(addr: address): &Object<CoinStore<CoinType>> {
        object::borrow_object<CoinStore<CoinType>>(account_coin_store_id<CoinType>(addr))
    }

    fun borrow_mut_single_store<CoinType: key>(addr: address): &mut Object<CoinStore<CoinType>> {
        coin_store::borrow_mut_coin_store_internal<CoinType>(account_coin_store_id<CoinType>(addr))
    }

    fun borrow_mut_or_create_single_store<CoinType: key>(addr: address): &mut Object<CoinStore<CoinType>> {
        if (!exist_account_coin_store<CoinType>(addr)) {
            coin_store::create_account_coin_store<CoinType>(addr);
        };
        borrow_mut_single_store<CoinType>(addr)
    }

    fun borrow_multi_store(addr: address): &Object<MultiCoinStore> {
        object::borrow_object<MultiCoinStore>(multi_coin_store_id(addr))
    }

    fun borrow_mut_multi_store(addr: address): &mut Object<MultiCoinStore> {
        multi_coin_store::borrow_mut_coin_store_internal(multi_coin_store_id(addr))
    }

    fun borrow_mut_or_create_multi_store(addr: address): &mut Object<MultiCoinStore> {
        if (!exist_multi_coin_store(addr)) {
            multi_coin_store::create_multi_coin_store(addr);
        };
        borrow_mut_multi_store(addr)
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the account's store of one type alone, without the one for coins of all types.
    public fun do_accept_coin_only_for_coin_store_for_test<CoinType: key>(account: &signer) {
        borrow_mut_or_create_single_store<CoinType>(signer::address_of(account));
    }
}
