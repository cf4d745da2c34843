/// Bytecode as a value.
module moveos_std::move_module {
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::features;

    friend moveos_std::module_store;

    // The natives abort with 1 (a module of another address), 2 (the verifier refused), 3 (not compatible) and with the
    // chain's own checks' numbers from 10000 on.

    /// Two lists that must be of one length are not.
    const ErrorLengthNotMatch: u64 = 4;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorAddressNotMatchWithSigner: u64 = 1;
    #[test_only] const ErrorModuleVerificationError: u64 = 2;
    #[test_only] const ErrorModuleIncompatible: u64 = 3;

    struct MoveModule has copy, drop, store {
        byte_codes: vector<u8>,
    }

    /// A module of these bytes, which are not looked at.
    public fun new(byte_codes: vector<u8>): MoveModule {
        MoveModule { byte_codes }
    }

    /// Modules of these bytes.
    public fun new_batch(byte_codes_batch: vector<vector<u8>>): vector<MoveModule> {
        vector::map(byte_codes_batch, |byte_codes| new(byte_codes))
    }

    /// The bytes of modules.
    public(friend) fun into_byte_codes_batch(modules: vector<MoveModule>): vector<vector<u8>> {
        bytes_of(&modules)
    }

    /// Address and name of a module, as text.
    public fun module_id(move_module: &MoveModule): String {
        module_id_inner(&move_module.byte_codes)
    }

    /// Verifies modules of one address. Gives their names in an order in which each follows those it imports, the names
    /// of those with an `init` function, and where each of the ordered ones is in `modules`.
    public fun sort_and_verify_modules(
        modules: &vector<MoveModule>,
        account_address: address
    ): (vector<String>, vector<String>, vector<u64>) {
        sort_and_verify_modules_inner(bytes_of(modules), account_address)
    }

    /// Aborts unless a module may replace another.
    public fun check_comatibility(new_module: &MoveModule, old_module: &MoveModule) {
        check_compatibililty_inner(new_module.byte_codes, old_module.byte_codes)
    }

    // ---- changed copies of modules ----

    /// Copies with one address in place of another.
    public fun binding_module_address(
        modules: vector<MoveModule>,
        old_address: address,
        new_address: address,
    ): vector<MoveModule> {
        features::ensure_module_template_enabled();
        let old_addresses = vector[old_address];
        let new_addresses = vector[new_address];
        let bytes = replace_address_identifiers(bytes_of(&modules), old_addresses, new_addresses);
        new_batch(replace_addresses_constant(bytes, old_addresses, new_addresses))
    }

    /// Copies with other identifiers.
    public fun replace_module_identiner(
        modules: vector<MoveModule>,
        old_names: vector<String>,
        new_names: vector<String>,
    ): vector<MoveModule> {
        features::ensure_module_template_enabled();
        assert_equal_lengths(&old_names, &new_names);
        new_batch(replace_identifiers(bytes_of(&modules), old_names, new_names))
    }

    /// Copies with other identifiers.
    public fun replace_struct_identifier(
        modules: vector<MoveModule>,
        old_names: vector<String>,
        new_names: vector<String>,
    ): vector<MoveModule> {
        replace_module_identiner(modules, old_names, new_names)
    }

    /// Copies with other constant texts.
    public fun replace_constant_string(
        modules: vector<MoveModule>,
        old_strings: vector<String>,
        new_strings: vector<String>,
    ): vector<MoveModule> {
        features::ensure_devnet_enabled();
        assert_equal_lengths(&old_strings, &new_strings);
        let old_bytes = vector::map(old_strings, |text| string::into_bytes(text));
        let new_bytes = vector::map(new_strings, |text| string::into_bytes(text));
        new_batch(replace_bytes_constant(bytes_of(&modules), old_bytes, new_bytes))
    }

    /// Copies with other constant addresses.
    public fun replace_constant_address(
        modules: vector<MoveModule>,
        old_addresses: vector<address>,
        new_addresses: vector<address>,
    ): vector<MoveModule> {
        features::ensure_module_template_enabled();
        assert_equal_lengths(&old_addresses, &new_addresses);
        new_batch(replace_addresses_constant(bytes_of(&modules), old_addresses, new_addresses))
    }

    /// Copies with other constant u8s.
    public fun replace_constant_u8(
        modules: vector<MoveModule>,
        old_u8s: vector<u8>,
        new_u8s: vector<u8>,
    ): vector<MoveModule> {
        features::ensure_devnet_enabled();
        assert_equal_lengths(&old_u8s, &new_u8s);
        new_batch(replace_u8_constant(bytes_of(&modules), old_u8s, new_u8s))
    }

    /// Copies with other constant u64s.
    public fun replace_constant_u64(
        modules: vector<MoveModule>,
        old_u64s: vector<u64>,
        new_u64s: vector<u64>,
    ): vector<MoveModule> {
        features::ensure_devnet_enabled();
        assert_equal_lengths(&old_u64s, &new_u64s);
        new_batch(replace_u64_constant(bytes_of(&modules), old_u64s, new_u64s))
    }

    /// Copies with other constant u256s.
    public fun replace_constant_u256(
        modules: vector<MoveModule>,
        old_u256s: vector<u256>,
        new_u256s: vector<u256>,
    ): vector<MoveModule> {
        features::ensure_devnet_enabled();
        assert_equal_lengths(&old_u256s, &new_u256s);
        new_batch(replace_u256_constant(bytes_of(&modules), old_u256s, new_u256s))
    }

    fun bytes_of(modules: &vector<MoveModule>): vector<vector<u8>> {
        vector::map_ref(modules, |module_ref| {
            let module_ref: &MoveModule = module_ref;
            module_ref.byte_codes
        })
    }

    fun assert_equal_lengths<T>(left: &vector<T>, right: &vector<T>) {
        assert!(vector::length(left) == vector::length(right), ErrorLengthNotMatch);
    }

    // ---- the machine ----

    native fun module_id_inner(byte_codes: &vector<u8>): String;

    /// Address and name as text, in the form of `module_id`.
    native public fun module_id_from_name(account: address, name: String): String;

    native public(friend) fun sort_and_verify_modules_inner(
        modules: vector<vector<u8>>,
        account_address: address
    ): (vector<String>, vector<String>, vector<u64>);

    /// Has the `init` functions of these modules run after the transaction's action.
    native public(friend) fun request_init_functions(module_ids: vector<String>);

    native fun check_compatibililty_inner(new_bytecodes: vector<u8>, old_bytecodes: vector<u8>);

    native public(friend) fun replace_address_identifiers(
        bytes: vector<vector<u8>>,
        old_addresses: vector<address>,
        new_addresses: vector<address>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_identifiers(
        bytes: vector<vector<u8>>,
        old_idents: vector<String>,
        new_idents: vector<String>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_addresses_constant(
        bytes: vector<vector<u8>>,
        old_addresses: vector<address>,
        new_addresses: vector<address>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_bytes_constant(
        bytes: vector<vector<u8>>,
        old_bytes: vector<vector<u8>>,
        new_bytes: vector<vector<u8>>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_u8_constant(
        bytes: vector<vector<u8>>,
        old_u8s: vector<u8>,
        new_u8s: vector<u8>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_u64_constant(
        bytes: vector<vector<u8>>,
        old_u64s: vector<u64>,
        new_u64s: vector<u64>,
    ): vector<vector<u8>>;

    native public(friend) fun replace_u256_constant(
        bytes: vector<vector<u8>>,
        old_u256s: vector<u256>,
        new_u256s: vector<u256>,
    ): vector<vector<u8>>;
}
