module rooch_framework::account {
    struct AccountPlaceholder {}
}
