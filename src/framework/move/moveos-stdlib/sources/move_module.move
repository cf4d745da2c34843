module moveos_std::move_module {
    struct MoveModule has copy, drop, store {
        byte_codes: vector<u8>,
    }

    native fun check_compatibililty_inner(a0: vector<u8>, a1: vector<u8>);

    public native fun module_id_from_name(a0: address, a1: std::string::String): std::string::String;

    native fun module_id_inner(a0: &vector<u8>): std::string::String;

    public(friend) native fun replace_address_identifiers(a0: vector<vector<u8>>, a1: vector<address>, a2: vector<address>): vector<vector<u8>>;

    public(friend) native fun replace_addresses_constant(a0: vector<vector<u8>>, a1: vector<address>, a2: vector<address>): vector<vector<u8>>;

    public(friend) native fun replace_bytes_constant(a0: vector<vector<u8>>, a1: vector<vector<u8>>, a2: vector<vector<u8>>): vector<vector<u8>>;

    public(friend) native fun replace_identifiers(a0: vector<vector<u8>>, a1: vector<std::string::String>, a2: vector<std::string::String>): vector<vector<u8>>;

    public(friend) native fun replace_u256_constant(a0: vector<vector<u8>>, a1: vector<u256>, a2: vector<u256>): vector<vector<u8>>;

    public(friend) native fun replace_u64_constant(a0: vector<vector<u8>>, a1: vector<u64>, a2: vector<u64>): vector<vector<u8>>;

    public(friend) native fun replace_u8_constant(a0: vector<vector<u8>>, a1: vector<u8>, a2: vector<u8>): vector<vector<u8>>;

    public(friend) native fun request_init_functions(a0: vector<std::string::String>);

    public(friend) native fun sort_and_verify_modules_inner(a0: vector<vector<u8>>, a1: address): (vector<std::string::String>, vector<std::string::String>, vector<u64>);
}
