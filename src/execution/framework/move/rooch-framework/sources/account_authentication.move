/// Which of the registered modules, beside the framework's own, may prove an account.
module rooch_framework::account_authentication {
    use std::vector;
    use moveos_std::account;
    use moveos_std::features;
    use moveos_std::signer;
    use rooch_framework::auth_validator;
    use rooch_framework::auth_validator_registry;

    friend rooch_framework::account;

    /// The account has this module.
    const ErrorAuthValidatorAlreadyInstalled: u64 = 1;

    struct InstalledAuthValidator has key {
        validators: vector<u64>,
    }

    /// Whether a module may prove an account.
    public fun is_auth_validator_installed(account_addr: address, auth_validator_id: u64): bool {
        account::exists_resource<InstalledAuthValidator>(account_addr) && vector::contains(
            &account::borrow_resource<InstalledAuthValidator>(account_addr).validators,
            &auth_validator_id
        )
    }

    /// Lets the module that defines the type prove the signer's account.
    public fun install_auth_validator<ValidatorType: store>(account_signer: &signer) {
        features::ensure_testnet_enabled();
        let id = auth_validator::validator_id(auth_validator_registry::borrow_validator_by_type<ValidatorType>());
        let account = signer::address_of(account_signer);
        assert!(!is_auth_validator_installed(account, id), ErrorAuthValidatorAlreadyInstalled);
        if (!account::exists_resource<InstalledAuthValidator>(account)) {
            account::move_resource_to(account_signer, InstalledAuthValidator { validators: vector[] });
        };
        let installed = account::borrow_mut_resource<InstalledAuthValidator>(account);
        vector::push_back(&mut installed.validators, id);
    }

    /// Lets the module that defines the type prove the sender's account.
    public entry fun install_auth_validator_entry<ValidatorType: store>(account_signer: &signer) {
        install_auth_validator<ValidatorType>(account_signer);
    }
}
