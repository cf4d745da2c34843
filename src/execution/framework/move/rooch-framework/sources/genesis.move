/// The first transaction of a chain: the accounts of the system, the objects of this package, and the first gas coins.
module rooch_framework::genesis {
    use std::option;
    use std::vector;
    use moveos_std::core_addresses;
    use moveos_std::module_store;
    use moveos_std::signer;
    use moveos_std::tx_context;
    use rooch_framework::account;
    use rooch_framework::account_coin_store;
    use rooch_framework::address_mapping;
    use rooch_framework::auth_validator_registry;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};
    use rooch_framework::builtin_validators;
    use rooch_framework::chain_id;
    use rooch_framework::coin;
    use rooch_framework::did;
    use rooch_framework::gas_coin::{Self, RGas};
    use rooch_framework::onchain_config;
    use rooch_framework::payment_channel;
    use rooch_framework::transaction_fee;

    /// The node did not say what genesis needs.
    const ErrorGenesisInit: u64 = 1;

    /// 500 million coins.
    const FIRST_COINS: u256 = 500_000_000_00000000;
    /// 100 coins.
    const LOCKED_UNIT: u256 = 100_00000000;

    /// What the node says.
    struct GenesisContext has copy, drop, store {
        chain_id: u64,
        sequencer: BitcoinAddress,
        rooch_dao: BitcoinAddress,
    }

    fun init() {
        vector::for_each(core_addresses::list_system_reserved_addresses(), |reserved| {
            account::create_system_account(reserved);
        });
        let genesis = signer::module_signer<GenesisContext>();
        let context = tx_context::get_attribute<GenesisContext>();
        assert!(option::is_some(&context), ErrorGenesisInit);
        let GenesisContext { chain_id, sequencer, rooch_dao } = option::destroy_some(context);

        chain_id::genesis_init(&genesis, chain_id);
        auth_validator_registry::genesis_init(&genesis);
        builtin_validators::genesis_init(&genesis);
        coin::genesis_init(&genesis);
        account_coin_store::genesis_init(&genesis);
        gas_coin::genesis_init(&genesis);
        transaction_fee::genesis_init(&genesis);
        address_mapping::genesis_init(&genesis);

        let sequencer_address = bitcoin_address::to_rooch_address(&sequencer);
        if (!moveos_std::account::exists_at(sequencer_address)) {
            account::create_account(sequencer_address);
            address_mapping::bind_bitcoin_address_internal(sequencer_address, sequencer);
        };
        let dao_address = bitcoin_address::to_rooch_address(&rooch_dao);
        onchain_config::genesis_init(&genesis, sequencer_address, dao_address);
        let is_main = chain_id::is_main();
        let upgrader = if (is_main) dao_address else sequencer_address;
        vector::for_each(core_addresses::list_system_reserved_addresses(), |reserved| {
            module_store::issue_upgrade_cap_by_system(&genesis, reserved, upgrader)
        });
        module_store::issue_upgrade_cap_by_system(&genesis, dao_address, upgrader);
        gas_coin::faucet(dao_address, FIRST_COINS);
        if (!is_main) gas_coin::faucet(sequencer_address, FIRST_COINS);

        init_v23();
        init_v25(&genesis);
    }

    /// Brings chains that are older what version 23 added.
    public entry fun init_v23() {
        did::genesis_init();
    }

    /// Brings chains that are older what version 25 added.
    public entry fun init_v25(sender: &signer) {
        if (chain_id::is_main()) payment_channel::set_locked_unit<RGas>(sender, LOCKED_UNIT);
    }

    /// What must stay in a payment hub for each open channel in gas coins.
    public fun genesis_init_rgas_locked_unit(): u256 { LOCKED_UNIT }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the objects of this package and of those that it needs, for a chain for development with a sequencer and a
    /// multi-signature account of the network.
    public fun init_for_test() {
        let sequencer = b"bc1pxup9p7um3t5knqn0yxfrq5d0mgul9ts993j32tsfxn68qa4pl3nq2qhh2e";
        let rooch_dao = b"bc1pevdrc8yqmgd94h2mpz9st0u77htmx935hzck3ruwsvcf4w7wrnqqd0yvze";
        let context = GenesisContext {
            chain_id: 3,
            sequencer: bitcoin_address::from_string(&std::string::utf8(sequencer)),
            rooch_dao: bitcoin_address::from_string(&std::string::utf8(rooch_dao)),
        };
        tx_context::add_attribute_via_system(&signer::module_signer<GenesisContext>(), context);
        moveos_std::genesis::init_for_test();
        init();
    }
}
