/// The sender of a transaction, as a value that only the machine makes.
module std::signer {
    /// The address inside a signer.
    public native fun borrow_address(s: &signer): &address;

    /// A copy of the address inside a signer.
    public fun address_of(s: &signer): address {
        *borrow_address(s)
    }
}
