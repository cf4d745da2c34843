module moveos_std::signer {
    #[private_generics(T0)]
    public native fun module_signer<T0>(): signer;
}
