/// The first transaction of a chain: the objects of this package.
module moveos_std::genesis {
    use std::option;
    use moveos_std::features;
    use moveos_std::gas_schedule::{Self, GasScheduleConfig};
    use moveos_std::module_store;
    use moveos_std::timestamp;
    use moveos_std::tx_context;

    /// The node did not say what genesis needs, or its clock is another.
    const ErrorGenesisInit: u64 = 1;

    /// What the node says.
    struct GenesisContext has copy, drop, store {
        /// Milliseconds.
        timestamp: u64,
    }

    fun init() {
        let context = tx_context::get_attribute<GenesisContext>();
        assert!(option::is_some(&context), ErrorGenesisInit);
        let GenesisContext { timestamp } = option::destroy_some(context);
        assert!(timestamp == timestamp::now_milliseconds(), ErrorGenesisInit);
        module_store::init_module_store();
        features::init_feature_store();
        let prices = tx_context::get_attribute<GasScheduleConfig>();
        assert!(option::is_some(&prices), ErrorGenesisInit);
        gas_schedule::genesis_init(option::destroy_some(prices));
    }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the objects of this package, at time zero and without prices.
    public fun init_for_test() {
        let system = moveos_std::signer::module_signer<GenesisContext>();
        tx_context::add_attribute_via_system(&system, GenesisContext { timestamp: 0 });
        let prices = gas_schedule::new_gas_schedule_config(gas_schedule::initial_max_gas_amount(), vector[]);
        tx_context::add_attribute_via_system(&system, prices);
        init();
    }
}
