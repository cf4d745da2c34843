/// Output for people who develop contracts. On a chain it costs gas and does nothing.
module std::debug {
    /// Shows a value.
    public native fun print<T>(x: &T);

    /// Shows the calls that led here.
    public native fun print_stack_trace();

    // ---- for tests alone ----

    #[test_only]
    /// Shows a text.
    public fun print_string(utf8_bytes: vector<u8>) {
        print(&std::string::utf8(utf8_bytes));
    }
}
