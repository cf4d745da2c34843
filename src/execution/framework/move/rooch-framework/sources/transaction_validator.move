/// What the node runs around every transaction: the check before it is ordered, and what comes before and after its
/// action. The last two run without gas and must not fail; where the action fails, its effects are dropped and theirs are
/// kept.
module rooch_framework::transaction_validator {
    use std::option;
    use moveos_std::account;
    use moveos_std::gas_schedule;
    use moveos_std::signer;
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use moveos_std::tx_meta;
    use moveos_std::tx_result;
    use rooch_framework::account as accounts;
    use rooch_framework::account_authentication;
    use rooch_framework::address_mapping;
    use rooch_framework::auth_validator::{Self, TxValidateResult};
    use rooch_framework::auth_validator_registry;
    use rooch_framework::bitcoin_address;
    use rooch_framework::bitcoin_validator;
    use rooch_framework::builtin_validators;
    use rooch_framework::chain_id;
    use rooch_framework::coin;
    use rooch_framework::did_validator;
    use rooch_framework::gas_coin;
    use rooch_framework::onchain_config;
    use rooch_framework::session_key;
    use rooch_framework::session_validator;
    use rooch_framework::transaction::{Self, TransactionSequenceInfo};
    use rooch_framework::transaction_fee;
    use rooch_framework::transaction_gas;
    use rooch_framework::webauthn_validator;

    const SEQUENCE_NUMBER_MAX: u64 = 0xFFFF_FFFF_FFFF_FFFF;
    /// What a sender without coins gets on local chains and those for development: 10000 coins.
    const GIFT: u256 = 1_000_000_000_000;

    /// Never made: it stands for this module as a signer.
    struct TransactionValidatorPlaceholder {}

    /// Aborts unless the transaction may be ordered: it is for this chain, the sender's next, can be paid, and proven to
    /// be the sender's. Where another module is to prove that, the result names it, and the node asks it.
    public(friend) fun validate(
        chain_id: u64,
        auth_validator_id: u64,
        authenticator_payload: vector<u8>
    ): TxValidateResult {
        assert!(chain_id == chain_id::chain_id(), auth_validator::error_validate_bad_chain_id());
        let sender = tx_context::sender();
        assert_next(tx_context::sequence_number(), account::sequence_number(sender));
        let max_gas_amount = tx_context::max_gas_amount();
        assert!(
            max_gas_amount <= gas_schedule::max_gas_amount(),
            auth_validator::error_validate_max_gas_amount_exceeded()
        );
        if (!chain_id::is_local_or_dev()) {
            let can_pay = transaction_gas::total_available_gas_balance(sender)
                >= transaction_fee::calculate_gas(max_gas_amount);
            assert!(can_pay, auth_validator::error_validate_cant_pay_gas_deposit())
        };
        let bitcoin_address;
        let session_key = option::none();
        let method = option::none();
        let other_module = option::none();
        if (auth_validator_id == bitcoin_validator::auth_validator_id()) {
            bitcoin_address = option::some(bitcoin_validator::validate(authenticator_payload))
        } else {
            if (auth_validator_id == session_validator::auth_validator_id()) {
                session_key = option::some(session_validator::validate(authenticator_payload))
            } else if (auth_validator_id == webauthn_validator::auth_validator_id()) {
                session_key = option::some(webauthn_validator::validate(authenticator_payload))
            } else if (auth_validator_id == did_validator::auth_validator_id()) {
                let (_, name) = did_validator::validate(authenticator_payload);
                method = option::some(name)
            } else {
                let module_info = *auth_validator_registry::borrow_validator(auth_validator_id);
                let id = auth_validator::validator_id(&module_info);
                let is_allowed = builtin_validators::is_builtin_auth_validator(id)
                    || account_authentication::is_auth_validator_installed(sender, id);
                assert!(is_allowed, auth_validator::error_validate_not_installed_auth_validator());
                other_module = option::some(module_info)
            };
            bitcoin_address = address_mapping::resolve_bitcoin(sender)
        };
        auth_validator::new_tx_validate_result_with_optional_data(
            auth_validator_id,
            other_module,
            session_key,
            method,
            option::destroy_with_default(bitcoin_address, bitcoin_address::empty())
        )
    }

    /// Before the action: the sender has an account, and coins on chains for development; its Bitcoin address is on
    /// record, the clock is set, and the most that the transaction may cost is paid.
    fun pre_execute() {
        let sender = tx_context::sender();
        if (!account::exists_at(sender)) {
            accounts::create_account(sender);
        };
        if (chain_id::is_local_or_dev() && gas_coin::balance(sender) == 0) gas_coin::faucet(sender, GIFT);
        let bitcoin_address = auth_validator::get_bitcoin_address_from_ctx_option();
        if (option::is_some(&bitcoin_address)) {
            address_mapping::bind_bitcoin_address_internal(sender, option::destroy_some(bitcoin_address))
        };
        let sequence_info = tx_context::get_attribute<TransactionSequenceInfo>();
        if (option::is_some(&sequence_info)) {
            let system = signer::module_signer<TransactionValidatorPlaceholder>();
            let time = transaction::tx_timestamp(option::borrow(&sequence_info));
            timestamp::try_update_global_time(&system, time);
        };
        let price = transaction_fee::calculate_gas(tx_context::max_gas_amount());
        let payer = tx_context::tx_gas_payment_account();
        let (paid, usage) = transaction_gas::deduct_transaction_gas(payer, price);
        transaction_gas::store_gas_usage_info(usage);
        transaction_fee::deposit_fee(paid);
    }

    /// After the action: a session key that signed counts as used, the transaction as sent; what it cost is shared out,
    /// and the rest goes back.
    fun post_execute() {
        let session_key = auth_validator::get_session_key_from_ctx_option();
        if (option::is_some(&session_key)) session_key::active_session_key(option::destroy_some(session_key));
        let system = signer::module_signer<TransactionValidatorPlaceholder>();
        account::increment_sequence_number_for_system(&system, tx_context::sender());

        let rest = transaction_fee::distribute_fee(
            transaction_fee::calculate_gas(tx_context::max_gas_amount()),
            transaction_fee::calculate_gas(tx_result::gas_used(&tx_context::tx_result())),
            called_address(),
            onchain_config::sequencer()
        );
        let payer = tx_context::tx_gas_payment_account();
        let usage = transaction_gas::get_gas_usage_info();
        if (option::is_some(&usage)) {
            transaction_gas::refund_transaction_gas(payer, rest, option::destroy_some(usage))
        } else if (coin::value(&rest) > 0) {
            gas_coin::refund_gas(payer, rest)
        } else {
            coin::destroy_zero(rest)
        }
    }

    fun assert_next(number: u64, expected: u64) {
        assert!(number < SEQUENCE_NUMBER_MAX, auth_validator::error_validate_sequence_number_too_big());
        assert!(number >= expected, auth_validator::error_validate_sequence_number_too_old());
        assert!(number == expected, auth_validator::error_validate_sequence_number_too_new());
    }

    /// Address of the called function's module; the framework's where no function is called.
    fun called_address(): address {
        let call = tx_meta::function_meta(&tx_context::tx_meta());
        if (option::is_none(&call)) return @rooch_framework;
        *tx_meta::function_meta_module_address(option::borrow(&call))
    }
}
