/// What ordering adds to a transaction.
module rooch_framework::transaction {
    #[data_struct]
    /// Hashes are the 66 characters of their text, `0x` included: that is how the node encodes them.
    struct TransactionSequenceInfo has copy, drop, store {
        tx_order: u64,
        tx_order_signature: vector<u8>,
        tx_accumulator_root: vector<u8>,
        /// Milliseconds.
        tx_timestamp: u64,
        tx_accumulator_frozen_subtree_roots: vector<vector<u8>>,
        tx_accumulator_num_leaves: u64,
        tx_accumulator_num_nodes: u64,
    }

    /// Position among all transactions.
    public fun tx_order(self: &TransactionSequenceInfo): u64 {
        self.tx_order
    }

    /// The sequencer's signature of the position.
    public fun tx_order_signature(self: &TransactionSequenceInfo): vector<u8> {
        self.tx_order_signature
    }

    /// Root of the tree over all transactions up to this one.
    public fun tx_accumulator_root(self: &TransactionSequenceInfo): vector<u8> {
        self.tx_accumulator_root
    }

    /// When it was ordered, in milliseconds.
    public fun tx_timestamp(self: &TransactionSequenceInfo): u64 {
        self.tx_timestamp
    }
}
