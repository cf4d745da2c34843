module std::debug {
    public native fun print<T0>(a0: &T0);

    public native fun print_stack_trace();
}
