module moveos_std::account {
    struct Account has key {
        addr: address,
        sequence_number: u64,
    }

    struct AccountCap has store, key {
        addr: address,
    }

    native fun create_signer(a0: address): signer;
}
