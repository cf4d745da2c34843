module std::signer {
    public native fun borrow_address(a0: &signer): &address;
}
