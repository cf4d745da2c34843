/// Coins: amounts of a type that can be neither copied nor dropped. Each type has one object, its `CoinInfo`, and who
/// holds that mints and burns. A registry keeps the same description under the name of the type, for those who know the
/// type only by name; for them there is `GenericCoin`, whose type is text.
module rooch_framework::coin {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::type_info;

    friend rooch_framework::account_coin_store;
    friend rooch_framework::coin_store;
    friend rooch_framework::genesis;
    friend rooch_framework::multi_coin_store;

    /// The type is not registered.
    const ErrorCoinInfoNotRegistered: u64 = 1;
    /// The type is registered.
    const ErrorCoinInfoAlreadyRegistered: u64 = 2;
    /// The amount is larger than the coin.
    const ErrorInsufficientBalance: u64 = 3;
    /// A coin of some value would be lost.
    const ErrorDestroyOfNonZeroCoin: u64 = 4;
    /// The name is longer than 32 bytes.
    const ErrorCoinNameTooLong: u64 = 6;
    /// The symbol is longer than 10 bytes.
    const ErrorCoinSymbolTooLong: u64 = 7;
    /// The type has no `CoinInfo`.
    const ErrorCoinInfosNotFound: u64 = 8;
    /// The registry is there.
    const ErrorCoinRegisterAlreadyInitialized: u64 = 9;
    /// The coin is of another type.
    const ErrorCoinTypeNotMatch: u64 = 11;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorZeroCoinAmount: u64 = 5;
    #[test_only] const ErrorDeprecated: u64 = 10;
    #[test_only] const ErrorCoinTypeInvalid: u64 = 12;

    const NAME_LENGTH_MAX: u64 = 32;
    const SYMBOL_LENGTH_MAX: u64 = 10;

    struct Coin<phantom CoinType: key> {
        value: u256,
    }

    /// A coin whose type is known by name only.
    struct GenericCoin {
        coin_type: String,
        value: u256,
    }

    /// The one object of a type of coin.
    struct CoinInfo<phantom CoinType: key> has key, store {
        /// Canonical name of the type.
        coin_type: String,
        name: String,
        symbol: String,
        icon_url: Option<String>,
        /// How many digits of an amount stand after the point when it is shown.
        decimals: u8,
        /// Sum of all coins of the type.
        supply: u256,
    }

    /// What the registry keeps of a type.
    struct CoinMetadata has key, store {
        coin_info_id: ObjectID,
        coin_type: String,
        name: String,
        symbol: String,
        icon_url: Option<String>,
        decimals: u8,
        supply: u256,
    }

    /// The object whose fields are descriptions, by the names of types.
    struct CoinRegistry has key {}

    struct MintEvent has copy, drop, store {
        coin_type: String,
        amount: u256,
    }

    struct BurnEvent has copy, drop, store {
        coin_type: String,
        amount: u256,
    }

    /// Makes the registry.
    public(friend) fun genesis_init(_genesis_account: &signer) {
        init_coin_registry();
    }

    /// Makes the registry on chains that are older than it.
    entry fun init_coin_registry() {
        let id = object::named_object_id<CoinRegistry>();
        assert!(!object::exists_object_with_type<CoinRegistry>(id), ErrorCoinRegisterAlreadyInitialized);
        object::transfer_extend(object::new_named_object(CoinRegistry {}), @rooch_framework);
    }

    // ---- types of coins ----

    /// Address of the module that defines the type.
    public fun coin_address<CoinType: key>(): address {
        type_info::account_address(&type_info::type_of<CoinType>())
    }

    /// Aborts unless the type is registered.
    public fun check_coin_info_registered<CoinType: key>() {
        assert!(is_registered<CoinType>(), ErrorCoinInfoNotRegistered);
    }

    /// Whether the type is registered.
    public fun is_registered<CoinType: key>(): bool {
        object::exists_object_with_type<CoinInfo<CoinType>>(coin_info_id<CoinType>())
    }

    /// Id of the type's object.
    public fun coin_info_id<CoinType: key>(): ObjectID {
        object::named_object_id<CoinInfo<CoinType>>()
    }

    /// Id of the object of the type with this name.
    public fun coin_info_id_by_type_name(coin_type: String): ObjectID {
        borrow_metadata(&coin_type).coin_info_id
    }

    /// The same, or none where the type is not registered.
    public fun get_coin_info_by_type_name(coin_type_name: &String): Option<ObjectID> {
        if (is_registered_by_type_name(*coin_type_name)) {
            option::some(borrow_metadata(coin_type_name).coin_info_id)
        } else {
            option::none()
        }
    }

    /// Aborts unless the type with this name is registered.
    public fun check_coin_info_registered_by_type_name(coin_type: String) {
        assert!(is_registered_by_type_name(coin_type), ErrorCoinInfoNotRegistered);
    }

    /// Whether the type with this name is registered.
    public fun is_registered_by_type_name(coin_type: String): bool {
        object::contains_field(borrow_registry(), coin_type)
    }

    /// Whether two types are one.
    public fun is_same_coin<CoinType1, CoinType2>(): bool {
        type_info::type_of<CoinType1>() == type_info::type_of<CoinType2>()
    }

    /// The description of a type.
    public fun coin_info<CoinType: key>(): &CoinInfo<CoinType> {
        let id = coin_info_id<CoinType>();
        assert!(object::exists_object_with_type<CoinInfo<CoinType>>(id), ErrorCoinInfosNotFound);
        object::borrow(object::borrow_object<CoinInfo<CoinType>>(id))
    }

    // ---- each part of a description: from the object, by type, by the type's name ----

    public fun name<CoinType: key>(coin_info: &CoinInfo<CoinType>): String { coin_info.name }

    public fun name_by_type<CoinType: key>(): String { name_by_type_name(&type_info::type_name<CoinType>()) }

    public fun name_by_type_name(coin_type_name: &String): String { borrow_metadata(coin_type_name).name }

    public fun symbol<CoinType: key>(coin_info: &CoinInfo<CoinType>): String { coin_info.symbol }

    public fun symbol_by_type<CoinType: key>(): String { symbol_by_type_name(&type_info::type_name<CoinType>()) }

    public fun symbol_by_type_name(coin_type_name: &String): String { borrow_metadata(coin_type_name).symbol }

    public fun decimals<CoinType: key>(coin_info: &CoinInfo<CoinType>): u8 { coin_info.decimals }

    public fun decimals_by_type<CoinType: key>(): u8 { decimals_by_type_name(&type_info::type_name<CoinType>()) }

    public fun decimals_by_type_name(coin_type_name: &String): u8 { borrow_metadata(coin_type_name).decimals }

    public fun supply<CoinType: key>(coin_info: &CoinInfo<CoinType>): u256 { coin_info.supply }

    public fun supply_by_type<CoinType: key>(): u256 { supply_by_type_name(&type_info::type_name<CoinType>()) }

    public fun supply_by_type_name(coin_type_name: &String): u256 { borrow_metadata(coin_type_name).supply }

    public fun icon_url<CoinType: key>(coin_info: &CoinInfo<CoinType>): Option<String> { coin_info.icon_url }

    public fun icon_url_by_type<CoinType: key>(): Option<String> {
        icon_url_by_type_name(&type_info::type_name<CoinType>())
    }

    public fun icon_url_by_type_name(coin_type_name: &String): Option<String> {
        borrow_metadata(coin_type_name).icon_url
    }

    // ---- coins ----

    /// Ends a coin without value.
    public fun destroy_zero<CoinType: key>(zero_coin: Coin<CoinType>) {
        assert!(unpack(zero_coin) == 0, ErrorDestroyOfNonZeroCoin)
    }

    /// Splits an amount off.
    public fun extract<CoinType: key>(coin: &mut Coin<CoinType>, amount: u256): Coin<CoinType> {
        assert!(amount <= coin.value, ErrorInsufficientBalance);
        coin.value = coin.value - amount;
        pack(amount)
    }

    /// Splits everything off; the coin stays, without value.
    public fun extract_all<CoinType: key>(coin: &mut Coin<CoinType>): Coin<CoinType> {
        let all = coin.value;
        extract(coin, all)
    }

    /// Adds a coin to another.
    public fun merge<CoinType: key>(dst_coin: &mut Coin<CoinType>, source_coin: Coin<CoinType>) {
        dst_coin.value = dst_coin.value + unpack(source_coin);
    }

    /// The amount.
    public fun value<CoinType: key>(coin: &Coin<CoinType>): u256 {
        coin.value
    }

    /// A coin without value.
    public fun zero<CoinType: key>(): Coin<CoinType> {
        pack(0)
    }

    public(friend) fun unpack<CoinType: key>(coin: Coin<CoinType>): u256 {
        let Coin { value } = coin;
        value
    }

    public(friend) fun pack<CoinType: key>(value: u256): Coin<CoinType> {
        Coin { value }
    }

    // ---- coins whose type is known by name only ----

    /// The coin with its type as text.
    public fun convert_coin_to_generic_coin<CoinType: key>(coin: Coin<CoinType>): GenericCoin {
        pack_generic_coin(type_info::type_name<CoinType>(), unpack(coin))
    }

    /// The coin with its type; aborts where that is another.
    public fun convert_generic_coin_to_coin<CoinType: key>(coin: GenericCoin): Coin<CoinType> {
        let (coin_type, value) = unpack_generic_coin(coin);
        assert!(coin_type == type_info::type_name<CoinType>(), ErrorCoinTypeNotMatch);
        pack(value)
    }

    /// The amount.
    public fun generic_coin_value(coin: &GenericCoin): u256 {
        coin.value
    }

    /// Name of the type.
    public fun coin_type(coin: &GenericCoin): String {
        coin.coin_type
    }

    /// Adds a coin to another of the same type.
    public fun merge_generic(dst_coin: &mut GenericCoin, source_coin: GenericCoin) {
        let (coin_type, value) = unpack_generic_coin(source_coin);
        assert!(dst_coin.coin_type == coin_type, ErrorCoinTypeNotMatch);
        dst_coin.value = dst_coin.value + value;
    }

    public(friend) fun unpack_generic_coin(coin: GenericCoin): (String, u256) {
        let GenericCoin { coin_type, value } = coin;
        (coin_type, value)
    }

    public(friend) fun pack_generic_coin(coin_type: String, value: u256): GenericCoin {
        GenericCoin { coin_type, value }
    }

    // ---- making types and coins ----

    #[private_generics(CoinType)]
    /// Registers a type, for the module that defines it.
    public fun register_extend<CoinType: key>(
        name: String,
        symbol: String,
        icon_url: Option<String>,
        decimals: u8,
    ): Object<CoinInfo<CoinType>> {
        assert!(!is_registered<CoinType>(), ErrorCoinInfoAlreadyRegistered);
        assert!(string::length(&name) <= NAME_LENGTH_MAX, ErrorCoinNameTooLong);
        assert!(string::length(&symbol) <= SYMBOL_LENGTH_MAX, ErrorCoinSymbolTooLong);
        let coin_type = type_info::type_name<CoinType>();
        let coin_info = object::new_named_object(CoinInfo<CoinType> {
            coin_type,
            name,
            symbol,
            icon_url,
            decimals,
            supply: 0,
        });
        // aborts where the registry has the type, though its object is gone
        object::add_field(borrow_mut_registry(), coin_type, metadata_of(&coin_info));
        coin_info
    }

    /// Brings the registry up to date with a type's object. Anybody may do so.
    public fun init_metadata<CoinType: key>(coin_info: &Object<CoinInfo<CoinType>>) {
        record(coin_info);
    }

    #[private_generics(CoinType)]
    /// Sets the address of the type's picture, for the module that defines the type.
    public fun upsert_icon_url<CoinType: key>(coin_info_obj: &mut Object<CoinInfo<CoinType>>, icon_url: String) {
        object::borrow_mut(coin_info_obj).icon_url = option::some(icon_url);
        record(coin_info_obj);
    }

    /// Mints, for who holds the type's object.
    public fun mint<CoinType: key + store>(coin_info: &mut Object<CoinInfo<CoinType>>, amount: u256): Coin<CoinType> {
        increase_supply(coin_info, amount)
    }

    #[private_generics(CoinType)]
    /// Mints, for the module that defines the type.
    public fun mint_extend<CoinType: key>(coin_info: &mut Object<CoinInfo<CoinType>>, amount: u256): Coin<CoinType> {
        increase_supply(coin_info, amount)
    }

    /// Burns, for who holds the type's object.
    public fun burn<CoinType: key + store>(coin_info: &mut Object<CoinInfo<CoinType>>, coin: Coin<CoinType>) {
        decrease_supply(coin_info, coin)
    }

    #[private_generics(CoinType)]
    /// Burns, for the module that defines the type.
    public fun burn_extend<CoinType: key>(coin_info: &mut Object<CoinInfo<CoinType>>, coin: Coin<CoinType>) {
        decrease_supply(coin_info, coin)
    }

    fun increase_supply<CoinType: key>(object: &mut Object<CoinInfo<CoinType>>, amount: u256): Coin<CoinType> {
        let info = object::borrow_mut(object);
        info.supply = info.supply + amount;
        let coin_type = info.coin_type;
        record(object);
        event::emit(MintEvent { coin_type, amount });
        pack(amount)
    }

    fun decrease_supply<CoinType: key>(object: &mut Object<CoinInfo<CoinType>>, coin: Coin<CoinType>) {
        let amount = unpack(coin);
        let info = object::borrow_mut(object);
        info.supply = info.supply - amount;
        let coin_type = info.coin_type;
        record(object);
        event::emit(BurnEvent { coin_type, amount });
    }

    // ---- the registry ----

    fun borrow_registry(): &Object<CoinRegistry> {
        object::borrow_object<CoinRegistry>(object::named_object_id<CoinRegistry>())
    }

    fun borrow_metadata(coin_type: &String): &CoinMetadata {
        let registry = borrow_registry();
        assert!(object::contains_field(registry, *coin_type), ErrorCoinInfoNotRegistered);
        object::borrow_field(registry, *coin_type)
    }

    fun borrow_mut_registry(): &mut Object<CoinRegistry> {
        object::borrow_mut_object_extend<CoinRegistry>(object::named_object_id<CoinRegistry>())
    }

    fun metadata_of<CoinType: key>(object: &Object<CoinInfo<CoinType>>): CoinMetadata {
        let info = object::borrow(object);
        CoinMetadata {
            coin_info_id: object::id(object),
            coin_type: info.coin_type,
            name: info.name,
            symbol: info.symbol,
            icon_url: info.icon_url,
            decimals: info.decimals,
            supply: info.supply,
        }
    }

    /// Writes a type's description into the registry, over what is there.
    fun record<CoinType: key>(object: &Object<CoinInfo<CoinType>>) {
        let metadata = metadata_of(object);
        let coin_type = metadata.coin_type;
        let registry = borrow_mut_registry();
        if (object::contains_field(registry, coin_type)) {
            let CoinMetadata {
                coin_info_id, coin_type: _, name, symbol, icon_url, decimals, supply
            } = metadata;
            let recorded: &mut CoinMetadata = object::borrow_mut_field(registry, coin_type);
            recorded.coin_info_id = coin_info_id;
            recorded.name = name;
            recorded.symbol = symbol;
            recorded.icon_url = icon_url;
            recorded.decimals = decimals;
            recorded.supply = supply;
        } else {
            object::add_field(registry, coin_type, metadata)
        }
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the object in which types of coins are registered.
    public fun init_for_testing() {
        genesis_init(&moveos_std::account::create_signer_for_testing(@rooch_framework));
    }

    #[test_only]
    /// Ends a coin of any amount. The supply of its type stays as it is.
    public fun destroy_for_testing<CoinType: key>(coin: Coin<CoinType>) {
        unpack(coin);
    }

    #[test_only]
    /// A coin from nowhere. The supply of its type stays as it is.
    public fun pack_for_test<CoinType: key>(value: u256): Coin<CoinType> {
        pack(value)
    }

    #[test_only]
    /// Ends a coin and gives its amount. The supply of its type stays as it is.
    public fun unpack_for_test<CoinType: key>(coin: Coin<CoinType>): u256 {
        unpack(coin)
    }

    #[test_only]
    /// Ends a coin and gives the name of its type and its amount.
    public fun unpack_generic_coin_for_test(coin: GenericCoin): (String, u256) {
        unpack_generic_coin(coin)
    }

    #[test_only]
    /// Registers a type, for any module.
    public fun register_for_test<CoinType: key>(
        name: String,
        symbol: String,
        icon_url: Option<String>,
        decimals: u8,
    ): Object<CoinInfo<CoinType>> {
        register_extend<CoinType>(name, symbol, icon_url, decimals)
    }
}
