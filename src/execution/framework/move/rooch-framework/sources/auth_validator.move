/// Modules that prove senders, and what one of them found out about the transaction that runs.
module rooch_framework::auth_validator {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::tx_context;
    use rooch_framework::bitcoin_address::{Self, BitcoinAddress};

    friend rooch_framework::auth_validator_registry;
    friend rooch_framework::session_key;
    friend rooch_framework::transaction_validator;

    /// The sender was not proven yet.
    const ErrorMustExecuteAfterValidate: u64 = 1;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorValidateSequenceNuberTooOld: u64 = 1001;
    #[test_only] const ErrorValidateSequenceNumberTooNew: u64 = 1002;
    #[test_only] const ErrorValidateAccountDoesNotExist: u64 = 1003;
    #[test_only] const ErrorValidateCantPayGasDeposit: u64 = 1004;
    #[test_only] const ErrorValidateTransactionExpired: u64 = 1005;
    #[test_only] const ErrorValidateBadChainId: u64 = 1006;
    #[test_only] const ErrorValidateSequenceNumberTooBig: u64 = 1007;
    #[test_only] const ErrorValidateMaxGasAmountExceeded: u64 = 1008;
    #[test_only] const ErrorValidateInvalidAccountAuthKey: u64 = 1009;
    #[test_only] const ErrorValidateInvalidAuthenticator: u64 = 1010;
    #[test_only] const ErrorValidateNotInstalledAuthValidator: u64 = 1011;
    #[test_only] const ErrorValidateSessionIsExpired: u64 = 1012;
    #[test_only] const ErrorValidateFunctionCallBeyondSessionScope: u64 = 1013;

    /// What the session key starts with where the transaction was signed by a method of an identity document instead:
    /// the name of that method follows.
    const IDENTITY_METHOD_PREFIX: vector<u8> = b"DID_VM:";

    struct AuthValidator has copy, drop, store {
        id: u64,
        module_address: address,
        module_name: String,
    }

    struct TxValidateResult has copy, drop, store {
        auth_validator_id: u64,
        /// There where another module is to be asked.
        auth_validator: Option<AuthValidator>,
        /// There where a session key signed.
        session_key: Option<vector<u8>>,
        /// Empty where it is not known.
        bitcoin_address: BitcoinAddress,
    }

    // ---- abort codes of validation ----

    public fun error_validate_sequence_number_too_old(): u64 { 1001 }

    public fun error_validate_sequence_number_too_new(): u64 { 1002 }

    public fun error_validate_account_does_not_exist(): u64 { 1003 }

    public fun error_validate_cant_pay_gas_deposit(): u64 { 1004 }

    public fun error_validate_transaction_expired(): u64 { 1005 }

    public fun error_validate_bad_chain_id(): u64 { 1006 }

    public fun error_validate_sequence_number_too_big(): u64 { 1007 }

    public fun error_validate_max_gas_amount_exceeded(): u64 { 1008 }

    public fun error_validate_invalid_account_auth_key(): u64 { 1009 }

    public fun error_validate_invalid_authenticator(): u64 { 1010 }

    public fun error_validate_not_installed_auth_validator(): u64 { 1011 }

    public fun error_validate_session_is_expired(): u64 { 1012 }

    public fun error_validate_function_call_beyond_session_scope(): u64 { 1013 }

    // ---- modules that prove senders ----

    public(friend) fun new_auth_validator(id: u64, module_address: address, module_name: String): AuthValidator {
        AuthValidator { id, module_address, module_name }
    }

    /// The number by which transactions name it.
    public fun validator_id(validator: &AuthValidator): u64 {
        validator.id
    }

    /// Address of the module.
    public fun validator_module_address(validator: &AuthValidator): address {
        validator.module_address
    }

    /// Name of the module.
    public fun validator_module_name(validator: &AuthValidator): String {
        validator.module_name
    }

    // ---- what was found out ----

    public(friend) fun new_tx_validate_result(
        auth_validator_id: u64,
        auth_validator: Option<AuthValidator>,
        session_key: Option<vector<u8>>,
        bitcoin_address: BitcoinAddress,
    ): TxValidateResult {
        TxValidateResult { auth_validator_id, auth_validator, session_key, bitcoin_address }
    }

    /// The same; the name of a method of an identity document takes the place of the session key.
    public(friend) fun new_tx_validate_result_with_optional_data(
        auth_validator_id: u64,
        auth_validator: Option<AuthValidator>,
        session_key: Option<vector<u8>>,
        vm_fragment: Option<String>,
        bitcoin_address: BitcoinAddress,
    ): TxValidateResult {
        if (option::is_some(&vm_fragment)) {
            let marked = IDENTITY_METHOD_PREFIX;
            vector::append(&mut marked, string::into_bytes(option::destroy_some(vm_fragment)));
            session_key = option::some(marked);
        };
        new_tx_validate_result(auth_validator_id, auth_validator, session_key, bitcoin_address)
    }

    public(friend) fun get_validate_result_from_ctx(): TxValidateResult {
        let result = tx_context::get_attribute<TxValidateResult>();
        assert!(option::is_some(&result), ErrorMustExecuteAfterValidate);
        option::destroy_some(result)
    }

    public(friend) fun get_validator_id_from_ctx(): u64 {
        get_validate_result_from_ctx().auth_validator_id
    }

    /// The session key that signed, if one did.
    public fun get_session_key_from_ctx_option(): Option<vector<u8>> {
        let key = raw_session_key();
        if (option::is_some(&key) && names_method(option::borrow(&key))) option::none() else key
    }

    /// Whether a session key signed.
    public fun is_validate_via_session_key(): bool {
        option::is_some(&get_session_key_from_ctx_option())
    }

    public(friend) fun get_session_key_from_ctx(): vector<u8> {
        let key = get_session_key_from_ctx_option();
        assert!(option::is_some(&key), ErrorMustExecuteAfterValidate);
        option::destroy_some(key)
    }

    public(friend) fun get_bitcoin_address_from_ctx(): BitcoinAddress {
        get_validate_result_from_ctx().bitcoin_address
    }

    /// The sender's Bitcoin address, if it is known.
    public fun get_bitcoin_address_from_ctx_option(): Option<BitcoinAddress> {
        let result = tx_context::get_attribute<TxValidateResult>();
        if (option::is_none(&result)) return option::none();
        let TxValidateResult { auth_validator_id: _, auth_validator: _, session_key: _, bitcoin_address } =
            option::destroy_some(result);
        if (bitcoin_address::is_empty(&bitcoin_address)) option::none() else option::some(bitcoin_address)
    }

    /// The name of the method of an identity document that signed, if one did.
    public fun get_did_vm_fragment_from_ctx_option(): Option<String> {
        let key = raw_session_key();
        if (option::is_none(&key)) return option::none();
        let bytes = option::destroy_some(key);
        if (!names_method(&bytes)) return option::none();
        let name = vector::slice(&bytes, vector::length(&IDENTITY_METHOD_PREFIX), vector::length(&bytes));
        option::some(string::utf8(name))
    }

    fun raw_session_key(): Option<vector<u8>> {
        let result = tx_context::get_attribute<TxValidateResult>();
        if (option::is_some(&result)) option::destroy_some(result).session_key else option::none()
    }

    fun names_method(key: &vector<u8>): bool {
        let end = vector::length(&IDENTITY_METHOD_PREFIX);
        vector::length(key) >= end && vector::slice(key, 0, end) == IDENTITY_METHOD_PREFIX
    }

    // ---- for tests alone ----

    #[test_only]
    /// Sets how the transaction was validated, whatever was set before.
    public fun set_tx_validate_result_for_testing(
        auth_validator_id: u64,
        auth_validator: Option<AuthValidator>,
        session_key: Option<vector<u8>>,
        bitcoin_address: BitcoinAddress,
    ) {
        if (tx_context::contains_attribute<TxValidateResult>()) {
            tx_context::remove_attribute_for_testing<TxValidateResult>();
        };
        let result = new_tx_validate_result(auth_validator_id, auth_validator, session_key, bitcoin_address);
        tx_context::set_attribute_for_testing(result);
    }

    #[test_only]
    /// Sets that the transaction was validated by the validator with the id 0, for a Bitcoin address that nothing had.
    public fun set_simple_tx_validate_result_for_testing(session_key: Option<vector<u8>>) {
        let bitcoin_address = rooch_framework::bitcoin_address::random_address_for_testing();
        set_tx_validate_result_for_testing(0, option::none(), session_key, bitcoin_address);
    }

    #[test_only]
    /// The same.
    public fun set_random_tx_validate_result_for_testing(session_key: Option<vector<u8>>) {
        set_simple_tx_validate_result_for_testing(session_key);
    }

    #[test_only]
    /// A validator with this id, in no module that exists.
    public fun create_test_auth_validator(id: u64): AuthValidator {
        new_auth_validator(id, @0x1, string::utf8(b"test_validator"))
    }
}
