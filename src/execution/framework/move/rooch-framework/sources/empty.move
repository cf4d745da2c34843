/// Functions that do nothing, to measure what everything else costs.
module rooch_framework::empty {
    use moveos_std::object;

    struct Empty has key {}

    fun init() {
        object::to_shared(object::new_named_object(Empty {}));
    }

    /// Does nothing.
    public entry fun empty() {}

    /// Does nothing, with a signer.
    public entry fun empty_with_signer(_sender: &signer) {}
}
