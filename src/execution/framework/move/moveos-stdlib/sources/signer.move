/// Signers of modules, beside those of senders.
module moveos_std::signer {
    #[private_generics(T)]
    /// The signer of the address at which `T` is defined, for the module that defines it.
    native public fun module_signer<T>(): signer;

    /// The address inside a signer.
    public fun address_of(signer: &signer): address {
        std::signer::address_of(signer)
    }
}
