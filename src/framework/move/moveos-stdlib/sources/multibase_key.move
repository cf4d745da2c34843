module moveos_std::multibase_key {
    struct KeyInfo has copy, drop, store {
        key_type: u8,
        key_bytes: vector<u8>,
    }
}
