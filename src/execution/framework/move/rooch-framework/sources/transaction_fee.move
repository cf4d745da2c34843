/// What becomes of fees. What a transaction may use at most goes into a pool before it runs; afterwards the sequencer and
/// the called contract get their shares, the system the rest, and the payer what was not used.
module rooch_framework::transaction_fee {
    use moveos_std::core_addresses;
    use moveos_std::object::{Self, Object};
    use moveos_std::signer;
    use rooch_framework::account_coin_store;
    use rooch_framework::coin::{Self, Coin};
    use rooch_framework::coin_store::{Self, CoinStore};
    use rooch_framework::gas_coin::RGas;

    friend rooch_framework::genesis;
    friend rooch_framework::transaction_validator;

    /// More gas was used than paid for.
    const ErrorInvalidGasUsed: u64 = 1;

    const GAS_FACTOR: u64 = 1;
    const SEQUENCER_PERCENT: u256 = 30;
    const DEVELOPER_PERCENT: u256 = 30;

    /// What was paid in advance; its fields are the shares of addresses, each in a store.
    struct TransactionFeePool has key {
        fee: Object<CoinStore<RGas>>,
    }

    /// Makes the pool.
    public(friend) fun genesis_init(_genesis_account: &signer) {
        let pool = object::new_named_object(TransactionFeePool { fee: coin_store::create_coin_store<RGas>() });
        object::transfer_extend(pool, @rooch_framework);
    }

    /// Price of a unit of gas.
    public fun get_gas_factor(): u64 { GAS_FACTOR }

    /// Price of an amount of gas.
    public fun calculate_gas(gas_amount: u64): u256 {
        (gas_amount as u256) * (get_gas_factor() as u256)
    }

    /// Takes an amount out of the pool.
    public(friend) fun withdraw_fee(amount: u256): Coin<RGas> {
        coin_store::withdraw(&mut object::borrow_mut(borrow_mut_pool()).fee, amount)
    }

    /// Puts a coin into the pool.
    public(friend) fun deposit_fee(gas_coin: Coin<RGas>) {
        coin_store::deposit(&mut object::borrow_mut(borrow_mut_pool()).fee, gas_coin)
    }

    /// Shares out what was used of what was paid, and gives the rest.
    public(friend) fun distribute_fee(
        total_paid_gas: u256,
        gas_used: u256,
        contract_address: address,
        sequencer_address: address
    ): Coin<RGas> {
        assert!(gas_used <= total_paid_gas, ErrorInvalidGasUsed);
        let rest = withdraw_fee(total_paid_gas);
        let used = coin::extract(&mut rest, gas_used);
        pay(sequencer_address, coin::extract(&mut used, gas_used * SEQUENCER_PERCENT / 100));
        if (!core_addresses::is_system_reserved_address(contract_address)) {
            pay(contract_address, coin::extract(&mut used, gas_used * DEVELOPER_PERCENT / 100))
        };
        pay(@rooch_framework, used);
        rest
    }

    /// Takes of the signer's share.
    public fun withdraw_gas_revenue(sender: &signer, amount: u256): Coin<RGas> {
        coin_store::withdraw(borrow_mut_share(signer::address_of(sender)), amount)
    }

    /// Takes of the sender's share into its account.
    public entry fun withdraw_gas_revenue_entry(sender: &signer, amount: u256) {
        let coin = withdraw_gas_revenue(sender, amount);
        account_coin_store::deposit(signer::address_of(sender), coin)
    }

    /// The share of an address.
    public fun gas_revenue_balance(addr: address): u256 {
        let pool = object::borrow_object<TransactionFeePool>(object::named_object_id<TransactionFeePool>());
        if (!object::contains_field(pool, addr)) return 0;
        let share: &Object<CoinStore<RGas>> = object::borrow_field(pool, addr);
        coin_store::balance(share)
    }

    fun borrow_mut_pool(): &mut Object<TransactionFeePool> {
        object::borrow_mut_object_extend<TransactionFeePool>(object::named_object_id<TransactionFeePool>())
    }

    fun borrow_mut_share(addr: address): &mut Object<CoinStore<RGas>> {
        let pool = borrow_mut_pool();
        if (!object::contains_field(pool, addr)) {
            object::add_field(pool, addr, coin_store::create_coin_store<RGas>())
        };
        object::borrow_mut_field(pool, addr)
    }

    fun pay(addr: address, coin: Coin<RGas>) {
        coin_store::deposit(borrow_mut_share(addr), coin)
    }
}
