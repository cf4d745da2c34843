/// Making accounts, for the framework: addresses of the system are kept apart from all others.
module rooch_framework::account {
    use moveos_std::account;
    use moveos_std::core_addresses;
    use moveos_std::signer;

    friend rooch_framework::genesis;
    friend rooch_framework::transaction_validator;
    friend rooch_framework::transfer;

    /// The address is the system's.
    const ErrorAddressReserved: u64 = 1;
    /// The address is not the system's.
    const ErrorAddressNotReserved: u64 = 2;

    /// Never made: it stands for this module as a signer.
    struct AccountPlaceholder {}

    /// Makes the account of a user.
    public(friend) fun create_account(new_address: address): signer {
        assert!(!core_addresses::is_reserved_address(new_address), ErrorAddressReserved);
        create(new_address)
    }

    /// Makes an account of the system.
    public(friend) fun create_system_account(new_address: address): signer {
        assert!(core_addresses::is_reserved_address(new_address), ErrorAddressNotReserved);
        create(new_address)
    }

    fun create(new_address: address): signer {
        account::create_account_by_system(&signer::module_signer<AccountPlaceholder>(), new_address)
    }

    // ---- for tests alone ----

    #[test_only]
    /// The signer of an address, which has an account from then on.
    public fun create_account_for_testing(new_address: address): signer {
        account::create_account_for_testing(new_address)
    }
}
