module rooch_framework::empty {
    struct Empty has key {}
}
