module moveos_std::event_queue {
    struct EventQueue<phantom T0> has key {
        head_sequence_number: u64,
        tail_sequence_number: u64,
        subscriber_count: u64,
    }

    struct OffChainEvent<T0> has copy, drop, store {
        queue_name: std::string::String,
        sequence_number: std::option::Option<u64>,
        event: T0,
    }

    struct OnChainEvent<T0> has drop, store {
        event: T0,
        emit_time: u64,
    }

    struct Subscriber<phantom T0> has key {
        queue_id: moveos_std::object::ObjectID,
        sequence_number: u64,
    }
}
