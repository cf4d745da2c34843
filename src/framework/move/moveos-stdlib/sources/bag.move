module moveos_std::bag {
    struct Bag has store {
        handle: moveos_std::object::Object<BagInner>,
    }

    struct BagInner has key {
        dropable: bool,
    }
}
