module rooch_framework::transaction_validator {
    struct TransactionValidatorPlaceholder {}
}
