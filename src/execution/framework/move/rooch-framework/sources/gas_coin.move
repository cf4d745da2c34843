/// The coin in which gas is paid.
module rooch_framework::gas_coin {
    use std::option;
    use std::string;
    use moveos_std::object;
    use moveos_std::signer;
    use rooch_framework::account_coin_store;
    use rooch_framework::chain_id;
    use rooch_framework::coin::{Self, Coin, CoinInfo};
    use rooch_framework::onchain_config;

    friend rooch_framework::genesis;
    friend rooch_framework::transaction_fee;
    friend rooch_framework::transaction_gas;
    friend rooch_framework::transaction_validator;

    const DECIMALS: u8 = 8;

    struct RGas has key, store {}

    /// Digits after the point.
    public fun decimals(): u8 { DECIMALS }

    /// What an account has.
    public fun balance(addr: address): u256 {
        account_coin_store::balance<RGas>(addr)
    }

    /// Burns a coin. Anybody may burn what is theirs.
    public fun burn(coin: Coin<RGas>) {
        coin::burn_extend<RGas>(borrow_mut_coin_info(), coin)
    }

    /// Takes what an account pays in advance.
    public(friend) fun deduct_gas(addr: address, amount: u256): Coin<RGas> {
        account_coin_store::withdraw_extend<RGas>(addr, amount)
    }

    /// Gives back what an account paid too much.
    public(friend) fun refund_gas(addr: address, gas_coin: Coin<RGas>) {
        account_coin_store::deposit_extend<RGas>(addr, gas_coin)
    }

    /// Mints into an account.
    public(friend) fun faucet(addr: address, amount: u256) {
        let coin = coin::mint_extend<RGas>(borrow_mut_coin_info(), amount);
        account_coin_store::deposit_extend<RGas>(addr, coin)
    }

    /// Mints into the sender's account, on local chains and those for development; elsewhere for the administrator.
    public entry fun faucet_entry(account: &signer, amount: u256) {
        if (!chain_id::is_local_or_dev()) onchain_config::ensure_admin(account);
        faucet(signer::address_of(account), amount)
    }

    /// Registers the coin. It has no picture.
    public(friend) fun genesis_init(_genesis_account: &signer) {
        let info = coin::register_extend<RGas>(
            string::utf8(b"Rooch Gas Coin"),
            string::utf8(b"RGAS"),
            option::none(),
            DECIMALS,
        );
        object::transfer(info, @rooch_framework);
    }

    fun borrow_mut_coin_info(): &mut object::Object<CoinInfo<RGas>> {
        let framework = signer::module_signer<RGas>();
        object::borrow_mut_object<CoinInfo<RGas>>(&framework, coin::coin_info_id<RGas>())
    }

    // ---- for tests alone ----

    #[test_only]
    /// Mints a coin.
    public fun mint_for_test(amount: u256): Coin<RGas> {
        coin::mint_extend<RGas>(borrow_mut_coin_info(), amount)
    }

    #[test_only]
    /// Mints into an account.
    public fun faucet_for_test(addr: address, amount: u256) {
        faucet(addr, amount);
    }
}
