/// Objects that hold coins of all types, each in a field under the name of the type. Types are checked by their abilities:
/// who knows a type only by name may move its coins only if it has `key` and `store`.
module rooch_framework::multi_coin_store {
    use std::string::String;
    use moveos_std::ability;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::type_info;
    use rooch_framework::coin::{Self, Coin, GenericCoin};

    friend rooch_framework::account_coin_store;
    friend rooch_framework::coin_migration;

    /// There is no store with this id.
    const ErrorCoinStoreNotFound: u64 = 1;
    /// Coins of this type are frozen here.
    const ErrorCoinStoreIsFrozen: u64 = 2;
    /// The amount is larger than the balance.
    const ErrorInsufficientBalance: u64 = 4;
    /// The owner of a store does not change.
    const ErrorCoinStoreTransferNotSupported: u64 = 5;
    /// The type must have `key` and `store`.
    const ErrorCoinTypeShouldHaveKeyAndStoreAbility: u64 = 6;
    /// The type must have `key`.
    const ErrorCoinTypeShouldHaveKeyAbility: u64 = 7;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorCoinTypeAndStoreMismatch: u64 = 3;

    struct Balance has store {
        value: u256,
    }

    struct CoinStoreField has key, store {
        coin_type: String,
        balance: Balance,
        frozen: bool,
    }

    struct MultiCoinStore has key {}

    struct CreateEvent has copy, drop, store {
        coin_store_id: ObjectID,
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
    public fun create(): Object<MultiCoinStore> {
        object::new(MultiCoinStore {})
    }

    /// Whether a store has, or had, coins of a type.
    public fun exist_coin_store_field(coin_store_obj: &Object<MultiCoinStore>, coin_type: String): bool {
        object::contains_field(coin_store_obj, coin_type)
    }

    /// Takes all coins of a type out, and the field with them; aborts while they are frozen.
    public fun remove_coin_store_field(
        coin_store_object: &mut Object<MultiCoinStore>,
        coin_type: String
    ): GenericCoin {
        let abilities = ability::native_get_abilities(coin_type);
        assert!(ability::has_key(abilities), ErrorCoinTypeShouldHaveKeyAbility);
        let coin_store_id = object::id(coin_store_object);
        let field: CoinStoreField = object::remove_field(coin_store_object, coin_type);
        let CoinStoreField { coin_type, balance: Balance { value }, frozen } = field;
        assert!(!frozen, ErrorCoinStoreIsFrozen);
        event::emit(RemoveEvent { coin_store_id, coin_type });
        coin::pack_generic_coin(coin_type, value)
    }

    /// The amount of a type in a store.
    public fun balance(coin_store_obj: &Object<MultiCoinStore>, coin_type: String): u256 {
        if (!object::contains_field(coin_store_obj, coin_type)) return 0;
        borrow_field(coin_store_obj, coin_type).balance.value
    }

    /// Whether coins of a type are frozen in a store.
    public fun is_frozen(coin_store_obj: &Object<MultiCoinStore>, coin_type: String): bool {
        object::contains_field(coin_store_obj, coin_type) && borrow_field(coin_store_obj, coin_type).frozen
    }

    /// Takes an amount of a type out.
    public fun withdraw(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin_type: String,
        amount: u256
    ): GenericCoin {
        assert_key_and_store(coin_type);
        withdraw_internal(coin_store_obj, coin_type, amount)
    }

    /// Takes an amount of a type out.
    public fun withdraw_by_type<CoinType: key + store>(
        coin_store_obj: &mut Object<MultiCoinStore>,
        amount: u256
    ): Coin<CoinType> {
        let coin = withdraw_internal(coin_store_obj, type_info::type_name<CoinType>(), amount);
        coin::convert_generic_coin_to_coin<CoinType>(coin)
    }

    /// Puts a coin in.
    public fun deposit(coin_store_obj: &mut Object<MultiCoinStore>, coin: GenericCoin) {
        assert_key_and_store(coin::coin_type(&coin));
        deposit_internal(coin_store_obj, coin)
    }

    /// Puts a coin in.
    public fun deposit_by_type<CoinType: key + store>(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin: Coin<CoinType>
    ) {
        deposit_internal(coin_store_obj, coin::convert_coin_to_generic_coin(coin))
    }

    /// Deprecated: always aborts.
    public fun transfer(_coin_store_obj: Object<MultiCoinStore>, _owner: address) {
        abort ErrorCoinStoreTransferNotSupported
    }

    #[private_generics(CoinType)]
    /// Takes an amount of a type out, for the module that defines the type.
    public fun withdraw_extend<CoinType: key>(
        coin_store_obj: &mut Object<MultiCoinStore>,
        amount: u256
    ): GenericCoin {
        withdraw_internal(coin_store_obj, type_info::type_name<CoinType>(), amount)
    }

    #[private_generics(CoinType)]
    /// Puts a coin in, for the module that defines the type.
    public fun deposit_extend<CoinType: key>(coin_store_obj: &mut Object<MultiCoinStore>, coin: Coin<CoinType>) {
        deposit_internal(coin_store_obj, coin::convert_coin_to_generic_coin(coin))
    }

    #[private_generics(CoinType)]
    /// Freezes coins of a type in a store, or ends that, for the module that defines the type.
    public fun freeze_coin_store_extend<CoinType: key>(
        coin_store_obj: &mut Object<MultiCoinStore>,
        frozen: bool,
    ) {
        freeze_coin_store_internal(coin_store_obj, type_info::type_name<CoinType>(), frozen)
    }

    /// Makes the one store that an account has.
    public(friend) fun create_multi_coin_store(account: address): ObjectID {
        let object = object::new_account_named_object(account, MultiCoinStore {});
        let coin_store_id = object::id(&object);
        object::transfer_extend(object, account);
        event::emit(CreateEvent { coin_store_id });
        coin_store_id
    }

    public(friend) fun borrow_mut_coin_store_internal(object_id: ObjectID): &mut Object<MultiCoinStore> {
        assert!(object::exists_object_with_type<MultiCoinStore>(object_id), ErrorCoinStoreNotFound);
        object::borrow_mut_object_extend<MultiCoinStore>(object_id)
    }

    public(friend) fun create_coin_store_field_if_not_exist(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin_type: String
    ) {
        if (object::contains_field(coin_store_obj, coin_type)) return;
        let field = CoinStoreField { coin_type, balance: Balance { value: 0 }, frozen: false };
        object::add_field(coin_store_obj, coin_type, field);
    }

    public(friend) fun withdraw_internal(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin_type: String,
        amount: u256
    ): GenericCoin {
        let coin_store_id = object::id(coin_store_obj);
        let field = borrow_mut_or_create_field(coin_store_obj, coin_type);
        assert!(!field.frozen, ErrorCoinStoreIsFrozen);
        assert!(amount <= field.balance.value, ErrorInsufficientBalance);
        field.balance.value = field.balance.value - amount;
        event::emit(WithdrawEvent { coin_store_id, coin_type, amount });
        coin::pack_generic_coin(coin_type, amount)
    }

    public(friend) fun deposit_internal(coin_store_obj: &mut Object<MultiCoinStore>, coin: GenericCoin) {
        let coin_store_id = object::id(coin_store_obj);
        let (coin_type, amount) = coin::unpack_generic_coin(coin);
        let field = borrow_mut_or_create_field(coin_store_obj, coin_type);
        assert!(!field.frozen, ErrorCoinStoreIsFrozen);
        field.balance.value = field.balance.value + amount;
        event::emit(DepositEvent { coin_store_id, coin_type, amount });
    }

    public(friend) fun freeze_coin_store_internal(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin_type: String,
        frozen: bool,
    ) {
        let coin_store_id = object::id(coin_store_obj);
        borrow_mut_or_create_field(coin_store_obj, coin_type).frozen = frozen;
        event::emit(FreezeEvent { coin_store_id, coin_type, frozen });
    }

    fun borrow_field(object: &Object<MultiCoinStore>, coin_type: String): &CoinStoreField {
        object::borrow_field<MultiCoinStore, String, CoinStoreField>(object, coin_type)
    }

    fun borrow_mut_or_create_field(object: &mut Object<MultiCoinStore>, coin_type: String): &mut CoinStoreField {
        create_coin_store_field_if_not_exist(object, coin_type);
        object::borrow_mut_field<MultiCoinStore, String, CoinStoreField>(object, coin_type)
    }

    fun assert_key_and_store(coin_type: String) {
        let abilities = ability::native_get_abilities(coin_type);
        let allowed = ability::has_key(abilities) && ability::has_store(abilities);
        assert!(allowed, ErrorCoinTypeShouldHaveKeyAndStoreAbility);
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the store of an account.
    public fun create_multi_coin_store_for_test(new_address: address): ObjectID {
        create_multi_coin_store(new_address)
    }

    #[test_only]
    /// Makes room for coins of a type, unless there is.
    public fun create_coin_store_field_if_not_exist_for_test(
        coin_store_obj: &mut Object<MultiCoinStore>,
        coin_type: String,
    ) {
        create_coin_store_field_if_not_exist(coin_store_obj, coin_type);
    }

    #[test_only]
    /// Freezes the coins of a type, or ends that.
    public fun freeze_coin_store_for_test(coin_store_obj: &mut Object<MultiCoinStore>, coin_type: String, frozen: bool) {
        freeze_coin_store_internal(coin_store_obj, coin_type, frozen);
    }

    #[test_only]
    /// Any store, for change.
    public fun borrow_mut_coin_store_for_test(object_id: ObjectID): &mut Object<MultiCoinStore> {
        borrow_mut_coin_store_internal(object_id)
    }
}
