/// Who runs the chain: the sequencer, the organisation behind it, and the administrator, who is whoever owns one object.
module rooch_framework::onchain_config {
    use std::vector;
    use moveos_std::features;
    use moveos_std::module_store;
    use moveos_std::object;
    use moveos_std::signer;
    use rooch_framework::chain_id;

    friend rooch_framework::genesis;
    friend rooch_framework::upgrade;

    /// The administrator does not sign.
    const ErrorNotAdmin: u64 = 1;

    struct OnchainConfig has key {
        /// Counts upgrades of the framework.
        framework_version: u64,
        sequencer: address,
        rooch_dao: address,
    }

    /// The right to administer.
    struct ConfigUpdateCap has key, store {}

    /// Makes both objects and turns on the features of the chain.
    public(friend) fun genesis_init(genesis_account: &signer, sequencer: address, rooch_dao: address) {
        let config = object::new_named_object(OnchainConfig { framework_version: 0, sequencer, rooch_dao });
        object::transfer_extend(config, @rooch_framework);
        let administrator = if (chain_id::is_main()) rooch_dao else sequencer;
        object::transfer(object::new_named_object(ConfigUpdateCap {}), administrator);
        features::change_feature_flags(genesis_account, initial_features(), vector[]);
    }

    /// The administrator.
    public fun admin(): address {
        object::owner(object::borrow_object<ConfigUpdateCap>(object::named_object_id<ConfigUpdateCap>()))
    }

    /// Aborts unless the administrator signs.
    public fun ensure_admin(account: &signer) {
        assert!(is_admin(account), ErrorNotAdmin);
    }

    /// Whether the administrator signs.
    public fun is_admin(account: &signer): bool {
        signer::address_of(account) == admin()
    }

    /// Who orders transactions.
    public fun sequencer(): address {
        onchain_config().sequencer
    }

    /// The organisation behind the chain.
    public fun rooch_dao(): address {
        onchain_config().rooch_dao
    }

    /// Counts an upgrade of the framework.
    public(friend) fun update_framework_version() {
        let object = object::borrow_mut_object_extend<OnchainConfig>(object::named_object_id<OnchainConfig>());
        let config = object::borrow_mut(object);
        config.framework_version = config.framework_version + 1;
    }

    /// Number of upgrades of the framework.
    public fun framework_version(): u64 {
        onchain_config().framework_version
    }

    /// The object's value.
    public fun onchain_config(): &OnchainConfig {
        object::borrow(object::borrow_object<OnchainConfig>(object::named_object_id<OnchainConfig>()))
    }

    /// Whether genesis made the object.
    public fun exist_onchain_config(): bool {
        object::exists_object_with_type<OnchainConfig>(object::named_object_id<OnchainConfig>())
    }

    /// Lets a package be published while publishing is restricted; for the administrator.
    public entry fun add_to_publishing_allowlist(account: &signer, package_id: address) {
        ensure_admin(account);
        module_store::add_to_allowlist(&signer::module_signer<OnchainConfig>(), package_id);
    }

    /// Lets a package be published no longer while publishing is restricted; for the administrator.
    public entry fun remove_from_publishing_allowlist(account: &signer, package_id: address) {
        ensure_admin(account);
        module_store::remove_from_allowlist(&signer::module_signer<OnchainConfig>(), package_id);
    }

    /// Turns features on and off; for the administrator.
    public entry fun change_feature_flags(account: &signer, enable: vector<u64>, disable: vector<u64>) {
        ensure_admin(account);
        features::change_feature_flags(&signer::module_signer<OnchainConfig>(), enable, disable);
    }

    fun initial_features(): vector<u64> {
        if (chain_id::is_main()) {
            return vector[features::get_module_publishing_allowlist_feature()]
        };
        let enabled = vector[features::get_module_template_feature(), features::get_wasm_feature()];
        let is_local = chain_id::is_local();
        let is_local_or_dev = is_local || chain_id::is_dev();
        if (is_local) vector::push_back(&mut enabled, features::get_localnet_feature());
        if (is_local_or_dev) {
            vector::push_back(&mut enabled, features::get_devnet_feature());
            vector::push_back(&mut enabled, features::get_compatibility_checker_v2_feature());
        };
        if (is_local_or_dev || chain_id::is_test()) {
            vector::push_back(&mut enabled, features::get_testnet_feature());
            vector::push_back(&mut enabled, features::get_value_size_gas_feature());
        };
        enabled
    }
}
