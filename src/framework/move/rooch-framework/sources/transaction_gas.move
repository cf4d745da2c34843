module rooch_framework::transaction_gas {
    struct GasUsageInfo has copy, drop, store {
        hub_amount_used: u256,
        account_amount_used: u256,
    }
}
