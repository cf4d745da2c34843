module rooch_framework::payment_channel {
    #[data_struct]
    struct CancelProof has copy, drop, store {
        vm_id_fragment: std::string::String,
        accumulated_amount: u256,
        nonce: u64,
    }

    #[data_struct]
    struct CancelProofs has copy, drop, store {
        proofs: vector<CancelProof>,
    }

    struct CancellationInfo has copy, drop, store {
        initiated_time: u64,
        pending_amount: u256,
    }

    struct ChannelCancellationFinalizedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        sender: address,
        final_amount: u256,
    }

    struct ChannelCancellationInitiatedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        sender: address,
        initiated_time: u64,
        pending_amount: u256,
    }

    struct ChannelClaimedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        receiver: address,
        vm_id_fragment: std::string::String,
        amount: u256,
        sub_accumulated_amount: u256,
        sub_nonce: u64,
    }

    struct ChannelClosedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        sender: address,
        receiver: address,
        total_paid: u256,
        sub_channels_count: u64,
    }

    struct ChannelDisputeEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        receiver: address,
        dispute_amount: u256,
        dispute_nonce: u64,
    }

    struct ChannelKey has copy, drop, store {
        sender: address,
        receiver: address,
        coin_type: std::string::String,
    }

    #[data_struct]
    struct CloseProof has copy, drop, store {
        vm_id_fragment: std::string::String,
        accumulated_amount: u256,
        nonce: u64,
        sender_signature: vector<u8>,
    }

    #[data_struct]
    struct CloseProofs has copy, drop, store {
        proofs: vector<CloseProof>,
    }

    struct LockedUnitConfigUpdatedEvent has copy, drop {
        coin_type: std::string::String,
        old_locked_unit: u256,
        new_locked_unit: u256,
    }

    struct PaymentChannel has key {
        sender: address,
        receiver: address,
        coin_type: std::string::String,
        sub_channels: moveos_std::table::Table<std::string::String, SubChannel>,
        status: u8,
        channel_epoch: u64,
        cancellation_info: std::option::Option<CancellationInfo>,
    }

    struct PaymentChannelOpenedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        sender: address,
        receiver: address,
        coin_type: std::string::String,
    }

    struct PaymentHub has key {
        multi_coin_store: moveos_std::object::Object<rooch_framework::multi_coin_store::MultiCoinStore>,
        active_channels: moveos_std::table::Table<std::string::String, u64>,
    }

    struct PaymentHubConfig has key {
        locked_unit_per_coin: moveos_std::table::Table<std::string::String, u256>,
    }

    struct PaymentHubCreatedEvent has copy, drop {
        hub_id: moveos_std::object::ObjectID,
        owner: address,
    }

    struct PaymentHubTransferEvent has copy, drop {
        sender_hub_id: moveos_std::object::ObjectID,
        sender: address,
        receiver_hub_id: moveos_std::object::ObjectID,
        receiver: address,
        coin_type: std::string::String,
        amount: u256,
    }

    struct PaymentHubWithdrawEvent has copy, drop {
        hub_id: moveos_std::object::ObjectID,
        owner: address,
        coin_type: std::string::String,
        amount: u256,
    }

    struct SubChannel has store {
        pk_multibase: std::string::String,
        method_type: std::string::String,
        last_claimed_amount: u256,
        last_confirmed_nonce: u64,
    }

    struct SubChannelAuthorizedEvent has copy, drop {
        channel_id: moveos_std::object::ObjectID,
        sender: address,
        vm_id_fragment: std::string::String,
        pk_multibase: std::string::String,
        method_type: std::string::String,
    }

    #[data_struct]
    struct SubRAV has copy, drop, store {
        version: u8,
        chain_id: u64,
        channel_id: moveos_std::object::ObjectID,
        channel_epoch: u64,
        vm_id_fragment: std::string::String,
        accumulated_amount: u256,
        nonce: u64,
    }
}
