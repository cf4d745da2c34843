module moveos_std::simple_multimap {
    struct Element<T0, T1> has copy, drop, store {
        key: T0,
        value: vector<T1>,
    }

    struct SimpleMultiMap<T0, T1> has copy, drop, store {
        data: vector<Element<T0, T1>>,
    }
}
