/// Events: values that a transaction leaves behind for those who watch the chain. Contracts cannot read them back. An
/// event belongs to a handle, which is nothing but an id: that of its type, or a custom one.
module moveos_std::event {
    use moveos_std::object::{Self, ObjectID};

    /// The handle of all events of a type.
    public fun named_event_handle_id<T>(): ObjectID {
        object::named_object_id<T>()
    }

    /// The handle of the events of a type that belong to a value.
    public fun custom_event_handle_id<ID: store + copy + drop, T>(id: ID): ObjectID {
        object::custom_object_id<ID, T>(id)
    }

    #[private_generics(T)]
    /// Emits under the handle of the type.
    public fun emit<T: drop + copy>(event: T) {
        native_emit_with_handle(named_event_handle_id<T>(), event)
    }

    #[private_generics(T)]
    /// Emits under any handle.
    public fun emit_with_handle<T: drop + copy>(event_handle_id: ObjectID, event: T) {
        native_emit_with_handle(event_handle_id, event)
    }

    native fun native_emit<T>(event: T);

    native fun native_emit_with_handle<T>(event_handle_id: ObjectID, event: T);
}
