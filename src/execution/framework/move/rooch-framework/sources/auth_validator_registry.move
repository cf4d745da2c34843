/// The modules that may prove senders, by number and by a type that each defines. Numbers below 100 are the framework's.
module rooch_framework::auth_validator_registry {
    use moveos_std::account;
    use moveos_std::core_addresses;
    use moveos_std::features;
    use moveos_std::table::{Self, Table};
    use moveos_std::type_info;
    use moveos_std::type_table::{Self, TypeTable};
    use rooch_framework::auth_validator::{Self, AuthValidator};

    friend rooch_framework::builtin_validators;
    friend rooch_framework::genesis;

    /// No module is registered under this number or type.
    const ErrorValidatorUnregistered: u64 = 1;
    /// A module is registered under this type.
    const ErrorValidatorAlreadyRegistered: u64 = 2;

    const FIRST_ID: u64 = 100;

    struct AuthValidatorWithType<phantom ValidatorType: store> has key, store {
        id: u64,
    }

    struct ValidatorRegistry has key {
        /// The next number.
        validator_num: u64,
        validators: Table<u64, AuthValidator>,
        validators_with_type: TypeTable,
    }

    /// Makes the registry.
    public(friend) fun genesis_init(sender: &signer) {
        account::move_resource_to(sender, ValidatorRegistry {
            validator_num: FIRST_ID,
            validators: table::new(),
            validators_with_type: type_table::new(),
        });
    }

    #[private_generics(ValidatorType)]
    /// Registers the module that defines the type, for itself.
    public fun register<ValidatorType: store>(): u64 {
        features::ensure_testnet_enabled();
        register_internal<ValidatorType>()
    }

    /// Registers the module that defines the type; for system accounts.
    public fun register_by_system<ValidatorType: store>(system: &signer): u64 {
        core_addresses::assert_system_reserved(system);
        register_internal<ValidatorType>()
    }

    /// Registers the module that defines the type under a number; for system accounts.
    public fun register_by_system_with_id<ValidatorType: store>(system: &signer, id: u64): u64 {
        core_addresses::assert_system_reserved(system);
        register_internal_with_id<ValidatorType>(id)
    }

    public(friend) fun register_internal_with_id<ValidatorType: store>(id: u64): u64 {
        add<ValidatorType>(account::borrow_mut_resource<ValidatorRegistry>(@rooch_framework), id);
        id
    }

    public(friend) fun register_internal<ValidatorType: store>(): u64 {
        let registry = account::borrow_mut_resource<ValidatorRegistry>(@rooch_framework);
        let id = registry.validator_num;
        add<ValidatorType>(registry, id);
        // registries that are older than the reserved numbers count on from the first free one
        registry.validator_num = (if (id < FIRST_ID) FIRST_ID else id) + 1;
        id
    }

    /// Whether the module that defines the type is registered.
    public fun is_registered<ValidatorType: store>(): bool {
        contains<ValidatorType>(account::borrow_resource<ValidatorRegistry>(@rooch_framework))
    }

    /// The module of a number; aborts without one.
    public fun borrow_validator(id: u64): &AuthValidator {
        let registry = account::borrow_resource<ValidatorRegistry>(@rooch_framework);
        assert!(table::contains(&registry.validators, id), ErrorValidatorUnregistered);
        table::borrow(&registry.validators, id)
    }

    /// The module that defines the type; aborts where it is not registered.
    public fun borrow_validator_by_type<ValidatorType: store>(): &AuthValidator {
        let registry = account::borrow_resource<ValidatorRegistry>(@rooch_framework);
        assert!(contains<ValidatorType>(registry), ErrorValidatorUnregistered);
        let entry = type_table::borrow<AuthValidatorWithType<ValidatorType>>(&registry.validators_with_type);
        borrow_validator(entry.id)
    }

    fun contains<ValidatorType: store>(registry: &ValidatorRegistry): bool {
        type_table::contains<AuthValidatorWithType<ValidatorType>>(&registry.validators_with_type)
    }

    fun add<ValidatorType: store>(registry: &mut ValidatorRegistry, id: u64) {
        assert!(!contains<ValidatorType>(registry), ErrorValidatorAlreadyRegistered);
        type_table::add(&mut registry.validators_with_type, AuthValidatorWithType<ValidatorType> { id });
        let type = type_info::type_of<ValidatorType>();
        let address = type_info::account_address(&type);
        let validator = auth_validator::new_auth_validator(id, address, type_info::module_name(&type));
        table::add(&mut registry.validators, id, validator);
    }
}
