module rooch_framework::auth_validator_registry {
    struct AuthValidatorWithType<phantom T0: store> has store, key {
        id: u64,
    }

    struct ValidatorRegistry has key {
        validator_num: u64,
        validators: moveos_std::table::Table<u64, rooch_framework::auth_validator::AuthValidator>,
        validators_with_type: moveos_std::type_table::TypeTable,
    }
}
