/// Switches of the chain's behaviour: bits of one shared object, which the framework alone sets.
module moveos_std::features {
    use std::vector;
    use moveos_std::core_addresses;
    use moveos_std::object;

    friend moveos_std::genesis;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const EINVALID_FEATURE: u64 = 1;

    /// The feature is off.
    const EAPI_DISABLED: u64 = 2;

    /// The chain is a local one.
    const LOCALNET: u64 = 1;
    /// The chain is for development, or is a local one.
    const DEVNET: u64 = 2;
    /// The chain is for tests, or one of the two above.
    const TESTNET: u64 = 3;
    /// Contracts may publish changed copies of modules.
    const MODULE_TEMPLATE: u64 = 4;
    /// Only listed accounts may publish modules.
    const MODULE_PUBLISHING_ALLOWLIST: u64 = 5;
    /// Contracts may run WebAssembly.
    const WASM: u64 = 6;
    /// Gas grows with the size of values and transactions.
    const VALUE_SIZE_GAS: u64 = 7;
    /// Upgrades must keep functions for friends.
    const COMPATIBILITY_CHECKER_V2: u64 = 8;

    /// Feature `n` is bit `n % 8` of byte `n / 8`; bytes that are missing are zero.
    struct FeatureStore has key {
        features: vector<u8>,
    }

    /// Makes the object, with all features off.
    public(friend) fun init_feature_store() {
        object::to_shared(object::new_named_object(FeatureStore { features: vector[] }));
    }

    /// Turns features on and off, in this order; for system accounts.
    public fun change_feature_flags(framework: &signer, enable: vector<u64>, disable: vector<u64>) {
        core_addresses::assert_system_reserved(framework);
        let store = object::borrow_mut_object_shared<FeatureStore>(object::named_object_id<FeatureStore>());
        let features = &mut object::borrow_mut(store).features;
        vector::for_each_ref(&enable, |feature| set(features, *feature, true));
        vector::for_each_ref(&disable, |feature| set(features, *feature, false));
    }

    /// Whether a feature is on.
    public fun is_enabled(feature: u64): bool {
        let store = object::borrow_object<FeatureStore>(object::named_object_id<FeatureStore>());
        let features = &object::borrow(store).features;
        let index = feature / 8;
        index < vector::length(features) && *vector::borrow(features, index) & bit_of(feature) != 0
    }

    /// All features that have a name.
    public fun get_all_features(): vector<u64> {
        vector[
            LOCALNET,
            DEVNET,
            TESTNET,
            MODULE_TEMPLATE,
            MODULE_PUBLISHING_ALLOWLIST,
            WASM,
            VALUE_SIZE_GAS,
            COMPATIBILITY_CHECKER_V2,
        ]
    }

    fun set(features: &mut vector<u8>, feature: u64, on: bool) {
        let index = feature / 8;
        while (vector::length(features) <= index) vector::push_back(features, 0);
        let byte = vector::borrow_mut(features, index);
        let bit = bit_of(feature);
        *byte = if (on) *byte | bit else *byte & (0xff ^ bit);
    }

    fun bit_of(feature: u64): u8 {
        1 << ((feature % 8) as u8)
    }

    fun ensure(feature: u64) {
        assert!(is_enabled(feature), EAPI_DISABLED);
    }

    // ---- each feature: its number, whether it is on, and an abort where it is not ----

    public fun get_localnet_feature(): u64 { LOCALNET }

    public fun localnet_enabled(): bool { is_enabled(LOCALNET) }

    public fun ensure_localnet_enabled() { ensure(LOCALNET) }

    public fun get_devnet_feature(): u64 { DEVNET }

    public fun devnet_enabled(): bool { is_enabled(DEVNET) }

    public fun ensure_devnet_enabled() { ensure(DEVNET) }

    public fun get_testnet_feature(): u64 { TESTNET }

    public fun testnet_enabled(): bool { is_enabled(TESTNET) }

    public fun ensure_testnet_enabled() { ensure(TESTNET) }

    public fun get_module_template_feature(): u64 { MODULE_TEMPLATE }

    public fun module_template_enabled(): bool { is_enabled(MODULE_TEMPLATE) }

    public fun ensure_module_template_enabled() { ensure(MODULE_TEMPLATE) }

    public fun get_module_publishing_allowlist_feature(): u64 { MODULE_PUBLISHING_ALLOWLIST }

    public fun module_publishing_allowlist_enabled(): bool { is_enabled(MODULE_PUBLISHING_ALLOWLIST) }

    public fun ensure_module_publishing_allowlist_enabled() { ensure(MODULE_PUBLISHING_ALLOWLIST) }

    public fun get_wasm_feature(): u64 { WASM }

    public fun wasm_enabled(): bool { is_enabled(WASM) }

    public fun ensure_wasm_enabled() { ensure(WASM) }

    public fun get_value_size_gas_feature(): u64 { VALUE_SIZE_GAS }

    public fun value_size_gas_enabled(): bool { is_enabled(VALUE_SIZE_GAS) }

    public fun ensure_value_size_gas_enabled() { ensure(VALUE_SIZE_GAS) }

    public fun get_compatibility_checker_v2_feature(): u64 { COMPATIBILITY_CHECKER_V2 }

    public fun compatibility_checker_v2_enabled(): bool { is_enabled(COMPATIBILITY_CHECKER_V2) }

    public fun ensure_compatibility_checker_v2_enabled() { ensure(COMPATIBILITY_CHECKER_V2) }

    // ---- for tests alone ----

    #[test_only]
    /// Makes the object, with all features off.
    public fun init_feature_store_for_test() {
        init_feature_store();
    }

    #[test_only]
    /// Turns features on and off, in this order.
    public fun change_feature_flags_for_test(enable: vector<u64>, disable: vector<u64>) {
        change_feature_flags(&moveos_std::signer::module_signer<FeatureStore>(), enable, disable);
    }

    #[test_only]
    /// Makes the object, with all features that have a name on.
    public fun init_and_enable_all_features_for_test() {
        init_feature_store();
        change_feature_flags_for_test(get_all_features(), vector[]);
    }
}
