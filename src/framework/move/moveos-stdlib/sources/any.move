module moveos_std::any {
    struct Any has drop, store {
        type_name: std::string::String,
        data: vector<u8>,
    }
}
