/// Keys that an account lends to applications: each may call some functions, and lapses when it is not used for a while.
module rooch_framework::session_key {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::account;
    use moveos_std::address;
    use moveos_std::hash;
    use moveos_std::object::ObjectID;
    use moveos_std::signer;
    use moveos_std::string_utils;
    use moveos_std::table::{Self, Table};
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use moveos_std::tx_meta::{Self, FunctionCallMeta};
    use rooch_framework::auth_validator;

    friend rooch_framework::did;
    friend rooch_framework::session_validator;
    friend rooch_framework::transaction_validator;

    /// A session key must not make another.
    const ErrorSessionKeyCreatePermissionDenied: u64 = 1;
    /// The account has this key.
    const ErrorSessionKeyAlreadyExists: u64 = 2;
    /// The account has no keys.
    const ErrorSessionKeyIsInvalid: u64 = 3;
    /// The parts of scopes are not of one number, or text is no scope.
    const ErrorSessionScopePartLengthNotMatch: u64 = 4;
    /// The key would live longer than a year unused.
    const ErrorInvalidMaxInactiveInterval: u64 = 5;

    /// A year of 365 days, in seconds.
    const MAX_INACTIVE_INTERVAL: u64 = 31_536_000;

    const ED25519: u8 = 0;
    const SECP256K1: u8 = 1;
    const ECDSA_R1: u8 = 2;

    /// Functions that a key may call. Both names may be `*`, which is any.
    struct SessionScope has copy, drop, store {
        module_address: address,
        module_name: String,
        function_name: String,
    }

    /// Times are in seconds.
    struct SessionKey has copy, drop, store {
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scopes: vector<SessionScope>,
        create_time: u64,
        last_active_time: u64,
        /// 0 for a key that does not lapse.
        max_inactive_interval: u64,
    }

    /// The keys of an account.
    struct SessionKeys has key {
        keys: Table<vector<u8>, SessionKey>,
    }

    /// The longest time that a key lives unused, in seconds.
    public fun max_inactive_interval(): u64 { MAX_INACTIVE_INTERVAL }

    /// Number of Ed25519 signatures.
    public fun signature_scheme_ed25519(): u8 { ED25519 }

    /// Number of secp256k1 signatures.
    public fun signature_scheme_secp256k1(): u8 { SECP256K1 }

    /// Number of P-256 signatures.
    public fun signature_scheme_ecdsar1(): u8 { ECDSA_R1 }

    // ---- scopes ----

    /// Functions that a key may call.
    public fun new_session_scope(module_address: address, module_name: String, function_name: String): SessionScope {
        SessionScope { module_address, module_name, function_name }
    }

    /// Reads `address::module::function`.
    public fun parse_scope_string(scope_str: String): SessionScope {
        let parts = string_utils::split(&scope_str, &string::utf8(b"::"));
        assert!(vector::length(&parts) == 3, ErrorSessionScopePartLengthNotMatch);
        new_session_scope(
            address::from_string(vector::borrow(&parts, 0)),
            *vector::borrow(&parts, 1),
            *vector::borrow(&parts, 2)
        )
    }

    /// Whether the transaction that runs is one that a key may make: a call of a function in one of its scopes.
    public(friend) fun in_session_scope(session_key: &SessionKey): bool {
        let call = tx_meta::function_meta(&tx_context::tx_meta());
        option::is_some(&call)
            && vector::any(&session_key.scopes, |scope| covers(scope, option::borrow(&call)))
    }

    fun covers(scope: &SessionScope, call: &FunctionCallMeta): bool {
        &scope.module_address == tx_meta::function_meta_module_address(call)
            && matches(&scope.module_name, tx_meta::function_meta_module_name(call))
            && matches(&scope.function_name, tx_meta::function_meta_function_name(call))
    }

    fun matches(pattern: &String, name: &String): bool {
        string::bytes(pattern) == &b"*" || pattern == name
    }

    // ---- keys ----

    /// Whether a key was not used for too long.
    public(friend) fun is_expired(session_key: &SessionKey): bool {
        let interval = session_key.max_inactive_interval;
        interval > 0 && session_key.last_active_time + interval < timestamp::now_seconds()
    }

    /// Whether an account has no such key, or it was not used for too long.
    public fun is_expired_session_key(account_address: address, authentication_key: vector<u8>): bool {
        let key = get_session_key(account_address, authentication_key);
        option::is_none(&key) || is_expired(option::borrow(&key))
    }

    /// Whether an account has, or had, keys.
    public fun has_session_key(account_address: address): bool {
        account::exists_resource<SessionKeys>(account_address)
    }

    /// Whether an account has a key.
    public fun exists_session_key(account_address: address, authentication_key: vector<u8>): bool {
        has_session_key(account_address) && table::contains(keys_of(account_address), authentication_key)
    }

    /// Whether an account has a key.
    public fun contains_session_key(sender_addr: address, authentication_key: vector<u8>): bool {
        exists_session_key(sender_addr, authentication_key)
    }

    /// A key of an account, if it is there.
    public fun get_session_key(account_address: address, authentication_key: vector<u8>): Option<SessionKey> {
        if (exists_session_key(account_address, authentication_key)) {
            option::some(*table::borrow(keys_of(account_address), authentication_key))
        } else {
            option::none()
        }
    }

    /// Id of the table of an account's keys, if it is there.
    public fun get_session_keys_handle(account_address: address): Option<ObjectID> {
        if (has_session_key(account_address)) {
            option::some(table::handle(keys_of(account_address)))
        } else {
            option::none()
        }
    }

    /// Lends a key. A session key must not do so.
    public fun create_session_key(
        sender: &signer,
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scopes: vector<SessionScope>,
        max_inactive_interval: u64
    ) {
        assert!(!auth_validator::is_validate_via_session_key(), ErrorSessionKeyCreatePermissionDenied);
        create_session_key_internal(sender, app_name, app_url, authentication_key, scopes, max_inactive_interval);
    }

    public(friend) fun create_session_key_internal(
        sender: &signer,
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scopes: vector<SessionScope>,
        max_inactive_interval: u64
    ) {
        assert!(max_inactive_interval <= MAX_INACTIVE_INTERVAL, ErrorInvalidMaxInactiveInterval);
        let account = signer::address_of(sender);
        assert!(!exists_session_key(account, authentication_key), ErrorSessionKeyAlreadyExists);
        let now = timestamp::now_seconds();
        if (!has_session_key(account)) account::move_resource_to(sender, SessionKeys { keys: table::new() });
        let keys = &mut account::borrow_mut_resource<SessionKeys>(account).keys;
        table::add(keys, authentication_key, SessionKey {
            app_name,
            app_url,
            authentication_key,
            scopes,
            create_time: now,
            last_active_time: now,
            max_inactive_interval,
        });
    }

    /// Lends a key with one scope.
    public entry fun create_session_key_entry(
        sender: &signer,
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scope_module_address: address,
        scope_module_name: String,
        scope_function_name: String,
        max_inactive_interval: u64
    ) {
        let scope = new_session_scope(scope_module_address, scope_module_name, scope_function_name);
        create_session_key(sender, app_name, app_url, authentication_key, vector[scope], max_inactive_interval);
    }

    /// Lends a key with several scopes, given by their parts.
    public entry fun create_session_key_with_multi_scope_entry(
        sender: &signer,
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scope_module_addresses: vector<address>,
        scope_module_names: vector<String>,
        scope_function_names: vector<String>,
        max_inactive_interval: u64
    ) {
        let count = vector::length(&scope_module_addresses);
        assert!(
            count == vector::length(&scope_module_names) && count == vector::length(&scope_function_names),
            ErrorSessionScopePartLengthNotMatch
        );
        let scopes = vector[];
        let index = 0;
        while (index < count) {
            vector::push_back(&mut scopes, new_session_scope(
                *vector::borrow(&scope_module_addresses, index),
                *vector::borrow(&scope_module_names, index),
                *vector::borrow(&scope_function_names, index)
            ));
            index = index + 1;
        };
        create_session_key(sender, app_name, app_url, authentication_key, scopes, max_inactive_interval);
    }

    /// Lends a key with several scopes, given as text.
    public entry fun create_session_key_with_scope_strings_entry(
        sender: &signer,
        app_name: String,
        app_url: String,
        authentication_key: vector<u8>,
        scope_strings: vector<String>,
        max_inactive_interval: u64
    ) {
        let scopes = vector::map(scope_strings, |text| parse_scope_string(text));
        create_session_key(sender, app_name, app_url, authentication_key, scopes, max_inactive_interval);
    }

    /// Notes that a key of the sender was used now.
    public(friend) fun active_session_key(authentication_key: vector<u8>) {
        let account = tx_context::sender();
        if (!exists_session_key(account, authentication_key)) return;
        let keys = &mut account::borrow_mut_resource<SessionKeys>(account).keys;
        table::borrow_mut(keys, authentication_key).last_active_time = timestamp::now_seconds();
    }

    /// Takes a key back, if it is there; aborts where the account never lent one.
    public fun remove_session_key(sender: &signer, authentication_key: vector<u8>) {
        let account = signer::address_of(sender);
        assert!(has_session_key(account), ErrorSessionKeyIsInvalid);
        let keys = &mut account::borrow_mut_resource<SessionKeys>(account).keys;
        if (table::contains(keys, authentication_key)) {
            table::remove(keys, authentication_key);
        }
    }

    /// Takes a key of the sender back.
    public entry fun remove_session_key_entry(sender: &signer, authentication_key: vector<u8>) {
        remove_session_key(sender, authentication_key);
    }

    fun keys_of(account: address): &Table<vector<u8>, SessionKey> {
        &account::borrow_resource<SessionKeys>(account).keys
    }

    // ---- authentication keys ----

    /// BLAKE2b-256 of the scheme's number and the key.
    public fun ed25519_public_key_to_authentication_key(public_key: &vector<u8>): vector<u8> {
        hash::blake2b256(&with_scheme(ED25519, *public_key))
    }

    /// BLAKE2b-256 of the scheme's number and the key.
    public fun secp256k1_public_key_to_authentication_key(public_key: &vector<u8>): vector<u8> {
        hash::blake2b256(&with_scheme(SECP256K1, *public_key))
    }

    /// The scheme's number and the SHA-256 of the key: 33 bytes.
    public fun secp256r1_public_key_to_authentication_key(public_key: &vector<u8>): vector<u8> {
        with_scheme(ECDSA_R1, hash::sha2_256(*public_key))
    }

    fun with_scheme(scheme: u8, bytes: vector<u8>): vector<u8> {
        let prefixed = vector[scheme];
        vector::append(&mut prefixed, bytes);
        prefixed
    }

    // ---- for tests alone ----

    #[test_only]
    /// Notes that a key of the sender was used now.
    public fun active_session_key_for_test(authentication_key: vector<u8>) {
        active_session_key(authentication_key);
    }
}
