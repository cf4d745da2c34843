module moveos_std::event {
    native fun native_emit<T0>(a0: T0);

    native fun native_emit_with_handle<T0>(a0: moveos_std::object::ObjectID, a1: T0);
}
