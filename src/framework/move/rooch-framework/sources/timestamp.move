module rooch_framework::timestamp {
    struct TimestampPlaceholder has key {}
}
