module moveos_std::simple_map {
    struct Element<T0, T1> has copy, drop, store {
        key: T0,
        value: T1,
    }

    struct SimpleMap<T0, T1> has copy, drop, store {
        data: vector<Element<T0, T1>>,
    }
}
