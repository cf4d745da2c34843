module std::vector {
    public native fun borrow<T0>(a0: &vector<T0>, a1: u64): &T0;

    public native fun borrow_mut<T0>(a0: &mut vector<T0>, a1: u64): &mut T0;

    public native fun destroy_empty<T0>(a0: vector<T0>);

    public native fun empty<T0>(): vector<T0>;

    public native fun length<T0>(a0: &vector<T0>): u64;

    native fun native_append<T0>(a0: &mut vector<T0>, a1: &mut vector<T0>);

    public native fun pop_back<T0>(a0: &mut vector<T0>): T0;

    public native fun push_back<T0>(a0: &mut vector<T0>, a1: T0);

    public native fun swap<T0>(a0: &mut vector<T0>, a1: u64, a2: u64);
}
