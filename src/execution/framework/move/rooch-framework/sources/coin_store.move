/// Objects that hold coins of one type. Only the owner of the handle takes coins out; while a store is frozen, nothing
/// goes in or out.
module rooch_framework::coin_store {
    use std::string::String;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::type_info;
    use rooch_framework::coin::{Self, Coin};

    friend rooch_framework::account_coin_store;
    friend rooch_framework::coin_migration;
    friend rooch_framework::multi_coin_store;

    /// There is no store with this id.
    const ErrorCoinStoreNotFound: u64 = 1;
    /// The store is frozen.
    const ErrorCoinStoreIsFrozen: u64 = 2;
    /// The amount is larger than the balance.
    const ErrorInsufficientBalance: u64 = 4;
    /// The owner of a store does not change.
    const ErrorCoinStoreTransferNotSupported: u64 = 5;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorCoinTypeAndStoreMismatch: u64 = 3;

    struct Balance has store {
        value: u256,
    }

    struct CoinStore<phantom CoinType: key> has key {
        balance: Balance,
        frozen: bool,
    }

    struct CreateEvent has copy, drop, store {
        coin_store_id: ObjectID,
        coin_type: String,
    }

    struct DepositEvent has copy, drop, store {
        coin_store_id: ObjectID,
        coin_type: String,
        amount: u256,
    }

    struct WithdrawEvent has copy, drop, store {
        coin_store_id: ObjectID,
        coin_type: String,
        amount: u256,
    }

    struct FreezeEvent has copy, drop, store {
        coin_store_id: ObjectID,
        coin_type: String,
        frozen: bool,
    }

    struct RemoveEvent has copy, drop, store {
        coin_store_id: ObjectID,
        coin_type: String,
    }

    /// A store without coins.
    public fun create_coin_store<CoinType: key + store>(): Object<CoinStore<CoinType>> {
        create_coin_store_internal<CoinType>()
    }

    #[private_generics(CoinType)]
    /// A store without coins, for the module that defines the type.
    public fun create_coin_store_extend<CoinType: key>(): Object<CoinStore<CoinType>> {
        create_coin_store_internal<CoinType>()
    }

    /// Ends a store and gives its coins; aborts while it is frozen.
    public fun remove_coin_store<CoinType: key>(coin_store_object: Object<CoinStore<CoinType>>): Coin<CoinType> {
        let coin_store_id = object::id(&coin_store_object);
        let CoinStore { balance, frozen } = object::remove(coin_store_object);
        assert!(!frozen, ErrorCoinStoreIsFrozen);
        event::emit(RemoveEvent { coin_store_id, coin_type: type_info::type_name<CoinType>() });
        coin::pack(unpack_balance(balance))
    }

    /// The amount in a store.
    public fun balance<CoinType: key>(coin_store_obj: &Object<CoinStore<CoinType>>): u256 {
        object::borrow(coin_store_obj).balance.value
    }

    /// Whether a store is frozen.
    public fun is_frozen<CoinType: key>(coin_store_obj: &Object<CoinStore<CoinType>>): bool {
        object::borrow(coin_store_obj).frozen
    }

    /// Takes an amount out.
    public fun withdraw<CoinType: key + store>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        amount: u256
    ): Coin<CoinType> {
        withdraw_internal(coin_store_obj, amount)
    }

    #[private_generics(CoinType)]
    /// Takes an amount out, for the module that defines the type.
    public fun withdraw_extend<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        amount: u256
    ): Coin<CoinType> {
        withdraw_internal(coin_store_obj, amount)
    }

    /// Puts a coin in.
    public fun deposit<CoinType: key + store>(coin_store_obj: &mut Object<CoinStore<CoinType>>, coin: Coin<CoinType>) {
        deposit_internal(coin_store_obj, coin)
    }

    #[private_generics(CoinType)]
    /// Puts a coin in, for the module that defines the type.
    public fun deposit_extend<CoinType: key>(coin_store_obj: &mut Object<CoinStore<CoinType>>, coin: Coin<CoinType>) {
        deposit_internal(coin_store_obj, coin)
    }

    /// Deprecated: always aborts.
    public fun transfer<CoinType: key>(_coin_store_obj: Object<CoinStore<CoinType>>, _owner: address) {
        abort ErrorCoinStoreTransferNotSupported
    }

    #[private_generics(CoinType)]
    /// Any store of a type, for change, for the module that defines the type.
    public fun borrow_mut_coin_store_extend<CoinType: key>(object_id: ObjectID): &mut Object<CoinStore<CoinType>> {
        borrow_mut_coin_store_internal(object_id)
    }

    #[private_generics(CoinType)]
    /// Freezes a store, or ends that, for the module that defines the type.
    public fun freeze_coin_store_extend<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        frozen: bool,
    ) {
        freeze_coin_store_internal(coin_store_obj, frozen)
    }

    public(friend) fun create_coin_store_internal<CoinType: key>(): Object<CoinStore<CoinType>> {
        coin::check_coin_info_registered<CoinType>();
        let object = object::new(empty_store<CoinType>());
        emit_create<CoinType>(object::id(&object));
        object
    }

    /// Makes the one store of a type that an account has.
    public(friend) fun create_account_coin_store<CoinType: key>(account: address): ObjectID {
        coin::check_coin_info_registered<CoinType>();
        let object = object::new_account_named_object(account, empty_store<CoinType>());
        let id = object::id(&object);
        object::transfer_extend(object, account);
        emit_create<CoinType>(id);
        id
    }

    public(friend) fun borrow_mut_coin_store_internal<CoinType: key>(
        object_id: ObjectID
    ): &mut Object<CoinStore<CoinType>> {
        assert!(object::exists_object_with_type<CoinStore<CoinType>>(object_id), ErrorCoinStoreNotFound);
        object::borrow_mut_object_extend<CoinStore<CoinType>>(object_id)
    }

    public(friend) fun withdraw_internal<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        amount: u256
    ): Coin<CoinType> {
        assert!(!is_frozen(coin_store_obj), ErrorCoinStoreIsFrozen);
        withdraw_uncheck_internal(coin_store_obj, amount)
    }

    /// Takes an amount out of a store that may be frozen.
    public(friend) fun withdraw_uncheck_internal<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        amount: u256
    ): Coin<CoinType> {
        let coin_store_id = object::id(coin_store_obj);
        let balance = &mut object::borrow_mut(coin_store_obj).balance;
        assert!(amount <= balance.value, ErrorInsufficientBalance);
        balance.value = balance.value - amount;
        event::emit(WithdrawEvent { coin_store_id, coin_type: type_info::type_name<CoinType>(), amount });
        coin::pack(amount)
    }

    public(friend) fun deposit_internal<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        coin: Coin<CoinType>
    ) {
        let coin_store_id = object::id(coin_store_obj);
        let store = object::borrow_mut(coin_store_obj);
        assert!(!store.frozen, ErrorCoinStoreIsFrozen);
        let amount = coin::unpack(coin);
        store.balance.value = store.balance.value + amount;
        event::emit(DepositEvent { coin_store_id, coin_type: type_info::type_name<CoinType>(), amount });
    }

    public(friend) fun freeze_coin_store_internal<CoinType: key>(
        coin_store_obj: &mut Object<CoinStore<CoinType>>,
        frozen: bool,
    ) {
        let coin_store_id = object::id(coin_store_obj);
        object::borrow_mut(coin_store_obj).frozen = frozen;
        event::emit(FreezeEvent { coin_store_id, coin_type: type_info::type_name<CoinType>(), frozen });
    }

    public(friend) fun unpack_balance(balance: Balance): u256 {
        let Balance { value } = balance;
        value
    }

    public(friend) fun pack_balance(value: u256): Balance {
        Balance { value }
    }

    fun empty_store<CoinType: key>(): CoinStore<CoinType> {
        CoinStore { balance: pack_balance(0), frozen: false }
    }

    fun emit_create<CoinType: key>(coin_store_id: ObjectID) {
        event::emit(CreateEvent { coin_store_id, coin_type: type_info::type_name<CoinType>() });
    }

    // ---- for tests alone ----

    #[test_only]
    /// Freezes any store, or ends that.
    public fun freeze_coin_store_for_test<CoinType: key>(coin_store_id: ObjectID, frozen: bool) {
        freeze_coin_store_internal(borrow_mut_coin_store_internal<CoinType>(coin_store_id), frozen);
    }

    #[test_only]
    /// Puts a coin into any store.
    public fun deposit_for_test<CoinType: key>(coin_store_id: ObjectID, coin: Coin<CoinType>) {
        deposit_internal(borrow_mut_coin_store_internal<CoinType>(coin_store_id), coin);
    }

    #[test_only]
    /// The amount in any store.
    public fun balance_for_test<CoinType: key>(coin_store_id: ObjectID): u256 {
        balance(object::borrow_object<CoinStore<CoinType>>(coin_store_id))
    }
}
