/// Changes of the chain's prices, by its administrator.
module rooch_framework::upgrade {
    use moveos_std::account;
    use moveos_std::gas_schedule;
    use moveos_std::signer;
    use rooch_framework::onchain_config;

    friend rooch_framework::genesis;

    /// Never emitted: it stands for this module as a signer.
    struct GasUpgradeEvent has copy, drop, store {}

    /// Replaces all prices by those of an encoded `GasScheduleConfig`.
    entry fun upgrade_gas_schedule(account: &signer, gas_schedule_config: vector<u8>) {
        onchain_config::ensure_admin(account);
        let system = signer::module_signer<GasUpgradeEvent>();
        let moveos = account::create_signer_for_system(&system, @moveos_std);
        gas_schedule::update_gas_schedule(&moveos, gas_schedule_config);
    }
}
