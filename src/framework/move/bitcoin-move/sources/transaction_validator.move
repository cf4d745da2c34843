module bitcoin_move::transaction_validator {
    struct TransactionValidatorPlaceholder {}
}
