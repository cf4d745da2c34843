module rooch_framework::upgrade {
    struct GasUpgradeEvent has copy, drop, store {}
}
