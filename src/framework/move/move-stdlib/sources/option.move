module std::option {
    struct Option<T0> has copy, drop, store {
        vec: vector<T0>,
    }
}
