/// Check of a transaction of Bitcoin before it is executed.
module bitcoin_move::transaction_validator {
    use bitcoin_move::bitcoin;

    struct TransactionValidatorPlaceholder {}

    /// Whether a transaction is new.
    public fun validate_l1_tx(tx_hash: address, _payload: vector<u8>): bool {
        !bitcoin::exist_l1_tx(tx_hash)
    }
}
