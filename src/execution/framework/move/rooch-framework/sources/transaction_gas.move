/// Who pays for a transaction: the account's payment hub first, then the account. What is left over goes back in the same
/// proportion, which travels with the transaction as an attribute.
module rooch_framework::transaction_gas {
    use std::option::Option;
    use moveos_std::signer;
    use moveos_std::tx_context;
    use rooch_framework::coin::{Self, Coin};
    use rooch_framework::gas_coin::{Self, RGas};
    use rooch_framework::payment_channel;

    friend rooch_framework::transaction_validator;

    struct GasUsageInfo has copy, drop, store {
        hub_amount_used: u256,
        account_amount_used: u256,
    }

    /// Takes an amount, and tells from where.
    public(friend) fun deduct_transaction_gas(addr: address, amount: u256): (Coin<RGas>, GasUsageInfo) {
        let in_hub = payment_channel::get_balance_in_hub<RGas>(addr);
        let hub_amount_used = if (in_hub < amount) in_hub else amount;
        let account_amount_used = amount - hub_amount_used;
        let usage = GasUsageInfo { hub_amount_used, account_amount_used };
        let coin = if (account_amount_used == 0) {
            payment_channel::withdraw_from_hub_internal<RGas>(addr, hub_amount_used)
        } else if (hub_amount_used == 0) {
            gas_coin::deduct_gas(addr, account_amount_used)
        } else {
            let coin = payment_channel::withdraw_from_hub_internal<RGas>(addr, hub_amount_used);
            coin::merge(&mut coin, gas_coin::deduct_gas(addr, account_amount_used));
            coin
        };
        (coin, usage)
    }

    /// Gives back what is left over.
    public(friend) fun refund_transaction_gas(addr: address, remaining_gas: Coin<RGas>, usage_info: GasUsageInfo) {
        let left = coin::value(&remaining_gas);
        let GasUsageInfo { hub_amount_used, account_amount_used } = usage_info;
        let to_hub = if (left == 0 || hub_amount_used == 0) 0
        else left * hub_amount_used / (hub_amount_used + account_amount_used);
        if (to_hub > 0) {
            payment_channel::deposit_to_hub<RGas>(addr, coin::extract(&mut remaining_gas, to_hub))
        };
        if (coin::value(&remaining_gas) > 0) {
            gas_coin::refund_gas(addr, remaining_gas)
        } else {
            coin::destroy_zero(remaining_gas)
        }
    }

    /// What an account and its hub have together.
    public fun total_available_gas_balance(addr: address): u256 {
        gas_coin::balance(addr) + payment_channel::get_balance_in_hub<RGas>(addr)
    }

    /// Puts the proportion into the transaction's attributes.
    public(friend) fun store_gas_usage_info(usage_info: GasUsageInfo) {
        tx_context::add_attribute_via_system(&signer::module_signer<GasUsageInfo>(), usage_info);
    }

    /// The proportion, if it is there.
    public(friend) fun get_gas_usage_info(): Option<GasUsageInfo> {
        tx_context::get_attribute<GasUsageInfo>()
    }

    // ---- for tests alone ----

    #[test_only]
    /// Takes what an account pays in advance.
    public fun test_deduct_transaction_gas(addr: address, amount: u256): (Coin<RGas>, GasUsageInfo) {
        deduct_transaction_gas(addr, amount)
    }

    #[test_only]
    /// Gives back what an account paid too much.
    public fun test_refund_transaction_gas(addr: address, remaining_gas: Coin<RGas>, usage_info: GasUsageInfo) {
        refund_transaction_gas(addr, remaining_gas, usage_info);
    }
}
