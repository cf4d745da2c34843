/// Payments of many small amounts with few transactions.
///
/// A sender keeps coins in its hub and opens a channel to a receiver. Each method of the sender's identity document may
/// have a sub-channel there, and signs vouchers for it: the sum of everything so far, and a number that rises. The
/// receiver claims the newest voucher whenever it likes, and gets the difference. A receiver closes a channel at once; a
/// sender cancels it, and for a day the receiver may still show better vouchers.
///
/// Hubs also pay for the gas of their owners' transactions.
module rooch_framework::payment_channel {
    use std::option::{Self, Option};
    use std::string::{Self, String};
    use std::vector;
    use moveos_std::bcs;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::signer;
    use moveos_std::table::{Self, Table};
    use moveos_std::timestamp;
    use moveos_std::tx_context;
    use moveos_std::type_info;
    use rooch_framework::account_coin_store;
    use rooch_framework::chain_id;
    use rooch_framework::coin::{Self, Coin, GenericCoin};
    use rooch_framework::core_addresses;
    use rooch_framework::did;
    use rooch_framework::multi_coin_store::{Self, MultiCoinStore};
    use rooch_framework::onchain_config;
    use rooch_framework::payment_revenue;

    friend rooch_framework::transaction_gas;

    /// The signer is not the receiver.
    const ErrorNotReceiver: u64 = 1;
    /// The channel is not in the state that this needs.
    const ErrorChannelNotActive: u64 = 2;
    /// The sender did not sign the voucher.
    const ErrorInvalidSenderSignature: u64 = 3;
    /// The sender's document has no such method.
    const ErrorVerificationMethodNotFound: u64 = 4;
    /// The method is not one for authentication.
    const ErrorInsufficientPermission: u64 = 5;
    /// The number of the voucher is older than the last.
    const ErrorInvalidNonce: u64 = 7;
    /// The sum of the voucher is less than the last, or there is nothing to finish.
    const ErrorInvalidAmount: u64 = 8;
    /// The day is not over.
    const ErrorChallengePeriodNotElapsed: u64 = 10;
    /// The signer is not the sender.
    const ErrorNotSender: u64 = 14;
    /// There is no such sub-channel.
    const ErrorSubChannelNotAuthorized: u64 = 15;
    /// Only the sender opens sub-channels.
    const ErrorVMAuthorizeOnlySender: u64 = 16;
    /// There is such a sub-channel.
    const ErrorVerificationMethodAlreadyExists: u64 = 17;
    /// The channel is open.
    const ErrorChannelAlreadyExists: u64 = 18;
    /// The sender has no identity document.
    const ErrorSenderMustIsDID: u64 = 20;
    /// Part of the balance must stay while channels are open.
    const ErrorInsufficientUnlockedBalance: u64 = 25;
    /// The signer may not do this.
    const ErrorNotAdmin: u64 = 26;
    /// Too many vouchers at once.
    const ErrorTooManyProofs: u64 = 27;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorInvalidPaymentHub: u64 = 6;
    #[test_only] const ErrorHubOwnerMismatch: u64 = 9;
    #[test_only] const ErrorChannelAlreadyCancelling: u64 = 11;
    #[test_only] const ErrorChannelAlreadyClosed: u64 = 12;
    #[test_only] const ErrorInsufficientBalance: u64 = 13;
    #[test_only] const ErrorActiveChannelExists: u64 = 19;
    #[test_only] const ErrorMismatchedCoinType: u64 = 21;
    #[test_only] const ErrorInvalidChannelEpoch: u64 = 22;
    #[test_only] const ErrorInvalidChainId: u64 = 23;
    #[test_only] const ErrorUnsupportedVersion: u64 = 24;

    const ACTIVE: u8 = 0;
    const CANCELLING: u8 = 1;
    const CLOSED: u8 = 2;
    /// A day in milliseconds.
    const CHALLENGE_PERIOD: u64 = 86_400_000;
    const VOUCHER_VERSION: u8 = 1;
    const PROOFS_MAX: u64 = 64;

    struct PaymentHubCreatedEvent has copy, drop {
        hub_id: ObjectID,
        owner: address,
    }

    struct PaymentChannelOpenedEvent has copy, drop {
        channel_id: ObjectID,
        sender: address,
        receiver: address,
        coin_type: String,
    }

    struct ChannelClaimedEvent has copy, drop {
        channel_id: ObjectID,
        receiver: address,
        vm_id_fragment: String,
        amount: u256,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
    }

    struct ChannelClosedEvent has copy, drop {
        channel_id: ObjectID,
        sender: address,
        receiver: address,
        total_paid: u256,
        sub_channels_count: u64,
    }

    struct ChannelCancellationInitiatedEvent has copy, drop {
        channel_id: ObjectID,
        sender: address,
        initiated_time: u64,
        pending_amount: u256,
    }

    struct ChannelDisputeEvent has copy, drop {
        channel_id: ObjectID,
        receiver: address,
        dispute_amount: u256,
        dispute_nonce: u64,
    }

    struct ChannelCancellationFinalizedEvent has copy, drop {
        channel_id: ObjectID,
        sender: address,
        final_amount: u256,
    }

    struct SubChannelAuthorizedEvent has copy, drop {
        channel_id: ObjectID,
        sender: address,
        vm_id_fragment: String,
        pk_multibase: String,
        method_type: String,
    }

    struct PaymentHubWithdrawEvent has copy, drop {
        hub_id: ObjectID,
        owner: address,
        coin_type: String,
        amount: u256,
    }

    struct PaymentHubTransferEvent has copy, drop {
        sender_hub_id: ObjectID,
        sender: address,
        receiver_hub_id: ObjectID,
        receiver: address,
        coin_type: String,
        amount: u256,
    }

    struct LockedUnitConfigUpdatedEvent has copy, drop {
        coin_type: String,
        old_locked_unit: u256,
        new_locked_unit: u256,
    }

    /// What a channel's id follows from.
    struct ChannelKey has copy, drop, store {
        sender: address,
        receiver: address,
        coin_type: String,
    }

    struct PaymentHub has key {
        multi_coin_store: Object<MultiCoinStore>,
        /// Number of open channels by type of coin.
        active_channels: Table<String, u64>,
    }

    struct PaymentHubConfig has key {
        /// What must stay in a hub for each open channel, by type of coin.
        locked_unit_per_coin: Table<String, u256>,
    }

    struct PaymentChannel has key {
        sender: address,
        receiver: address,
        coin_type: String,
        /// By names of methods.
        sub_channels: Table<String, SubChannel>,
        status: u8,
        /// Rises when the channel closes, so that old vouchers do not hold afterwards.
        channel_epoch: u64,
        cancellation_info: Option<CancellationInfo>,
    }

    struct SubChannel has store {
        pk_multibase: String,
        method_type: String,
        last_claimed_amount: u256,
        last_confirmed_nonce: u64,
    }

    struct CancellationInfo has copy, drop, store {
        /// Milliseconds.
        initiated_time: u64,
        pending_amount: u256,
    }

    #[data_struct]
    struct CloseProof has copy, drop, store {
        vm_id_fragment: String,
        accumulated_amount: u256,
        nonce: u64,
        sender_signature: vector<u8>,
    }

    #[data_struct]
    struct CloseProofs has copy, drop, store {
        proofs: vector<CloseProof>,
    }

    #[data_struct]
    struct CancelProof has copy, drop, store {
        vm_id_fragment: String,
        accumulated_amount: u256,
        nonce: u64,
    }

    #[data_struct]
    struct CancelProofs has copy, drop, store {
        proofs: vector<CancelProof>,
    }

    #[data_struct]
    /// A voucher, as it is signed.
    struct SubRAV has copy, drop, store {
        version: u8,
        chain_id: u64,
        channel_id: ObjectID,
        channel_epoch: u64,
        vm_id_fragment: String,
        accumulated_amount: u256,
        nonce: u64,
    }

    // ---- hubs ----

    /// Id of an account's hub.
    public fun get_payment_hub_id(owner: address): ObjectID {
        object::account_named_object_id<PaymentHub>(owner)
    }

    /// Whether an account has a hub.
    public fun payment_hub_exists(owner: address): bool {
        object::exists_object_with_type<PaymentHub>(get_payment_hub_id(owner))
    }

    public(friend) fun borrow_or_create_payment_hub(owner: address): &mut Object<PaymentHub> {
        if (!payment_hub_exists(owner)) {
            let hub = object::new_account_named_object(owner, PaymentHub {
                multi_coin_store: multi_coin_store::create(),
                active_channels: table::new(),
            });
            let hub_id = object::id(&hub);
            object::transfer_extend(hub, owner);
            event::emit(PaymentHubCreatedEvent { hub_id, owner });
        };
        object::borrow_mut_object_extend<PaymentHub>(get_payment_hub_id(owner))
    }

    /// Makes an account's hub, unless it is there.
    public fun ensure_payment_hub_exists(owner: address) {
        borrow_or_create_payment_hub(owner);
    }

    /// Makes the sender's hub, unless it is there.
    public entry fun create_payment_hub() {
        ensure_payment_hub_exists(tx_context::sender());
    }

    /// Puts coins of the sender's account into anybody's hub.
    public entry fun deposit_to_hub_entry<CoinType: key + store>(sender: &signer, receiver: address, amount: u256) {
        deposit_to_hub(receiver, account_coin_store::withdraw<CoinType>(sender, amount));
    }

    /// Puts a coin into a hub.
    public fun deposit_to_hub<CoinType: key + store>(account_addr: address, coin: Coin<CoinType>) {
        multi_coin_store::deposit_by_type(borrow_mut_store(account_addr), coin);
    }

    /// Puts a coin into a hub.
    public fun deposit_to_hub_generic(account_addr: address, coin: GenericCoin) {
        multi_coin_store::deposit(borrow_mut_store(account_addr), coin);
    }

    /// Takes coins out of the signer's hub into its account, as far as open channels allow.
    public fun withdraw_from_hub<CoinType: key + store>(owner: &signer, amount: u256) {
        let account = signer::address_of(owner);
        let coin_type = type_info::type_name<CoinType>();
        assert!(amount <= unlocked_balance(account, coin_type), ErrorInsufficientUnlockedBalance);
        let coin = multi_coin_store::withdraw_by_type<CoinType>(borrow_mut_store(account), amount);
        account_coin_store::deposit(account, coin);
        let hub_id = get_payment_hub_id(account);
        event::emit_with_handle(
            event_handle<PaymentHubWithdrawEvent>(hub_id),
            PaymentHubWithdrawEvent { hub_id, owner: account, coin_type, amount }
        );
    }

    /// Takes coins out of the sender's hub into its account, as far as open channels allow.
    public entry fun withdraw_from_hub_entry<CoinType: key + store>(owner: &signer, amount: u256) {
        withdraw_from_hub<CoinType>(owner, amount);
    }

    /// Moves coins from the signer's hub into another, as far as open channels allow.
    public fun transfer_to_hub<CoinType: key + store>(sender: &signer, receiver: address, amount: u256) {
        let from = signer::address_of(sender);
        let coin_type = type_info::type_name<CoinType>();
        assert!(amount <= unlocked_balance(from, coin_type), ErrorInsufficientUnlockedBalance);
        deposit_to_hub(receiver, multi_coin_store::withdraw_by_type<CoinType>(borrow_mut_store(from), amount));
        emit_transfer(from, receiver, coin_type, amount);
    }

    /// Moves coins from the sender's hub into another, as far as open channels allow.
    public entry fun transfer_to_hub_entry<CoinType: key + store>(sender: &signer, receiver: address, amount: u256) {
        transfer_to_hub<CoinType>(sender, receiver, amount);
    }

    /// Moves coins from the signer's hub into another, as far as open channels allow.
    public fun transfer_to_hub_generic(sender: &signer, receiver: address, amount: u256, coin_type: String) {
        let from = signer::address_of(sender);
        assert!(amount <= unlocked_balance(from, coin_type), ErrorInsufficientUnlockedBalance);
        deposit_to_hub_generic(receiver, multi_coin_store::withdraw(borrow_mut_store(from), coin_type, amount));
        emit_transfer(from, receiver, coin_type, amount);
    }

    /// Takes an amount out of a hub, open channels or not.
    public(friend) fun withdraw_from_hub_internal<CoinType: key>(addr: address, amount: u256): Coin<CoinType> {
        let coin = multi_coin_store::withdraw(borrow_mut_store(addr), type_info::type_name<CoinType>(), amount);
        coin::convert_generic_coin_to_coin(coin)
    }

    /// What a hub has of a type.
    public fun get_balance_in_hub<CoinType: key>(owner: address): u256 {
        balance_in_hub(owner, type_info::type_name<CoinType>())
    }

    /// What must stay in a hub of a type while channels are open.
    public fun get_required_locked_for_owner<CoinType: key>(owner: address): u256 {
        locked_balance(owner, type_info::type_name<CoinType>())
    }

    /// What may be taken out of a hub of a type.
    public fun get_unlocked_balance_in_hub<CoinType: key>(owner: address): u256 {
        unlocked_balance(owner, type_info::type_name<CoinType>())
    }

    /// Whether anything may be taken out of a hub of a type.
    public fun can_withdraw_from_hub(owner: address, coin_type: String): bool {
        unlocked_balance(owner, coin_type) > 0
    }

    /// Number of open channels of a type.
    public fun get_active_channel_count(owner: address, coin_type: String): u64 {
        if (!payment_hub_exists(owner)) return 0;
        *table::borrow_with_default(&borrow_hub(owner).active_channels, coin_type, &0)
    }

    /// What must stay in a hub for each open channel of a type.
    public fun get_locked_unit(coin_type: String): u256 {
        let id = object::named_object_id<PaymentHubConfig>();
        if (!object::exists_object_with_type<PaymentHubConfig>(id)) return 0;
        let config = object::borrow(object::borrow_object<PaymentHubConfig>(id));
        *table::borrow_with_default(&config.locked_unit_per_coin, coin_type, &0)
    }

    /// Sets what must stay in a hub for each open channel of a type, never to less; for genesis and the administrator.
    public entry fun set_locked_unit<CoinType: key + store>(account: &signer, locked_unit: u256) {
        let is_genesis = core_addresses::is_rooch_genesis_address(signer::address_of(account));
        assert!(is_genesis || onchain_config::is_admin(account), ErrorNotAdmin);
        let id = object::named_object_id<PaymentHubConfig>();
        if (!object::exists_object_with_type<PaymentHubConfig>(id)) {
            let config = object::new_named_object(PaymentHubConfig { locked_unit_per_coin: table::new() });
            object::transfer_extend(config, @rooch_framework);
        };
        let coin_type = type_info::type_name<CoinType>();
        let old_locked_unit = get_locked_unit(coin_type);
        assert!(locked_unit >= old_locked_unit, ErrorInsufficientUnlockedBalance);
        let config = object::borrow_mut(object::borrow_mut_object_extend<PaymentHubConfig>(id));
        table::upsert(&mut config.locked_unit_per_coin, coin_type, locked_unit);
        event::emit(LockedUnitConfigUpdatedEvent { coin_type, old_locked_unit, new_locked_unit: locked_unit });
    }

    fun borrow_hub(owner: address): &PaymentHub {
        object::borrow(object::borrow_object<PaymentHub>(get_payment_hub_id(owner)))
    }

    fun borrow_mut_store(owner: address): &mut Object<MultiCoinStore> {
        &mut object::borrow_mut(borrow_or_create_payment_hub(owner)).multi_coin_store
    }

    fun balance_in_hub(owner: address, coin_type: String): u256 {
        if (payment_hub_exists(owner)) {
            multi_coin_store::balance(&borrow_hub(owner).multi_coin_store, coin_type)
        } else {
            0
        }
    }

    fun locked_balance(owner: address, coin_type: String): u256 {
        let unit = get_locked_unit(coin_type);
        if (unit == 0) 0 else unit * (get_active_channel_count(owner, coin_type) as u256)
    }

    fun unlocked_balance(owner: address, coin_type: String): u256 {
        let balance = balance_in_hub(owner, coin_type);
        if (balance == 0) return 0;
        let locked = locked_balance(owner, coin_type);
        if (balance > locked) balance - locked else 0
    }

    fun count_channel_opened(owner: address, coin_type: String) {
        let counts = &mut object::borrow_mut(borrow_or_create_payment_hub(owner)).active_channels;
        if (table::contains(counts, coin_type)) {
            let count = table::borrow_mut(counts, coin_type);
            *count = *count + 1;
        } else {
            table::add(counts, coin_type, 1)
        }
    }

    fun count_channel_closed(owner: address, coin_type: String) {
        let counts = &mut object::borrow_mut(borrow_or_create_payment_hub(owner)).active_channels;
        if (!table::contains(counts, coin_type)) return;
        let count = table::borrow_mut(counts, coin_type);
        *count = *count - 1;
        if (*count == 0) {
            table::remove(counts, coin_type);
        }
    }

    fun emit_transfer(sender: address, receiver: address, coin_type: String, amount: u256) {
        let sender_hub_id = get_payment_hub_id(sender);
        event::emit_with_handle(event_handle<PaymentHubTransferEvent>(sender_hub_id), PaymentHubTransferEvent {
            sender_hub_id,
            sender,
            receiver_hub_id: get_payment_hub_id(receiver),
            receiver,
            coin_type,
            amount,
        });
    }

    // ---- opening channels ----

    /// Id of the channel between two accounts for a type of coin.
    public fun calc_channel_object_id(sender: address, receiver: address, coin_type: String): ObjectID {
        object::custom_object_id<ChannelKey, PaymentChannel>(ChannelKey { sender, receiver, coin_type })
    }

    /// Opens a channel of the signer, for the first time or again.
    public fun open_channel<CoinType: key + store>(channel_sender: &signer, channel_receiver: address): ObjectID {
        open(signer::address_of(channel_sender), channel_receiver, type_info::type_name<CoinType>())
    }

    /// Opens a channel of the sender, for the first time or again.
    public entry fun open_channel_entry<CoinType: key + store>(channel_sender: &signer, channel_receiver: address) {
        open_channel<CoinType>(channel_sender, channel_receiver);
    }

    /// Opens a sub-channel for a method of the signer's document.
    public fun authorize_sub_channel(channel_sender: &signer, channel_id: ObjectID, vm_id_fragment: String) {
        let sender = signer::address_of(channel_sender);
        assert!(borrow_channel(channel_id).sender == sender, ErrorVMAuthorizeOnlySender);
        authorize(sender, channel_id, vm_id_fragment);
    }

    /// Opens a sub-channel for a method of the sender's document.
    public entry fun authorize_sub_channel_entry(
        channel_sender: &signer,
        channel_id: ObjectID,
        vm_id_fragment: String,
    ) {
        authorize_sub_channel(channel_sender, channel_id, vm_id_fragment);
    }

    /// Opens a channel and a sub-channel of the signer, as far as they are not open.
    public fun open_channel_with_sub_channel<CoinType: key + store>(
        channel_sender: &signer,
        channel_receiver: address,
        vm_id_fragment: String,
    ): ObjectID {
        let sender = signer::address_of(channel_sender);
        ensure_open(sender, channel_receiver, type_info::type_name<CoinType>(), vm_id_fragment)
    }

    /// Opens a channel and a sub-channel of the sender, as far as they are not open.
    public entry fun open_channel_with_sub_channel_entry<CoinType: key + store>(
        channel_sender: &signer,
        channel_receiver: address,
        vm_id_fragment: String,
    ) {
        open_channel_with_sub_channel<CoinType>(channel_sender, channel_receiver, vm_id_fragment);
    }

    fun ensure_open(sender: address, receiver: address, coin_type: String, fragment: String): ObjectID {
        let id = calc_channel_object_id(sender, receiver, coin_type);
        if (!object::exists_object_with_type<PaymentChannel>(id) || borrow_channel(id).status == CLOSED) {
            open(sender, receiver, coin_type);
        };
        if (!sub_channel_exists(id, fragment)) authorize(sender, id, fragment);
        id
    }

    fun open(sender: address, receiver: address, coin_type: String): ObjectID {
        assert!(did::exists_did_for_address(sender), ErrorSenderMustIsDID);
        let channel_id = calc_channel_object_id(sender, receiver, coin_type);
        if (object::exists_object_with_type<PaymentChannel>(channel_id)) {
            let channel = borrow_mut_channel(channel_id);
            assert!(channel.status == CLOSED, ErrorChannelAlreadyExists);
            channel.status = ACTIVE;
            channel.cancellation_info = option::none();
            count_channel_opened(sender, coin_type);
        } else {
            count_channel_opened(sender, coin_type);
            let channel = object::new_with_id(ChannelKey { sender, receiver, coin_type }, PaymentChannel {
                sender,
                receiver,
                coin_type,
                sub_channels: table::new(),
                status: ACTIVE,
                channel_epoch: 0,
                cancellation_info: option::none(),
            });
            object::transfer_extend(channel, sender);
        };
        event::emit(PaymentChannelOpenedEvent { channel_id, sender, receiver, coin_type });
        channel_id
    }

    fun authorize(sender: address, channel_id: ObjectID, vm_id_fragment: String) {
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.sender == sender, ErrorNotSender);
        assert!(channel.status == ACTIVE, ErrorChannelNotActive);
        let document = did::get_did_document_by_address(sender);
        let found = did::doc_verification_method(document, &vm_id_fragment);
        assert!(option::is_some(&found), ErrorVerificationMethodNotFound);
        let authentication = did::verification_relationship_authentication();
        let may_sign = did::has_verification_relationship_in_doc(document, &vm_id_fragment, authentication);
        assert!(may_sign, ErrorInsufficientPermission);
        let method = option::destroy_some(found);
        let pk_multibase = *did::verification_method_public_key_multibase(&method);
        let method_type = *did::verification_method_type(&method);
        assert!(!table::contains(&channel.sub_channels, vm_id_fragment), ErrorVerificationMethodAlreadyExists);
        table::add(&mut channel.sub_channels, vm_id_fragment, SubChannel {
            pk_multibase,
            method_type,
            last_claimed_amount: 0,
            last_confirmed_nonce: 0,
        });
        event::emit_with_handle(
            event_handle<SubChannelAuthorizedEvent>(channel_id),
            SubChannelAuthorizedEvent { channel_id, sender, vm_id_fragment, pk_multibase, method_type }
        );
    }

    // ---- claiming ----

    /// Pays what a voucher is worth to the receiver. Anybody may bring it.
    public fun claim_from_channel(
        _claimer: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        sender_signature: vector<u8>
    ) {
        claim(channel_id, sender_vm_id_fragment, sub_accumulated_amount, sub_nonce, sender_signature);
    }

    /// Pays what a voucher is worth to the receiver. Anybody may bring it.
    public entry fun claim_from_channel_entry(
        claimer: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        sender_signature: vector<u8>
    ) {
        claim_from_channel(
            claimer,
            channel_id,
            sender_vm_id_fragment,
            sub_accumulated_amount,
            sub_nonce,
            sender_signature
        );
    }

    /// Opens channel and sub-channel as far as they are not open, and pays what a voucher is worth, unless it is of
    /// nothing. Anybody may bring it.
    public fun apply_receipt(
        did_address: address,
        channel_receiver: address,
        coin_type: String,
        vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        sender_signature: vector<u8>
    ) {
        let channel_id = ensure_open(did_address, channel_receiver, coin_type, vm_id_fragment);
        if (sub_nonce > 0 || sub_accumulated_amount > 0) {
            claim(channel_id, vm_id_fragment, sub_accumulated_amount, sub_nonce, sender_signature)
        }
    }

    /// Opens channel and sub-channel as far as they are not open, and pays what a voucher is worth, unless it is of
    /// nothing. Anybody may bring it.
    public entry fun apply_receipt_entry(
        did_address: address,
        channel_receiver: address,
        coin_type: String,
        vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        sender_signature: vector<u8>
    ) {
        apply_receipt(
            did_address,
            channel_receiver,
            coin_type,
            vm_id_fragment,
            sub_accumulated_amount,
            sub_nonce,
            sender_signature
        );
    }

    fun claim(
        channel_id: ObjectID,
        vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        signature: vector<u8>
    ) {
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.status == ACTIVE, ErrorChannelNotActive);
        assert!(table::contains(&channel.sub_channels, vm_id_fragment), ErrorSubChannelNotAuthorized);
        assert_signed(channel, channel_id, vm_id_fragment, sub_accumulated_amount, sub_nonce, signature);
        let amount = advance(channel, vm_id_fragment, sub_accumulated_amount, sub_nonce);
        pay(channel, channel_id, amount, b"Channel claim");
        event::emit_with_handle(event_handle<ChannelClaimedEvent>(channel_id), ChannelClaimedEvent {
            channel_id,
            receiver: channel.receiver,
            vm_id_fragment,
            amount,
            sub_accumulated_amount,
            sub_nonce,
        });
    }

    // ---- closing ----

    /// Closes a channel of which the signer is the receiver, paying what vouchers are worth.
    public fun close_channel(channel_receiver: &signer, channel_id: ObjectID, proofs: vector<CloseProof>) {
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.receiver == signer::address_of(channel_receiver), ErrorNotReceiver);
        assert!(channel.status == ACTIVE, ErrorChannelNotActive);
        let sub_channels_count = table::length(&channel.sub_channels);
        let total_paid = 0;
        if (sub_channels_count > 0) {
            assert!(vector::length(&proofs) <= PROOFS_MAX, ErrorTooManyProofs);
            vector::for_each(proofs, |proof| {
                let CloseProof { vm_id_fragment, accumulated_amount, nonce, sender_signature } = proof;
                // the reference network looks the key up first, so an unknown sub-channel is a missing table entry
                assert_signed(channel, channel_id, vm_id_fragment, accumulated_amount, nonce, sender_signature);
                total_paid = total_paid + advance(channel, vm_id_fragment, accumulated_amount, nonce);
            })
        };
        pay(channel, channel_id, total_paid, b"Channel closure");
        close(channel);
        event::emit_with_handle(event_handle<ChannelClosedEvent>(channel_id), ChannelClosedEvent {
            channel_id,
            sender: channel.sender,
            receiver: channel.receiver,
            total_paid,
            sub_channels_count,
        });
    }

    /// Closes a channel of which the sender is the receiver, with an encoded `CloseProofs`.
    public entry fun close_channel_entry(
        channel_receiver: &signer,
        channel_id: ObjectID,
        serialized_proofs: vector<u8>,
    ) {
        let CloseProofs { proofs } = bcs::from_bytes<CloseProofs>(serialized_proofs);
        close_channel(channel_receiver, channel_id, proofs);
    }

    /// Starts to cancel a channel of the sender, admitting to nothing.
    public entry fun initiate_cancellation_entry(channel_sender: &signer, channel_id: ObjectID) {
        initiate_cancellation(channel_sender, channel_id, vector[]);
    }

    /// Starts to cancel a channel of the signer, which admits to vouchers. Without sub-channels it closes at once.
    public fun initiate_cancellation(channel_sender: &signer, channel_id: ObjectID, proofs: vector<CancelProof>) {
        let sender = signer::address_of(channel_sender);
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.sender == sender, ErrorNotSender);
        assert!(channel.status == ACTIVE, ErrorChannelNotActive);
        if (table::is_empty(&channel.sub_channels)) {
            close(channel);
            emit_cancelled(channel_id, sender, 0);
            return
        };
        assert!(vector::length(&proofs) <= PROOFS_MAX, ErrorTooManyProofs);
        let pending_amount = 0;
        vector::for_each(proofs, |proof| {
            let CancelProof { vm_id_fragment, accumulated_amount, nonce } = proof;
            assert!(table::contains(&channel.sub_channels, vm_id_fragment), ErrorSubChannelNotAuthorized);
            pending_amount = pending_amount + advance(channel, vm_id_fragment, accumulated_amount, nonce);
        });
        let initiated_time = timestamp::now_milliseconds();
        channel.status = CANCELLING;
        channel.cancellation_info = option::some(CancellationInfo { initiated_time, pending_amount });
        event::emit_with_handle(
            event_handle<ChannelCancellationInitiatedEvent>(channel_id),
            ChannelCancellationInitiatedEvent { channel_id, sender, initiated_time, pending_amount }
        );
    }

    /// Starts to cancel a channel of the sender, with an encoded `CancelProofs`.
    public entry fun initiate_cancellation_with_proofs_entry(
        channel_sender: &signer,
        channel_id: ObjectID,
        serialized_proofs: vector<u8>,
    ) {
        let CancelProofs { proofs } = bcs::from_bytes<CancelProofs>(serialized_proofs);
        initiate_cancellation(channel_sender, channel_id, proofs);
    }

    /// Shows a better voucher for a channel that is being cancelled, of which the signer is the receiver.
    public fun dispute_cancellation(
        channel_receiver: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        dispute_accumulated_amount: u256,
        dispute_nonce: u64,
        sender_signature: vector<u8>
    ) {
        let receiver = signer::address_of(channel_receiver);
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.receiver == receiver, ErrorNotReceiver);
        assert!(channel.status == CANCELLING, ErrorChannelNotActive);
        assert!(table::contains(&channel.sub_channels, sender_vm_id_fragment), ErrorSubChannelNotAuthorized);
        assert_signed(
            channel,
            channel_id,
            sender_vm_id_fragment,
            dispute_accumulated_amount,
            dispute_nonce,
            sender_signature
        );
        let more = increment(channel, sender_vm_id_fragment, dispute_accumulated_amount, dispute_nonce);
        // a voucher of the same sum does not even count as newer
        if (more > 0) {
            advance(channel, sender_vm_id_fragment, dispute_accumulated_amount, dispute_nonce);
            let info = option::borrow_mut(&mut channel.cancellation_info);
            info.pending_amount = info.pending_amount + more;
        };
        event::emit_with_handle(event_handle<ChannelDisputeEvent>(channel_id), ChannelDisputeEvent {
            channel_id,
            receiver,
            dispute_amount: dispute_accumulated_amount,
            dispute_nonce,
        });
    }

    /// Shows a better voucher for a channel that is being cancelled, of which the sender is the receiver.
    public entry fun dispute_cancellation_entry(
        channel_receiver: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        dispute_accumulated_amount: u256,
        dispute_nonce: u64,
        sender_signature: vector<u8>
    ) {
        dispute_cancellation(
            channel_receiver,
            channel_id,
            sender_vm_id_fragment,
            dispute_accumulated_amount,
            dispute_nonce,
            sender_signature
        );
    }

    /// Closes a channel whose day is over. Anybody may do so.
    public fun finalize_cancellation(channel_id: ObjectID) {
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.status == CANCELLING, ErrorChannelNotActive);
        assert!(option::is_some(&channel.cancellation_info), ErrorInvalidAmount);
        let CancellationInfo { initiated_time, pending_amount } = *option::borrow(&channel.cancellation_info);
        let is_over = timestamp::now_milliseconds() >= initiated_time + CHALLENGE_PERIOD;
        assert!(is_over, ErrorChallengePeriodNotElapsed);
        pay(channel, channel_id, pending_amount, b"Channel cancellation");
        close(channel);
        emit_cancelled(channel_id, channel.sender, pending_amount);
    }

    /// Closes a channel whose day is over. Anybody may do so.
    public entry fun finalize_cancellation_entry(channel_id: ObjectID) {
        finalize_cancellation(channel_id);
    }

    // ---- what claiming and closing have in common ----

    /// Aborts unless the method of a sub-channel signed the voucher for the channel as it is now.
    fun assert_signed(
        channel: &PaymentChannel,
        channel_id: ObjectID,
        vm_id_fragment: String,
        accumulated_amount: u256,
        nonce: u64,
        signature: vector<u8>
    ) {
        let voucher = SubRAV {
            version: VOUCHER_VERSION,
            chain_id: chain_id::chain_id(),
            channel_id,
            channel_epoch: channel.channel_epoch,
            vm_id_fragment,
            accumulated_amount,
            nonce,
        };
        let method = table::borrow(&channel.sub_channels, vm_id_fragment);
        let message = bcs::to_bytes(&voucher);
        let is_signed =
            did::verify_signature_by_type(message, signature, &method.pk_multibase, &method.method_type);
        assert!(is_signed, ErrorInvalidSenderSignature);
    }

    /// What a voucher is worth beyond what was claimed; aborts where it is older than that.
    fun increment(channel: &PaymentChannel, fragment: String, sum: u256, nonce: u64): u256 {
        let sub_channel = table::borrow(&channel.sub_channels, fragment);
        assert!(sum >= sub_channel.last_claimed_amount, ErrorInvalidAmount);
        assert!(nonce >= sub_channel.last_confirmed_nonce, ErrorInvalidNonce);
        sum - sub_channel.last_claimed_amount
    }

    /// Notes a voucher as claimed, and gives what it is worth.
    fun advance(channel: &mut PaymentChannel, fragment: String, sum: u256, nonce: u64): u256 {
        let amount = increment(channel, fragment, sum, nonce);
        let sub_channel = table::borrow_mut(&mut channel.sub_channels, fragment);
        sub_channel.last_claimed_amount = sum;
        sub_channel.last_confirmed_nonce = nonce;
        amount
    }

    /// Pays out of the sender's hub into the receiver's revenue.
    fun pay(channel: &PaymentChannel, channel_id: ObjectID, amount: u256, description: vector<u8>) {
        if (amount == 0) return;
        let coin = multi_coin_store::withdraw(borrow_mut_store(channel.sender), channel.coin_type, amount);
        let source = payment_revenue::create_revenue_source(
            string::utf8(b"payment_channel"),
            option::some(channel_id),
            string::utf8(description)
        );
        payment_revenue::deposit_revenue_generic(channel.receiver, coin, source);
    }

    fun close(channel: &mut PaymentChannel) {
        channel.status = CLOSED;
        channel.channel_epoch = channel.channel_epoch + 1;
        count_channel_closed(channel.sender, channel.coin_type);
    }

    fun emit_cancelled(channel_id: ObjectID, sender: address, final_amount: u256) {
        event::emit_with_handle(
            event_handle<ChannelCancellationFinalizedEvent>(channel_id),
            ChannelCancellationFinalizedEvent { channel_id, sender, final_amount }
        );
    }

    /// Handle of the events of one hub or channel.
    fun event_handle<T>(id: ObjectID): ObjectID {
        event::custom_event_handle_id<ObjectID, T>(id)
    }

    fun borrow_channel(id: ObjectID): &PaymentChannel {
        object::borrow(object::borrow_object<PaymentChannel>(id))
    }

    fun borrow_mut_channel(id: ObjectID): &mut PaymentChannel {
        object::borrow_mut(object::borrow_mut_object_extend<PaymentChannel>(id))
    }

    // ---- reading channels ----

    /// Whether there is, or was, a channel.
    public fun channel_exists(sender: address, receiver: address, coin_type: String): bool {
        object::exists_object_with_type<PaymentChannel>(calc_channel_object_id(sender, receiver, coin_type))
    }

    /// Id of the channel between two accounts for a type of coin.
    public fun get_channel_id(sender: address, receiver: address, coin_type: String): ObjectID {
        calc_channel_object_id(sender, receiver, coin_type)
    }

    /// Sender, receiver, type of coin and state: 0 open, 1 being cancelled, 2 closed.
    public fun get_channel_info(channel_id: ObjectID): (address, address, String, u8) {
        let channel = borrow_channel(channel_id);
        (channel.sender, channel.receiver, channel.coin_type, channel.status)
    }

    /// How often a channel was closed.
    public fun get_channel_epoch(channel_id: ObjectID): u64 {
        borrow_channel(channel_id).channel_epoch
    }

    /// Sum and number of the newest voucher that was claimed; zeros where there is no sub-channel.
    public fun get_sub_channel_state(channel_id: ObjectID, vm_id_fragment: String): (u256, u64) {
        if (!sub_channel_exists(channel_id, vm_id_fragment)) return (0, 0);
        let sub_channel = table::borrow(&borrow_channel(channel_id).sub_channels, vm_id_fragment);
        (sub_channel.last_claimed_amount, sub_channel.last_confirmed_nonce)
    }

    /// Whether there is a sub-channel.
    public fun sub_channel_exists(channel_id: ObjectID, vm_id_fragment: String): bool {
        table::contains(&borrow_channel(channel_id).sub_channels, vm_id_fragment)
    }

    /// Number of sub-channels.
    public fun get_sub_channel_count(channel_id: ObjectID): u64 {
        table::length(&borrow_channel(channel_id).sub_channels)
    }

    /// What is known of the cancellation, if there is one.
    public fun get_cancellation_info(channel_id: ObjectID): Option<CancellationInfo> {
        borrow_channel(channel_id).cancellation_info
    }

    /// The key of a sub-channel, if it is there.
    public fun get_sub_channel_public_key(channel_id: ObjectID, vm_id_fragment: String): Option<String> {
        if (!sub_channel_exists(channel_id, vm_id_fragment)) return option::none();
        option::some(table::borrow(&borrow_channel(channel_id).sub_channels, vm_id_fragment).pk_multibase)
    }

    /// The type of the key of a sub-channel, if it is there.
    public fun get_sub_channel_method_type(channel_id: ObjectID, vm_id_fragment: String): Option<String> {
        if (!sub_channel_exists(channel_id, vm_id_fragment)) return option::none();
        option::some(table::borrow(&borrow_channel(channel_id).sub_channels, vm_id_fragment).method_type)
    }

    // ---- for tests alone ----

    #[test_only]
    /// Pays what a voucher is worth to the receiver, whoever signed it.
    public fun claim_from_channel_for_test(
        _claimer: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        _sender_signature: vector<u8>
    ) {
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.status == ACTIVE, ErrorChannelNotActive);
        assert!(table::contains(&channel.sub_channels, sender_vm_id_fragment), ErrorSubChannelNotAuthorized);
        let amount = advance(channel, sender_vm_id_fragment, sub_accumulated_amount, sub_nonce);
        pay(channel, channel_id, amount, b"Channel claim");
        event::emit_with_handle(event_handle<ChannelClaimedEvent>(channel_id), ChannelClaimedEvent {
            channel_id,
            receiver: channel.receiver,
            vm_id_fragment: sender_vm_id_fragment,
            amount,
            sub_accumulated_amount,
            sub_nonce,
        });
    }

    #[test_only]
    /// Shows a better voucher for a channel that is being cancelled, whoever signed it.
    public fun dispute_cancellation_for_test(
        channel_receiver: &signer,
        channel_id: ObjectID,
        sender_vm_id_fragment: String,
        dispute_accumulated_amount: u256,
        dispute_nonce: u64,
        _sender_signature: vector<u8>
    ) {
        let receiver = signer::address_of(channel_receiver);
        let channel = borrow_mut_channel(channel_id);
        assert!(channel.receiver == receiver, ErrorNotReceiver);
        assert!(channel.status == CANCELLING, ErrorChannelNotActive);
        assert!(table::contains(&channel.sub_channels, sender_vm_id_fragment), ErrorSubChannelNotAuthorized);
        let more = increment(channel, sender_vm_id_fragment, dispute_accumulated_amount, dispute_nonce);
        if (more > 0) {
            advance(channel, sender_vm_id_fragment, dispute_accumulated_amount, dispute_nonce);
            let info = option::borrow_mut(&mut channel.cancellation_info);
            info.pending_amount = info.pending_amount + more;
        };
        event::emit_with_handle(event_handle<ChannelDisputeEvent>(channel_id), ChannelDisputeEvent {
            channel_id,
            receiver,
            dispute_amount: dispute_accumulated_amount,
            dispute_nonce,
        });
    }

    #[test_only]
    /// As `apply_receipt`, whoever signed the voucher.
    public fun apply_receipt_for_test(
        did_address: address,
        channel_receiver: address,
        coin_type: String,
        vm_id_fragment: String,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
        sender_signature: vector<u8>
    ) {
        let channel_id = ensure_open(did_address, channel_receiver, coin_type, vm_id_fragment);
        if (sub_nonce == 0 && sub_accumulated_amount == 0) return;
        let claimer = moveos_std::account::create_signer_for_testing(channel_receiver);
        claim_from_channel_for_test(
            &claimer,
            channel_id,
            vm_id_fragment,
            sub_accumulated_amount,
            sub_nonce,
            sender_signature
        );
    }
}
