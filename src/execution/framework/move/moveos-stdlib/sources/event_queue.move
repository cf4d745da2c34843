/// Events that contracts read: named queues in which each subscriber has a position of its own. A queue keeps events only
/// while somebody subscribes, and for 31 days. Every event is emitted for watchers of the chain as well.
module moveos_std::event_queue {
    use std::option::{Self, Option};
    use std::string::String;
    use moveos_std::event;
    use moveos_std::object::{Self, Object, ObjectID};
    use moveos_std::timestamp;

    /// An event that must be in the queue is not.
    const ErrorEventNotFound: u64 = 3;

    // Codes of natives, or of the reference alone, for tests to name.
    #[test_only] const ErrorTooManySubscribers: u64 = 1;
    #[test_only] const ErrorSubscriberNotFound: u64 = 2;
    #[test_only] const ErrorInvalidSequenceNumber: u64 = 4;
    #[test_only] const ErrorEventQueueNotFound: u64 = 5;

    /// 31 days in milliseconds.
    const EXPIRY: u64 = 2_678_400_000;
    /// Expired events that one call removes at most.
    const EXPIRED_BATCH: u64 = 10;

    /// Events are fields of the queue, by sequence number: from `tail` up to, not including, `head`.
    struct EventQueue<phantom E> has key {
        head_sequence_number: u64,
        tail_sequence_number: u64,
        subscriber_count: u64,
    }

    struct OnChainEvent<E> has drop, store {
        event: E,
        /// Milliseconds.
        emit_time: u64,
    }

    struct OffChainEvent<E> has copy, drop, store {
        queue_name: String,
        /// Where the event is in the queue, if anybody subscribes.
        sequence_number: Option<u64>,
        event: E,
    }

    struct Subscriber<phantom E> has key {
        queue_id: ObjectID,
        /// The next event to read.
        sequence_number: u64,
    }

    #[private_generics(E)]
    /// Emits an event, and puts it into the queue if anybody subscribes.
    public fun emit<E: copy + drop + store>(name: String, event: E) {
        let id = queue_id<E>(name);
        let sequence_number = if (object::exists_object_with_type<EventQueue<E>>(id)) {
            enqueue(borrow_mut_queue<E>(id), event)
        } else {
            option::none()
        };
        event::emit(OffChainEvent { queue_name: name, sequence_number, event });
    }

    /// The subscriber's next event, if any. Events that expired unread are skipped.
    public fun consume<E: copy + drop + store>(subscriber_obj: &mut Object<Subscriber<E>>): Option<E> {
        let subscriber = object::borrow_mut(subscriber_obj);
        let queue = borrow_mut_queue<E>(subscriber.queue_id);
        remove_expired(queue);
        let next = next_of(subscriber.sequence_number, object::borrow(queue));
        if (option::is_none(&next)) return option::none();
        let number = option::destroy_some(next);
        assert!(object::contains_field(queue, number), ErrorEventNotFound);
        subscriber.sequence_number = number + 1;
        let entry: &OnChainEvent<E> = object::borrow_field(queue, number);
        option::some(entry.event)
    }

    /// Starts to read at the next event that is emitted.
    public fun subscribe<E: copy + drop + store>(queue_name: String): Object<Subscriber<E>> {
        let queue_id = queue_id<E>(queue_name);
        if (!object::exists_object(queue_id)) {
            let queue = object::new_with_id(queue_name, EventQueue<E> {
                head_sequence_number: 0,
                tail_sequence_number: 0,
                subscriber_count: 0,
            });
            object::transfer_extend(queue, @moveos_std);
        };
        let queue = object::borrow_mut(borrow_mut_queue<E>(queue_id));
        queue.subscriber_count = queue.subscriber_count + 1;
        object::new(Subscriber<E> { queue_id, sequence_number: queue.head_sequence_number })
    }

    /// Stops reading.
    public fun unsubscribe<E: copy + drop + store>(subscriber: Object<Subscriber<E>>) {
        let Subscriber { queue_id, sequence_number: _ } = object::remove(subscriber);
        let queue = object::borrow_mut(borrow_mut_queue<E>(queue_id));
        queue.subscriber_count = queue.subscriber_count - 1;
    }

    /// Removes some of the events that expired. Anybody may do so.
    public fun remove_expired_events<E: copy + drop + store>(queue_name: String) {
        remove_expired(borrow_mut_queue<E>(queue_id<E>(queue_name)))
    }

    /// The subscriber's position, and the queue's head and tail.
    public fun subscriber_info<E: copy + drop + store>(subscriber_obj: &Object<Subscriber<E>>): (u64, u64, u64) {
        let subscriber = object::borrow(subscriber_obj);
        let queue = object::borrow(object::borrow_object<EventQueue<E>>(subscriber.queue_id));
        (subscriber.sequence_number, queue.head_sequence_number, queue.tail_sequence_number)
    }

    /// Whether `consume` would give an event.
    public fun exists_new_events<E: copy + drop + store>(subscriber_obj: &Object<Subscriber<E>>): bool {
        let subscriber = object::borrow(subscriber_obj);
        let queue = object::borrow_object<EventQueue<E>>(subscriber.queue_id);
        let next = next_of(subscriber.sequence_number, object::borrow(queue));
        option::is_some(&next) && object::contains_field(queue, option::destroy_some(next))
    }

    fun queue_id<E: copy + drop + store>(name: String): ObjectID {
        object::custom_object_id<String, EventQueue<E>>(name)
    }

    fun borrow_mut_queue<E: copy + drop + store>(queue_id: ObjectID): &mut Object<EventQueue<E>> {
        object::borrow_mut_object_extend<EventQueue<E>>(queue_id)
    }

    fun enqueue<E: copy + drop + store>(queue: &mut Object<EventQueue<E>>, event: E): Option<u64> {
        let head = object::borrow(queue).head_sequence_number;
        if (object::borrow(queue).subscriber_count == 0) return option::none();
        object::add_field(queue, head, OnChainEvent { event, emit_time: timestamp::now_milliseconds() });
        object::borrow_mut(queue).head_sequence_number = head + 1;
        remove_expired(queue);
        option::some(head)
    }

    /// Sequence number of the event that a subscriber at `position` reads next.
    fun next_of<E: copy + drop + store>(position: u64, queue: &EventQueue<E>): Option<u64> {
        if (queue.head_sequence_number == queue.tail_sequence_number || position >= queue.head_sequence_number) {
            return option::none()
        };
        option::some(if (position < queue.tail_sequence_number) queue.tail_sequence_number else position)
    }

    fun remove_expired<E: copy + drop + store>(queue: &mut Object<EventQueue<E>>) {
        let head = object::borrow(queue).head_sequence_number;
        let tail = object::borrow(queue).tail_sequence_number;
        let now = timestamp::now_milliseconds();
        let number = tail;
        while (number < head && number - tail < EXPIRED_BATCH) {
            if (object::contains_field(queue, number)) {
                let entry: &OnChainEvent<E> = object::borrow_field(queue, number);
                if (now - entry.emit_time <= EXPIRY) break;
                let _: OnChainEvent<E> = object::remove_field(queue, number);
            };
            number = number + 1;
        };
        object::borrow_mut(queue).tail_sequence_number = number;
    }
}
