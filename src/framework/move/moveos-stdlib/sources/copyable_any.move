module moveos_std::copyable_any {
    struct Any has copy, drop, store {
        type_name: std::string::String,
        data: vector<u8>,
    }
}
