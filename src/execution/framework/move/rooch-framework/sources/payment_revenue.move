/// What accounts earned through payment channels: one hub for each, from which its owner takes coins out.
module rooch_framework::payment_revenue {
    use std::option::Option;
    use std::string::String;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::table::{Self, Table};
    use moveos_std::tx_context;
    use moveos_std::type_info;
    use rooch_framework::account_coin_store;
    use rooch_framework::coin::{Self, Coin, GenericCoin};
    use rooch_framework::multi_coin_store::{Self, MultiCoinStore};

    friend rooch_framework::payment_channel;

    /// The amount is larger than the balance.
    const ErrorInsufficientBalance: u64 = 1;
    /// The account has no hub.
    const ErrorRevenueHubNotExists: u64 = 2;
    /// Nothing to take out.
    const ErrorInvalidWithdrawalAmount: u64 = 4;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidRevenueSource: u64 = 3;

    /// Where a payment comes from.
    struct RevenueSource has copy, drop, store {
        source_type: String,
        source_id: Option<ObjectID>,
        description: String,
    }

    struct PaymentRevenueHub has key {
        multi_coin_store: Object<MultiCoinStore>,
        /// Sums of all payments, by kind of source and type of coin.
        revenue_by_source: Table<String, Table<String, u256>>,
    }

    struct RevenueHubCreatedEvent has copy, drop {
        hub_id: ObjectID,
        owner: address,
    }

    struct RevenueDepositedEvent has copy, drop {
        hub_id: ObjectID,
        owner: address,
        coin_type: String,
        amount: u256,
        source_type: String,
        source_id: Option<ObjectID>,
        source_description: String,
    }

    struct RevenueWithdrawnEvent has copy, drop {
        hub_id: ObjectID,
        owner: address,
        coin_type: String,
        amount: u256,
        fee_amount: u256,
        net_amount: u256,
        fee_rate_bps: u16,
    }

    /// Id of an account's hub.
    public fun get_revenue_hub_id(owner: address): ObjectID {
        object::account_named_object_id<PaymentRevenueHub>(owner)
    }

    /// Whether an account has a hub.
    public fun revenue_hub_exists(owner: address): bool {
        object::exists_object_with_type<PaymentRevenueHub>(get_revenue_hub_id(owner))
    }

    /// What an account's hub has of a type.
    public fun get_revenue_balance<CoinType: key>(owner: address): u256 {
        if (!revenue_hub_exists(owner)) return 0;
        multi_coin_store::balance(&borrow_hub(owner).multi_coin_store, type_info::type_name<CoinType>())
    }

    /// Sum of all payments of a type of coin to an account from a kind of source.
    public fun get_revenue_by_source(owner: address, source_type: String, coin_type: String): u256 {
        if (!revenue_hub_exists(owner)) return 0;
        let hub = borrow_hub(owner);
        if (!table::contains(&hub.revenue_by_source, source_type)) return 0;
        *table::borrow_with_default(table::borrow(&hub.revenue_by_source, source_type), coin_type, &0)
    }

    /// Makes the sender's hub, unless it is there.
    public entry fun create_revenue_hub() {
        borrow_mut_or_create_hub(tx_context::sender());
    }

    /// Takes an amount out of the signer's hub into its account.
    public fun withdraw_revenue<CoinType: key + store>(owner: &signer, amount: u256) {
        let account = signer::address_of(owner);
        assert!(amount > 0, ErrorInvalidWithdrawalAmount);
        assert!(amount <= get_revenue_balance<CoinType>(account), ErrorInsufficientBalance);
        let hub = borrow_mut_hub(account);
        let hub_id = object::id(hub);
        let store = &mut object::borrow_mut(hub).multi_coin_store;
        account_coin_store::deposit(account, multi_coin_store::withdraw_by_type<CoinType>(store, amount));
        event::emit_with_handle(event_handle<RevenueWithdrawnEvent>(hub_id), RevenueWithdrawnEvent {
            hub_id,
            owner: account,
            coin_type: type_info::type_name<CoinType>(),
            amount,
            fee_amount: 0,
            net_amount: amount,
            fee_rate_bps: 0,
        });
    }

    /// Takes an amount out of the sender's hub into its account.
    public entry fun withdraw_revenue_entry<CoinType: key + store>(owner: &signer, amount: u256) {
        withdraw_revenue<CoinType>(owner, amount);
    }

    /// Pays into an account's hub, which is made where there is none.
    public(friend) fun deposit_revenue_generic(account: address, coin: GenericCoin, source: RevenueSource) {
        let RevenueSource { source_type, source_id, description } = source;
        let coin_type = coin::coin_type(&coin);
        let amount = coin::generic_coin_value(&coin);
        let hub_object = borrow_mut_or_create_hub(account);
        let hub_id = object::id(hub_object);
        let hub = object::borrow_mut(hub_object);
        multi_coin_store::deposit(&mut hub.multi_coin_store, coin);
        if (!table::contains(&hub.revenue_by_source, source_type)) {
            table::add(&mut hub.revenue_by_source, source_type, table::new())
        };
        let sums = table::borrow_mut(&mut hub.revenue_by_source, source_type);
        if (table::contains(sums, coin_type)) {
            let sum = table::borrow_mut(sums, coin_type);
            *sum = *sum + amount;
        } else {
            table::add(sums, coin_type, amount)
        };
        event::emit_with_handle(event_handle<RevenueDepositedEvent>(hub_id), RevenueDepositedEvent {
            hub_id,
            owner: account,
            coin_type,
            amount,
            source_type,
            source_id,
            source_description: description,
        });
    }

    /// Takes an amount out of an account's hub.
    public(friend) fun withdraw_revenue_internal<CoinType: key>(account: address, amount: u256): Coin<CoinType> {
        assert!(amount <= get_revenue_balance<CoinType>(account), ErrorInsufficientBalance);
        let store = &mut object::borrow_mut(borrow_mut_hub(account)).multi_coin_store;
        let coin = multi_coin_store::withdraw(store, type_info::type_name<CoinType>(), amount);
        coin::convert_generic_coin_to_coin(coin)
    }

    /// What a withdrawal would give: the amount, the fee, which is none, and what is left.
    public fun preview_withdrawal_fee<CoinType: key>(_owner: address, amount: u256): (u256, u256, u256) {
        (amount, 0, amount)
    }

    /// Where a payment comes from.
    public fun create_revenue_source(
        source_type: String,
        source_id: Option<ObjectID>,
        description: String,
    ): RevenueSource {
        RevenueSource { source_type, source_id, description }
    }

    fun borrow_hub(owner: address): &PaymentRevenueHub {
        object::borrow(object::borrow_object<PaymentRevenueHub>(get_revenue_hub_id(owner)))
    }

    fun borrow_mut_hub(owner: address): &mut Object<PaymentRevenueHub> {
        assert!(revenue_hub_exists(owner), ErrorRevenueHubNotExists);
        object::borrow_mut_object_extend<PaymentRevenueHub>(get_revenue_hub_id(owner))
    }

    fun borrow_mut_or_create_hub(owner: address): &mut Object<PaymentRevenueHub> {
        if (!revenue_hub_exists(owner)) {
            let hub = object::new_account_named_object(owner, PaymentRevenueHub {
                multi_coin_store: multi_coin_store::create(),
                revenue_by_source: table::new(),
            });
            let hub_id = object::id(&hub);
            object::transfer_extend(hub, owner);
            event::emit_with_handle(
                event_handle<RevenueHubCreatedEvent>(hub_id),
                RevenueHubCreatedEvent { hub_id, owner }
            );
        };
        borrow_mut_hub(owner)
    }

    fun event_handle<T>(hub_id: ObjectID): ObjectID {
        event::custom_event_handle_id<ObjectID, T>(hub_id)
    }

    // ---- for tests alone ----

    #[test_only]
    /// The hub of an account, for change; makes it first where there is none.
    public fun borrow_or_create_revenue_hub_for_test(owner: address): &mut Object<PaymentRevenueHub> {
        borrow_mut_or_create_hub(owner)
    }

    #[test_only]
    /// The id under which a hub's events of a type are counted.
    public fun revenue_event_handle_id_for_test<T>(hub_id: ObjectID): ObjectID {
        event_handle<T>(hub_id)
    }

    #[test_only]
    /// Puts a payment into an account's hub.
    public fun deposit_revenue_generic_for_test(account: address, coin: GenericCoin, source: RevenueSource) {
        deposit_revenue_generic(account, coin, source);
    }
}
